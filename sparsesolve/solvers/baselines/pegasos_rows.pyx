"""Pegasos-1: subgradient steps on the regularised hinge loss, one row each.

    minimise over w   lam |w|^2 / 2 + (1/n) sum_i max(0, 1 - y_i x_i'w)

Given: rows in CSR form, labels -1 and 1, the rows to step on. Returned, in place: w = scale v, its
squared length, how often each row was on the wrong side of its margin.
Invariant: v is never multiplied as a whole, so that a step costs the entries of its row.
Reference: Shalev-Shwartz, Singer, Srebro, "Pegasos: primal estimated sub-gradient solver for SVM"
(2007), figure 1 with k = 1.
"""
from libc.math cimport sqrt


def steps(const int[::1] start, const int[::1] column, const double[::1] value,
          const double[::1] y, const int[::1] order, double lam, double radius, double[::1] v,
          double scale, long long t, long long[::1] violations):
    """Take one step on each row of `order`; return (scale, t)."""
    cdef Py_ssize_t k, e, j, i
    cdef double margin, rate, square, length = 0.0
    for j in range(v.shape[0]):
        length += v[j] * v[j]
    length *= scale * scale  # The square of |w|, once a call, so that it cannot drift.
    for k in range(order.shape[0]):
        i = order[k]
        t += 1
        margin = 0.0
        for e in range(start[i], start[i + 1]):
            margin += value[e] * v[column[e]]
        margin *= y[i] * scale
        if t == 1:                              # 1 - 1/t = 0: w is forgotten.
            for j in range(v.shape[0]):
                v[j] = 0.0
            scale, length, margin = 1.0, 0.0, 0.0
        else:
            scale *= 1.0 - 1.0 / t
            length *= (1.0 - 1.0 / t) ** 2
        # The scale below which v is multiplied by it, long before it underflows.
        if scale < 1e-120:
            for j in range(v.shape[0]):
                v[j] *= scale
            scale = 1.0
        if margin < 1.0:
            violations[i] += 1
            rate = y[i] / (lam * t)
            square = 0.0
            for e in range(start[i], start[i + 1]):
                square += value[e] * value[e]
                v[column[e]] += rate / scale * value[e]
            # |w + rate x|^2, w'x from the margin at the old w times 1 - 1/t
            length += 2.0 * rate * (margin * y[i] * (1.0 - 1.0 / t)) + rate * rate * square
        if length > radius * radius:
            scale *= radius / sqrt(length)
            length = radius * radius
    return scale, t
