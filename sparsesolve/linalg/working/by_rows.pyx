"""A second copy of sparse columns, stored by rows, if a vector of n values fits in no cache.

A pass over columns accesses such a vector at random, and each value comes from memory. A pass
over rows reads it in order and accesses the coefficients at random, of which there are few.
Values are stored as in the design, without weights, so that they stay valid when the weights
change. Columns are only ever added. The caller accounts for centring.
"""
from cython.parallel cimport prange
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns import room_for, roomier
from sparsesolve.linalg.kernels.pass_threads cimport clock, end_pass, begin_pass

# Sums run over this many parts of the rows. Threads share the parts, so that their number does
# not change a bit of the sums.
DEF PARTS = 16
# The sums of two parts are at least this many doubles apart.
DEF STRIDE = 8


cdef class ByRows:
    """Sparse columns of n rows, stored by rows; empty at first."""

    def __cinit__(self, Py_ssize_t n):
        self.n, self.size, self.stored = n, 0, 0
        self.which, self.added = np.zeros(0, dtype=np.intc), np.zeros(n, dtype=np.intc)
        self.start = np.zeros(n + 1, dtype=np.longlong)
        self.column, self.values = np.empty(0, dtype=np.intc), np.empty(0)
        self.part = np.zeros((PARTS, STRIDE))

    cdef bint begins_with(self, const int* which, int count) noexcept nogil:
        """Return True if one of the two lists of columns, `which` and the stored ones, begins the
        other.
        """
        cdef int k
        for k in range(min(count, self.size)):
            if self.which[k] != which[k]:
                return False
        return True

    cdef int take(self, Design design, const int* which, int count) except -1:
        """Add the columns which[size..count) of the design; the first `size` are stored already.
        """
        cdef long long total = self.stored
        cdef int k
        for k in range(self.size, count):
            total += design.columns[which[k]].size
        self._make_room(total, count, design.stored)
        for k in range(self.size, count):
            self.which[k] = which[k]
        with nogil:
            self._count(design, count)
            self._move_apart(total)
            for k in range(self.size, count):
                self._fill(&design.columns[which[k]], k)
        self.size, self.stored = count, total
        return 0

    def _make_room(self, total, count, whole):
        if total > self.values.shape[0]:
            room = room_for(total, self.values.shape[0], whole)
            self.column = roomier(self.column, room, self.stored)
            self.values = roomier(self.values, room, self.stored)
        if count > self.which.shape[0]:
            room = max(count, 2 * self.which.shape[0])
            self.which = np.append(self.which, np.zeros(room - self.which.shape[0], dtype=np.intc))
            self.part = np.zeros((PARTS, room + STRIDE))

    cdef void _count(self, Design design, int count) noexcept nogil:
        """Set added to the number of values that are added to each row."""
        cdef const Column* x
        cdef Py_ssize_t i
        cdef int k
        for k in range(self.size, count):
            x = &design.columns[self.which[k]]
            for i in range(x.size):
                self.added[i if x.rows == NULL else x.rows[i]] += 1

    cdef void _move_apart(self, long long total) noexcept nogil:
        """Move every row to its new position, from the last one on."""
        cdef Py_ssize_t i
        cdef long long k, end = self.stored, way = total - self.stored
        self.start[self.n] = total
        for i in range(self.n - 1, -1, -1):
            way -= self.added[i]
            for k in range(end - 1, self.start[i] - 1, -1):
                self.values[k + way], self.column[k + way] = self.values[k], self.column[k]
            end = self.start[i]
            self.start[i] += way

    cdef void _fill(self, const Column* x, int k) noexcept nogil:
        """Write column k into the free space at the ends of its rows."""
        # A dense column is centred here.
        cdef double centre = x.centre if x.rows == NULL else 0.0
        cdef Py_ssize_t i, row
        cdef long long at
        for i in range(x.size):
            row = i if x.rows == NULL else x.rows[i]
            at = self.start[row + 1] - self.added[row]
            self.added[row] -= 1
            self.column[at], self.values[at] = k, x.factor * (col.stored(x, i) - centre)

    cdef void subtract(self, const double* root_w, const double* b, double* v,
                       int n_threads) noexcept nogil:
        """Subtract root_w * Xb from v."""
        cdef Py_ssize_t part
        cdef int threads = begin_pass(n_threads)
        cdef double begun = clock()
        if threads == 1:
            for part in range(PARTS):
                self._subtract_rows(part, root_w, b, v)
            return
        for part in prange(PARTS, num_threads=threads, schedule="static"):
            self._subtract_rows(part, root_w, b, v)
        end_pass(threads, begun, <double> self.stored)

    cdef void _subtract_rows(self, Py_ssize_t part, const double* root_w, const double* b,
                             double* v) noexcept nogil:
        cdef Py_ssize_t i
        cdef long long k
        cdef double total
        for i in range(part * self.n // PARTS, (part + 1) * self.n // PARTS):
            # Values in a row of weight 0 may have any size.
            if root_w[i] == 0.0:
                continue
            total = 0.0
            for k in range(self.start[i], self.start[i + 1]):
                total += self.values[k] * b[self.column[k]]
            v[i] -= root_w[i] * total

    cdef void correlate(self, const double* root_w, const double* v, double* out,
                        int n_threads) noexcept nogil:
        """Set out = X'(root_w * v)."""
        cdef Py_ssize_t part
        cdef int threads = begin_pass(n_threads), j
        cdef double begun = clock()
        if threads == 1:
            for part in range(PARTS):
                self._correlate_rows(part, root_w, v)
        else:
            for part in prange(PARTS, num_threads=threads, schedule="static"):
                self._correlate_rows(part, root_w, v)
            end_pass(threads, begun, <double> self.stored)
        memset(out, 0, self.size * sizeof(double))
        for part in range(PARTS):
            for j in range(self.size):
                out[j] += self.part[part, j]
                self.part[part, j] = 0.0

    cdef void _correlate_rows(self, Py_ssize_t part, const double* root_w,
                              const double* v) noexcept nogil:
        cdef double* out = &self.part[part, 0]
        cdef Py_ssize_t i
        cdef long long k
        cdef double value
        for i in range(part * self.n // PARTS, (part + 1) * self.n // PARTS):
            value = root_w[i] * v[i]
            if value == 0.0:
                continue
            for k in range(self.start[i], self.start[i + 1]):
                out[self.column[k]] += value * self.values[k]

    cdef void add_products(self, Py_ssize_t count, const double* x, const int* rows,
                           const double* root_w,
                           int limit, double* out) noexcept nogil:
        """Add x'(root_w * x_j) to out[j] for the columns j up to `limit`; x has values in these
        rows.
        """
        cdef Py_ssize_t i
        cdef long long k, end
        cdef double weighted
        for i in range(count):
            weighted = x[i] * root_w[rows[i]]
            if weighted == 0.0:
                continue
            k, end = self.start[rows[i]], self.start[rows[i] + 1]
            while k < end and self.column[k] <= limit:
                out[self.column[k]] += weighted * self.values[k]
                k += 1
