"""FTRL-Proximal with the elastic net: its stored numbers, and the soft threshold that reads
weights.
"""
from libc.math cimport sqrt

from sparsesolve.online.engine cimport Engine


cdef inline double soft(double q, double level) noexcept nogil:
    return q - level if q > level else q + level if q < -level else 0.0


cdef class ProximalLeader(Engine):
    cdef readonly double eta0, beta
    cdef readonly bint tied
    cdef readonly double largest        # largest weight or intercept seen in a row
    cdef double[::1] weight, root       # of the last gathered row: its weights, and sqrt(n)
    cdef double[::1] total              # (p K,) gradient of a step of several rows or responses
    cdef double[::1] lead               # (K,) gradient of the intercepts
    cdef int[::1] touched               # features in this step
    cdef unsigned char[::1] seen        # 1 for the features in this step
    cdef Py_ssize_t n_touched

    cdef inline double at_root(self, double n) noexcept nogil:
        """Return sqrt(n), with n counted from n_0."""
        return sqrt(self.beta * self.beta + n)

    cdef void read(self, Py_ssize_t s, Py_ssize_t j, double* w) noexcept nogil
    cdef void add(self, const int* index, const double* x, Py_ssize_t count,
                  const double* slope) noexcept nogil
    cdef void learn(self, double* q, double* n, double u, double g, double w) noexcept nogil
    cdef void learn_row(self, double u, const double* g, double* r) noexcept nogil
