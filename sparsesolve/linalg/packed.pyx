"""Working columns copied side by side as sqrt(w) * z_j, so that passes over them run in order and at full speed.

A vector of sample space is kept as a stored part plus a multiple of sqrt(w), its shift: a centred sparse column
never fills in. Dense columns leave the shift alone.
"""
from libc.string cimport memset
from scipy.linalg.cython_blas cimport dgemm, dgemv, dsyrk

import numpy as np

from sparsesolve.linalg cimport column as col
from sparsesolve.linalg cimport vector
from sparsesolve.linalg.column cimport Column
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.row_mirror cimport RowMirror

DEF FEW = 64            # columns, below which a call of BLAS costs more than it saves
DEF DEMAND = 20         # products after which a mirror is worth making
cdef double OUTGROWN = 1.2      # times the values in the mirror, from which it is made anew
DEF NEWCOMERS = 3       # columns with which a matrix product would copy all others for little
DENSE_FROM = 0.15       # share of stored values from which dense kernels are the faster ones


def roomier(array, room, used):
    """An array with room for more, that begins with the `used` first entries of this one; the rest is not touched."""
    larger = np.empty(room, dtype=np.asarray(array).dtype)
    larger[:used] = array[:used]
    return larger


cpdef Packed pack(Design design, double[::1] root_w, bint recentred=False, bint dense=False):
    """An empty Packed for columns of this design; `recentred`: less their mean under these weights, which sum to 1.

    Columns are held as sparse where few of their values are stored, unless `dense` is asked for.
    """
    if not dense and design.stored < DENSE_FROM * design.n * design.p:
        return SparsePacked(root_w, recentred)
    return DensePacked(root_w, recentred)


cdef class Packed:
    """Working columns; they are only ever added."""

    def __cinit__(self, double[::1] root_w, bint recentred=False):
        self.n = root_w.shape[0]
        self.root_w, self.recentred = root_w, recentred
        self.size = 0

    cdef void restart(self, double[::1] root_w):
        """Hold no columns, and from now on those under other weights; the memory is kept."""
        self.root_w, self.size = root_w, 0

    cdef int append(self, Design design, const int* which, int count) except -1:
        """Copy the design's columns which[0..count)."""
        return 0

    cdef double dot(self, int j, const double* v, double shift) noexcept nogil:
        """Product of column j with v + shift * sqrt(w), a vector whose weighted sum is zero if columns are centred."""
        return 0.0

    cdef double square(self, int j) noexcept nogil:
        """Inner product of column j with itself."""
        return 0.0

    cdef double axpy(self, int j, double a, double* v) noexcept nogil:
        """v += a * column j; returns what is to be added to v's shift."""
        return 0.0

    cdef void correlate(self, const double* v, double shift, double* out) noexcept nogil:
        """out[j] = product of column j with v + shift * sqrt(w), for all columns."""
        self.correlate_some(0, self.size, v, shift, out)

    cdef double subtract(self, const double* b, double* v) noexcept nogil:
        """v -= sum_j b[j] column j; returns what is to be added to v's shift."""
        return self.subtract_some(0, self.size, b, v)

    cdef void correlate_some(self, int first, int count, const double* v, double shift, double* out) noexcept nogil:
        """The same for the columns first, first + 1, ..., of which out[0] is the first."""
        cdef int j
        for j in range(count):
            out[j] = self.dot(first + j, v, shift)

    cdef double subtract_some(self, int first, int count, const double* b, double* v) noexcept nogil:
        """The same for the columns first, first + 1, ..., of which b[0] is the first one's."""
        cdef double shift = 0.0
        cdef int j
        for j in range(count):
            if b[j] != 0.0:
                shift += self.axpy(first + j, -b[j], v)
        return shift

    cdef double multiply(self, const int* which, int count, const double* p, double* v, double* q) noexcept nogil:
        """v = Zp but for its shift, which is returned, and q[which] = Z'Zp, for a p that is 0 but on `which`."""
        cdef int k
        cdef double shift = 0.0
        memset(v, 0, self.n * sizeof(double))
        for k in range(count):
            if p[which[k]] != 0.0:
                shift += self.axpy(which[k], p[which[k]], v)
        for k in range(count):
            q[which[k]] = self.dot(which[k], v, shift)
        return shift

    cdef void products(self, int first, double* G, int ld) noexcept nogil:
        """Inner products of columns first.. with all columns, into both triangles of G."""

    # the same for a stretch of rows, which only dense columns can be cut into

    cdef double subtract_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* b, double* v) noexcept nogil:
        return self.subtract(b, v)

    cdef void correlate_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* v, double shift,
                             double* out) noexcept nogil:
        """out += the part of these rows."""
        cdef int j
        for j in range(self.size):
            out[j] += self.dot(j, v, shift)


