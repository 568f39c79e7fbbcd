"""Gram matrix Z'WZ of sparse columns, row by row: a row of c stored values takes c (c + 1) / 2
products.
"""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange
from libc.math cimport fabs

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.kernels.vector cimport ss_sparse_axpy_f64

# Approximate number of values in a block of rows, which stays in cache.
DEF STORED = 1 << 16
# Columns that a thread takes at a time. Portions are small because the first columns have the
# most products.
DEF PORTION = 16


cdef class SortedRows:
    """A block of rows of sqrt(w) Z with its values sorted by row, and within a row by column.

    Columns are centred after the products. That would cost digits if the mean is larger than the
    spread, so such columns store all their rows and are centred before.
    """

    cdef Design design
    cdef const double[::1] root_w
    cdef double[::1] offset             # (p,) centre that is subtracted from each column
    cdef double[::1] sums  # (p,) sums of sqrt(w) times the values, over all blocks so far
    cdef Py_ssize_t begin, end, most
    # By column: the start of each column, the row of each value, and its position when sorted by
    # row.
    cdef int[::1] first, row, place
    cdef int[::1] start, feature  # by row: the start of each row, and the column of each value
    cdef double[::1] values, read       # sorted by row; sorted by column

    def __init__(self, Design design, const double[::1] root_w):
        cdef Py_ssize_t j
        self.design, self.root_w, self.begin, self.end = design, root_w, 0, 0
        self.most = max(1, min(design.n, STORED * design.n // max(design.stored, 1)))
        self.offset, self.sums = np.zeros(design.p), np.zeros(design.p)
        for j in range(design.p):
            if not self._comes_centred(j):
                self.offset[j] = design.columns[j].factor * design.columns[j].centre
        self.first = np.zeros(design.p + 1, dtype=np.intc)
        self.start = np.empty(self.most + 2, dtype=np.intc)
        self._make_room(2 * STORED)

    def _make_room(self, size):
        self.row, self.place, self.feature = (np.empty(size, dtype=np.intc) for _ in range(3))
        self.values, self.read = np.empty(size), np.empty(size)

    cdef bint _comes_centred(self, Py_ssize_t j) noexcept nogil:
        cdef const Column* x = &self.design.columns[j]
        return x.rows == NULL or fabs(x.centre) > self.design.spread[j]

    cdef bint advance(self) except -1:
        """Read the next block; return False after the last one."""
        cdef Py_ssize_t j
        cdef const Column* x
        self.begin, self.end = self.end, min(self.end + self.most, self.design.n)
        for j in range(self.design.p):
            x = &self.design.columns[j]
            self.first[j + 1] = self.first[j] + <int> (
                self.end - self.begin if self._comes_centred(j)
                else col.place_of(x, self.end, 0, x.size) - col.place_of(x, self.begin, 0, x.size))
        if self.first[self.design.p] > self.row.shape[0]:
            self._make_room(2 * self.first[self.design.p])
        with nogil:
            for j in range(self.design.p):
                self._read(j)
            self._sort()
        return self.begin < self.end

    cdef void _read(self, Py_ssize_t j) noexcept nogil:
        """Read the values of column j and their rows within the block."""
        cdef const Column* x = &self.design.columns[j]
        cdef Py_ssize_t begin = self.first[j], k, i, at
        if self._comes_centred(j):
            col.unpack_times(x, self.begin, self.end, &self.root_w[self.begin], &self.read[begin])
            for k in range(self.end - self.begin):
                self.row[begin + k] = <int> k
        else:
            at = col.place_of(x, self.begin, 0, x.size)
            for k in range(self.first[j + 1] - begin):
                i = x.rows[at + k]
                self.row[begin + k] = <int> (i - self.begin)
                self.read[begin + k] = self.root_w[i] * x.factor * col.stored(x, at + k)
        for k in range(begin, self.first[j + 1]):
            self.sums[j] += self.root_w[self.begin + self.row[k]] * self.read[k]

    cdef void _sort(self) noexcept nogil:
        """Sort the values by row, and within a row by column."""
        cdef Py_ssize_t j, k, i
        self.start[:] = 0
        for k in range(self.first[self.design.p]):
            self.start[self.row[k] + 2] += 1
        for i in range(2, self.start.shape[0]):
            self.start[i] += self.start[i - 1]
        for j in range(self.design.p):
            for k in range(self.first[j], self.first[j + 1]):
                # This entry becomes the start of the next row.
                i = self.start[self.row[k] + 1]
                self.start[self.row[k] + 1] += 1
                self.place[k], self.feature[i], self.values[i] = <int> i, <int> j, self.read[k]

    cdef void meet(self, Py_ssize_t j, double* out) noexcept nogil:
        """Add the products of column j with itself and with the columns after it."""
        cdef Py_ssize_t k, i
        for k in range(self.first[j], self.first[j + 1]):
            i = self.place[k]
            ss_sparse_axpy_f64(self.start[self.row[k] + 1] - i, self.values[i], &self.values[i],
                               &self.feature[i], out)


def sparse_gram(Design design, const double[::1] root_w, int n_threads):
    """Return Z'WZ (p, p), given the square roots of the weights, (n,)."""
    cdef Py_ssize_t j, k, p = design.p
    cdef double total = np.sum(np.square(root_w))
    cdef SortedRows rows = SortedRows(design, root_w)
    cdef double[::1] a = rows.offset, m = rows.sums
    gram = np.zeros((p, p))
    cdef double[:, ::1] g = gram
    while rows.advance():
        PyErr_CheckSignals()
        with nogil:
            for j in prange(p, num_threads=n_threads, schedule="static", chunksize=PORTION):
                rows.meet(j, &g[j, 0])
    for j in range(p):
        for k in range(j, p):
            g[j, k] += a[j] * a[k] * total - a[j] * m[k] - a[k] * m[j]
            g[k, j] = g[j, k]
    return gram
