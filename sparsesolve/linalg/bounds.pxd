"""CorrelationBounds: what is known of z_j'r without multiplying."""
from sparsesolve.linalg.design cimport Design

cdef class CorrelationBounds:
    cdef Design design
    cdef readonly long products             # exact products so far
    cdef Py_ssize_t n, p
    cdef int n_threads, n_slots, n_undecided, latest
    cdef long round
    cdef double travelled                   # length of the path of r so far
    cdef double level                       # |r|^2
    cdef readonly double[::1] norm          # (p,) of every column
    cdef double[::1] root_w, u, threshold, asleep, exact, last, dots
    cdef readonly double[:, ::1] seen       # (p, 2) products with the last two residuals met
    cdef double[:, ::1] remembered, inner, alpha, beta, distance
    cdef int[:, ::1] origin
    cdef long[:, ::1] stamp
    cdef int[::1] members, undecided

    cdef void leave(self, Py_ssize_t j) noexcept nogil
    cdef int examine(self, const double* r, double lam) noexcept nogil
    cdef void multiply_all(self, const double* r) noexcept nogil
    cdef void _travel(self, const double* r) noexcept nogil
    cdef void _compare(self, const double* r) noexcept nogil
    cdef void _exclude(self, double lam) noexcept nogil
    cdef void _project(self, int first, int second) noexcept nogil
    cdef int _new_slot(self, const double* r) noexcept nogil
