"""Second derivatives Z'F''Z for K responses, coefficient by coefficient, and products with Z.

Coefficient c = j K + k belongs to column j and response k. Vectors of sample space are (K, n). A
loss is a sum over samples, so K products with F'' determine all of F''.
"""
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.linalg.gram.products cimport add_products
from sparsesolve.linalg.kernels.vector cimport axpy, ss_add_dots, ss_subtract_all
from sparsesolve.losses.base cimport Loss


cdef class ResponseHessian:
    """Hold columns, which are never removed, and F'' at one point.

    In a `pinned` row F'' must vanish along (1, ..., 1), and nothing else may act there. The
    matrix would be singular, so it gets the mean of the row's curvatures in that direction.
    """

    def __init__(self, Py_ssize_t n, int K):
        self.n, self.K, self.size = n, K, 0
        self.rows, self.curvatures = np.zeros((16, n)), np.zeros((K, K, n))
        self.tied = np.zeros((K, K), dtype=np.intc)
        self.whole, self.pinned = np.zeros(n), np.zeros(0, dtype=np.intc)
        self.left = self.right = self.block = np.zeros(0)
        self.counts = np.zeros(K, dtype=np.intc)

    def append(self, columns, pinned):
        """Append columns (count, n); `pinned` (count,) marks the pinned rows."""
        size = self.size + len(columns)
        if size > self.rows.shape[0]:
            rows = np.zeros((2 * size, self.n))
            rows[:self.size] = self.rows[:self.size]
            self.rows = rows
        np.asarray(self.rows)[self.size:size] = columns
        self.pinned = np.concatenate([self.pinned[:self.size], pinned], dtype=np.intc)
        self.size = size

    cdef int refresh_hessian(self, Loss loss, const double* eta) except -1:
        """Compute F'' at eta and empty the set of working coefficients."""
        cdef int k, l
        cdef Py_ssize_t i
        cdef double[:, ::1] unit = np.zeros((self.K, self.n))
        self.whole[:] = 0.0
        self.counts[:] = 0
        for k in range(self.K):
            unit[k, :] = 1.0
            loss.curvature_times(eta, &unit[0, 0], &self.curvatures[k, 0, 0])
            unit[k, :] = 0.0
            axpy(self.n, 1.0, &self.curvatures[k, k, 0], &self.whole[0])
            for l in range(self.K):
                self.tied[k, l] = k == l
                for i in range(self.n):
                    if self.curvatures[k, l, i] != 0.0:
                        self.tied[k, l] = True
                        break
        return 0

    cdef int extend(self, Gram gram, const int* coefficient, int count) except -1:
        """Extend the matrix of the first coefficients to all `count`.

        All `count` coefficients are working coefficients from now on.
        """
        cdef int first = gram.size, k, l, i, j, m, t, fresh, n = <int> self.n, K = self.K
        cdef int[:, ::1] places, listed
        cdef int[::1] known = np.zeros(K, dtype=np.intc), counts = np.zeros(K, dtype=np.intc)
        cdef double value
        cdef Py_ssize_t ld
        gram.reserve(count)
        ld = gram.capacity
        if self.some is None or self.some.shape[0] < count:
            self.places, self.listed = np.empty((2, K, 2 * count), dtype=np.intc)
            self.moving, self.some = np.empty(2 * count, dtype=np.intc), np.empty(2 * count)
        self.counts, places, listed = counts, self.places, self.listed
        for t in range(count):
            k = coefficient[t] % K
            places[k, counts[k]], listed[k, counts[k]] = t, coefficient[t] // K
            counts[k] += 1
            known[k] += t < first
        m = 0
        for k in range(K):
            m = max(m, counts[k])
        if self.left.shape[0] < m * self.n:
            self.left, self.right = np.empty((2, m * self.n))
        if self.block.shape[0] < m * m:
            self.block = np.empty(m * m)
        with nogil:
            for k in range(K):
                for i in range(counts[k]):
                    memcpy(&self.left[i * self.n], &self.rows[listed[k, i], 0],
                           self.n * sizeof(double))
                for l in range(k if first == 0 else 0, K):
                    fresh, m = counts[l] - known[l], counts[k]
                    if m == 0 or fresh == 0:
                        continue
                    if self.tied[k, l]:
                        for j in range(fresh):
                            self.weighted(listed[l, known[l] + j], k, l, &self.right[j * self.n])
                        memset(&self.block[0], 0, <Py_ssize_t> m * fresh * sizeof(double))
                        add_products(n, m, &self.left[0], n, fresh, &self.right[0], n,
                                     &self.block[0], m)
                    for j in range(fresh):
                        t = places[l, known[l] + j]
                        for i in range(m):
                            value = self.block[i + j * <Py_ssize_t> m] if self.tied[k, l] else 0.0
                            gram.G[places[k, i] + t * ld] = gram.G[t + places[k, i] * ld] = value
            for t in range(first, count):
                if not self.pinned[coefficient[t] // K]:
                    continue
                value = self.pin(coefficient[t] // K)
                for i in range(t + 1):
                    if coefficient[i] // K == coefficient[t] // K:
                        gram.G[i + t * ld] += value
                        gram.G[t + i * ld] = gram.G[i + t * ld]
        gram.size = count
        return 0

    cdef double pin(self, int row) noexcept nogil:
        """Return the mean curvature of a row's K coefficients, divided by K."""
        cdef Py_ssize_t i
        cdef double total = 0.0
        for i in range(self.n):
            total += self.whole[i] * self.rows[row, i] * self.rows[row, i]
        return total / self.K ** 2

    cdef void weighted(self, int row, int k, int l, double* out) noexcept nogil:
        """Multiply a column by the entries of F'' for the responses k and l."""
        cdef Py_ssize_t i
        for i in range(self.n):
            out[i] = self.rows[row, i] * self.curvatures[k, l, i]

    cdef void correlate(self, const double* u, double* out) noexcept nogil:
        """Compute the products of the working columns with u (K, n), one per coefficient."""
        cdef int k, i
        for k in range(self.K):
            if self.counts[k] > 0:
                memset(&self.some[0], 0, self.counts[k] * sizeof(double))
                ss_add_dots(self.n, self.counts[k], &self.rows[0, 0], &self.listed[k, 0], self.n,
                            u + k * self.n, &self.some[0])
            for i in range(self.counts[k]):
                out[self.places[k, i]] = self.some[i]

    cdef void add(self, const double* b, const double* less, double* eta) noexcept nogil:
        """Add the working columns times b - less to eta (K, n); a NULL `less` means 0."""
        cdef int k, i, t, count
        for k in range(self.K):
            count = 0
            for i in range(self.counts[k]):
                t = self.places[k, i]
                self.moving[count], self.some[count] = (self.listed[k, i],
                                                        (less[t] if less != NULL else 0.0) - b[t])
                count += self.some[count] != 0.0
            if count > 0:
                ss_subtract_all(self.n, count, &self.some[0], &self.rows[0, 0], &self.moving[0],
                                self.n, eta + k * self.n)
