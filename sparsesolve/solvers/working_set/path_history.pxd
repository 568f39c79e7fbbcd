"""PathHistory: the solutions at the last two lambdas, and their linear extrapolation."""
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef class PathHistory:
    cdef double[2] lams                 # the last one first; 0: there is none
    cdef int size                       # working columns at the last of them
    cdef double[:, ::1] b               # (2, capacity) their coefficients, the last ones first
    cdef double[:, ::1] last, earlier   # (kinds, n) vectors of the last two lams
    cdef double[2] rounding             # of the residuals, see WorkingCoefficients.rounding

    cdef void clear(self) noexcept nogil
    cdef double forward(self, double lam) noexcept nogil
    cdef double drift(self, double forward) noexcept nogil
    cdef int keep(self, double lam, WorkingCoefficients columns) except -1
    cdef void step(self, double factor, const double* b, int size, double* out) noexcept nogil
