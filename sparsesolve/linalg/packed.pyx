"""Working columns of a sparse design copied side by side as sqrt(w) * z_j, so that passes over them run in order.

A vector of sample space is kept as a stored part plus a multiple of sqrt(w), its shift: columns never fill in.
"""
import numpy as np

from sparsesolve.linalg cimport column as col
from sparsesolve.linalg.column cimport Column
from sparsesolve.linalg.design cimport Design


cdef class PackedColumns:
    """Columns sqrt(w) * z_j; they are only ever added."""

    def __cinit__(self, double[::1] root_w):
        self.n = root_w.shape[0]
        self.root_w = root_w
        self.size = 0
        self._hold(np.empty(1024), np.empty(1024, dtype=np.intc), np.zeros(65, dtype=np.longlong), np.empty(64))

    def _hold(self, values, rows, start, offset):
        self.values_, self.rows_, self.start_, self.offset_ = values, rows, start, offset
        self.values, self.rows = &self.values_[0], &self.rows_[0]
        self.start, self.offset = &self.start_[0], &self.offset_[0]

    def _make_room(self, columns, stored):
        values, rows = np.asarray(self.values_), np.asarray(self.rows_)
        start, offset = np.asarray(self.start_), np.asarray(self.offset_)
        if columns >= len(start):
            columns = max(columns + 1, 2 * len(start))
            start, offset = np.resize(start, columns), np.resize(offset, columns)
        if stored > len(values):
            stored = max(stored, 2 * len(values))
            values, rows = np.resize(values, stored), np.resize(rows, stored)
        self._hold(values, rows, start, offset)

    cdef int append(self, Design design, const int* which, int count) except -1:
        """Copy the design's columns which[0..count)."""
        cdef const Column* x
        cdef long long at = self.start[self.size], total = at
        cdef Py_ssize_t i, k
        cdef double value
        for k in range(count):
            total += design.columns[which[k]].size
        self._make_room(self.size + count + 1, total)
        for k in range(count):
            x = &design.columns[which[k]]
            for i in range(x.size):
                self.rows[at] = i if x.rows == NULL else x.rows[i]
                # a dense column carries its centre in the values: nothing is left for the offset
                value = col.stored(x, i) - (x.centre if x.rows == NULL else 0.0)
                self.values[at] = self.root_w[self.rows[at]] * x.factor * value
                at += 1
            self.offset[self.size] = 0.0 if x.rows == NULL else x.factor * x.centre
            self.size += 1
            self.start[self.size] = at
        return 0

    cdef double dot(self, int j, const double* v, double shift) noexcept nogil:
        """Product of column j with v + shift * sqrt(w), a vector whose weighted sum is zero if columns are centred."""
        cdef double total = self.offset[j] * shift
        cdef long long k
        for k in range(self.start[j], self.start[j + 1]):
            total += self.values[k] * v[self.rows[k]]
        return total

    cdef double axpy(self, int j, double a, double* v) noexcept nogil:
        """v += a * column j; returns what is to be added to v's shift."""
        cdef long long k
        for k in range(self.start[j], self.start[j + 1]):
            v[self.rows[k]] += a * self.values[k]
        return -a * self.offset[j]
