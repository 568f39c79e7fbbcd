"""FOBOS and dual averaging with the elastic net: their stored numbers, and the soft threshold."""
from libc.math cimport copysign, fabs

from sparsesolve.online.engine cimport Engine

cdef inline double soft(double q, double level) noexcept nogil:
    cdef double size = fabs(q) - level      # without branches, which would be mispredicted
    return copysign(size if size > 0.0 else 0.0, q)


cdef class Shrinkage(Engine):
    cdef readonly bint dual, tied
    cdef public double square       # FOBOS: an upper bound of |w|^2, without intercepts
    cdef public double largest      # its largest value so far, with intercepts

    cdef void gather_rows(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                          double* eta) noexcept nogil
