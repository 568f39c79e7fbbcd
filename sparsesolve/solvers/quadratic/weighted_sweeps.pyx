"""Sweeps of block descent over a weighted group lasso that is given by inner products.

    minimise over b   b'Gb / 2 - c'b + sum_g t_g |b_g|_2

Given: G (m, m), c (m,), the first entry of each block (n_blocks + 1,), thresholds t (n_blocks,)
>= 0, and b, which is changed. A block of one entry is minimised exactly. Of others G_gg is
replaced by its largest eigenvalue L_g, which bounds the objective from above: a proximal step.
Returned: the largest change of a block, times the root of its curvature, in the last sweep.
Invariant: g = c - Gb, and the objective does not rise.
References: Friedman, Hastie, Tibshirani (2010), section 2.2 (covariance updates); Breheny, Huang
(2015), section 3.
"""
from libc.math cimport sqrt

import numpy as np


def weighted_sweeps(const double[:, ::1] G, const double[::1] c, double[::1] b,
                    const Py_ssize_t[::1] start, const double[::1] curvature,
                    const double[::1] t, int sweeps):
    """So many sweeps over all blocks, in place; `curvature` are the L_g (n_blocks,)."""
    cdef Py_ssize_t m = b.shape[0], block, j, k
    cdef double[::1] g = np.subtract(c, np.dot(G, b)), step = np.empty(m)
    cdef double L, length, share, square, moved = 0.0
    cdef int sweep
    with nogil:
        for sweep in range(sweeps):
            moved = 0.0
            for block in range(t.shape[0]):
                L = curvature[block]
                if L <= 0.0:
                    continue
                length = square = 0.0
                for j in range(start[block], start[block + 1]):
                    length += (g[j] + L * b[j]) ** 2
                length = sqrt(length)
                share = 0.0 if length <= t[block] else (1.0 - t[block] / length) / L
                for j in range(start[block], start[block + 1]):
                    step[j] = share * (g[j] + L * b[j]) - b[j]
                    square += step[j] * step[j]
                if square == 0.0:
                    continue
                for j in range(start[block], start[block + 1]):
                    b[j] += step[j]
                    for k in range(m):
                        g[k] -= step[j] * G[j, k]
                moved = max(moved, sqrt(square * L))
    return moved
