"""Intervals of positions 0 .. m - 1: sums over the intervals that contain a position, and back."""
from sparsesolve.linalg.kernels.wide cimport Wide

cdef class Intervals:
    cdef readonly Py_ssize_t n              # number of intervals
    cdef readonly Py_ssize_t m              # number of positions
    # (n,) index of the caller's interval at each place of the arrays below
    cdef readonly object order
    cdef Py_ssize_t[::1] first, last        # (n,) both ends, included, sorted by level
    cdef Py_ssize_t[::1] members  # level l has the intervals members[l] .. members[l + 1]
    cdef Py_ssize_t[::1] n_blocks  # level l has the blocks n_blocks[l] .. n_blocks[l + 1]
    # (start, split, end): every interval of a block starts before split and ends at or after it.
    cdef Py_ssize_t[:, ::1] blocks
    cdef double[:, ::1] work                # (m, 2) workspace of Wide numbers

    cdef void gather(self, const Wide* x, Wide* out) noexcept nogil
    cdef void spread(self, const Wide* z, Wide* out) noexcept nogil
