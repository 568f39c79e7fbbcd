"""Pivoted Cholesky of a symmetric matrix A of low rank: few rows L with A near L'L, and the
error.

Only the lower triangle is read. The work is rank^2 n plus one pass for the error; a full factor
would cost n^3 / 3. Most kernels of one column have low rank up to rounding.

Reference: Harbrecht, Peters, Schneider, "On the low-rank approximation by the pivoted Cholesky
decomposition" (2012).
"""
from libc.math cimport sqrt
from scipy.linalg.cython_blas cimport dgemv, dsyrk

import numpy as np


def low_rank_rows(const double[:, ::1] matrix, int most, double tiny):
    """Return L (r, n), r <= most, such that no diagonal entry of A - L'L exceeds tiny.

    Returns None if more than `most` rows would be needed.
    """
    cdef int n = matrix.shape[0], k = 0, i, p, one = 1
    cdef double minus = -1.0, unit = 1.0, root
    rows = np.empty((min(most, n), n))
    cdef double[:, ::1] L = rows
    cdef double[::1] diagonal = np.array(np.diagonal(matrix)), pivots = np.empty(max(most, 1))
    with nogil:
        while True:
            p = 0
            for i in range(1, n):
                if diagonal[i] > diagonal[p]:
                    p = i
            if diagonal[p] <= tiny or k == L.shape[0]:
                break
            for i in range(p + 1):
                L[k, i] = matrix[p, i]
            for i in range(p + 1, n):
                L[k, i] = matrix[i, p]
            for i in range(k):
                pivots[i] = L[i, p]
            if k > 0:
                dgemv("N", &n, &k, &minus, &L[0, 0], &n, &pivots[0], &one, &unit, &L[k, 0], &one)
            root = sqrt(diagonal[p])
            for i in range(n):
                L[k, i] /= root
                diagonal[i] -= L[k, i] * L[k, i]
            diagonal[p] = 0.0
            k += 1
    return rows[:k] if diagonal[p] <= tiny else None


def distance(double[:, ::1] matrix, const double[:, ::1] rows):
    """Return the Frobenius norm of A - L'L, whose lower triangle overwrites that of A."""
    cdef int n = matrix.shape[0], k = rows.shape[0], i, j
    cdef double minus = -1.0, unit = 1.0, square = 0.0
    with nogil:
        if k > 0:
            dsyrk("U", "N", &n, &k, &minus, <double*> &rows[0, 0], &n, &unit, &matrix[0, 0], &n)
        for i in range(n):
            for j in range(i):
                square += 2.0 * matrix[i, j] * matrix[i, j]
            square += matrix[i, i] * matrix[i, i]
    return sqrt(square)
