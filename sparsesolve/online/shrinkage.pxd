"""FOBOS and dual averaging with the elastic net: what they keep, and the soft threshold."""
from libc.math cimport copysign, fabs

from sparsesolve.online.engine cimport Engine


cdef inline double soft(double q, double level) noexcept nogil:
    cdef double size = fabs(q) - level      # without branches, which would be guessed wrong
    return copysign(size if size > 0.0 else 0.0, q)


cdef class Shrinkage(Engine):
    cdef readonly bint dual, tied
    cdef readonly double square     # FOBOS: at least |w|^2, intercepts apart
    cdef readonly double largest    # and the largest that it has been, with them

    cdef void gather_rows(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                          double* eta) noexcept nogil
