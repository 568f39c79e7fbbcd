"""Sums over the knots of a path, in one pass each: correlations against bounds, gaps, nonzero coefficients."""
from libc.math cimport fabs, fmax

import numpy as np


def largest(const double[:, :] C, const double[::1] bound, bint positive):
    """(K,) max_j |c_j| / bound_j, or of c_j / bound_j; at least 0."""
    cdef Py_ssize_t K = C.shape[0], p = C.shape[1], k, j
    cdef double most, size
    cdef const double* c
    cdef double[::1] inverse = np.divide(1.0, bound), out = np.empty(K)
    with nogil:
        for k in range(K):
            c, most = &C[k, 0], 0.0
            for j in range(p):
                size = (c[j] if positive else fabs(c[j])) * inverse[j]
                most = size if size > most else most
            out[k] = most
    return np.asarray(out)


def first_excess(const double[:, :] C, const double[::1] lams, const int[::1] which, const double[::1] bound,
                 const double[::1] slack, bint positive):
    """(knot, columns): the first knot at which columns among `which` exceed lam bound + slack, or (K, none)."""
    cdef Py_ssize_t K = C.shape[0], k, t, count = 0
    cdef int j
    found = np.empty(which.shape[0], dtype=np.intc)
    cdef int[::1] out = found
    with nogil:
        for k in range(K):
            for t in range(which.shape[0]):
                j = which[t]
                if (C[k, j] if positive else fabs(C[k, j])) > lams[k] * bound[j] + slack[j]:
                    out[count] = j
                    count += 1
            if count > 0:
                break
    return (k if count > 0 else K), found[:count]


def gaps(const double[::1] lams, const int[::1] features, const double[:, :] B, const double[:, :] C,
         const double[::1] squares, const double[::1] most, const double[::1] v, double ridge):
    """(K,) gaps at the dual points s (y - A b), s = min(1, lam / most); see homotopy_certificate."""
    cdef Py_ssize_t K = B.shape[0], k, u
    cdef int j
    cdef double s, norm, product, square
    cdef double[::1] out = np.empty(K)
    with nogil:
        for k in range(K):
            norm = product = square = 0.0
            for u in range(B.shape[1]):
                j = features[u]
                if v[j] > 0.0:
                    norm += v[j] * fabs(B[k, u])
                    square += v[j] * B[k, u] * B[k, u]
                    product += C[k, j] * B[k, u]
            s = 1.0 if most[k] <= lams[k] else lams[k] / most[k]
            out[k] = fmax(0.5 * (1.0 - s) * (1.0 - s) * (squares[k] + ridge * square) + lams[k] * norm - s * product, 0.0)
    return np.asarray(out)


def products(const double[:, :] B, const double[:, :] C, const int[::1] features):
    """(K,) sum_u B_ku c_kj of the features j = features[u]."""
    cdef Py_ssize_t K = B.shape[0], k, u
    cdef double total
    cdef const double* b
    cdef const double* c
    cdef double[::1] out = np.zeros(K)
    with nogil:
        for k in range(K if B.shape[1] > 0 else 0):
            b, c, total = &B[k, 0], &C[k, 0], 0.0
            for u in range(B.shape[1]):
                total += b[u] * c[features[u]]
            out[k] = total
    return np.asarray(out)


def nonzeros(const double[:, :] B, const Py_ssize_t[::1] order, const int[::1] features, const double[::1] unit):
    """(features, B times unit, how many of each knot), knot after knot in the order of B's columns given."""
    cdef Py_ssize_t K = B.shape[0], U = order.shape[0], k, t, u, count = 0
    sizes = np.zeros(K, dtype=np.int64)
    cdef long long[::1] size = sizes
    for k in range(K):
        for u in range(U):
            size[k] += B[k, u] != 0.0
    which, values = np.empty(sizes.sum(), dtype=np.intc), np.empty(sizes.sum())
    cdef int[::1] j = which
    cdef double[::1] value = values
    for k in range(K):
        for t in range(U):
            u = order[t]
            if B[k, u] != 0.0:
                j[count], value[count] = features[u], B[k, u] * unit[u]
                count += 1
    return which, values, sizes
