"""Gram matrix Z'WZ: of working columns as they are added, or of a tall design in one pass."""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange, threadid
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.gram.products cimport add_dots, add_gram
from sparsesolve.linalg.gram.sparse_gram import sparse_gram
from sparsesolve.linalg.kernels.vector cimport axpy

# A tall product is the sum of this many parts. Threads share the parts, so that their number does
# not change a bit of the result.
DEF PARTS = 8
# Above this many columns the number of parts is halved to save memory.
DEF MANY_COLUMNS = 600
# Rows of a block. The columns of a block are unpacked for a matrix product and stay in cache.
DEF ROWS = 512
# Ctrl-C is checked for once in this many blocks.
DEF STRETCH = 16
# If at least this share of the values is stored, matrix products use all values; below it, rows
# of stored values are multiplied one by one.
DEF FULL = 0.25


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
        # With a leading dimension that is a power of two, columns would compete for the same
        # cache lines.
        capacity = max(capacity, 2 * previous) + 8
        self.products = np.empty(<Py_ssize_t> capacity * capacity)
        self.G = &self.products[0]
        self.capacity = capacity
        for j in range(self.size):
            memcpy(self.G + <Py_ssize_t> j * capacity, &products[<Py_ssize_t> j * previous],
                   self.size * sizeof(double))
        return 0

    cdef int follow(self, PackedColumns columns) except -1:
        """Add the columns that `columns` has and this matrix does not have yet."""
        self.reserve(columns.size)
        if columns.size > self.size:
            with nogil:
                columns.products(self.size, self.G, self.capacity)
        self.size = columns.size
        return 0

    def inner_products(self, PackedColumns columns, Design design, portions):
        """Return the matrix after columns of a design were added in portions. Slow, for tests."""
        cdef int[::1] which
        for portion in portions:
            which = np.array(portion, dtype=np.intc)
            columns.append(design, &which[0], <int> len(which))
            self.follow(columns)
        return np.array(self.products).reshape(self.capacity, self.capacity)[:self.size, :self.size]

    def set(self, const double[:, ::1] products):
        """Set the inner products of all columns at once."""
        cdef int j, p = products.shape[0]
        self.reserve(p)
        for j in range(p):
            memcpy(self.G + <Py_ssize_t> j * self.capacity, &products[j, 0], p * sizeof(double))
        self.size = p


def tall_gram(Design design, const double[::1] root_w, const double[::1] y, int n_threads=1):
    """Return Z'WZ (p, p) and Z'Wy (p,) of a tall design, in one pass over its rows.

    Columns with many stored values are multiplied by row blocks and unpacked if necessary. Others
    are multiplied row by row.

    Parameters
    ----------
    root_w : (n,) square roots of the weights
    y : (n,) response
    """
    if design.stored < FULL * design.n * design.p:
        return sparse_gram(design, root_w,
                           n_threads), design.products(np.multiply(np.square(root_w), y), n_threads)
    return _dense_gram(design, root_w, np.multiply(root_w, y), n_threads)


cdef _dense_gram(Design design, const double[::1] root_w, const double[::1] response,
                 int n_threads):
    """Sum blocks of rows in parts; the number of parts depends only on the shape."""
    cdef Py_ssize_t p = design.p, n = design.n, square = p * p, share, begin
    cdef int n_parts = PARTS if p <= MANY_COLUMNS else PARTS // 2
    cdef int part, i, j
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
        # BLAS filled the upper triangle of a column-major matrix.
        for j in range(p):
            for i in range(j):
                sums[0, j + i * p] = sums[0, i + j * p]
    return np.array(sums[0]).reshape(p, p), np.array(cross[0])


cdef void _add_rows(Design design, const double* root_w, const double* response, Py_ssize_t begin,
                    Py_ssize_t end, bint first, double* block, double* gram,
                    double* cross) noexcept nogil:
    """Add B'B (upper triangle) to gram and B'response to cross for the rows begin..end.

    B is sqrt(w) * Z. Rows are processed in blocks.
    """
    cdef Py_ssize_t start = begin, j
    cdef int n, p = design.p
    if first:
        memset(gram, 0, design.p * design.p * sizeof(double))
    while start < end:
        n = min(ROWS, end - start)
        for j in range(p):
            col.unpack_times(&design.columns[j], start, start + n, root_w + start, block + j * n)
        add_gram(n, p, block, n, gram, p)
        add_dots(n, p, block, NULL, n, response + start, cross)
        start += ROWS
