"""SparsePackedColumns: working columns as a compressed sparse matrix."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.working.by_rows cimport ByRows

cdef class SparsePackedColumns(PackedColumns):
    cdef double[::1] values_, offset_, filled, work
    cdef double[::1] panel  # (n, 8) of zeros between two uses; empty for many rows
    cdef bint many_rows
    # Copy of the first columns stored by rows; None unless there are many rows and at least one
    # value per row.
    cdef ByRows mirror
    cdef int[::1] rows_, which_             # `which_` has the columns of the design
    cdef long long[::1] start_, done  # `done` has the number of values processed so far, by column
    cdef double* values                     # sqrt(w) * factor * x, column after column
    cdef int* rows
    cdef long long* start                   # (size + 1,)
    cdef double* offset  # factor * mean: the column is values - offset * sqrt(w)

    cdef int _reflect(self, Design design) except -1
    cdef int _mirrored(self, int first, int count, long long values) noexcept nogil
    cdef long long _listed(self, const int* which, int count) noexcept nogil
    cdef int _meet_mirrored(self, int first, double* G, int ld) noexcept nogil
    cdef void _meet_rows(self, int k, Py_ssize_t end, int limit, double* out) noexcept nogil
    cdef int _products_of_some(self, int first, int count, double* G, int ld) noexcept nogil
