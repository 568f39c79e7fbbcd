"""Pairs of samples whose order of death is known, counted by whether linear predictors tell it: O(n log n)."""
import numpy as np


def count_pairs(y, eta, weights):
    """Return (concordant, discordant, tied eta, tied time, tied both), sums of products of weights.

    A pair is known where one died while the other, of its stratum, was at risk: who dies at t meets those with
    start < t < stop, and those censored at t.  It is concordant if the one who died has the larger eta.  Two who died
    at one time are tied in time.  From the last time to the first, those at risk stand in a Fenwick tree over the
    ranks of their eta.

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
    for rows in np.split(sorted_, cuts):        # of one stratum, by eta
        if len(rows):
            rank = np.cumsum(np.diff(eta[rows], prepend=eta[rows[0]]) != 0).astype(np.intp)
            counts += _count(start[rows], stop[rows], status[rows] > 0, rank, weights[rows])
    return counts


cdef _count(start, stop, status, rank, weights):
    """The same for one stratum and ranks 0, 1, ... of eta."""
    cdef Py_ssize_t[::1] late = np.lexsort((status, -stop)), entry = np.argsort(-start), r = rank
    cdef const double[::1] begin = start, end = stop, w = weights
    cdef const unsigned char[::1] died = status.view(np.uint8)
    cdef Py_ssize_t n = late.shape[0], a = 0, b, i, k, gone = 0, m = rank.max() + 1
    cdef double[::1] tree = np.zeros(m + 1), now = np.zeros(m)
    cdef double[::1] counts = np.zeros(5)
    cdef double below, upto, total = 0.0, together, t
    while a < n:
        i = late[a]
        if not died[i]:
            total += shift(tree, r[i], w[i])
            a += 1
            continue
        t, b, together = end[i], a, 0.0
        while gone < n and begin[entry[gone]] >= t:
            i = entry[gone]
            total += shift(tree, r[i], -w[i])
            gone += 1
        while b < n and end[late[b]] == t:      # those who die at t: against those at risk, and each other
            i = late[b]
            below, upto = sum_below(tree, r[i]), sum_below(tree, r[i] + 1)
            counts[0] += w[i] * below
            counts[1] += w[i] * (total - upto)
            counts[2] += w[i] * (upto - below)
            counts[3] += w[i] * (together - now[r[i]])
            counts[4] += w[i] * now[r[i]]
            together += w[i]
            now[r[i]] += w[i]
            b += 1
        for k in range(a, b):
            now[r[late[k]]] = 0.0
            total += shift(tree, r[late[k]], w[late[k]])
        a = b
    return np.asarray(counts)


cdef double shift(double[::1] tree, Py_ssize_t rank, double weight) noexcept nogil:
    """Add a weight at a rank; returns it."""
    rank += 1
    while rank < tree.shape[0]:
        tree[rank] += weight
        rank += rank & -rank
    return weight


cdef double sum_below(double[::1] tree, Py_ssize_t rank) noexcept nogil:
    """The weights at ranks below this one."""
    cdef double total = 0.0
    while rank > 0:
        total += tree[rank]
        rank -= rank & -rank
    return total
