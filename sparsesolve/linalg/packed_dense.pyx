"""Working columns as a dense matrix, for BLAS."""
from scipy.linalg.cython_blas cimport dgemm, dgemv, dsyrk

import numpy as np

from sparsesolve.linalg cimport column as col
from sparsesolve.linalg cimport vector
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.packed cimport Packed
from sparsesolve.linalg.packed import roomier

DEF FEW = 64            # columns, below which a call of BLAS costs more than it saves
DEF NEWCOMERS = 3       # columns with which a matrix product would copy all others for little


cdef class DensePacked(Packed):
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
