"""Working columns as one compressed sparse matrix, and as its rows where these serve better."""
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg cimport column as col
from sparsesolve.linalg cimport vector
from sparsesolve.linalg.column cimport Column
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.packed cimport Packed
from sparsesolve.linalg.packed import roomier
from sparsesolve.linalg.row_mirror cimport RowMirror

DEF FEW = 3             # columns: as many meet all others together
DEF PANEL = 1 << 20     # values of such columns side by side, which a cache still holds
DEF DEMAND = 20         # products after which a mirror is worth making
cdef double OUTGROWN = 1.2      # times the values in the mirror, from which it is made anew


cdef class SparsePacked(Packed):
    def __cinit__(self, double[::1] root_w, bint recentred=False):
        self.filled, self.which, self.mirror = np.empty(self.n), np.empty(64, dtype=np.intc), RowMirror()
        self.panel = np.zeros(8 * self.n if 8 * self.n <= PANEL else 0)
        self._hold(np.empty(1024), np.empty(1024, dtype=np.intc), np.zeros(65, dtype=np.longlong), np.empty(64))

    def _hold(self, values, rows, start, offset):
        self.values_, self.rows_, self.start_, self.offset_ = values, rows, start, offset
        self.values, self.rows = &self.values_[0], &self.rows_[0]
        self.start, self.offset = &self.start_[0], &self.offset_[0]

    def _make_room(self, columns, stored):
        values, rows, start, offset = self.values_, self.rows_, self.start_, self.offset_
        if columns > offset.shape[0]:
            columns = max(columns, 2 * offset.shape[0])
            start, offset = roomier(start, columns + 1, self.size + 1), roomier(offset, columns, self.size)
            self.which = roomier(self.which, columns, self.size)
        if stored > values.shape[0]:
            stored = max(stored, 2 * values.shape[0])
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
        for k in range(count):
            x = &design.columns[which[k]]
            for i in range(x.size):
                self.rows[at] = i if x.rows == NULL else x.rows[i]
                # a dense column carries its centre in the values: nothing is left for the offset
                value = col.stored(x, i) - (x.centre if x.rows == NULL else 0.0)
                self.values[at] = self.root_w[self.rows[at]] * x.factor * value
                at += 1
            self.offset[self.size] = 0.0 if x.rows == NULL else x.factor * x.centre
            if self.recentred:
                self.offset[self.size] = 0.0
                for i in range(at - x.size, at):
                    self.offset[self.size] += self.root_w[self.rows[i]] * self.values[i]
            self.which[self.size] = which[k]
            self.size += 1
            self.start[self.size] = at
        self.mirrored = self.mirror.size if self.mirror.holds(&self.which[0], self.size) else 0
        if not self.recentred:      # under weights that stay the mirror gains nothing
            return 0
        outgrown = at > OUTGROWN * (self.mirror.stored if self.mirrored else 0)
        if self.demand > DEMAND and (outgrown or self.whole and self.mirrored < self.size == count):
            self.mirror.hold(design, &self.which[0], self.size)
            self.mirrored, self.demand = self.size, 0
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

    cdef double multiply(self, const int* which, int count, const double* p, double* v, double* q) noexcept nogil:
        """The same in one pass over the columns that the mirror holds."""
        cdef int j
        cdef double shift = 0.0
        self.demand += 1
        self.whole = False
        if self.mirrored == 0:
            return Packed.multiply(self, which, count, p, v, q)
        memset(v, 0, self.n * sizeof(double))
        memset(q, 0, self.mirrored * sizeof(double))
        for j in range(self.size):
            if j >= self.mirrored and p[j] != 0.0:
                self.axpy(j, p[j], v)
            shift -= p[j] * self.offset[j]
        self.mirror.multiply(&self.root_w[0], p, v, q)
        for j in range(self.mirrored):
            q[j] += self.offset[j] * shift
        for j in range(self.mirrored, self.size):
            q[j] = self.dot(j, v, shift)
        return shift

    cdef void products(self, int first, double* G, int ld) noexcept nogil:
        cdef int k, i
        cdef double shift
        self.demand += self.size - first
        self.whole = True
        if first == 0 and self.size > 0 and self.mirrored == self.size and self.mirror.short_rows():
            self.mirror.products(&self.root_w[0], G, ld)
            for k in range(self.size):
                for i in range(k + 1):
                    G[i + <Py_ssize_t> k * ld] -= self.offset[i] * self.offset[k]
                    G[k + <Py_ssize_t> i * ld] = G[i + <Py_ssize_t> k * ld]
            return
        while self.panel.shape[0] > 0 and self.size - first >= FEW:
            first += self._products_of_some(first, min(8, self.size - first), G, ld)
        for k in range(first, self.size):
            memset(&self.filled[0], 0, self.n * sizeof(double))
            shift = self.axpy(k, 1.0, &self.filled[0])
            for i in range(k + 1):
                G[i + <Py_ssize_t> k * ld] = G[k + <Py_ssize_t> i * ld] = self.dot(i, &self.filled[0], shift)

    cdef int _products_of_some(self, int first, int count, double* G, int ld) noexcept nogil:
        """The columns of G from `first` on, at most eight of them together; returns how many."""
        cdef int i, k
        cdef long long at
        cdef double[8] out
        for k in range(count):
            for at in range(self.start[first + k], self.start[first + k + 1]):
                self.panel[8 * <Py_ssize_t> self.rows[at] + k] = self.values[at]
        for i in range(first + count):
            at = self.start[i]
            vector.ss_sparse_panel(self.start[i + 1] - at, self.values + at, self.rows + at, &self.panel[0], out)
            for k in range(max(i - first, 0), count):
                G[i + <Py_ssize_t> (first + k) * ld] = G[first + k + <Py_ssize_t> i * ld] = (
                    out[k] - self.offset[i] * self.offset[first + k])
        for at in range(self.start[first], self.start[first + count]):
            memset(&self.panel[8 * <Py_ssize_t> self.rows[at]], 0, 8 * sizeof(double))
        return count
