"""DensePacked: working columns as a dense matrix."""
from sparsesolve.linalg.working.columns cimport Packed

cdef class DensePacked(Packed):
    cdef double[::1] storage
    cdef double* Z                          # (n, capacity) column-major
