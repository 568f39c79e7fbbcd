"""RowMirror: sparse columns once more, row by row."""
from sparsesolve.linalg.design cimport Design

cdef class RowMirror:
    cdef readonly int size                  # columns
    cdef readonly long long stored          # values
    cdef double pairs                       # of values in one row
    cdef int[::1] which, columns            # features; of each value its column
    cdef double[::1] values                 # factor * x, row after row
    cdef long long[::1] start               # (n + 1,)

    cdef int hold(self, Design design, const int* which, int size) except -1
    cdef bint holds(self, const int* which, int size) noexcept nogil
    cdef void multiply(self, const double* root_w, const double* p, double* v, double* q) noexcept nogil
    cdef bint short_rows(self) noexcept nogil
    cdef void products(self, const double* root_w, double* G, int ld) noexcept nogil
