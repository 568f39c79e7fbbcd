"""PredictedDual: the dual point predicted by the quadratic model of a step."""
from sparsesolve.solvers.certificate.gap cimport ScaledDual
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef class PredictedDual(ScaledDual):
    cdef double[::1] v                  # (n,) the dual point
    cdef double[::1] g                  # its products with the working columns
    cdef double rounding                # what rounding of these may add to the gap
    cdef bint wanted                    # whether steps are to be remembered
    cdef bint known                     # whether one has been
    cdef double[::1] trial              # (n,)
    # A scale of v, the last asked for, and the gap of the samples there.
    cdef double scaled, excess
    cdef LocalModel model               # whose point is certified
    cdef WorkingCoefficients columns    # the working columns

    cdef int reserve(self, int capacity) except -1
    cdef void take(self, LocalModel model, WorkingCoefficients columns) noexcept nogil
    cdef double certify(self, LocalModel model, WorkingCoefficients columns, double lam,
                        double goal) noexcept
    cdef bint _out_of_reach(self, LocalModel model, double goal) noexcept nogil
    cdef void _swap(self, WorkingCoefficients columns) noexcept nogil
