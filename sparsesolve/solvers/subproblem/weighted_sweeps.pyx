"""Sweeps of coordinate descent over a weighted lasso that is given by inner products.

    minimise over b   b'Gb / 2 - c'b + sum_j t_j |b_j|

Given: G (m, m), c (m,), thresholds t (m,) >= 0, and b, which is changed. Returned: the largest change
of a coefficient, times the root of its curvature, in the last sweep. Invariant: g = c - Gb.
Reference: Friedman, Hastie, Tibshirani (2010), section 2.2 (covariance updates).
"""
from libc.math cimport fabs, sqrt

import numpy as np


def weighted_sweeps(const double[:, ::1] G, const double[::1] c, double[::1] b, const double[::1] t,
                    int sweeps):
    """So many sweeps over all coordinates, in place."""
    cdef Py_ssize_t m = b.shape[0], j, k
    cdef double[::1] g = np.subtract(c, np.dot(G, b))
    cdef double z, new, step, moved = 0.0
    cdef int sweep
    with nogil:
        for sweep in range(sweeps):
            moved = 0.0
            for j in range(m):
                if G[j, j] <= 0.0:
                    continue
                z = g[j] + G[j, j] * b[j]
                new = 0.0 if fabs(z) <= t[j] else (z - t[j] if z > 0.0 else z + t[j]) / G[j, j]
                step = new - b[j]
                if step == 0.0:
                    continue
                b[j] = new
                for k in range(m):
                    g[k] -= step * G[j, k]
                moved = max(moved, fabs(step) * sqrt(G[j, j]))
    return moved
