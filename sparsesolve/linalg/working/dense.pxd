"""DensePackedColumns: working columns as a dense matrix."""
from sparsesolve.linalg.working.columns cimport PackedColumns

cdef class DensePackedColumns(PackedColumns):
    cdef double[::1] storage
    cdef double* Z                          # (n, capacity) column-major
