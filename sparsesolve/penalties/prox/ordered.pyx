"""Norms of sorted sizes, |b|_(1) >= |b|_(2) >= ..: the sorted l1 norm and the k-support norm.

The sorted l1 norm is sum_i lambda_i |b|_(i) with weights that do not rise:

    argmin_b |b - v|^2 / 2 + t sum_i lambda_i |b|_(i)

The solution is sign(v) times the projection of sorted |v| - t lambda onto nonincreasing sequences
that are at least 0: neighbours that would rise are pooled to their mean. The sort costs O(n log
n), the pooling O(n).
Reference: Bogdan, van den Berg, Sabatti, Su, Candes, "SLOPE: adaptive variable selection via
convex optimization" (2015), algorithm 3.

Of the k-support norm, `shrinkage` projects sizes onto the ball of the dual:

    minimise over s   |s - x|^2 / 2      where the k largest squares of s sum to at most t^2

Given: sizes x (p,), decreasing and at least 0, whose k largest have a length above t > 0.
Returned: the multiplier m and the level L of the solution, min(x, max(L, x / (1 + m))): sizes
above (1 + m) L shrink by 1 + m, those between end at L, and those below L stay.
Invariant: the shares clip((x / L - 1) / m, 0, 1), of which each square counts in the sum, add up
to k. Reference: Argyriou, Foygel, Srebro, "Sparse prediction with the k-support norm" (2012).
"""
from libc.math cimport fabs, sqrt

import numpy as np


def pool_sorted(const double[::1] size, double t, const double[::1] weights):
    """Return the nonincreasing, nonnegative least-squares fit to size - t * weights, (n,)."""
    cdef Py_ssize_t n = size.shape[0], i, j, top = 0
    out = np.empty(n)
    cdef double[::1] fit = out, mean = np.empty(n)
    cdef Py_ssize_t[::1] begin = np.empty(n + 1, dtype=np.intp)
    cdef double total
    with nogil:
        for i in range(n):
            mean[top], begin[top] = size[i] - t * weights[i], i
            while top > 0 and mean[top - 1] <= mean[top]:
                total = mean[top] * (i + 1 - begin[top])
                total += mean[top - 1] * (begin[top] - begin[top - 1])
                top -= 1
                mean[top] = total / (i + 1 - begin[top])
            top += 1
        begin[top] = n
        for j in range(top):
            total = max(mean[j], 0.0)
            for i in range(begin[j], begin[j + 1]):
                fit[i] = total
    return out


def prox_sorted(v, double t, const double[::1] weights):
    """Return the prox of the sorted l1 norm, a new array (n,)."""
    cdef const double[::1] x = np.asarray(v, dtype=float)
    cdef Py_ssize_t n = x.shape[0], i, j
    size = np.abs(v)
    cdef const Py_ssize_t[::1] order = np.argsort(-size)
    out = np.empty(n)
    cdef double[::1] b = out, fit = pool_sorted(size[np.asarray(order)], t, weights)
    for i in range(n):
        j = order[i]
        b[j] = fit[i] if x[j] >= 0.0 else -fit[i]
    return out


# A root's bracket counts as closed when its relative width is four units in the last place.
cdef double CLOSE = 8.9e-16


def shrinkage(const double[::1] x, int k, double t):
    """Return (m, L) as the head of this file says."""
    cdef int p = <int> x.shape[0], side = 0, step
    cdef double[::1] sums = np.concatenate([[0.0], np.cumsum(x)])
    cdef double[::1] squares = np.concatenate([[0.0], np.cumsum(np.square(x))])
    cdef double low = 0.0, high = 1.0, left = sqrt(squares[k]) - t, right, m, value, level = 0.0
    with nogil:
        right = length(&x[0], &sums[0], &squares[0], p, k, high, &level) - t
        while right > 0.0:
            low, left, high = high, right, 4.0 * high
            right = length(&x[0], &sums[0], &squares[0], p, k, high, &level) - t
        for step in range(200):     # the Illinois method needs some 15, bisection 60
            if right == 0.0 or high - low <= CLOSE * high:
                break
            m = low + (high - low) * left / (left - right)
            if not low < m < high:
                m = 0.5 * (low + high)
            value = length(&x[0], &sums[0], &squares[0], p, k, m, &level) - t
            # An end that stays twice gets half its value, so that the other end moves, too.
            if value > 0.0:
                low, left = m, value
                right = 0.5 * right if side > 0 else right
                side = 1
            else:
                high, right = m, value
                left = 0.5 * left if side < 0 else left
                side = -1
        length(&x[0], &sums[0], &squares[0], p, k, high, &level)
    return high, level


cdef double length(const double* x, const double* sums, const double* squares, int p, int k,
                   double m, double* level) noexcept nogil:
    """Return the dual norm of the sizes that m > 0 shrinks, and set their level.

    The shares grow as the level falls. `full` sizes have a share of 1, those from there to
    `some` a part of it.
    """
    cdef int full = 0, some = 0
    cdef double following, shares
    while True:
        following = x[some] if some < p else 0.0
        if full < p and x[full] / (1.0 + m) > following:
            following = x[full] / (1.0 + m)
        if following <= 0.0:
            shares = k
        else:
            shares = full + ((sums[some] - sums[full]) / following - (some - full)) / m
        if shares >= k and some > full:
            level[0] = (sums[some] - sums[full]) / (some - full + m * (k - full))
            break
        if following <= 0.0 or full >= k:
            level[0] = 0.0 if full < k or full >= p else x[full]
            break
        if some < p and x[some] >= following:
            some += 1
        else:
            full += 1
    return sqrt(squares[min(full, k)] / ((1.0 + m) * (1.0 + m))
                + (k - min(full, k)) * level[0] * level[0])
