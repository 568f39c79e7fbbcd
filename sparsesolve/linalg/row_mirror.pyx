"""Sparse columns once more, row by row, so that one pass over them gives both Zp and Z'Zp, or all of Z'Z.

Weights are no part of it: it outlives a change of them.
"""
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.linalg cimport column as col
from sparsesolve.linalg cimport vector
from sparsesolve.linalg.column cimport Column
from sparsesolve.linalg.design cimport Design

cdef double SCATTERED = 2.0     # cost of adding to an entry of Z'Z anywhere, in multiply-adds of a product


cdef class RowMirror:
    """At first of no columns."""

    def __init__(self):
        self.size, self.stored = 0, 0
        self.which = np.zeros(0, dtype=np.intc)

    cdef int hold(self, Design design, const int* which, int size) except -1:
        """Be the mirror of these columns of a design."""
        cdef const Column* x
        cdef Py_ssize_t i, row
        cdef int k
        cdef long long at
        self.which = np.empty(size, dtype=np.intc)
        memcpy(&self.which[0], which, size * sizeof(int))
        place = np.zeros(design.n + 1, dtype=np.longlong)
        cdef long long[::1] ahead = place
        for k in range(size):
            x = &design.columns[which[k]]
            for i in range(x.size):
                ahead[(i if x.rows == NULL else x.rows[i]) + 1] += 1
        np.cumsum(place, out=place)
        self.start, self.stored, self.size = place.copy(), place[design.n], size
        counts = np.diff(place).astype(float)
        self.pairs = 0.5 * np.dot(counts, counts + 1.0)
        self.columns, self.values = np.empty(max(self.stored, 1), dtype=np.intc), np.empty(max(self.stored, 1))
        for k in range(size):
            x = &design.columns[which[k]]
            for i in range(x.size):
                row = i if x.rows == NULL else x.rows[i]
                at = ahead[row]
                ahead[row] += 1
                self.columns[at] = k
                self.values[at] = x.factor * (col.stored(x, i) - (x.centre if x.rows == NULL else 0.0))
        return 0

    cdef bint holds(self, const int* which, int size) noexcept nogil:
        """Whether these columns begin with its own."""
        cdef int k
        if size < self.size:
            return False
        for k in range(self.size):
            if which[k] != self.which[k]:
                return False
        return True

    cdef void multiply(self, const double* root_w, const double* p, double* v, double* q) noexcept nogil:
        """v += Zp, and then q += Z'v, of the columns' stored values times root_w."""
        cdef Py_ssize_t i
        cdef long long at, count
        for i in range(self.start.shape[0] - 1):
            at = self.start[i]
            count = self.start[i + 1] - at
            v[i] += root_w[i] * vector.ss_sparse_dot_f64(count, &self.values[at], &self.columns[at], p)
            vector.ss_sparse_axpy_f64(count, root_w[i] * v[i], &self.values[at], &self.columns[at], q)

    cdef bint short_rows(self) noexcept nogil:
        """Whether Z'Z costs less row by row than column by column."""
        return SCATTERED * self.pairs < 0.5 * self.size * <double> self.stored

    cdef void products(self, const double* root_w, double* G, int ld) noexcept nogil:
        """The upper triangle of Z'Z, of the columns' stored values times root_w."""
        cdef Py_ssize_t i
        cdef long long at, k, end
        cdef double value
        cdef double* column
        for k in range(self.size):
            memset(G + <Py_ssize_t> k * ld, 0, (k + 1) * sizeof(double))
        for i in range(self.start.shape[0] - 1):
            end = self.start[i + 1]
            for k in range(self.start[i], end):         # columns ascend within a row
                value = self.values[k] * root_w[i] * root_w[i]
                column = G + <Py_ssize_t> self.columns[k] * ld
                for at in range(self.start[i], k + 1):
                    column[self.columns[at]] += value * self.values[at]
