"""Correlations: products z_j'r of the columns that may pass their threshold."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.solvers.screening.safe_balls cimport SafeBalls

cdef class Correlations:
    cdef Design design
    cdef readonly long products         # exact products, so far
    cdef Py_ssize_t n, p
    cdef int n_threads, n_undecided, n_close
    cdef SafeBalls safe_balls
    cdef double[::1] norm               # (p,) |z_j|
    cdef double[::1] threshold          # (p,) |z_j'r| is held against lam * threshold
    cdef int[::1] undecided
    cdef double[::1] root_w, u, exact
    # (p,) the last product of a column, and that of another lam before
    cdef double[::1] product, earlier
    cdef int[::1] when, before          # (p,) at which lam of the path they were taken, from 1 on
    cdef double lam
    cdef int count                      # lams so far
    cdef double close                   # share of the threshold from which products are taken,
    cdef double soon                    # and from which columns come to work beside others

    cdef void leave(self, Py_ssize_t j) noexcept nogil
    cdef int examine(self, const double* r, double lam) noexcept nogil
    cdef void multiply_all(self, const double* r) noexcept nogil
    cdef int predict_violators(self, const double* r, double lam, double forward,
                               int* which) noexcept nogil
    cdef int _expected(self, double level, double forward, int* which) noexcept nogil
    cdef void multiply(self, const double* r) noexcept nogil
    cdef void multiply_each(self, const double* r) noexcept nogil
    cdef void _remember(self, Py_ssize_t j, double product) noexcept nogil
