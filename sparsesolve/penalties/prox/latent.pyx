"""Latent vectors of groups that overlap, by block coordinate descent with exact steps.

    minimise over v   |x - sum_g v_g|^2 / 2 + t sum_g d_g |v_g|_2,    v_g zero outside g

Given: the features of each group, one group after the other, and a start. Returned: v in that
order, when a sweep changes nothing by more than rounding, or after the given number of sweeps.
Invariant: r = x - sum_g v_g.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011), section 3; the problem here is the primal of their dual.
"""
from libc.math cimport fabs, sqrt

import numpy as np


def latent_vectors(const double[::1] x, double t, const double[::1] d, const int[::1] member,
                   const int[::1] start, const double[::1] begin, double accuracy,
                   Py_ssize_t sweeps):
    """Return v (q,) for x (p,): group g has the features member[start[g]:start[g + 1]]."""
    out = np.array(begin)
    residual = np.array(x)
    cdef double[::1] v = out, r = residual
    cdef Py_ssize_t g, k, sweep
    cdef double size, toward, scale, new, moved, largest = 0.0
    for k in range(member.shape[0]):
        r[member[k]] -= v[k]
    for k in range(x.shape[0]):
        largest = max(largest, fabs(x[k]))
    with nogil:
        for sweep in range(sweeps):
            moved = 0.0
            for g in range(d.shape[0]):
                size = 0.0
                for k in range(start[g], start[g + 1]):
                    toward = r[member[k]] + v[k]
                    size += toward * toward
                size = sqrt(size)
                scale = 1.0 - t * d[g] / size if size > t * d[g] else 0.0
                for k in range(start[g], start[g + 1]):
                    new = scale * (r[member[k]] + v[k])
                    moved = max(moved, fabs(new - v[k]))
                    r[member[k]] += v[k] - new
                    v[k] = new
            if moved <= accuracy * largest:
                break
    return out
