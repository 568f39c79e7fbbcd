"""Gram matrix Z' W Z: of the working columns as they come in, or of a whole tall design in one pass."""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport dgemv, dsyrk

import numpy as np

from sparsesolve.linalg cimport column as col
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.packed cimport Packed
from sparsesolve.linalg.vector cimport axpy

DEF PARTS = 8           # partial sums of a tall product: threads share them out and do not change a bit of the result
DEF MANY_COLUMNS = 600  # beyond which there are half as many, for their memory
DEF ROWS = 256          # of a block: columns unpacked for a matrix product while they stay in cache
DEF STRETCH = 16        # blocks between two looks for Ctrl-C


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
    if design.stored < design.n * design.p:
        return _sparse_gram(design, root_w, y, n_threads)
    return _dense_gram(design, root_w, np.multiply(root_w, y), n_threads)


cdef _dense_gram(Design design, const double[::1] root_w, const double[::1] response, int n_threads):
    """Every part sums the blocks of its own rows: how many parts there are depends on the shape alone."""
    cdef Py_ssize_t p = design.p, n = design.n, square = p * p, share, begin
    cdef int n_parts = PARTS if p <= MANY_COLUMNS else PARTS // 2, part, i, j
    cdef double[:, ::1] sums = np.empty((n_parts, square)), cross = np.zeros((n_parts, p))
    cdef double[:, ::1] blocks = np.empty((n_threads, ROWS * p))
    share = (n + n_parts - 1) // n_parts
    for begin in range(0, share, STRETCH * ROWS):
        PyErr_CheckSignals()
        with nogil:
            for part in prange(n_parts, num_threads=n_threads, schedule="static"):
                _add_rows(design, &root_w[0], &response[0], part * share + begin,
                          min(part * share + min(begin + STRETCH * ROWS, share), n), begin == 0,
                          &blocks[threadid(), 0], &sums[part, 0], &cross[part, 0])
    with nogil:
        for part in range(1, n_parts):
            axpy(square, 1.0, &sums[part, 0], &sums[0, 0])
            axpy(p, 1.0, &cross[part, 0], &cross[0, 0])
        for j in range(p):      # BLAS filled the upper triangle of a column-major matrix
            for i in range(j):
                sums[0, j + i * p] = sums[0, i + j * p]
    return np.array(sums[0]).reshape(p, p), np.array(cross[0])


cdef void _add_rows(Design design, const double* root_w, const double* response, Py_ssize_t begin, Py_ssize_t end,
                    bint first, double* block, double* gram, double* cross) noexcept nogil:
    """gram += B'B (upper triangle), cross += B'response for the rows begin..end of B = sqrt(w) * Z, block by block."""
    cdef Py_ssize_t start = begin, j
    cdef int n, p = design.p, unit = 1
    cdef double one = 1.0
    if first:
        memset(gram, 0, design.p * design.p * sizeof(double))
    while start < end:
        n = min(ROWS, end - start)
        for j in range(p):
            col.unpack_times(&design.columns[j], start, start + n, root_w + start, block + j * n)
        dsyrk("U", "T", &p, &n, &one, block, &n, &one, gram, &p)
        dgemv("T", &n, &p, &one, block, &n, <double*> response + start, &unit, &one, cross, &unit)
        start += ROWS


cdef _sparse_gram(Design design, const double[::1] root_w, const double[::1] y, int n_threads):
    cdef Py_ssize_t n = design.n, i, j, k
    cdef double[::1] z = np.empty(n)
    cdef double total
    cdef const double[::1] w = np.square(root_w)
    gram = np.empty((design.p, design.p))
    cdef double[:, ::1] g = gram
    for j in range(design.p):
        PyErr_CheckSignals()
        with nogil:
            col.unpack(&design.columns[j], n, 0, n, &z[0])
            total = 0.0
            for i in range(n):
                z[i] *= w[i]
                total += z[i]
            for k in prange(j, design.p, num_threads=n_threads, schedule="static"):
                g[j, k] = col.dot(&design.columns[k], &z[0], total)
        for k in range(j + 1, design.p):
            g[k, j] = g[j, k]
    return gram, design.products(np.multiply(w, y), n_threads)
