"""Quantised: the columns of a design in one byte a value, with the length of what that loses."""
from libc.stdint cimport int8_t, int16_t

from sparsesolve.linalg.design.design cimport Design

cdef extern from "quantised.h" nogil:
    const double SS_BYTE, SS_FINE
    double ss_dot_i8(Py_ssize_t n, const int8_t* x, const int16_t* v) noexcept
    double ss_quantise_i8(Py_ssize_t n, const double* z, double unit, int8_t* q) noexcept
    double ss_quantise_i16(Py_ssize_t n, const double* z, double unit, int16_t* q) noexcept

cdef inline Py_ssize_t padded(Py_ssize_t n) noexcept nogil:
    """Values of a column, and of a vector, padded by zeros to whole blocks."""
    return (n + 63) // 64 * 64

cpdef Quantised quantised(Design design, double[::1] root_w)

cdef class Quantised:
    cdef Design design
    cdef double[::1] root_w, z
    cdef Py_ssize_t n                   # values of a column, padded
    cdef signed char[:, ::1] bytes      # (p, n)
    cdef double[::1] unit               # (p,) sqrt(w) * z_j = unit_j * bytes_j, nearly
    cdef double[::1] error              # (p,) length of the difference

    cdef void draw(self, Py_ssize_t j) noexcept nogil
    cdef void take(self, Py_ssize_t j, const double* z) noexcept nogil
    cdef double dot(self, Py_ssize_t j, const int16_t* v) noexcept nogil
    cdef void prefetch(self, Py_ssize_t j) noexcept nogil
