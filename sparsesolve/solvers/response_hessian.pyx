"""The Newton step for K responses by a factor of the whole Hessian, on the few coefficients at work.

    (Z'F''(eta)Z + Omega'') D = rest,   D = 0 off the mask

The losses of K responses are sums over samples: of each, K products give the K x K curvature.
"""
from scipy.linalg.cython_blas cimport dgemm
from scipy.linalg.cython_lapack cimport dposv

import numpy as np

from sparsesolve.losses.base cimport Loss

cdef double SLIGHT = 1e-10      # of a diagonal: enough for directions that the loss does not see


cdef void _weighted(const double[:, ::1] rows, const double[:, ::1] curvature, Py_ssize_t k, double[::1] wide,
                    double* out, int order) noexcept nogil:
    """The blocks k, k + 1, ... in row k of Z'F''Z, column-major, the upper triangle's."""
    cdef Py_ssize_t l, j, i
    cdef int m = <int> rows.shape[0], n = <int> rows.shape[1], count = <int> ((curvature.shape[0] - k) * rows.shape[0])
    cdef double one = 1.0, zero = 0.0
    cdef double* to = &wide[0]
    for l in range(k, curvature.shape[0]):
        for j in range(m):
            for i in range(n):
                to[i] = rows[j, i] * curvature[l, i]
            to += n
    dgemm("T", "N", &m, &count, &n, &one, <double*> &rows[0, 0], &n, &wide[0], &n, &zero,
          out + k * m * (<Py_ssize_t> order + 1), &order)


def whole_step(Loss loss, const double[:, ::1] eta, part, mask, rest, const double[::1] ridge, unit, bent,
               const double[::1] level):
    """The step (K, m), or None where the Hessian is singular.

    Parameters
    ----------
    part : columns of these m features, dense or sparse
    mask, rest : (K, m)
    ridge, unit, bent : (m,), (K, m) or None, (m,)
        Omega'' of row j is ridge_j - bent_j unit_j unit_j'.
    level : (m,)
        Added along (1, ..., 1) / sqrt(K) of row j.
    """
    cdef int K = <int> eta.shape[0], m = <int> rest.shape[1], order = K * m, one = 1, info = 0, count
    cdef Py_ssize_t n = eta.shape[1], j, k, l
    cdef double[:, ::1] basis = np.zeros((K, n)), curvature = np.empty((K, n))
    cdef double[::1] wide = np.empty(K * m * n if part.dense else 0)
    H = np.zeros((order, order), order="F")
    cdef double[::1, :] h = H
    cdef const double[:, ::1] rows, u
    cdef const double[::1] pull
    if part.dense:
        rows = part.rows
    for k in range(K):
        basis[k, :] = 1.0
        loss.curvature_times(&eta[0, 0], &basis[0, 0], &curvature[0, 0])
        basis[k, :] = 0.0
        if part.dense:
            _weighted(rows, curvature, k, wide, &h[0, 0], order)
        else:
            for l in range(k, K):
                H[k * m:(k + 1) * m, l * m:(l + 1) * m] = part.gram(np.asarray(curvature[l]))
    if unit is not None:
        u, pull = unit, bent
    for j in range(m):
        for k in range(K):
            for l in range(k, K):
                h[k * m + j, l * m + j] += level[j] / K
                if unit is not None:
                    h[k * m + j, l * m + j] -= pull[j] * u[k, j] * u[l, j]
            h[k * m + j, k * m + j] = (h[k * m + j, k * m + j] + ridge[j]) * (1.0 + SLIGHT)
    inside = np.flatnonzero(mask)
    count = <int> len(inside)
    if count < order:
        H = np.asfortranarray(H[np.ix_(inside, inside)])
    solution = np.ascontiguousarray(rest).ravel()[inside]
    cdef double[::1, :] matrix = H
    cdef double[::1] x = solution
    dposv("U", &count, &one, &matrix[0, 0], &count, &x[0], &count, &info)
    if info != 0:
        return None
    step = np.zeros(order)
    step[inside] = solution
    return step.reshape(K, m)
