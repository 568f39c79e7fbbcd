"""Sketch: the columns of a design in one byte a value, with the length of what that loses."""
from libc.stdint cimport int8_t

from sparsesolve.linalg.design cimport Design

cdef extern from "sketch.h" nogil:
    float ss_dot_i8(Py_ssize_t n, const int8_t* x, const float* v) noexcept
    double ss_quantise(Py_ssize_t n, const double* z, double unit, int8_t* q) noexcept

cpdef Sketch sketch(Design design, double[::1] root_w)

cdef class Sketch:
    cdef Py_ssize_t n
    cdef signed char[:, ::1] bytes      # (p, n)
    cdef double[::1] unit               # (p,) sqrt(w) * z_j = unit_j * bytes_j, nearly
    cdef double[::1] error              # (p,) length of the difference

    cdef double dot(self, Py_ssize_t j, const float* v) noexcept nogil
    cdef void prefetch(self, Py_ssize_t j) noexcept nogil
