"""A triangular factor with a few vectors, in single precision.

BLAS copies the factor before it solves. For a few vectors this takes longer than reading it once,
which this function does. BLAS handles more vectors.
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
