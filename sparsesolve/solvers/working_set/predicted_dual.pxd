"""PredictedDual: the dual point to which the model of a step leads."""
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef class PredictedDual:
    cdef double[::1] v                  # (n,) the dual point
    cdef double[::1] g                  # its products with the working columns,
    cdef double rounding                   # which rounding may have taken off by this, in the gap
    cdef bint wanted                    # whether steps are to be remembered,
    cdef bint known                     # and one has been
    cdef double[::1] trial              # (n,)
    cdef double scale, excess           # of v last asked for, and the samples' parts of the gap there

    cdef int reserve(self, int capacity) except -1
    cdef void take(self, LocalModel model, WorkingCoefficients columns) noexcept nogil
    cdef double gap(self, LocalModel model, WorkingCoefficients columns, double lam, double goal) noexcept nogil
    cdef double _least(self, LocalModel model, WorkingCoefficients columns, double lam) noexcept nogil
    cdef bint _hopeless(self, LocalModel model, double goal) noexcept nogil
    cdef double _gap_at(self, LocalModel model, WorkingCoefficients columns, double lam, double scale) noexcept nogil
    cdef void _swap(self, WorkingCoefficients columns) noexcept nogil
