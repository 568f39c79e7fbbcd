"""Dual ascent for the prox of overlapping groups: one group's ball at a time.

    min |v - sum_g xi_g|^2 / 2   over   |xi_g|_2 <= radius_g,  xi_g zero outside group g

The residual b = v - sum xi_g tends to the prox of sum_g radius_g |b_g|_2. A step replaces xi_g by
the point of its ball nearest to b_g + xi_g, which is exact for that group.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011), algorithm 1, which is repeated here because groups overlap.
For |b_g|_inf the balls are those of |xi_g|_1; b and xi are sizes, at least 0. The nearest point is
(x - theta)_+ with theta >= 0 from Newton's method, which begins with the theta of the last sweep.
"""
from libc.math cimport fabs, sqrt

import numpy as np


def ascend(const double[::1] radius, const int[::1] features, const int[::1] start,
           double[::1] xi, double[::1] b, Py_ssize_t sweeps, double small):
    """Sweep over the groups; return the largest change of an entry of b in the last sweep.

    Parameters
    ----------
    radius : (G,)
    features : int32 (q,), start : int32 (G + 1,)
        Group g holds features[start[g]:start[g + 1]].
    xi : (q,), b : (p,)
        Changed in place; b = v - sum xi_g.
    sweeps : int
        Most sweeps.
    small : float
        Sweeps end when the largest change is at most this.
    """
    cdef Py_ssize_t g, k, sweep
    cdef double square, scale, r, change = 0.0
    with nogil:
        for sweep in range(sweeps):
            change = 0.0
            for g in range(radius.shape[0]):
                square = 0.0
                for k in range(start[g], start[g + 1]):
                    r = b[features[k]] + xi[k]
                    square += r * r
                scale = 1.0 if square <= radius[g] * radius[g] else radius[g] / sqrt(square)
                for k in range(start[g], start[g + 1]):
                    r = b[features[k]] + xi[k]
                    change = max(change, fabs(scale * r - xi[k]))
                    xi[k] = scale * r
                    b[features[k]] = r - xi[k] if scale < 1.0 else 0.0
            if change <= small:
                break
    return change


def ascend_linf(const double[::1] radius, const int[::1] features, const int[::1] start,
                double[::1] xi, double[::1] b, double[::1] theta, Py_ssize_t sweeps):
    """Sweep over the groups with balls |xi_g|_1 <= radius_g; b and xi are at least 0.

    Parameters
    ----------
    radius, features, start, xi, b, sweeps
        As in `ascend`.
    theta : (G,)
        Threshold of each group, changed in place; any numbers at first.
    """
    cdef double[::1] room = np.empty(np.diff(start).max(initial=1))
    cdef double* x = &room[0]
    cdef Py_ssize_t g, k, sweep, first, size
    cdef double level, total, value
    with nogil:
        for sweep in range(sweeps):
            for g in range(radius.shape[0]):
                first, size = start[g], start[g + 1] - start[g]
                total = 0.0
                for k in range(size):
                    x[k] = b[features[first + k]] + xi[first + k]
                    total += x[k]
                level = 0.0 if total <= radius[g] else _level(x, size, radius[g], theta[g])
                theta[g] = level
                for k in range(size):
                    value = x[k] - level if x[k] > level else 0.0
                    xi[first + k] = value
                    b[features[first + k]] = x[k] - value


cdef double _level(const double* x, Py_ssize_t size, double radius, double level) noexcept nogil:
    """Return the level with sum_k (x_k - level)_+ = radius, for radius < sum x."""
    cdef Py_ssize_t k, count
    cdef double total, next
    cdef bint rising = False            # the first step may lower a level that is too high
    while True:
        total, count = -radius, 0
        for k in range(size):
            if x[k] > level:
                total += x[k]
                count += 1
        next = max(total / count, 0.0) if count else 0.0
        if rising and next <= level:
            return level
        rising = count > 0
        level = next
