"""DataQuadratic: the quadratic over working columns, by products with the columns themselves."""
from sparsesolve.solvers.quadratic cimport Quadratic

cdef class DataQuadratic(Quadratic):
    cdef Py_ssize_t n
    cdef double[::1] u                  # (n,) sqrt(w) (y - Zb), less shift * sqrt(w)
    cdef double[::1] v                  # (n,) sqrt(w) Z d, less image_shift * sqrt(w)
    cdef readonly long applications, directions     # products with Z'Z, and Newton directions, since effort() was asked
    cdef double[::1] residual, conjugate_direction, product
    cdef double shift, image_shift

    cdef void cycle(self, double lam) noexcept nogil
    cdef void apply(self, const double* d, double* out, bint everywhere) noexcept nogil
    cdef double precondition(self, double lam, double last) noexcept nogil
