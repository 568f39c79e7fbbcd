"""SparsePackedColumns: working columns as a compressed sparse matrix."""
from sparsesolve.linalg.working.columns cimport PackedColumns

cdef class SparsePackedColumns(PackedColumns):
    cdef double[::1] values_, offset_, filled
    cdef double[::1] panel  # (n, 8) of zeros between two uses; empty for very many rows
    cdef int[::1] rows_
    cdef long long[::1] start_
    cdef double* values                     # sqrt(w) * factor * x, column after column
    cdef int* rows
    cdef long long* start                   # (size + 1,)
    cdef double* offset  # factor * mean: the column is values - offset * sqrt(w)

    cdef int _products_of_some(self, int first, int count, double* G, int ld) noexcept nogil
