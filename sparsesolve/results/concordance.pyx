"""Concordance of survival times and linear predictors, in O(n log n).

It counts the pairs of samples with a known order of deaths, by agreement with the predictors.
"""
import numpy as np


def count_pairs(y, eta, weights):
    """Return (concordant, discordant, tied eta, tied time, tied both), sums of products of weights.

    A pair is known if one died while the other, of the same stratum, was at risk: a death at t is
    compared with samples with start < t < stop, and those censored at t. The pair is concordant
    if the sample that died has the larger eta. Two deaths at one time are tied in time. From the
    last time to the first, the samples at risk stand in a tree of sums, ordered by their eta. A
    sample that leaves the tree leaves exactly 0, because nothing is subtracted.

    Parameters
    ----------
    y : (n, 4) start, stop, status, stratum
    eta : (n,) linear predictors
    weights : (n,) nonnegative
    """
    start, stop, status, stratum = np.asarray(y, dtype=float).T
    eta, weights = np.asarray(eta, dtype=float), np.asarray(weights, dtype=float)
    counts = np.zeros(5)
    sorted_ = np.lexsort((eta, stratum))
    cuts = np.flatnonzero(np.diff(stratum[sorted_])) + 1
    for rows in np.split(sorted_, cuts):        # rows of one stratum, by eta
        if len(rows):
            ranked = eta[rows]
            first = np.flatnonzero(np.append(True, ranked[1:] != ranked[:len(rows) - 1]))
            level = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(rows))))
            counts += _count(start[rows], stop[rows], status[rows] > 0, level,
                             np.append(first, len(rows)),
                             weights[rows])
    return counts


cdef _count(start, stop, status, level, first, weights):
    """Count for one stratum; rows first[l]..first[l + 1] have level l of the sorted eta."""
    cdef Py_ssize_t[::1] late = np.lexsort((status, -stop)), entry = np.argsort(-start)
    cdef Py_ssize_t[::1] l = level, edge = first
    cdef const double[::1] begin = start, end = stop, w = weights
    cdef const unsigned char[::1] died = status.view(np.uint8)
    cdef Py_ssize_t n = late.shape[0], a = 0, b, i, k, gone = 0
    cdef double[::1] tree = np.zeros(2 * n), now = np.zeros(edge.shape[0])
    cdef double[::1] counts = np.zeros(5)
    cdef double together, t
    while a < n:
        i = late[a]
        if not died[i]:
            put(tree, n, i, w[i])
            a += 1
            continue
        t, b, together = end[i], a, 0.0
        while gone < n and begin[entry[gone]] >= t:
            put(tree, n, entry[gone], 0.0)
            gone += 1
        # Compare deaths at t with the samples at risk.
        while b < n and end[late[b]] == t:
            i = late[b]
            counts[0] += w[i] * sum_of(tree, n, 0, edge[l[i]])
            counts[1] += w[i] * sum_of(tree, n, edge[l[i] + 1], n)
            counts[2] += w[i] * sum_of(tree, n, edge[l[i]], edge[l[i] + 1])
            counts[3] += w[i] * (together - now[l[i]])
            counts[4] += w[i] * now[l[i]]
            together += w[i]
            now[l[i]] += w[i]
            b += 1
        for k in range(a, b):
            now[l[late[k]]] = 0.0
            put(tree, n, late[k], w[late[k]])
        a = b
    return np.asarray(counts)


cdef void put(double[::1] tree, Py_ssize_t n, Py_ssize_t row, double weight) noexcept nogil:
    """Set the weight of a row. Rows are nodes n to 2 n - 1; inner nodes are sums of their
    children."""
    row += n
    tree[row] = weight
    while row > 1:
        row >>= 1
        tree[row] = tree[2 * row] + tree[2 * row + 1]


cdef double sum_of(double[::1] tree, Py_ssize_t n, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Return the sum of the weights of rows begin .. end."""
    cdef double total = 0.0
    begin, end = begin + n, end + n
    while begin < end:
        if begin & 1:
            total += tree[begin]
            begin += 1
        if end & 1:
            end -= 1
            total += tree[end]
        begin, end = begin >> 1, end >> 1
    return total
