"""Prox of overlapping groups, one group at a time, and the threshold of the simplex.

`ascend` is dual:

    min |v - sum_g xi_g|^2 / 2   over   |xi_g|_2 <= radius_g,  xi_g zero outside group g

The residual b = v - sum xi_g tends to the prox of sum_g radius_g |b_g|_2. A step replaces xi_g by
the point of its ball nearest to b_g + xi_g, which is exact for that group.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011), algorithm 1, which is repeated here because groups overlap.
With `latent` it is the primal of latent groups, whose steps leave what these take:

    minimise over xi   |v - sum_g xi_g|^2 / 2 + sum_g radius_g |xi_g|_2,   xi_g zero outside g

`threshold` is that of projections onto the simplex and the l1 ball, in expected O(n):

    sum_j (x_j - theta)_+ = radius

Given: x (n,) and a radius > 0. Returned: theta. One pass keeps the candidates, those above a
rising lower bound of theta. The few that remain are passed over until none drops out.
Reference: Condat, "Fast projection onto the simplex and the l1 ball" (2016), proposition 3.
"""
from libc.math cimport fabs, sqrt

import numpy as np


def ascend(const double[::1] radius, const int[::1] features, const int[::1] start,
           double[::1] xi, double[::1] b, Py_ssize_t sweeps, double small, bint latent=False):
    """Sweep over the groups; return the largest change of an entry of xi in the last sweep.

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
    latent : bool
        xi are latent vectors, and b the residual: see the head of this file.
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
                scale = 1.0 - scale if latent else scale
                for k in range(start[g], start[g + 1]):
                    r = b[features[k]] + xi[k]
                    change = max(change, fabs(scale * r - xi[k]))
                    xi[k] = scale * r
                    b[features[k]] = r - xi[k] if scale < 1.0 else 0.0
            if change <= small:
                break
    return change


def threshold(const double[::1] x, double radius):
    """Return theta with sum_j (x_j - theta)_+ = radius."""
    cdef Py_ssize_t n = x.shape[0], i, count = 1, held = 0, kept
    cdef double[::1] near = np.empty(n), far = np.empty(n)
    cdef double value, theta
    near[0] = x[0]
    theta = near[0] - radius
    with nogil:
        # 1. One pass: candidates above a rising lower bound of theta.
        for i in range(1, n):
            value = x[i]
            if value <= theta:
                continue
            theta += (value - theta) / (count + 1)
            if theta > value - radius:
                near[count] = value
                count += 1
            else:
                # This value alone gives a better lower bound of theta; earlier candidates wait.
                for kept in range(count):
                    far[held + kept] = near[kept]
                held += count
                near[0], count, theta = value, 1, value - radius
        # 2. The candidates that waited.
        for i in range(held):
            if far[i] > theta:
                near[count] = far[i]
                count += 1
                theta += (far[i] - theta) / count
        # 3. The exact threshold of the candidates, until none drops out.
        while True:
            kept = 0
            value = 0.0
            for i in range(count):
                if near[i] > theta:
                    near[kept] = near[i]
                    value += near[i]
                    kept += 1
            theta = (value - radius) / kept
            if kept == count:
                break
            count = kept
    return theta
