"""Working columns as one compressed sparse matrix."""
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.kernels cimport vector
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.working.columns import room_for, roomier

# At least this many new columns are multiplied together with all others.
DEF FEW = 3
# Rows up to which eight columns are filled in side by side (256 MB).
MOST_FILLED_ROWS = 4_000_000


cdef class SparsePackedColumns(PackedColumns):
    def __cinit__(self, double[::1] root_w, bint recentred=False):
        self.filled = np.empty(self.n)
        self.panel = np.zeros(8 * self.n if self.n <= MOST_FILLED_ROWS else 0)
        self._hold(np.empty(1024), np.empty(1024, dtype=np.intc), np.zeros(65, dtype=np.longlong),
                   np.empty(64))

    def _hold(self, values, rows, start, offset):
        self.values_, self.rows_, self.start_, self.offset_ = values, rows, start, offset
        self.values, self.rows = &self.values_[0], &self.rows_[0]
        self.start, self.offset = &self.start_[0], &self.offset_[0]

    def _make_room(self, columns, stored):
        values, rows, start, offset = self.values_, self.rows_, self.start_, self.offset_
        if columns > offset.shape[0]:
            columns = max(columns, 2 * offset.shape[0])
            start = roomier(start, columns + 1, self.size + 1)
            offset = roomier(offset, columns, self.size)
        if stored > values.shape[0]:
            stored = room_for(stored, values.shape[0], 0)
            values, rows = (roomier(part, stored, self.start[self.size]) for part in (values, rows))
        self._hold(values, rows, start, offset)

    cdef int append(self, Design design, const int* which, int count) except -1:
        cdef const Column* x
        cdef long long at = self.start[self.size], total = at
        cdef Py_ssize_t i, k
        cdef double value
        for k in range(count):
            total += design.columns[which[k]].size
        self._make_room(self.size + count, total)
        with nogil:
            for k in range(count):
                x = &design.columns[which[k]]
                for i in range(x.size):
                    self.rows[at] = i if x.rows == NULL else x.rows[i]
                    # The values of a dense column are centred, so its offset is 0.
                    value = col.stored(x, i) - (x.centre if x.rows == NULL else 0.0)
                    self.values[at] = self.root_w[self.rows[at]] * x.factor * value
                    at += 1
                self.offset[self.size] = 0.0 if x.rows == NULL else x.factor * x.centre
                if self.recentred:
                    self.offset[self.size] = 0.0
                    for i in range(at - x.size, at):
                        self.offset[self.size] += self.root_w[self.rows[i]] * self.values[i]
                self.size += 1
                self.start[self.size] = at
        return 0

    cdef double dot(self, int j, const double* v, double shift) noexcept nogil:
        cdef long long k = self.start[j]
        return (vector.ss_sparse_dot_f64(self.start[j + 1] - k, self.values + k, self.rows + k, v)
                + self.offset[j] * shift)

    cdef double square(self, int j) noexcept nogil:
        cdef double total = 0.0, seen = 0.0, offset = self.offset[j], root, value
        cdef long long k
        for k in range(self.start[j], self.start[j + 1]):
            root = self.root_w[self.rows[k]]
            value = self.values[k] - offset * root
            total += value * value
            seen += root * root
        return total + max(1.0 - seen, 0.0) * offset * offset

    cdef double axpy(self, int j, double a, double* v) noexcept nogil:
        cdef long long k = self.start[j]
        vector.ss_sparse_axpy_f64(self.start[j + 1] - k, a, self.values + k, self.rows + k, v)
        return -a * self.offset[j]

    cdef void products(self, int first, double* G, int ld) noexcept nogil:
        cdef int k, i
        cdef double shift
        while self.panel.shape[0] > 0 and self.size - first >= FEW:
            first += self._products_of_some(first, min(8, self.size - first), G, ld)
        for k in range(first, self.size):
            memset(&self.filled[0], 0, self.n * sizeof(double))
            shift = self.axpy(k, 1.0, &self.filled[0])
            for i in range(k + 1):
                G[i + <Py_ssize_t> k * ld] = self.dot(i, &self.filled[0], shift)
            for i in range(k):
                G[k + <Py_ssize_t> i * ld] = G[i + <Py_ssize_t> k * ld]

    cdef int _products_of_some(self, int first, int count, double* G, int ld) noexcept nogil:
        """Compute at most eight columns of G together, from `first` on; return their number."""
        cdef int i, k
        cdef long long at
        cdef double[8] out
        for k in range(count):
            for at in range(self.start[first + k], self.start[first + k + 1]):
                self.panel[8 * <Py_ssize_t> self.rows[at] + k] = self.values[at]
        for i in range(first + count):
            at = self.start[i]
            vector.ss_sparse_panel(self.start[i + 1] - at, self.values + at, self.rows + at,
                                   &self.panel[0], out)
            for k in range(max(i - first, 0), count):
                G[i + <Py_ssize_t> (first + k) * ld] = G[first + k + <Py_ssize_t> i * ld] = (
                    out[k] - self.offset[i] * self.offset[first + k])
        for at in range(self.start[first], self.start[first + count]):
            for k in range(8):
                self.panel[8 * <Py_ssize_t> self.rows[at] + k] = 0.0
        return count
