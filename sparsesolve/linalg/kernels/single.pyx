"""Columns and a triangular factor with a few vectors, in single precision.

BLAS copies the columns before it multiplies them by vectors, and the factor before it solves. For
a few vectors this takes longer than reading either once, which these functions do. BLAS handles
more vectors.
"""
import numpy as np
from scipy.linalg.lapack import spotrs

cdef extern from "single.h" nogil:
    void ss_dots_single(Py_ssize_t n, int K, const float* x, const float* v, Py_ssize_t ld,
                        float* out) noexcept
    void ss_axpys_single(Py_ssize_t n, int K, const float* a, const float* x, float* v,
                         Py_ssize_t ld) noexcept

# Up to this many vectors this file is faster than BLAS.
FEW = 8
# This many rows are processed at a time: their part of each vector stays in the first-level cache
# while all columns multiply it.
DEF WIDTH = 1024


def row_products_single(u, rows):
    """Return u @ rows.T (K, m) for u (K, n) and rows (m, n)."""
    u = np.ascontiguousarray(u, dtype=np.float32)
    if len(u) > FEW:
        return u @ rows.T
    cdef const float[:, ::1] a = np.ascontiguousarray(rows), b = u
    cdef Py_ssize_t n = a.shape[1], m = a.shape[0], start, j, k
    cdef int K = <int> b.shape[0]
    cdef float[::1] part = np.empty(K, dtype=np.float32)
    out = np.zeros((K, m), dtype=np.float32)
    cdef float[:, ::1] o = out
    with nogil:
        for start in range(0, n, WIDTH):
            for j in range(m):
                ss_dots_single(min(WIDTH, n - start), K, &a[j, start], &b[0, start], n, &part[0])
                for k in range(K):
                    o[k, j] += part[k]
    return out


def solve_factored(factor, x):
    """Return x (LL')^-1 for x (K, m) and L (m, m), lower triangular and column-major; a new
    array.
    """
    solution = np.array(x, dtype=np.float32, order="C")
    if len(solution) > FEW and len(factor):
        return spotrs(factor, solution.T, lower=1, overwrite_b=1)[0].T
    _solve(factor, solution)
    return solution


cdef void _solve(const float[::1, :] L, float[:, ::1] X):
    """Overwrite X by X (LL')^-1."""
    cdef Py_ssize_t m = X.shape[1], j, k
    cdef int K = <int> X.shape[0]
    cdef float[::1] few = np.zeros(K, dtype=np.float32)
    with nogil:
        for j in range(m):
            for k in range(K):
                X[k, j] /= L[j, j]
                few[k] = -X[k, j]
            if j + 1 < m:
                ss_axpys_single(m - j - 1, K, &few[0], &L[j + 1, j], &X[0, j + 1], m)
        for j in range(m - 1, -1, -1):
            for k in range(K):
                few[k] = 0.0
            if j + 1 < m:
                ss_dots_single(m - j - 1, K, &L[j + 1, j], &X[0, j + 1], m, &few[0])
            for k in range(K):
                X[k, j] = (X[k, j] - few[k]) / L[j, j]
