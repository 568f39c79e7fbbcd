"""Block coordinate descent on a quadratic model whose Gram matrix all responses share.

    minimise over B   sum_k s_k (B_k - B0_k)'G(B_k - B0_k) / 2 - g_k'(B_k - B0_k)  +  lam Omega(B)

Given: G (m, m), scales s (K,), B = B0 and R = g.  Invariant: R_k = g_k - s_k G (B_k - B0_k).  A row of B, the K
coefficients of a feature, is minimised at once: in closed form, for its block of the Hessian is diagonal.
Reference: Tseng and Yun 2009; Friedman, Hastie and Tibshirani 2010.
"""
import numpy as np

from sparsesolve.linalg.vector cimport axpy
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows


cdef double move(const double* G, Py_ssize_t m, Py_ssize_t j, int K, const double* s, double* B, double* R,
                 ElasticNetRows net, double lam, double* work) noexcept nogil:
    """Minimise row j; returns twice what the model gains without its penalty's curvature."""
    cdef double* x = work
    cdef double* h = work + K
    cdef double* b = work + 2 * K
    cdef double gain = 0.0, step
    cdef int k
    for k in range(K):
        h[k] = s[k] * G[j]
        x[k] = h[k] * B[k * m + j] + R[k * m + j]
    net.prox(j, lam, K, x, h, b)
    for k in range(K):
        step = b[k] - B[k * m + j]
        if step != 0.0:
            B[k * m + j] = b[k]
            axpy(m, -s[k] * step, G, R + k * m)
            gain += h[k] * step * step
    return gain


def descend(const double[:, ::1] gram, const double[::1] s, double[:, ::1] B, double[:, ::1] R, ElasticNetRows net,
            double lam, int most, double enough):
    """Sweep until a sweep gains at most the fraction `enough` of all gains, at most `most` times; returns sweeps.

    Sweeps go over the rows that are not zero until these have settled, then over all.
    """
    cdef Py_ssize_t m = B.shape[1], j, k
    cdef int K = B.shape[0], sweeps = 0
    cdef double gained, total = 0.0
    cdef bint whole = True, zero
    cdef double[::1] work = np.empty(3 * K)
    with nogil:
        while sweeps < most:
            gained = 0.0
            for j in range(m):
                if gram[j, j] <= 0.0:
                    continue
                zero = not whole
                if zero:
                    for k in range(K):
                        zero = zero and B[k, j] == 0.0
                if not zero:
                    gained += move(&gram[j, 0], m, j, K, &s[0], &B[0, 0], &R[0, 0], net, lam, &work[0])
            sweeps += 1
            total += gained
            if gained <= enough * total:
                if whole:
                    break
                whole = True
            else:
                whole = False
    return sweeps