cdef class DensePacked(Packed):
    """Columns as a dense matrix, for BLAS."""

    def __cinit__(self, double[::1] root_w, bint recentred=False):
        self.dense = True
        self.storage, self.one_by_one = np.empty(16 * self.n), np.arange(FEW, dtype=np.intc)
        self.Z = &self.storage[0]

    cdef int append(self, Design design, const int* which, int count) except -1:
        cdef Py_ssize_t needed = (self.size + count) * self.n
        cdef double* z
        cdef int k
        if needed > self.storage.shape[0]:
            self.storage = roomier(self.storage, max(needed, 2 * self.storage.shape[0]), self.size * self.n)
            self.Z = &self.storage[0]
        for k in range(count):
            z = self.Z + self.n * (self.size + k)
            col.unpack(&design.columns[which[k]], self.n, 0, self.n, z)
            vector.ss_multiply(self.n, &self.root_w[0], z, z)
            if self.root is not None:
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

    cdef void correlate_some(self, int first, int count, const double* v, double shift, double* out) noexcept nogil:
        cdef int n = self.n, one = 1
        cdef double unit = 1.0, zero = 0.0
        if count < FEW:
            vector.ss_dot_all(self.n, count, self.Z + self.n * first, self.n, v, out)
        else:
            dgemv("T", &n, &count, &unit, self.Z + self.n * first, &n, <double*> v, &one, &zero, out, &one)

    cdef double subtract_some(self, int first, int count, const double* b, double* v) noexcept nogil:
        cdef int n = self.n, one = 1
        cdef double minus = -1.0, unit = 1.0
        if count < FEW:
            vector.ss_subtract_all(self.n, count, b, self.Z + self.n * first, &self.one_by_one[0], self.n, v)
        else:
            dgemv("N", &n, &count, &minus, self.Z + self.n * first, &n, <double*> b, &one, &unit, v, &one)
        return 0.0

    cdef double subtract_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* b, double* v) noexcept nogil:
        cdef int n = self.n, one = 1, rows = stop - start
        cdef double minus = -1.0, unit = 1.0
        if self.size > 0:
            dgemv("N", &rows, &self.size, &minus, self.Z + start, &n, <double*> b, &one, &unit, v + start, &one)
        return 0.0

    cdef void correlate_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* v, double shift,
                             double* out) noexcept nogil:
        cdef int n = self.n, one = 1, rows = stop - start
        cdef double unit = 1.0
        if self.size > 0:
            dgemv("T", &rows, &self.size, &unit, self.Z + start, &n, <double*> (v + start), &one, &unit, out, &one)

    cdef void products(self, int first, double* G, int ld) noexcept nogil:
        cdef int n = self.n, count = self.size - first, one = 1, k, i
        cdef double unit = 1.0, zero = 0.0
        if first == 0:
            dsyrk("U", "T", &count, &n, &unit, self.Z, &n, &zero, G, &ld)
        elif count <= NEWCOMERS:
            for k in range(first, self.size):
                dgemv("T", &n, &self.size, &unit, self.Z, &n, self.Z + self.n * k, &one, &zero,
                      G + <Py_ssize_t> k * ld, &one)
        else:
            dgemm("T", "N", &self.size, &count, &n, &unit, self.Z, &n, self.Z + self.n * first, &n, &zero,
                  G + <Py_ssize_t> first * ld, &ld)
        for k in range(first, self.size):       # the same numbers on both sides of the diagonal
            for i in range(k):
                G[k + <Py_ssize_t> i * ld] = G[i + <Py_ssize_t> k * ld]


cdef class SparsePacked(Packed):
    """Columns as one compressed sparse matrix."""

    def __cinit__(self, double[::1] root_w, bint recentred=False):
        self.filled, self.which, self.mirror = np.empty(self.n), np.empty(64, dtype=np.intc), RowMirror()
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
        for k in range(first, self.size):
            memset(&self.filled[0], 0, self.n * sizeof(double))
            shift = self.axpy(k, 1.0, &self.filled[0])
            for i in range(k + 1):
                G[i + <Py_ssize_t> k * ld] = G[k + <Py_ssize_t> i * ld] = self.dot(i, &self.filled[0], shift)
