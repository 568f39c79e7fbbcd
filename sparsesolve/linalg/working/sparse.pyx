"""Working columns as one compressed sparse matrix; if there are very many rows, also by rows."""
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.kernels cimport vector
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.working.columns import room_for, roomier
from sparsesolve.linalg.working.by_rows cimport ByRows

# At least this many new columns are multiplied together with all others.
DEF FEW = 3
# From this many rows on, a vector and a few columns do not fit in a cache together, and columns
# are also stored by rows.
MANY_ROWS = 100_000
# The copy by rows is extended once it stores less than PENDING times the values that wait for it.
# Until then waiting columns are multiplied one by one.
DEF PENDING = 8
# Number of values of the copy by rows that fit in a cache.
DEF BLOCK = 32768
# A value is processed this many times faster by rows than by columns.
DEF SPEED = 3


cdef class SparsePackedColumns(PackedColumns):
    def __cinit__(self, double[::1] root_w, bint recentred=False):
        self.filled = np.empty(self.n)
        self.many_rows = self.n >= MANY_ROWS
        self.panel = np.zeros(0 if self.many_rows else 8 * self.n)
        self._hold(np.empty(1024), np.empty(1024, dtype=np.intc), np.zeros(65, dtype=np.longlong),
                   np.empty(64),
                   np.empty(64, dtype=np.intc))

    def _hold(self, values, rows, start, offset, which):
        self.values_, self.rows_, self.start_ = values, rows, start
        self.offset_, self.which_ = offset, which
        self.values, self.rows = &self.values_[0], &self.rows_[0]
        self.start, self.offset = &self.start_[0], &self.offset_[0]
        if self.work is None or self.work.shape[0] < self.offset_.shape[0]:
            self.work, self.done = np.empty(len(offset)), np.empty(len(offset), dtype=np.longlong)

    def _make_room(self, columns, stored, whole):
        values, rows, start = self.values_, self.rows_, self.start_
        offset, which = self.offset_, self.which_
        if columns > offset.shape[0]:
            columns = max(columns, 2 * offset.shape[0])
            start = roomier(start, columns + 1, self.size + 1)
            offset, which = (roomier(part, columns, self.size) for part in (offset, which))
        if stored > values.shape[0]:
            stored = room_for(stored, values.shape[0], whole if self.many_rows else 0)
            values, rows = (roomier(part, stored, self.start[self.size]) for part in (values, rows))
        self._hold(values, rows, start, offset, which)

    cdef int append(self, Design design, const int* which, int count) except -1:
        cdef const Column* x
        cdef long long at = self.start[self.size], total = at
        cdef Py_ssize_t i, k
        cdef double value
        for k in range(count):
            total += design.columns[which[k]].size
        self._make_room(self.size + count, total, design.stored)
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
            self.which_[self.size] = which[k]
            self.size += 1
            self.start[self.size] = at
        if self.many_rows:
            self._reflect(design)
        return 0

    cdef int _reflect(self, Design design) except -1:
        """Extend the copy by rows once enough values wait for it."""
        cdef long long stored = self.start[self.size]
        if self.mirror is not None and not self.mirror.begins_with(&self.which_[0], self.size):
            self.mirror = None
        # With fewer values most rows would be read in vain.
        if self.mirror is None and stored >= self.n:
            self.mirror = ByRows(self.n)
        if self.mirror is not None and PENDING * (stored - self.mirror.stored) > self.mirror.stored:
            self.mirror.take(design, &self.which_[0], self.size)
        return 0

    cdef int _mirrored(self, int first, int count, long long values) noexcept nogil:
        """Return how many of the columns first..first + count to process by rows.

        `values` is the number of their values that have to be processed.
        """
        if (self.mirror is None or first > 0 or count < self.mirror.size
                or SPEED * values < self.mirror.stored):
            return 0
        return self.mirror.size

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

    cdef void correlate_some(self, int first, int count, const double* v, double shift,
                             double* out) noexcept nogil:
        cdef int begin = self._mirrored(first, count,
                                        self.start[first + count] - self.start[first]), j
        if begin > 0:
            self.mirror.correlate(&self.root_w[0], v, out, self.n_threads)
            for j in range(begin):
                out[j] += self.offset[j] * shift
        PackedColumns.correlate_some(self, first + begin, count - begin, v, shift, out + begin)

    cdef double subtract_some(self, int first, int count, const double* b,
                              double* v) noexcept nogil:
        cdef int begin, j
        cdef long long values = 0
        cdef double shift = 0.0
        for j in range(count):
            if b[j] != 0.0:
                values += self.start[first + j + 1] - self.start[first + j]
        begin = self._mirrored(first, count, values)
        if begin > 0:
            self.mirror.subtract(&self.root_w[0], b, v, self.n_threads)
            for j in range(begin):
                shift += b[j] * self.offset[j]
        return shift + PackedColumns.subtract_some(self, first + begin, count - begin, b + begin, v)

    cdef void correlate_listed(self, const int* which, int count, const double* v, double shift,
                               double* out) noexcept nogil:
        cdef int k
        if self._mirrored(0, self.size, self._listed(which, count)) == 0:
            PackedColumns.correlate_listed(self, which, count, v, shift, out)
            return
        self.correlate_some(0, self.size, v, shift, &self.work[0])
        for k in range(count):
            out[k] = self.work[which[k]]

    cdef double subtract_listed(self, const int* which, int count, const double* b,
                                double* v) noexcept nogil:
        cdef int k
        if self._mirrored(0, self.size, self._listed(which, count)) == 0:
            return PackedColumns.subtract_listed(self, which, count, b, v)
        memset(&self.work[0], 0, self.size * sizeof(double))
        for k in range(count):
            self.work[which[k]] += b[k]
        return self.subtract_some(0, self.size, &self.work[0], v)

    cdef long long _listed(self, const int* which, int count) noexcept nogil:
        """Return the number of values of these columns."""
        cdef long long values = 0
        cdef int k
        for k in range(count):
            values += self.start[which[k] + 1] - self.start[which[k]]
        return values

    cdef void products(self, int first, double* G, int ld) noexcept nogil:
        cdef int k, i, begin
        cdef double shift = 0.0
        while self.panel.shape[0] > 0 and self.size - first >= FEW:
            first += self._products_of_some(first, min(8, self.size - first), G, ld)
        begin = self._meet_mirrored(first, G, ld)
        for k in range(first, self.size):
            if begin <= k:
                memset(&self.filled[0], 0, self.n * sizeof(double))
                shift = self.axpy(k, 1.0, &self.filled[0])
            for i in range(begin, k + 1):
                G[i + <Py_ssize_t> k * ld] = self.dot(i, &self.filled[0], shift)
            for i in range(k):
                G[k + <Py_ssize_t> i * ld] = G[i + <Py_ssize_t> k * ld]

    cdef int _meet_mirrored(self, int first, double* G, int ld) noexcept nogil:
        """Compute products with the columns stored by rows, up to the diagonal; return their
        number.

        The products fill the columns of G from `first` on.
        """
        cdef int count = self._mirrored(0, self.size, self.start[self.size]), k, i
        cdef Py_ssize_t rows, end = 0
        cdef double* out
        if count == 0:
            return 0
        rows = max(1, <Py_ssize_t> (self.n * BLOCK / (self.mirror.stored + 1.0)))
        for k in range(first, self.size):
            memset(G + <Py_ssize_t> k * ld, 0, min(count, k + 1) * sizeof(double))
            self.done[k] = self.start[k]
        while end < self.n:                     # a block of rows that stays in cache
            end = min(end + rows, self.n)
            for k in range(first, self.size):
                self._meet_rows(k, end, min(count - 1, k), G + <Py_ssize_t> k * ld)
        for k in range(first, self.size):
            out = G + <Py_ssize_t> k * ld
            for i in range(min(count, k + 1)):
                out[i] -= self.offset[i] * self.offset[k]
        return count

    cdef void _meet_rows(self, int k, Py_ssize_t end, int limit, double* out) noexcept nogil:
        """Add the contribution of the next rows, up to `end`, to the products of column k."""
        cdef long long at = self.done[k], stop = self.start[k + 1], begin = at
        while at < stop and self.rows[at] < end:
            at += 1
        self.mirror.add_products(at - begin, self.values + begin, self.rows + begin,
                                 &self.root_w[0], limit, out)
        self.done[k] = at

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
