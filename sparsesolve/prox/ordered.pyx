"""The sorted l1 norm: sum_i lambda_i |b|_(i), |b|_(1) >= |b|_(2) >= ..., weights that do not rise.

    argmin_b |b - v|^2 / 2 + t sum_i lambda_i |b|_(i)

is sign(v) times the projection of |v| sorted, less t lambda, on sequences that do not rise and are
at least 0: neighbours that would rise are pooled to their mean. O(n log n) for the sort, O(n) for
the pooling.
Reference: Bogdan, van den Berg, Sabatti, Su, Candes, "SLOPE: adaptive variable selection via
convex optimization" (2015), algorithm 3.
"""
from libc.math cimport fabs

import numpy as np


def pool_sorted(const double[::1] size, double t, const double[::1] weights):
    """The least-squares fit to size - t * weights that does not rise and is at least 0, (n,)."""
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
    """The prox of the sorted l1 norm, a new array (n,)."""
    cdef double[::1] x = np.asarray(v, dtype=float), size = np.abs(v)
    cdef Py_ssize_t n = x.shape[0], i, j
    cdef const Py_ssize_t[::1] order = np.argsort(np.negative(size)).astype(np.intp, copy=False)
    out = np.empty(n)
    cdef double[::1] b = out, ranked = np.empty(n)
    for i in range(n):
        ranked[i] = size[order[i]]
    cdef double[::1] fit = pool_sorted(ranked, t, weights)
    for i in range(n):
        j = order[i]
        b[j] = fit[i] if x[j] >= 0.0 else -fit[i]
    return out
