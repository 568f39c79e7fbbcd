"""Sweeps of block descent over a group lasso that is given by inner products and reweighted.

    minimise over b   b'Gb / 2 - c'b + sum_g phi(|b_g|_2; l_g),    phi concave

Given: G (m, m), c (m,), the first entry of each block (n_blocks + 1,), lambdas l (n_blocks,) >= 0,
and b, which is changed. A round replaces phi by its tangents at b, with thresholds t_g = phi', and
sweeps. A block of one entry is minimised exactly. Of others G_gg is replaced by its largest
eigenvalue L_g, which bounds the objective from above: a proximal step.
Returned: the largest change of a block, times the root of its curvature, in the last round: the
sweeps after the first alone would not show what new thresholds still change.
Invariant: g = c - Gb, and the objective does not rise.
References: Friedman, Hastie, Tibshirani (2010), section 2.2 (covariance updates); Breheny, Huang
(2015), section 3.
"""
from libc.math cimport sqrt, pow

import numpy as np


cdef inline double slope(double x, double lam, const double* form) noexcept nogil:
    """phi'(x; lam), by the four numbers of `Concave.form`."""
    if form[2] == 0.0:
        return min(max(lam - (x - form[0] * lam) / form[1], 0.0), lam)
    return form[3] * lam * pow(x + form[1], form[2])


def weighted_sweeps(const double[:, ::1] G, const double[::1] c, double[::1] b,
                    const Py_ssize_t[::1] start, const double[::1] curvature,
                    const double[::1] lam, form, double still, int rounds,
                    double size_unit=1.0, double slope_unit=1.0):
    """At most so many rounds of new thresholds and sweeps, until a sweep moves b by `still`.

    `curvature` are the L_g (n_blocks,). phi' is taken at size_unit |b_g|, and counts slope_unit.
    """
    cdef Py_ssize_t m = b.shape[0], blocks = lam.shape[0], block, j
    cdef double[::1] g = np.subtract(c, np.dot(G, b)), scratch = np.empty(m + blocks)
    cdef const double[::1] shape = np.array(form)
    cdef double* t = &scratch[m]
    cdef double length, moved = 0.0
    cdef int k
    with nogil:
        for k in range(rounds):
            for block in range(blocks):
                length = 0.0
                for j in range(start[block], start[block + 1]):
                    length += b[j] * b[j]
                t[block] = 0.0 if lam[block] <= 0.0 else (
                    slope_unit * slope(size_unit * sqrt(length), lam[block], &shape[0]))
            moved = 0.0
            for block in range(3):      # sweeps between new thresholds, which cost about one
                moved = max(moved, sweep(G, b, g, start, curvature, t, &scratch[0]))
            if moved <= still:
                break
    return moved


cdef double sweep(const double[:, ::1] G, double[::1] b, double[::1] g,
                  const Py_ssize_t[::1] start, const double[::1] curvature, const double* t,
                  double* step) noexcept nogil:
    """One sweep over all blocks, in place; return the largest change."""
    cdef Py_ssize_t m = b.shape[0], block, j, k
    cdef double L, length, shrinkage, square, moved = 0.0
    for block in range(curvature.shape[0]):
        L = curvature[block]
        if L <= 0.0:
            continue
        length = square = 0.0
        for j in range(start[block], start[block + 1]):
            length += (g[j] + L * b[j]) ** 2
        length = sqrt(length)
        shrinkage = 0.0 if length <= t[block] else (1.0 - t[block] / length) / L
        for j in range(start[block], start[block + 1]):
            step[j] = shrinkage * (g[j] + L * b[j]) - b[j]
            square += step[j] * step[j]
        if square == 0.0:
            continue
        for j in range(start[block], start[block + 1]):
            b[j] += step[j]
            for k in range(m):
                g[k] -= step[j] * G[j, k]
        moved = max(moved, sqrt(square * L))
    return moved
