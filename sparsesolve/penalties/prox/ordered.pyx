"""The sorted l1 norm: sum_i lambda_i |b|_(i), |b|_(1) >= |b|_(2) >= ..., weights that do not rise.

    argmin_b |b - v|^2 / 2 + t sum_i lambda_i |b|_(i)

The solution is sign(v) times the projection of sorted |v| - t lambda onto nonincreasing sequences
that are at least 0: neighbours that would rise are pooled to their mean. The sort costs O(n log
n), the pooling O(n).
Reference: Bogdan, van den Berg, Sabatti, Su, Candes, "SLOPE: adaptive variable selection via
convex optimization" (2015), algorithm 3.
"""
from libc.math cimport fabs
from libc.stdint cimport int64_t

import numpy as np

# Insertion may move a value this many places on average. Beyond it a sort of the places is
# faster.
cdef Py_ssize_t MOST_MOVES = 4


def falling_order(const double[::1] size):
    """Return the places of sizes >= 0 from the largest down, and the sizes in that order.

    Numbers sort faster than places do. So each place is written into the last bits of its size,
    read as an integer. The order of these integers is that of the sizes except for near ties;
    insertion corrects these.
    """
    cdef Py_ssize_t n = size.shape[0], i, j, moves = 0
    cdef int64_t mask = 1, key
    cdef double value
    while mask < n:
        mask = 2 * mask + 1
    places, ranked = np.empty(n, dtype=np.intp), np.empty(n)
    held = np.array(size).view(np.int64)
    cdef int64_t[::1] keys = held
    cdef Py_ssize_t[::1] order = places
    cdef double[::1] x = ranked
    for i in range(n):
        keys[i] = (keys[i] & ~mask) | i
    held.sort()
    for i in range(n):
        key = keys[n - 1 - i] & mask
        value = size[key]
        j = i
        while j > 0 and x[j - 1] < value:
            x[j], order[j] = x[j - 1], order[j - 1]
            j -= 1
            moves += 1
        x[j], order[j] = value, key
        if moves > MOST_MOVES * n:
            places = np.argsort(np.negative(size))
            return places, np.asarray(size)[places]
    return places, ranked


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
    places, ranked = falling_order(np.abs(v))
    cdef const Py_ssize_t[::1] order = places
    out = np.empty(n)
    cdef double[::1] b = out, fit = pool_sorted(ranked, t, weights)
    for i in range(n):
        j = order[i]
        b[j] = fit[i] if x[j] >= 0.0 else -fit[i]
    return out
