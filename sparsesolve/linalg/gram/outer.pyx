"""Outer products: sqrt(W) Z D Z' sqrt(W) of a wide design, n by n, in one pass over its columns.

Dense columns are unpacked into a block for matrix products, tile by tile of the result. Sparse
columns add the products of their stored values, and a rank-two update at the end accounts for
their centres. Every entry of the result is summed in the order of the columns, so the number of
threads does not change a bit of it.
"""
from cpython.exc cimport PyErr_CheckSignals
from cython.parallel cimport prange
from libc.math cimport sqrt
from scipy.linalg.cython_blas cimport dgemm, dsyrk

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.kernels.pass_threads cimport OPERATION, clock, end_pass, begin_pass
from sparsesolve.linalg.kernels.vector cimport ss_multiply

# This many columns are unpacked at a time.
DEF WIDTH = 256
# A tile of the result, the unit of work of a thread, has this many rows and columns.
DEF TILE = 192
# A sparse column that stores more than one row in NEARLY_FULL is unpacked.
DEF NEARLY_FULL = 4


def wide_gram(Design design, const int[::1] which, const double[::1] scale,
              const double[::1] root_w, int n_threads=1):
    """Return sum_k scale_k a_k a_k' (n, n) with a_k = sqrt(w) * z_j for column j = which[k].

    Parameters
    ----------
    which : (m,) columns
    scale : (m,) nonnegative
    root_w : (n,) square roots of the weights
    """
    cdef Py_ssize_t n = design.n, i
    gram = np.zeros((n, n))
    cdef double[:, ::1] g = gram
    unpacked = np.array([design.columns[j].rows == NULL or NEARLY_FULL
                         * design.columns[j].size > n for j in which],
                        dtype=bool)
    columns, factors = np.asarray(which), np.asarray(scale)
    _add_dense(design, columns[unpacked], factors[unpacked], root_w, g, n_threads)
    if not unpacked.all():
        _add_sparse(design, columns[~unpacked], factors[~unpacked], root_w, g, n_threads)
    for i in range(n):
        g[:i, i] = g[i, :i]
    return gram


cdef _add_dense(Design design, const int[::1] which, const double[::1] scale,
                const double[::1] root_w,
                double[:, ::1] gram, int n_threads):
    """Add the products of dense columns to the lower triangle, WIDTH columns at a time."""
    cdef Py_ssize_t n = design.n, m = which.shape[0], first, k
    cdef int side = (n + TILE - 1) // TILE, tiles = side * (side + 1) // 2, tile, count, threads
    cdef double begun
    cdef double[:, ::1] block = np.empty((min(WIDTH, m), n))
    for first in range(0, m, WIDTH):
        PyErr_CheckSignals()
        count = min(WIDTH, m - first)
        with nogil:
            begun, threads = clock(), begin_pass(n_threads)
            for k in prange(count, num_threads=threads, schedule="static"):
                _unpack(&design.columns[which[first + k]], n, sqrt(scale[first + k]), &root_w[0],
                        &block[k, 0])
            for tile in prange(tiles, num_threads=threads, schedule="dynamic"):
                _add_tile(tile, n, count, &block[0, 0], &gram[0, 0])
            end_pass(threads, begun, OPERATION * n * n * count)


cdef void _unpack(const Column* x, Py_ssize_t n, double scale, const double* root_w,
                  double* out) noexcept nogil:
    cdef Column scaled = x[0]
    scaled.factor *= scale
    col.unpack(&scaled, n, 0, n, out)
    ss_multiply(n, root_w, out, out)


cdef void _add_tile(int tile, int n, int count, double* block, double* gram) noexcept nogil:
    """Add one tile of B'B for the rows of `block` (count, n); tiles are counted along the
    triangle.
    """
    cdef int row = 0, rows, columns
    cdef double one = 1.0
    # Row r of tiles has r + 1 tiles.
    while tile > row:
        row += 1
        tile -= row
    rows, columns = min(TILE, n - row * TILE), min(TILE, n - tile * TILE)
    # Rows here are BLAS's columns: entry (i, j) of the lower triangle is entry (j, i) there.
    gram += <Py_ssize_t> row * TILE * n + tile * TILE
    if row == tile:
        dsyrk("U", "N", &rows, &count, &one, block + row * TILE, &n, &one, gram, &n)
    else:
        dgemm("N", "T", &columns, &rows, &count, &one, block + tile * TILE, &n, block + row * TILE,
              &n, &one,
              gram, &n)


cdef _add_sparse(Design design, const int[::1] which, const double[::1] scale,
                 const double[::1] root_w,
                 double[:, ::1] gram, int n_threads):
    """Add products of sparse columns a = f sqrt(w) (x - c) to the lower triangle.

    Products of f sqrt(w) x come first, the terms of the centres follow.
    """
    cdef Py_ssize_t n = design.n, k, i, j
    cdef int part, n_parts = 8 * n_threads
    cdef double centres = 0.0, weight
    cdef double[::1] mixed = np.zeros(n)        # sum of scale f^2 c sqrt(w) x
    cdef const Column* x
    with nogil:
        for part in prange(n_parts, num_threads=n_threads, schedule="dynamic"):
            _add_products(design, which, scale, &root_w[0], part * n // n_parts,
                          (part + 1) * n // n_parts,
                          &gram[0, 0])
        for k in range(which.shape[0]):
            x = &design.columns[which[k]]
            weight = scale[k] * x.factor * x.factor * x.centre
            centres += weight * x.centre
            for i in range(x.size):
                mixed[x.rows[i]] += weight * root_w[x.rows[i]] * col.stored(x, i)
        if centres != 0.0:
            for i in range(n):
                for j in range(i + 1):
                    gram[i, j] += (centres * root_w[i] * root_w[j]
                                   - mixed[i] * root_w[j] - mixed[j] * root_w[i])


cdef void _add_products(Design design, const int[::1] which, const double[::1] scale,
                        const double* root_w,
                        Py_ssize_t begin, Py_ssize_t end, double* gram) noexcept nogil:
    """Add scale f^2 sqrt(w) x x' sqrt(w) of every column to rows begin..end of the lower
    triangle.
    """
    cdef Py_ssize_t k, i, j, low, high, middle
    cdef double value
    cdef double* row
    cdef const Column* x
    for k in range(which.shape[0]):
        x = &design.columns[which[k]]
        low, high = 0, x.size
        # Find the first stored row at or after `begin` by bisection.
        while low < high:
            middle = (low + high) // 2
            if x.rows[middle] < begin:
                low = middle + 1
            else:
                high = middle
        for i in range(low, x.size):
            if x.rows[i] >= end:
                break
            value = scale[k] * x.factor * x.factor * root_w[x.rows[i]] * col.stored(x, i)
            row = gram + <Py_ssize_t> x.rows[i] * design.n
            for j in range(i + 1):
                row[x.rows[j]] += value * root_w[x.rows[j]] * col.stored(x, j)
