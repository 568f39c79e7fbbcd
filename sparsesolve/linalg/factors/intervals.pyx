"""Intervals of positions 0 .. m - 1: sums over the intervals that contain a position, and sums
over the positions of each interval.

A difference of prefix sums would compute both in O(n + m), but it loses every digit if the sum
removed is much larger than the rest. This file never subtracts, so sums of positive terms keep
full relative accuracy.

Each interval is split at the one multiple of the highest power of two inside it. Among intervals
split at the same place, the left parts that contain a position are those that start no later, and
the right parts are those that end no earlier. Running sums over blocks of 2^(l+1) positions
compute both, level by level. The cost is O(n + m log m), or O(n + m) if all intervals start at a
root, the first position of a range that no interval leaves.
"""
import numpy as np

from sparsesolve.linalg.kernels.wide cimport Wide, add, nothing

# Levels. From PAIRS on, level l is split at odd multiples of 2^(l - PAIRS).
cdef enum:
    EMPTY, SINGLE, ROOTED, PAIRS


cdef class Intervals:
    """n intervals first <= t < stop; an interval with first >= stop is empty.

    Arguments and results are in the order of `order`. Only one call may run at a time, because
    calls share their workspace.

    Parameters
    ----------
    first, stop : (n,) integers
    root : (n,) the first position of the range that contains the interval
    end : (n,) the end of that range
    m : number of positions
    """

    def __init__(self, first, stop, root, end, m):
        first, last, root = (
            np.asarray(a, dtype=np.intp) for a in (first, np.asarray(stop) - 1, root))
        level = np.frexp((first ^ last).astype(float))[1] - 1 + PAIRS
        level[first == last] = SINGLE
        level[first == root] = ROOTED
        level[last < first] = EMPTY
        self.n, self.m = len(first), m
        self.order = np.lexsort((last, level))
        level = level[self.order]
        self.first, self.last = first[self.order], last[self.order]
        depth = max(PAIRS, int(level.max(initial=0)) + 1)
        self.members = np.searchsorted(level, np.arange(depth + 1)).astype(np.intp)
        roots, one = np.unique(root[self.order[level == ROOTED]], return_index=True)
        ends = np.asarray(end, dtype=np.intp)[self.order[level == ROOTED]][one]
        blocks = [np.empty((0, 3), np.intp)] * ROOTED + [np.stack([roots, roots, ends], axis=1)]
        for k in range(depth - PAIRS):
            start = np.unique(np.asarray(self.first)[level == k + PAIRS] >> (k + 1)) << (k + 1)
            blocks.append(np.stack([start, start + (1 << k), np.minimum(start + (2 << k), m)],
                                   axis=1))
        self.blocks = np.ascontiguousarray(np.concatenate(blocks), dtype=np.intp)
        self.n_blocks = np.cumsum([0] + [len(b) for b in blocks]).astype(np.intp)
        self.work = np.empty((max(m, 1), 2))

    cdef void gather(self, const Wide* x, Wide* out) noexcept nogil:
        """Set out[t] to the sum of x over the intervals that contain t."""
        cdef Py_ssize_t level, i, t, k
        cdef Wide* part = <Wide*> &self.work[0, 0]
        cdef Wide total
        for t in range(self.m):
            out[t] = nothing()
        for i in range(self.members[SINGLE], self.members[ROOTED]):
            add(&out[self.first[i]], x[i])
        for level in range(ROOTED, self.members.shape[0] - 1):
            for k in range(self.n_blocks[level], self.n_blocks[level + 1]):
                for t in range(self.blocks[k, 0], self.blocks[k, 2]):
                    part[t] = nothing()
            for i in range(self.members[level], self.members[level + 1]):
                if level >= PAIRS:
                    add(&part[self.first[i]], x[i])
                add(&part[self.last[i]], x[i])
            for k in range(self.n_blocks[level], self.n_blocks[level + 1]):
                total = nothing()
                for t in range(self.blocks[k, 0], self.blocks[k, 1]):
                    add(&total, part[t])
                    add(&out[t], total)
                total = nothing()
                for t in range(self.blocks[k, 2] - 1, self.blocks[k, 1] - 1, -1):
                    add(&total, part[t])
                    add(&out[t], total)

    cdef void spread(self, const Wide* z, Wide* out) noexcept nogil:
        """Set out[i] to the sum of z over the positions of interval i."""
        cdef Py_ssize_t level, i, t, k
        cdef Wide* part = <Wide*> &self.work[0, 0]
        cdef Wide total
        for i in range(self.n):
            out[i] = nothing()
        for i in range(self.members[SINGLE], self.members[ROOTED]):
            out[i] = z[self.first[i]]
        for level in range(ROOTED, self.members.shape[0] - 1):
            for k in range(self.n_blocks[level], self.n_blocks[level + 1]):
                total = nothing()
                for t in range(self.blocks[k, 1] - 1, self.blocks[k, 0] - 1, -1):
                    add(&total, z[t])
                    part[t] = total
                total = nothing()
                for t in range(self.blocks[k, 1], self.blocks[k, 2]):
                    add(&total, z[t])
                    part[t] = total
            for i in range(self.members[level], self.members[level + 1]):
                if level >= PAIRS:
                    add(&out[i], part[self.first[i]])
                add(&out[i], part[self.last[i]])

    # The same sums for arrays of floats, in the caller's order.

    def holding(self, x):
        """Return for each position the sum of x (n,) over the intervals that contain it."""
        cdef double[:, ::1] terms = _wide(np.asarray(x, dtype=float)[self.order])
        cdef double[:, ::1] out = np.zeros((max(self.m, 1), 2))
        self.gather(<const Wide*> &terms[0, 0], <Wide*> &out[0, 0])
        return np.asarray(out)[:self.m, 0].copy()

    def inside(self, z):
        """Return for each interval the sum of z (m,) over its positions."""
        cdef double[:, ::1] terms = _wide(np.asarray(z, dtype=float))
        cdef double[:, ::1] out = np.zeros((max(self.n, 1), 2))
        self.spread(<const Wide*> &terms[0, 0], <Wide*> &out[0, 0])
        result = np.empty(self.n)
        result[self.order] = np.asarray(out)[:self.n, 0]
        return result


def _wide(values):
    terms = np.zeros((max(len(values), 1), 2))
    terms[:len(values), 0] = values
    return terms
