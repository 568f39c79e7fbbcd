"""Elastic net on arrays (K, p); the K coefficients of a feature are single or tied by their l2
norm.
"""

cdef class ElasticNetRows:
    cdef readonly bint grouped
    cdef readonly double alpha
    cdef readonly double[::1] factors, l1, l2, lower, upper     # (p,)

    cdef double row_polar(self, const double[:, ::1] C, Py_ssize_t i, Py_ssize_t j) noexcept nogil
    cdef bint is_unpenalised(self, Py_ssize_t j, double b, double c, double lam) noexcept nogil
    cdef void row_prox(self, Py_ssize_t j, double lam, int K, const double* x, const double* h,
                       double* b) noexcept nogil
    cpdef double value(self, const double[:, ::1] B, double lam=*)
    cpdef double scale_at(self, const double[:, ::1] B, const double[:, ::1] C, double lam,
                          bint strict=*)
    cpdef double excess(self, const double[:, ::1] B, const double[:, ::1] C, double lam,
                        double scale)
