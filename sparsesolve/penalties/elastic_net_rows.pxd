"""Elastic net on arrays (K, p); the K coefficients of a feature are single or tied by their l2
norm.
"""
from cython cimport final
from libc.math cimport sqrt


cdef inline double row_square(const double[:, :] x, Py_ssize_t j) noexcept nogil:
    """Return |x_j|_2^2 of column j, a feature's coefficients or products."""
    cdef double square = 0.0
    cdef Py_ssize_t k
    for k in range(x.shape[0]):
        square += x[k, j] * x[k, j]
    return square


cdef inline double row_norm(const double[:, :] x, Py_ssize_t j) noexcept nogil:
    return sqrt(row_square(x, j))


@final
cdef class ElasticNetRows:
    cdef readonly bint grouped
    cdef readonly double alpha
    cdef readonly double[::1] factors, l1, l2, lower, upper     # (p,)

    cdef double row_polar(self, const double[:, ::1] C, Py_ssize_t i, Py_ssize_t j) noexcept nogil
    cdef bint is_unpenalised(self, Py_ssize_t j, double b, double c, double lam) noexcept nogil
    cdef void row_prox(self, Py_ssize_t j, double lam, int K, const double* x, const double* h,
                       double* b) noexcept nogil
    cpdef double value(self, const double[:, ::1] B, double lam=*)
    cpdef double scale_at(self, const double[:, :] B, const double[:, :] C, double lam,
                          bint strict=*, const double[::1] longer=*) noexcept nogil
    cpdef double excess(self, const double[:, :] B, const double[:, :] C, double lam,
                        double scale, const double[::1] longer=*) noexcept nogil
