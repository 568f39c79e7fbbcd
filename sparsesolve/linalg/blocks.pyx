"""Products of all columns of a dense design with many vectors at once, block by block, as matrix products."""
from cython.parallel cimport prange, threadid
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg cimport column as col
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.products cimport add_products

DEF COLUMNS = 64    # of a block: unpacked, they stay in cache


def block_products(Design design, const double[:, ::1] u, int n_threads=1):
    """u_k'z_j (K, p) of the standardised columns, for K vectors u (K, n)."""
    cdef int K = u.shape[0], p = design.p, n_blocks = (design.p + COLUMNS - 1) // COLUMNS, block
    out = np.empty((K, p))
    cdef double[:, ::1] o = out
    cdef double[:, ::1] room = np.empty((n_threads, COLUMNS * design.n))
    if K == 0:
        return out
    with nogil:
        for block in prange(n_blocks, num_threads=n_threads, schedule="static"):
            _multiply(design, block * COLUMNS, min(COLUMNS, p - block * COLUMNS), &u[0, 0], K, &room[threadid(), 0],
                      &o[0, block * COLUMNS])
    return out


cdef void _multiply(
    Design design, int first, int count, const double* u, int K, double* room, double* out
) noexcept nogil:
    """out (K, p) from its column `first` on: `count` columns unpacked, and one matrix product."""
    cdef int n = design.n, p = design.p, j
    for j in range(count):
        col.unpack(&design.columns[first + j], n, 0, n, room + <Py_ssize_t> j * n)
    for j in range(K):
        memset(out + <Py_ssize_t> j * p, 0, count * sizeof(double))
    add_products(n, count, room, n, K, u, n, out, p)
