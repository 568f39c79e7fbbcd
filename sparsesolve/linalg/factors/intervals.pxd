"""Intervals of positions 0 .. m - 1: sums over those that hold a position, sums over the positions of each."""
from sparsesolve.linalg.kernels.wide cimport Wide

cdef class Intervals:
    cdef readonly Py_ssize_t n              # intervals
    cdef readonly Py_ssize_t m              # positions
    cdef readonly object order              # (n,) the caller's interval at each place of the arrays below
    cdef Py_ssize_t[::1] first, last        # (n,) ends, both included, by level
    cdef Py_ssize_t[::1] members            # level l: intervals members[l] .. members[l + 1]
    cdef Py_ssize_t[::1] n_blocks           # the same for the rows of blocks
    cdef Py_ssize_t[:, ::1] blocks          # start, split, end: every interval of a block reaches from before split
    cdef double[:, ::1] work                # (m, 2) Wide

    cdef void gather(self, const Wide* x, Wide* out) noexcept nogil
    cdef void spread(self, const Wide* z, Wide* out) noexcept nogil
