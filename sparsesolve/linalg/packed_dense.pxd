"""DensePacked: working columns as a dense matrix."""
from sparsesolve.linalg.packed cimport Packed

cdef class DensePacked(Packed):
    cdef double[::1] storage
    cdef double* Z                          # (n, capacity) column-major

    cdef void _dots(self, const double* Z, const int* which, int count, const double* v, double* out) noexcept nogil
    cdef void _subtract(self, const double* Z, const int* which, int count, const double* b,
                        double* v) noexcept nogil
