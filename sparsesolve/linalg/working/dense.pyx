"""Working columns as a dense matrix."""
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.kernels cimport vector
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.working.columns import room_for, roomier
from sparsesolve.linalg.gram.products cimport (
    share_dots,
    share_gram,
    share_products,
    share_subtract,
)


cdef class DensePackedColumns(PackedColumns):
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
