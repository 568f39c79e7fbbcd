"""Gram matrix of the working columns."""
from sparsesolve.linalg.design cimport Design

cdef class Gram:
    cdef readonly int size              # columns so far
    cdef int capacity
    cdef readonly Py_ssize_t n
    cdef double[::1] packed             # (n, capacity) column-major: sqrt(w) * z_j, float64
    cdef double[::1] products           # (capacity, capacity) symmetric
    cdef double* Z
    cdef double* G

    cdef int reserve(self, int capacity) except -1
    cdef int append(self, Design design, const int* which, int count, const double* root_w) except -1
    cdef void correlate(self, const double* r, double* out) noexcept nogil
    cdef void subtract(self, const double* b, double* r) noexcept nogil
