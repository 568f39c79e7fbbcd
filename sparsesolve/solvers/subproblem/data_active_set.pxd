"""DataActiveSet: the quadratic over working columns, by products with the columns themselves."""
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic

cdef class DataActiveSet(ActiveSetQuadratic):
    cdef Py_ssize_t n
    cdef double[::1] v                  # (n,) sqrt(w) Z d, less image_shift * sqrt(w)
    cdef double[::1] w                  # (n,) the same of a conjugate direction
    # cycles and products with Z'Z, and solves, since effort() was asked
    cdef readonly long applications, directions
    cdef double[::1] residual, conjugate_direction, product
    cdef int[::1] listed                # of some columns: which,
    cdef double[::1] part               # and their coefficients or products
    cdef double image_shift
    # violation relative to lam that the target allows for, and that of residual
    cdef double enough, most
    cdef double goal                    # of the residual's square

    cdef void leave(self, double lam, double target) noexcept nogil
    cdef int n_violating(self, double lam) noexcept nogil
    cdef int cd_cycle(self, double lam) noexcept nogil
    cdef double apply(self, const double* d, double* v) noexcept nogil
    cdef void meet(self, const double* v, double shift, double* out) noexcept nogil
    cdef void _follow_clip(self) noexcept nogil
    cdef double _begin(self, double lam) noexcept nogil
    cdef double _curvature(self, double lam) noexcept nogil
    cdef double precondition(self, double lam, double last) noexcept nogil
