"""Products of a compressed sparse matrix with K columns at once, K contiguous: X W and X'U.

    (X W)_i = sum_j x_ij w_j,    rows w_j of K

X is given by rows; X' by rows is X by columns.  Rows are independent, so any number of threads
gives the same bits.
"""
from cython.parallel cimport prange

import numpy as np

from sparsesolve.losses.chain cimport chain

# A thread takes this many rows at once.
DEF STRETCH = 512


def times(const long long[::1] start, const int[::1] at, const double[::1] x,
          const double[:, ::1] W,
          int n_threads=1):
    """Return X W (n, K) for X of compressed rows (start, at, x)."""
    cdef Py_ssize_t n = start.shape[0] - 1, K = W.shape[1], stretch
    cdef Py_ssize_t count = (n + STRETCH - 1) // STRETCH
    found = np.empty((n, K))
    cdef double[:, ::1] out = found
    if n == 0:
        return found
    if x.shape[0] == 0:
        found[:] = 0.0
        return found
    with nogil:
        for stretch in prange(count, num_threads=n_threads, schedule="dynamic"):
            chain.ss_row_products(stretch * STRETCH, min(n, (stretch + 1) * STRETCH), K, &start[0],
                                  &at[0], &x[0], &W[0, 0], &out[0, 0])
    return found
