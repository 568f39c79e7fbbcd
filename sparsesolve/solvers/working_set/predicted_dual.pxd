"""PredictedDual: the dual point predicted by the quadratic model of a step."""
from sparsesolve.solvers.certificate.gap cimport ScaledDual
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef class PredictedDual(ScaledDual):
    # (n,) the dual point
    cdef double[::1] v
    # its products with the working columns
    cdef double[::1] g
    # what rounding of these may add to the gap
    cdef double rounding
    # whether steps are to be remembered
    cdef bint wanted
    # whether one has been
    cdef bint known
    cdef double[::1] trial              # (n,)
    # A scale of v, the last asked for, and the gap of the samples there.
    cdef double scaled, excess
    # whose point is certified
    cdef LocalModel model
    # the working columns
    cdef WorkingCoefficients columns

    cdef int reserve(self, int capacity) except -1
    cdef void take(self, LocalModel model, WorkingCoefficients columns) noexcept nogil
    cdef double certify(self, LocalModel model, WorkingCoefficients columns, double lam,
                        double goal) noexcept
    cdef bint _out_of_reach(self, LocalModel model, double goal) noexcept nogil
    cdef void _swap(self, WorkingCoefficients columns) noexcept nogil
