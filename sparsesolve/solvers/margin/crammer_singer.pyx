"""Dual coordinate descent for the multi-class hinge loss of Crammer and Singer.

    minimise over w_1 .. w_K   lam sum_k |w_k|^2 / 2 + sum_i u_i max_k (e_ik + (w_k - w_{y_i})'x_i)

with e_ik = 1 for k other than y_i, else 0. Dual: w_k = sum_i alpha_ik x_i / lam where every row
has alpha_ik <= u_i [k = y_i] and sum_k alpha_ik = 0.

Given: rows in CSR form, classes, weights u. Changed in place: w (p, K), alpha (n, K). Invariant:
w belongs to alpha, and every row of alpha is feasible.

The problem of one row, with A = |x_i|^2 / lam and B_k = w_k'x_i + e_ik - A alpha_ik, has the
solution alpha_k = min(c_k, (beta - B_k) / A), with c_k the bound above. beta makes the sum 0; it
is found from the B_k + A c_k in decreasing order.

Reference: Crammer, Singer, "On the algorithmic implementation of multiclass kernel-based vector
machines" (2001); Keerthi, Sundararajan, Chang, Hsieh, Lin, "A sequential dual method for large
scale multi-class linear SVMs" (2008).
"""
from libc.stdlib cimport qsort

import numpy as np


cdef int _decreasing(const void* a, const void* b) noexcept nogil:
    cdef double x = (<const double*> a)[0], y = (<const double*> b)[0]
    return (x < y) - (x > y)


cdef double _level(double* sorted_levels, Py_ssize_t K, double cap) noexcept nogil:
    """Return beta for B_k + A c_k in decreasing order; `cap` is A u_i."""
    cdef Py_ssize_t r = 1
    cdef double beta = sorted_levels[0] - cap
    while r < K and beta < r * sorted_levels[r]:
        beta += sorted_levels[r]
        r += 1
    return beta / r


def sweep(const int[::1] start, const int[::1] column, const double[::1] value,
          const long long[::1] label, const double[::1] weight, const double[::1] square,
          const int[::1] order, double lam, double[:, ::1] w, double[:, ::1] alpha):
    """Solve the problem of each row of `order` in turn.

    Returns the largest change of an alpha relative to its row's weight.
    """
    cdef Py_ssize_t K = w.shape[1], i, j, e, k, t
    cdef double A, beta, new, step, most = 0.0
    cdef double[::1] B = np.empty(K), levels = np.empty(K), moved = np.empty(K)
    with nogil:
        for t in range(order.shape[0]):
            i = order[t]
            if weight[i] == 0.0 or square[i] == 0.0:
                continue
            A = square[i] / lam
            for k in range(K):
                B[k] = 0.0
            for e in range(start[i], start[i + 1]):
                for k in range(K):
                    B[k] += value[e] * w[column[e], k]
            for k in range(K):
                B[k] += (k != label[i]) - A * alpha[i, k]
                levels[k] = B[k]
            levels[label[i]] += A * weight[i]
            qsort(&levels[0], K, sizeof(double), _decreasing)
            beta = _level(&levels[0], K, A * weight[i])
            step = 0.0
            for k in range(K):
                new = min(weight[i] if k == label[i] else 0.0, (beta - B[k]) / A)
                moved[k] = (new - alpha[i, k]) / lam
                step = max(step, abs(new - alpha[i, k]))
                alpha[i, k] = new
            if step > 0.0:
                most = max(most, step / weight[i])
                for e in range(start[i], start[i + 1]):
                    for k in range(K):
                        w[column[e], k] += moved[k] * value[e]
    return most
