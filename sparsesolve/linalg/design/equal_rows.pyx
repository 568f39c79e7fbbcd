"""Classes of equal rows: tables with few columns and few distinct values have many equal rows.

Each row gets a 64-bit hash, the sum of a mixed word for every value that is not zero. Hashes are
extended column by column, and the search stops as soon as there are too many classes. Rows of
equal hash are then compared value by value.
"""
from libc.stdint cimport uint64_t, uintptr_t
from libc.string cimport memcpy

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.column cimport FLOAT32, FLOAT64, Column
from sparsesolve.linalg.design.design cimport Design

# Rows are counted again each time the number of hashed columns has grown by this factor.
DEF MORE = 4
# The first SUMMED rows of a class are summed one by one before partial sums are merged.
DEF SUMMED = 512


cdef inline uint64_t mixed(double value, uint64_t key) noexcept nogil:
    """Hash a value at the position with this key: every bit depends on all (SplitMix64
    finaliser).
    """
    cdef uint64_t bits
    memcpy(&bits, &value, sizeof(double))
    bits += key * <uint64_t> 0x9E3779B97F4A7C15
    bits = (bits ^ (bits >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    bits = (bits ^ (bits >> 27)) * <uint64_t> 0x94D049BB133111EB
    return bits ^ (bits >> 31)


def row_classes(Design design, const double[:, ::1] offsets, double most):
    """Find the equal rows of the design together with the columns of `offsets` (f, n).

    Returns the class of every row (n,) and the first row of every class (m,), ascending, or None
    if there are more than `most` classes.
    """
    cdef Py_ssize_t n = design.n, i, j, begin = 0, end = 1, count
    cdef uint64_t[::1] total = np.empty(n, dtype=np.uint64)
    cdef int[::1] label = np.empty(n, dtype=np.intc)
    cdef int[::1] first = np.empty(<Py_ssize_t> most + 1, dtype=np.intc)
    cdef int[::1] table = np.empty(1 << (2 * max(n, 1)).bit_length(), dtype=np.intc)
    total[:] = 0
    with nogil:
        for j in range(offsets.shape[0]):
            for i in range(n):
                # The hash treats -0 as 0.
                if offsets[j, i] != 0.0:
                    total[i] += mixed(offsets[j, i], <uint64_t> -j)
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
    return (np.asarray(label), np.asarray(first)) if _alike(design, offsets, label, first) else None


def class_means(const int[::1] label, const int[::1] first, y, const double[::1] w):
    """Return the means of y (n,) or (n, K) under weights w in every class, and the class weights
    (m,).

    A class of equal values has exactly this value as its mean. A class of weight 0 has the value
    of its first row. Sums are sums of partial sums, because rounding errors of equal terms added
    one after another would all have the same sign.
    """
    cdef const double[:, :] each = y.reshape(len(y), -1)
    mean = y[np.asarray(first)]
    cdef double[:, :] out = mean.reshape(len(mean), -1)
    cdef Py_ssize_t m = out.shape[0], K = out.shape[1], i, j, k
    cdef double[:, ::1] low = np.array(out, order="C"), high = np.array(out, order="C")
    # The last column holds the weights.
    cdef double[:, ::1] total = np.zeros((m, K + 1)), part = np.zeros((m, K + 1))
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


def of_rows(Design design, const int[::1] which, weights):
    """Return the rows which[0..m) of a design, ascending, as a Design of their own.

    It is standardised like the whole, and its weights are `weights` (m,).
    """
    cdef Py_ssize_t m = which.shape[0], i, j, k, count
    cdef Design out = Design(np.broadcast_to(np.float32(0.0), (m, design.p)))
    cdef const Column* x
    cdef int[::1] place = np.full(design.n, -1, dtype=np.intc), rows
    cdef double[::1] values = np.empty(design.n + 1)
    cdef uintptr_t own
    cdef int kind
    out.keep, out.stored, out.weights, out.centred = [], 0, np.array(weights), design.centred
    out.mean, out.spread = np.array(design.mean), np.array(design.spread)
    out.exponent, out.taken_out = np.array(design.exponent), np.array(design.taken_out)
    for k in range(m):
        place[which[k]] = <int> k
    for j in range(design.p):
        x, rows, count = &design.columns[j], np.empty(min(design.columns[j].size, m) + 1,
                                                    dtype=np.intc), 0
        for k in range(x.size):
            i = place[k if x.rows == NULL else x.rows[k]]
            rows[count], values[count] = <int> i, col.stored(x, k)
            # A row that is not selected is overwritten by the next one.
            count += i >= 0
        kind = FLOAT32 if x.kind == FLOAT32 else FLOAT64
        kept = np.array(values[:count], dtype=np.float32 if kind == FLOAT32 else np.float64)
        own = kept.__array_interface__["data"][0]
        out.columns[j] = Column(<void*> own, NULL, count, x.centre, x.factor, kind, 0.0)
        if count < m:
            out.columns[j].rows = &rows[0]
        out.stored += count
        out.keep.append((kept, rows))
    return out


cdef void _move(Py_ssize_t size, double* part, double* total) noexcept nogil:
    """Add the partial sum to the total and reset the partial sum."""
    cdef Py_ssize_t j
    for j in range(size):
        total[j] += part[j]
        part[j] = 0.0


cdef Py_ssize_t _sorted_out(const uint64_t[::1] total, int[::1] table, int[::1] label,
                            int[::1] first,
                            Py_ssize_t most) noexcept nogil:
    """Label equal hashes by one number each and list the first row of every label.

    A hash table of positions finds equal hashes. Returns the number of labels, and stops once
    there are more than `most`.
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


cdef bint _alike(Design design, const double[:, ::1] offsets, const int[::1] label,
                 const int[::1] first):
    """Return True if every row equals the first row of its class."""
    cdef Py_ssize_t i, j, k, n = design.n
    cdef const Column* x
    cdef double[::1] there = np.zeros(first.shape[0])       # values of the first rows
    # number of values of a row that are still to be compared
    cdef int[::1] left = np.zeros(n, dtype=np.intc)
    with nogil:
        for j in range(offsets.shape[0]):
            for i in range(n):
                if offsets[j, i] != offsets[j, first[label[i]]]:
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
