"""Contiguous copies of working columns as sqrt(w) * z_j, so that passes over them run in order.

A vector of sample space is stored as an array plus a multiple of sqrt(w), its shift, so that a
centred sparse column never fills in. Dense columns do not use the shift.
"""
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.gram.products cimport (
    share_dots,
    share_gram,
    share_products,
    share_subtract,
)
from sparsesolve.linalg.kernels cimport vector

# Dense kernels are faster if at least this share of the values is stored.
DENSE_FROM = 0.15
# At least this many new sparse columns are multiplied together with all others.
DEF FEW = 3
# Rows up to which eight sparse columns are filled in side by side (256 MB).
MOST_FILLED_ROWS = 4_000_000
# Up to this many values, room for everything is allocated at once; memory that is never written
# costs nothing.
RESERVED = 100_000_000


def room_for(needed, room, whole):
    """Return the capacity to allocate: all that can be needed if that is not too much, else
    double.
    """
    return whole if needed <= whole < RESERVED else max(needed, 2 * room)


def roomier(array, room, used):
    """Return an array of more capacity that starts with the first `used` entries of this one.

    The other entries are uninitialised.
    """
    larger = np.empty(room, dtype=np.asarray(array).dtype)
    larger[:used] = array[:used]
    return larger


cdef class PackedColumns:
    """Working columns, added one after the other; `restart` removes them all."""

    def __cinit__(self, double[::1] root_w, bint recentred=False):
        self.n = root_w.shape[0]
        self.root_w, self.recentred = root_w, recentred
        self.size, self.n_threads = 0, 1

    cdef void restart(self, double[::1] root_w):
        """Remove all columns and use other weights from now on; the memory is kept."""
        self.root_w, self.size = root_w, 0

    cdef int append(self, Design design, const int* which, int count) except -1:
        """Copy the columns which[0..count) of the design."""
        return 0

    cdef double dot(self, int j, const double* v, double shift) noexcept nogil:
        """Return the product of column j with v + shift * sqrt(w).

        If columns are centred, the weighted sum of this vector is 0.
        """
        return 0.0

    cdef double square(self, int j) noexcept nogil:
        """Return the inner product of column j with itself."""
        return 0.0

    cdef double axpy(self, int j, double a, double* v) noexcept nogil:
        """Add a times column j to v; return what to add to v's shift."""
        return 0.0

    cdef void correlate(self, const double* v, double shift, double* out) noexcept nogil:
        """Set out[j] to the product of column j with v + shift * sqrt(w), for all columns."""
        self.correlate_some(0, self.size, v, shift, out)

    cdef double subtract(self, const double* b, double* v) noexcept nogil:
        """Subtract sum_j b[j] column j from v; return what to add to v's shift."""
        return self.subtract_some(0, self.size, b, v)

    cdef void correlate_some(self, int first, int count, const double* v, double shift,
                             double* out) noexcept nogil:
        """Set out[k] to the product of column first + k with v + shift * sqrt(w), for k < count.
        """
        cdef int j
        for j in range(count):
            out[j] = self.dot(first + j, v, shift)

    cdef double subtract_some(self, int first, int count, const double* b,
                              double* v) noexcept nogil:
        """Subtract sum_k b[k] column first + k, k < count, from v; return what to add to v's
        shift.
        """
        cdef double shift = 0.0
        cdef int j
        for j in range(count):
            if b[j] != 0.0:
                shift += self.axpy(first + j, -b[j], v)
        return shift

    cdef void correlate_listed(self, const int* which, int count, const double* v, double shift,
                               double* out) noexcept nogil:
        """Set out[k] to the product of column which[k] with v + shift * sqrt(w)."""
        cdef int k
        for k in range(count):
            out[k] = self.dot(which[k], v, shift)

    cdef double subtract_listed(self, const int* which, int count, const double* b,
                                double* v) noexcept nogil:
        """Subtract sum_k b[k] column which[k] from v; return what to add to v's shift."""
        cdef double shift = 0.0
        cdef int k
        for k in range(count):
            shift += self.axpy(which[k], -b[k], v)
        return shift

    cdef void products(self, int first, double* G, int ld) noexcept nogil:
        """Write inner products of the columns first.. with all columns into both triangles of G.
        """


