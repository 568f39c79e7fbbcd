"""Block coordinate descent on a quadratic model whose Gram matrix all responses share.

    minimise over B   sum_k s_k (B_k - B0_k)'G(B_k - B0_k) / 2 - g_k'(B_k - B0_k)  +  lam Omega(B)

Given: G (m, m) in single precision, its rows whole, scales s (K,), B = B0 and R = g.  Invariant: R_k = g_k - s_k G (B_k - B0_k).  A row of B, the K
coefficients of a feature, is minimised at once: in closed form, for its block of the Hessian is diagonal.
Reference: Tseng and Yun 2009; Friedman, Hastie and Tibshirani 2010; Bertrand and Massias 2021 (extrapolation).
"""
import numpy as np

from sparsesolve.linalg.vector cimport ss_axpy_f32
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows


DEF STRETCH = 512           # entries of a row of G that serve all responses before the next ones are read
DEF DEPTH = 5               # sweeps that are carried on together
FURTHEST = 1e3      # times as far as sweeps have come: beyond, rounding grows with it
cdef double IDLE = 0.1      # of what a row gains on average in a sweep that is the last one: rows with less stay


cdef double move(const float* G, Py_ssize_t m, Py_ssize_t j, int K, const double* s, double* B, double* R,
                 ElasticNetRows net, double lam, double least, double* work) noexcept nogil:
    """Minimise row j, unless the gain is less than `least`: twice what the model gains without its penalty's curvature.

    Returns the gain.
    """
    cdef double* x = work
    cdef double* h = work + K
    cdef double* b = work + 2 * K
    cdef double gain = 0.0
    cdef Py_ssize_t start, width
    cdef int k
    for k in range(K):
        h[k] = s[k] * G[j]
        x[k] = h[k] * B[k * m + j] + R[k * m + j]
    net.prox(j, lam, K, x, h, b)
    for k in range(K):
        x[k] = b[k] - B[k * m + j]
        gain += h[k] * x[k] * x[k]
    if gain <= least:
        return 0.0
    for k in range(K):
        B[k * m + j] = b[k]
    for start in range(0, m, STRETCH):
        width = min(STRETCH, m - start)
        for k in range(K):
            if x[k] != 0.0:
                ss_axpy_f32(width, -s[k] * x[k], G + start, 0.0, R + k * m + start)
    return gain


cdef double sweep(const float[:, :] gram, const double[::1] s, double[:, ::1] B, double[:, ::1] R, ElasticNetRows net,
                  double lam, bint whole, double least, double[::1] work) noexcept nogil:
    """Minimise row after row, all of them or those that are not zero; returns the gains."""
    cdef Py_ssize_t m = B.shape[1], j, k
    cdef double gained = 0.0
    cdef bint zero
    for j in range(m):
        if gram[j, j] <= 0.0:
            continue
        zero = not whole
        if zero:
            for k in range(B.shape[0]):
                zero = zero and B[k, j] == 0.0
        if not zero:
            gained += move(&gram[j, 0], m, j, B.shape[0], &s[0], &B[0, 0], &R[0, 0], net, lam, least, &work[0])
    return gained


def descend(const float[:, :] gram, const double[::1] s, double[:, ::1] B, double[:, ::1] R, ElasticNetRows net,
            double lam, int most, double enough):
    """Sweep until a sweep gains at most the fraction `enough` of all gains, at most `most` times; returns sweeps.

    Sweeps go over the rows that are not zero until these have settled, then over all.  What five sweeps have done is
    carried on as far as it lowers the model (Anderson's extrapolation): R follows B, being affine in it.
    """
    cdef int sweeps = 0
    cdef double gained, total = 0.0, least = 0.0
    cdef bint whole = True
    cdef double[::1] work = np.empty(3 * B.shape[0])
    start, slope, passed = np.array(B), np.array(R), []
    while sweeps < most:
        with nogil:
            gained = sweep(gram, s, B, R, net, lam, whole, least, work)
        sweeps += 1
        total += gained
        least = IDLE * enough * total / B.shape[1]
        if gained <= enough * total:
            if whole:
                break
            whole = True
            continue
        whole = False
        passed.append((np.array(B), np.array(R)))
        if len(passed) > DEPTH:
            _extrapolate(passed, np.asarray(B), np.asarray(R), lambda b, r: (
                net.value(b, lam) - 0.5 * np.vdot(b - start, slope + r)))
            passed = [(np.array(B), np.array(R))]
    return sweeps


def _extrapolate(passed, B, R, model):
    """B and R from where sweeps came by, in place, where the model is lower there."""
    points = np.array([b.ravel() for b, _ in passed])
    steps = np.diff(points, axis=0)
    inner = steps @ steps.T
    np.fill_diagonal(inner, inner.diagonal() + 1e-10 * inner.trace())
    if not inner.trace() > 0.0:
        return
    shares = np.linalg.solve(inner, np.ones(len(inner)))
    shares /= shares.sum()
    if not np.abs(shares).sum() < FURTHEST:
        return
    further = (shares @ points[1:]).reshape(B.shape)
    rest = np.tensordot(shares, np.array([r for _, r in passed[1:]]), 1)
    if model(further, rest) < model(B, R):
        B[:], R[:] = further, rest
