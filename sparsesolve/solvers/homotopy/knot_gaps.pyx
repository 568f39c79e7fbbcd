"""Gaps at the knots of a path and on the pieces between them, and the coefficients there.

The formulas stand in knot_certificate.py. Given: arrays of K knots: B (K, U) of the features (U,),
C (K, p), lambdas (K,). Returned: arrays of K entries.
"""
from libc.math cimport INFINITY, fabs

import numpy as np

from sparsesolve.solvers.certificate.gap cimport assembled, squares_gap


def gaps_at(const double[::1] lams, const int[::1] features, const double[:, :] B,
            const double[:, :] C, const double[::1] squares, const double[::1] most,
            const double[::1] v, double ridge):
    """Return gaps (K,) at the dual points s (y - A b), s = min(1, lam / most)."""
    cdef Py_ssize_t K = B.shape[0], k, u
    cdef int j
    cdef double b, s, loss, norm, product, square
    cdef double[::1] out = np.empty(K)
    with nogil:
        for k in range(K):
            norm = product = square = 0.0
            for u in range(B.shape[1]):
                j, b = features[u], B[k, u]
                if b != 0.0 and v[j] > 0.0:
                    norm += v[j] * fabs(b)
                    square += v[j] * b * b
                    product += C[k, j] * b
            s = 1.0 if most[k] <= lams[k] else lams[k] / most[k]
            loss = squares_gap(squares[k] + ridge * square, s, 0.0)
            out[k] = assembled(loss, lams[k] * norm - s * product, 0.0, INFINITY)
    return np.asarray(out)


cdef inline double part_between(double high, double low, double v, double b0, double b1,
                                double c0, double c1) noexcept nogil:
    """Return the largest lam v |b| - c b of a feature on a piece, where lam, b and c are linear.

    It is the product of two linear functions wherever b keeps its sign, and 0 where b is.
    """
    cdef double t, lam, c, bound = v if b0 > 0.0 or (b0 == 0.0 and b1 > 0.0) else -v
    if b0 * b1 >= 0.0:
        return top(high * bound - c0, low * bound - c1, b0, b1)
    t = b0 / (b0 - b1)              # where the sign changes
    lam, c = high + t * (low - high), c0 + t * (c1 - c0)
    return max(top(high * bound - c0, lam * bound - c, b0, 0.0),
               top(-lam * bound - c, -low * bound - c1, 0.0, b1))


cdef inline double top(double q0, double q1, double b0, double b1) noexcept nogil:
    """Return the largest (q0 + t (q1 - q0)) (b0 + t (b1 - b0)) for t in [0, 1]."""
    cdef double first = q0 * b0, slope = q0 * (b1 - b0) + b0 * (q1 - q0)
    cdef double bend = (q1 - q0) * (b1 - b0)
    if slope > 0.0 and slope + 2.0 * bend < 0.0:
        return first - 0.25 * slope * slope / bend
    return max(first, q1 * b1)


def piece_gaps(const double[::1] lams, const int[::1] features, const double[:, :] B,
               const double[:, :] C, const double[::1] v):
    """Return the largest gaps on the pieces that end at each knot, 0 for the first, (K,).

    Coefficients and correlations are linear on a piece, and the dual point is feasible as it is
    at the ends. The largest parts of all features are added up, which bounds the largest sum.
    """
    cdef Py_ssize_t K = B.shape[0], U = B.shape[1], k, u
    cdef int j
    cdef double total
    cdef double[::1] out = np.zeros(K)
    cdef const double* b0
    cdef const double* b1
    with nogil:
        for k in range(1, K if U > 0 else 0):
            b0, b1, total = &B[k - 1, 0], &B[k, 0], 0.0
            for u in range(U):
                j = features[u]
                if v[j] > 0.0 and (b1[u] != 0.0 or b0[u] != 0.0):
                    total += part_between(lams[k - 1], lams[k], v[j], b0[u], b1[u],
                                          C[k - 1, j], C[k, j])
            out[k] = assembled(0.0, total, 0.0, INFINITY)
    return np.asarray(out)


def nonzeros(const double[:, :] B, const Py_ssize_t[::1] order, const int[::1] features,
             const double[::1] unit):
    """Return the nonzero coefficients of all knots, in the order of B's columns given.

    Returns features, coefficients times `unit`, and how many each knot has.
    """
    cdef Py_ssize_t K = B.shape[0], U = order.shape[0], k, t, u, count = 0, here
    sizes = np.zeros(K, dtype=np.int64)
    cdef long long[::1] size = sizes
    cdef const double* b
    for k in range(K if U > 0 else 0):
        b, here = &B[k, 0], 0
        for u in range(U):
            here += b[u] != 0.0
        size[k] = here
    which, values = np.empty(sizes.sum(), dtype=np.intc), np.empty(sizes.sum())
    cdef int[::1] j = which
    cdef double[::1] value = values
    for k in range(K if U > 0 else 0):
        b = &B[k, 0]
        for t in range(U):
            u = order[t]
            if b[u] != 0.0:
                j[count], value[count] = features[u], b[u] * unit[u]
                count += 1
    return which, values, sizes
