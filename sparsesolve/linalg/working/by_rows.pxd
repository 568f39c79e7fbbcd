"""ByRows: a second copy of sparse columns, stored by rows."""
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design

cdef class ByRows:
    cdef readonly int size              # number of columns
    cdef readonly long long stored      # number of stored values
    cdef Py_ssize_t n
    cdef int[::1] which                 # column of the design for each column
    cdef int[::1] added                 # (n,) workspace of zeros between two uses
    cdef long long[::1] start           # (n + 1,) start of each row
    cdef int[::1] column                # column of each value, ascending within a row
    cdef double[::1] values             # factor * x, row after row
    cdef double[:, ::1] part  # (PARTS, room) sums of each part of the rows; zeros between two uses

    cdef bint begins_with(self, const int* which, int count) noexcept nogil
    cdef int take(self, Design design, const int* which, int count) except -1
    cdef void subtract(self, const double* root_w, const double* b, double* v,
                       int n_threads) noexcept nogil
    cdef void correlate(self, const double* root_w, const double* v, double* out,
                        int n_threads) noexcept nogil
    cdef void add_products(self, Py_ssize_t count, const double* x, const int* rows,
                           const double* root_w,
                           int limit, double* out) noexcept nogil
    cdef void _count(self, Design design, int count) noexcept nogil
    cdef void _move_apart(self, long long total) noexcept nogil
    cdef void _fill(self, const Column* x, int k) noexcept nogil
    cdef void _subtract_rows(self, Py_ssize_t part, const double* root_w, const double* b,
                             double* v) noexcept nogil
    cdef void _correlate_rows(self, Py_ssize_t part, const double* root_w,
                              const double* v) noexcept nogil
