"""PackedColumns: copies of the working columns of a sparse design, side by side."""
from sparsesolve.linalg.design cimport Design

cdef class PackedColumns:
    cdef readonly int size
    cdef readonly Py_ssize_t n
    cdef double[::1] values_, offset_, root_w
    cdef int[::1] rows_
    cdef long long[::1] start_
    cdef double* values                 # sqrt(w) * factor * x, column after column
    cdef int* rows
    cdef long long* start               # (size + 1,)
    cdef double* offset                 # factor * mean: the column is values - offset * sqrt(w)

    cdef int append(self, Design design, const int* which, int count) except -1
    cdef double dot(self, int j, const double* v, double shift) noexcept nogil
    cdef double axpy(self, int j, double a, double* v) noexcept nogil