cdef class DensePackedColumns(PackedColumns):
    """Working columns as a dense matrix."""
    cdef double[::1] storage
    cdef double* Z                          # (n, capacity) column-major

    def __cinit__(self, double[::1] root_w, bint recentred=False):
        self.dense = True
        self.storage = np.empty(16 * self.n)
        self.Z = &self.storage[0]

    cdef int append(self, Design design, const int* which, int count) except -1:
        cdef Py_ssize_t needed = (self.size + count) * self.n
        cdef double* z
        cdef int k
        cdef bint rooted = self.root is not None
        if needed > self.storage.shape[0]:
            room = room_for(needed, self.storage.shape[0], design.p * self.n)
            self.storage = roomier(self.storage, room, self.size * self.n)
            self.Z = &self.storage[0]
        with nogil:     # folds of a cross-validation copy their columns at the same time
            for k in range(count):
                z = self.Z + self.n * (self.size + k)
                col.unpack(&design.columns[which[k]], self.n, 0, self.n, z)
                vector.ss_multiply(self.n, &self.root_w[0], z, z)
                if rooted:
                    self.root.multiply_transposed(z)
                elif self.recentred:
                    vector.axpy(self.n, -vector.dot(self.n, &self.root_w[0], z), &self.root_w[0], z)
        self.size += count
        return 0

    cdef double dot(self, int j, const double* v, double shift) noexcept nogil:
        return vector.dot(self.n, self.Z + self.n * j, v)

    cdef double square(self, int j) noexcept nogil:
        return vector.dot(self.n, self.Z + self.n * j, self.Z + self.n * j)

    cdef double axpy(self, int j, double a, double* v) noexcept nogil:
        vector.axpy(self.n, a, self.Z + self.n * j, v)
        return 0.0

    cdef void correlate_some(self, int first, int count, const double* v, double shift,
                             double* out) noexcept nogil:
        share_dots(self.n, count, self.Z + self.n * first, NULL, v, out, self.n_threads)

    cdef double subtract_some(self, int first, int count, const double* b,
                              double* v) noexcept nogil:
        share_subtract(self.n, count, b, self.Z + self.n * first, NULL, v, self.n_threads)
        return 0.0

    cdef void correlate_listed(self, const int* which, int count, const double* v, double shift,
                               double* out) noexcept nogil:
        share_dots(self.n, count, self.Z, which, v, out, self.n_threads)

    cdef double subtract_listed(self, const int* which, int count, const double* b,
                                double* v) noexcept nogil:
        share_subtract(self.n, count, b, self.Z, which, v, self.n_threads)
        return 0.0

    cdef void products(self, int first, double* G, int ld) noexcept nogil:
        cdef int n = <int> self.n, k, i
        for k in range(first, self.size):
            memset(G + <Py_ssize_t> k * ld, 0, self.size * sizeof(double))
        if first == 0:
            share_gram(n, self.size, self.Z, n, G, ld, self.n_threads)
        else:
            share_products(n, self.size, self.Z, n, self.size - first, self.Z + self.n * first, n,
                           G + <Py_ssize_t> first * ld, ld, self.n_threads)
        # Copy the numbers to the other side of the diagonal.
        for i in range(self.size):
            for k in range(max(first, i + 1), self.size):
                G[k + <Py_ssize_t> i * ld] = G[i + <Py_ssize_t> k * ld]


cdef class SparsePackedColumns(PackedColumns):
    """Working columns as one compressed sparse matrix."""
    cdef double[::1] values_, offset_, filled
    cdef double[::1] panel  # (n, 8) of zeros between two uses; empty for very many rows
    cdef int[::1] rows_
    cdef long long[::1] start_
    cdef double* values                     # sqrt(w) * factor * x, column after column
    cdef int* rows
    cdef long long* start                   # (size + 1,)
    cdef double* offset  # factor * mean: the column is values - offset * sqrt(w)

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


def pack(design, root_w, recentred=False, dense=False, n_threads=1):
    """Return an empty PackedColumns for columns of this design.

    The copies are sparse if few values are stored, unless `dense` is True. If `recentred` is
    True, the columns are centred by their means under the weights root_w (n,) squared, which sum
    to 1. Passes over many values use n_threads threads.
    """
    sparse = design.stored < DENSE_FROM * design.n * design.p
    kind = SparsePackedColumns if sparse and not dense else DensePackedColumns
    columns = kind(root_w, recentred)
    columns.n_threads = n_threads
    return columns
