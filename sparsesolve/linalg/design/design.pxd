"""Design: a matrix as an array of Columns."""
from libc.stdint cimport int16_t, uint64_t

from sparsesolve.linalg.design.column cimport Column

cdef class RoundedVector:
    """A vector u = sqrt(w) r of a Design with genotypes, as these multiply it fastest."""
    cdef int16_t[::1] q     # see two_bits.h
    cdef double[2] sums

cdef class Design:
    cdef readonly Py_ssize_t n, p       # rows, columns
    cdef readonly Py_ssize_t stored     # stored values in all columns
    cdef readonly double[::1] mean      # weighted mean of each column, once moments() has run
    cdef readonly double[::1] spread    # weighted standard deviation (1/n form)
    cdef readonly int[::1] exponent     # column j is stored as x_j / 2**exponent[j]
    cdef Column* columns
    cdef double[::1] taken_out  # mean that the Design's own copy of a column no longer contains
    cdef object weights                 # (n,) weights passed to moments(), None before
    cdef bint centred                   # True if columns are centred by their means
    cdef bint imputes                   # True if genotypes were passed, which can be missing
    cdef bint nears                     # True if near_some saves time
    cdef uint64_t[::1] counted          # for these: rows of equal weight, 2 bits each, or None
    cdef double each                    # their weight
    cdef object keep                    # owner of the memory behind the columns

    cdef double _measure(self, Py_ssize_t j, const double* w) noexcept nogil
    cdef double correlate(self, Py_ssize_t j, const double* u, double total) noexcept nogil
    cdef void correlate_all(self, const double* u, double total, double* out,
                            int n_threads) noexcept nogil
    cdef void correlate_some(self, const int* which, Py_ssize_t count, const double* u,
                             double total,
                             double* out, int n_threads) noexcept nogil
    cdef double near_some(self, const int* which, Py_ssize_t count, const double* u,
                          const double* root_w, RoundedVector rounded, double* out,
                          int n_threads) noexcept nogil
    cdef double _met(self, double values) noexcept nogil
    cdef void _meet_four(self, const int* which, Py_ssize_t first, Py_ssize_t count,
                         const double* u, double total,
                         double* out) noexcept nogil
    cdef void combine(self, const int* which, Py_ssize_t count, const double* b,
                      double* out) noexcept nogil
    cdef double[:, ::1] meet(self, const double[:, ::1] u, const int* which, Py_ssize_t count,
                             int n_threads)
    cdef void meet_all(self, const int* which, int count, const double[:, ::1] u, double* room,
                       double* out,
                       int stride) noexcept nogil
