"""Elastic net on rows of K coefficients, one row a feature: coefficient by coefficient, or grouped by the l2 norm."""

cdef class ElasticNetRows:
    cdef readonly bint grouped
    cdef readonly double alpha
    cdef readonly double[::1] factors, l1, l2, lower, upper     # (p,)

    cdef bint at_rest(self, Py_ssize_t j, double b, double c, double lam) noexcept nogil
    cdef void prox(self, Py_ssize_t j, double lam, int K, const double* x, const double* h, double* b) noexcept nogil
