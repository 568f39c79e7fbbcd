"""PredictedDual: the dual point to which the model of a step leads."""
from sparsesolve.solvers.certificate.gap cimport ScaledDual
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef class PredictedDual(ScaledDual):
    cdef double[::1] v                  # (n,) the dual point
    cdef double[::1] g                  # its products with the working columns,
    cdef double rounding                   # which rounding may have taken off by this, in the gap
    cdef bint wanted                    # whether steps are to be remembered,
    cdef bint known                     # and one has been
    cdef double[::1] trial              # (n,)
    cdef double scaled, excess          # a scale of v, last asked for, and the samples' parts of the gap there
    cdef LocalModel model               # whose place is certified,
    cdef WorkingCoefficients columns    # with these

    cdef int reserve(self, int capacity) except -1
    cdef void take(self, LocalModel model, WorkingCoefficients columns) noexcept nogil
    cdef double certify(self, LocalModel model, WorkingCoefficients columns, double lam, double goal) noexcept
    cdef bint _hopeless(self, LocalModel model, double goal) noexcept nogil
    cdef void _swap(self, WorkingCoefficients columns) noexcept nogil
