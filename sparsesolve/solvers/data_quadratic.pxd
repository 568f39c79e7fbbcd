"""DataQuadratic: the quadratic over working columns, by products with the columns themselves."""
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.packed cimport PackedColumns
from sparsesolve.solvers.quadratic cimport Quadratic

cdef class DataQuadratic(Quadratic):
    cdef Design design
    cdef Py_ssize_t n
    cdef PackedColumns packed
    cdef double[::1] root_w             # (n,) square roots of the weights
    cdef double[::1] u                  # (n,) sqrt(w) (y - Zb), less shift * sqrt(w)
    cdef double[::1] v                  # (n,) sqrt(w) Z d, less image_shift * sqrt(w)
    cdef readonly long applications, directions     # products with Z'Z, and Newton directions, since effort() was asked
    cdef double[::1] residual, conjugate_direction, product
    cdef double shift, image_shift

    cdef void apply(self, const double* d, double* out, bint everywhere) noexcept nogil
    cdef void _correlate(self) noexcept nogil
    cdef double precondition(self, double lam, double last) noexcept nogil
