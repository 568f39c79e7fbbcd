"""Gram matrix Z' W Z: of the working columns as they come in, or of a whole tall design in one pass."""
from cython.parallel cimport prange
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport dgemm, dgemv, dsyrk

import numpy as np

from sparsesolve.linalg cimport column as col
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.packed cimport Packed
from sparsesolve.linalg.vector cimport axpy, ss_multiply

DEF PARTS = 8       # partial sums of a tall product: fixed, so that results do not depend on the number of threads


cdef class Gram:
    """Inner products of columns that are only ever added."""

    def __cinit__(self, int capacity=64):
        self.size = 0
        self.capacity = 0
        self.reserve(capacity)

    cdef int reserve(self, int capacity) except -1:
        """Make room for `capacity` columns."""
        cdef double[::1] products = self.products
        cdef int previous = self.capacity, j
        if capacity <= previous:
            return 0
        capacity = max(capacity, 2 * previous)
        self.products = np.empty(<Py_ssize_t> capacity * capacity)
        self.G = &self.products[0]
        self.capacity = capacity
        for j in range(self.size):
            memcpy(self.G + <Py_ssize_t> j * capacity, &products[<Py_ssize_t> j * previous],
                   self.size * sizeof(double))
        return 0

    cdef int follow(self, Packed columns) except -1:
        """Take in the columns that `columns` has and this matrix has not."""
        self.reserve(columns.size)
        if columns.size > self.size:
            columns.products(self.size, self.G, self.capacity)
        self.size = columns.size
        return 0

    def set(self, const double[:, ::1] products):
        """Take the inner products of all columns at once."""
        cdef int j, p = products.shape[0]
        self.reserve(p)
        for j in range(p):
            memcpy(self.G + <Py_ssize_t> j * self.capacity, &products[j, 0], p * sizeof(double))
        self.size = p


def tall_gram(Design design, const double[::1] root_w, const double[::1] y, int n_threads=1):
    """Z'WZ (p, p) and Z'Wy (p,) of a tall design, in one pass over its rows.

    Parameters
    ----------
    root_w : (n,) square roots of the weights
    y : (n,) response

    Dense columns are unpacked by row blocks for a matrix product; sparse ones meet one unpacked column at a time.
    """
    cdef int p = design.p
    gram, cross = np.zeros((p, p)), np.zeros(p)
    if design.stored < design.n * design.p:
        _sparse_gram(design, root_w, gram, n_threads)
    else:
        _dense_gram(design, root_w, gram, n_threads)
    cdef double[::1] c = cross
    cdef double[::1] u = np.square(root_w) * np.asarray(y)
    cdef double total = np.sum(u)
    with nogil:
        design.correlate_all(&u[0], total, &c[0], n_threads)
    return gram, cross


cdef _dense_gram(Design design, const double[::1] root_w, double[:, ::1] gram, int n_threads):
    cdef Py_ssize_t p = design.p, rows = 256, start, square = p * p, k
    cdef int part, i, j
    cdef double[::1] sums = np.zeros(PARTS * square)
    cdef double[::1] blocks = np.empty(PARTS * rows * p)
    for start in range(0, design.n, rows * PARTS):      # between batches the interpreter sees Ctrl-C
        with nogil:
            for part in prange(PARTS, num_threads=n_threads, schedule="static"):
                _add_block(design, &root_w[0], start + part * rows, rows,
                           &blocks[part * rows * p], &sums[part * square])
    for part in range(1, PARTS):
        for k in range(square):
            sums[k] += sums[part * square + k]
    for j in range(p):
        for i in range(j + 1):
            gram[i, j] = gram[j, i] = sums[i + j * p]


cdef void _add_block(Design design, const double* root_w, Py_ssize_t start, Py_ssize_t rows, double* block,
                     double* total) noexcept nogil:
    """total += B'B (upper triangle) for the rows start.. of sqrt(w) * Z."""
    cdef Py_ssize_t stop = min(start + rows, design.n), j
    cdef int n = stop - start, p = design.p
    cdef double one = 1.0
    if n <= 0:
        return
    for j in range(p):
        col.unpack(&design.columns[j], design.n, start, stop, block + j * n)
        ss_multiply(n, root_w + start, block + j * n, block + j * n)
    dsyrk("U", "T", &p, &n, &one, block, &n, &one, total, &p)


cdef _sparse_gram(Design design, const double[::1] root_w, double[:, ::1] gram, int n_threads):
    cdef Py_ssize_t n = design.n, i, j, k
    cdef double[::1] z = np.empty(n)
    cdef double total
    cdef double[::1] w = np.square(root_w)
    for j in range(design.p):
        with nogil:
            col.unpack(&design.columns[j], n, 0, n, &z[0])
            total = 0.0
            for i in range(n):
                z[i] *= w[i]
                total += z[i]
            for k in prange(j, design.p, num_threads=n_threads, schedule="static"):
                gram[j, k] = col.dot(&design.columns[k], &z[0], total)
        for k in range(j + 1, design.p):
            gram[k, j] = gram[j, k]
