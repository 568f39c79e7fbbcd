"""The Newton step for K responses by a factor of the whole Hessian, on the few coefficients at work.

    (Z'F''(eta)Z + Omega'') D = rest,   D = 0 off the mask

The losses of K responses are sums over samples: of each, K products give the K x K curvature.
"""
from libc.math cimport sqrt
from scipy.linalg.cython_blas cimport dgemm
from scipy.linalg.cython_lapack cimport dposv

import numpy as np

from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows

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


def whole_step(d, double lam, const int[::1] places, mask, rest):
    """The step (K, m) for the columns `places` of a ResponseDescent, or None where the Hessian is singular.

    mask, rest : (K, m) of all its columns, where the mask is 0 but on `places`.
    """
    cdef ElasticNetRows net = d.net
    cdef Loss loss = d.loss
    cdef const double[:, ::1] eta = d.eta, B = d.B, left = rest
    cdef const double[::1] squares = d.shared.squares, scales = d.scales()
    cdef int K = <int> eta.shape[0], m = <int> places.shape[0], order = K * m, one = 1, info = 0, count = 0
    cdef Py_ssize_t n = eta.shape[1], i, j, k, l, at
    cdef double[:, ::1] basis = np.zeros((K, n)), curvature = np.empty((K, n))
    cdef double[::1, :] H = np.zeros((order, order), order="F")
    cdef const unsigned char[:, ::1] inside = mask.view(np.uint8)
    cdef double level, bent, size
    cdef bint whole
    part = d.columns.some(np.asarray(places))
    cdef double[::1] wide = np.empty(K * m * n if part.dense else 0)
    cdef const double[:, ::1] rows
    if part.dense:
        rows = part.rows
    for k in range(K):
        basis[k, :] = 1.0
        loss.curvature_times(&eta[0, 0], &basis[0, 0], &curvature[0, 0])
        basis[k, :] = 0.0
        if part.dense:
            _weighted(rows, curvature, k, wide, &H[0, 0], order)
        else:
            for l in range(k, K):
                np.asarray(H)[k * m:(k + 1) * m, l * m:(l + 1) * m] = part.gram(np.asarray(curvature[l]))
    level = 0.0
    for k in range(K):
        level += scales[k] / K
    for i in range(m):
        j, size, whole = places[i], 0.0, True
        for k in range(K):
            size += B[k, j] * B[k, j]
            whole = whole and inside[k, j]
        bent = lam * net.l1[j] / sqrt(size) if net.grouped and size > 0.0 else 0.0
        # A row at work in all responses of a softmax moves freely along (1, ..., 1), but for its l1 norm, which is a
        # line there: that direction is bounded as it is in the model.
        whole = whole and loss.symmetric and not net.grouped and net.l1[j] > 0.0 and net.l2[j] == 0.0
        for k in range(K):
            for l in range(k, K):
                if whole:
                    H[k * m + i, l * m + i] += level * squares[j] / K
                if bent > 0.0:
                    H[k * m + i, l * m + i] -= bent * B[k, j] * B[l, j] / size
            H[k * m + i, k * m + i] = (H[k * m + i, k * m + i] + lam * net.l2[j] + bent) * (1.0 + SLIGHT)
    cdef int[::1] kept = np.empty(order, dtype=np.intc)
    cdef double[::1] x = np.empty(order)
    for k in range(K):
        for i in range(m):
            if inside[k, places[i]]:
                kept[count], x[count] = <int> (k * m + i), left[k, places[i]]
                count += 1
    for j in range(count if count < order else 0):      # moved up, out of the way of nothing that is still wanted
        for i in range(j + 1):
            H[i, j] = H[kept[i], kept[j]]
    dposv("U", &count, &one, &H[0, 0], &order, &x[0], &count, &info)
    if info != 0:
        return None
    step = np.zeros((K, B.shape[1]))
    cdef double[:, ::1] out = step
    for i in range(count):
        at = kept[i]
        out[at // m, places[at % m]] = x[i]
    return step
