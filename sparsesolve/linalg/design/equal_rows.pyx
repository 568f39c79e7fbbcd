"""Classes of rows that are alike, value for value: of tables of few columns and few values there are many.

Rows are told apart by a sum of 64 mixed bits for each value that is not zero, column after column, which stops as
soon as it has told too many apart; those that it leaves together are then compared value for value.
"""
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design

DEF MORE = 4                # times as many columns before rows are counted again
DEF SUMMED = 512            # rows of a class that are added one by one


cdef inline uint64_t mixed(double value, uint64_t key) noexcept nogil:
    """The bits of a value in a place of that key, all of which depend on all (the finaliser of SplitMix64)."""
    cdef uint64_t bits
    memcpy(&bits, &value, sizeof(double))
    bits += key * <uint64_t> 0x9E3779B97F4A7C15
    bits = (bits ^ (bits >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    bits = (bits ^ (bits >> 27)) * <uint64_t> 0x94D049BB133111EB
    return bits ^ (bits >> 31)


def row_classes(Design design, const double[:, ::1] beside, double most):
    """Which rows of the design, and columns of `beside` (f, n), are alike.

    Returns (class of every row (n,), first row of every class (m,), ascending), or None where there are more than
    `most` classes.
    """
    cdef Py_ssize_t n = design.n, i, j, begin = 0, end = 1, count
    cdef uint64_t[::1] total = np.empty(n, dtype=np.uint64)
    cdef int[::1] label = np.empty(n, dtype=np.intc), first = np.empty(<Py_ssize_t> most + 1, dtype=np.intc)
    cdef int[::1] table = np.empty(1 << (2 * max(n, 1)).bit_length(), dtype=np.intc)
    total[:] = 0
    with nogil:
        for j in range(beside.shape[0]):
            for i in range(n):
                if beside[j, i] != 0.0:     # -0 is 0
                    total[i] += mixed(beside[j, i], <uint64_t> -j)
    while True:
        table[:] = -1
        with nogil:
            count = _sorted_out(total, table, label, first, <Py_ssize_t> most)
        if count > most:
            return None
        if begin == design.p:
            break
        with nogil:
            for j in range(begin, end):
                _mix_in(&design.columns[j], <uint64_t> j + 1, &total[0])
        begin, end = end, min(MORE * end, design.p)
    first = first[:count]
    return (np.asarray(label), np.asarray(first)) if _alike(design, beside, label, first) else None


def class_means(const int[::1] label, const int[::1] first, y, const double[::1] w):
    """Means of y (n,) or (n, K) under the weights w in every class, and the weights of the classes (m,).

    Of a class of equal values the mean is that value; of one without weight it is that of its first row.  A class's
    sums are sums of sums of some rows: equal terms, one behind the other, would all be rounded the same way.
    """
    cdef const double[:, :] each = y.reshape(len(y), -1)
    mean = y[np.asarray(first)]
    cdef double[:, :] out = mean.reshape(len(mean), -1)
    cdef Py_ssize_t m = out.shape[0], K = out.shape[1], i, j, k
    cdef double[:, ::1] low = np.array(out, order="C"), high = np.array(out, order="C")
    cdef double[:, ::1] total = np.zeros((m, K + 1)), part = np.zeros((m, K + 1))   # weights last
    cdef int[::1] count = np.zeros(m, dtype=np.intc)
    with nogil:
        for i in range(each.shape[0]):
            k = label[i]
            part[k, K] += w[i]
            for j in range(K):
                part[k, j] += w[i] * each[i, j]
                low[k, j], high[k, j] = min(low[k, j], each[i, j]), max(high[k, j], each[i, j])
            count[k] += 1
            if count[k] % SUMMED == 0:
                _move(K + 1, &part[k, 0], &total[k, 0])
        for k in range(m):
            _move(K + 1, &part[k, 0], &total[k, 0])
            for j in range(K if total[k, K] > 0.0 else 0):
                out[k, j] = min(max(total[k, j] / total[k, K], low[k, j]), high[k, j])
    return mean, np.array(total[:, K])


cdef void _move(Py_ssize_t size, double* part, double* total) noexcept nogil:
    """Add the part to the total, and begin another."""
    cdef Py_ssize_t j
    for j in range(size):
        total[j] += part[j]
        part[j] = 0.0


cdef Py_ssize_t _sorted_out(const uint64_t[::1] total, int[::1] table, int[::1] label, int[::1] first,
                            Py_ssize_t most) noexcept nogil:
    """Label equal sums by one number each, by a table of places, and list where each stands first; how many.

    Ends where they are more than `most`.
    """
    cdef Py_ssize_t i, at, mask = table.shape[0] - 1, count = 0
    for i in range(total.shape[0]):
        at = <Py_ssize_t> (total[i] >> 1) & mask
        while table[at] >= 0 and total[first[table[at]]] != total[i]:
            at = (at + 1) & mask
        if table[at] < 0:
            if count >= most:
                return most + 1
            table[at], first[count] = <int> count, <int> i
            count += 1
        label[i] = table[at]
    return count


cdef void _mix_in(const Column* x, uint64_t key, uint64_t* total) noexcept nogil:
    cdef Py_ssize_t k
    cdef double value, last = 0.0
    cdef uint64_t bits = 0
    for k in range(x.size):
        value = col.stored(x, k)
        if value != last:
            last, bits = value, mixed(value, key) if value != 0.0 else 0
        total[k if x.rows == NULL else x.rows[k]] += bits


cdef bint _alike(Design design, const double[:, ::1] beside, const int[::1] label, const int[::1] first):
    """Whether each row is as the first one of its class."""
    cdef Py_ssize_t i, j, k, n = design.n
    cdef const Column* x
    cdef double[::1] there = np.zeros(first.shape[0])       # values of the first rows
    cdef int[::1] left = np.zeros(n, dtype=np.intc)         # values that a row still has to show
    with nogil:
        for j in range(beside.shape[0]):
            for i in range(n):
                if beside[j, i] != beside[j, first[label[i]]]:
                    return False
        for j in range(design.p):
            x = &design.columns[j]
            if x.rows == NULL:
                for i in range(n):
                    if col.stored(x, i) != col.stored(x, first[label[i]]):
                        return False
                continue
            for k in range(x.size):
                i = x.rows[k]
                if first[label[i]] == i:
                    there[label[i]] = col.stored(x, k)
            for k in range(x.size):
                i = x.rows[k]
                if col.stored(x, k) != there[label[i]]:
                    return False
                left[i] += there[label[i]] != 0.0
            for k in range(x.size):
                there[label[x.rows[k]]] = 0.0
        for i in range(n):
            if left[i] != left[first[label[i]]]:
                return False
    return True
