"""DataQuadratic: the quadratic over working columns, by products with the columns themselves."""
from sparsesolve.linalg.design cimport Design
from sparsesolve.solvers.quadratic cimport Quadratic

cdef class DataQuadratic(Quadratic):
    cdef Design design
    cdef double[::1] w                  # (n,) weights
    cdef double[::1] u                  # (n,) w (y - Zb), less shift * w
    cdef double[::1] v                  # (n,) w Z d, less image_shift * w
    cdef double[::1] residual, conjugate_direction, product
    cdef double shift, image_shift

    cdef void apply(self, const double* d, double* out, bint everywhere) noexcept nogil
    cdef void _correlate(self) noexcept nogil
