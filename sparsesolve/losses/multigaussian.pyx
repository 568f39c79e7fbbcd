"""Squared error of K responses."""
from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.losses.base cimport Loss


cdef class Multigaussian(Loss):
    """value(y, eta) = |y - eta|^2 / 2, for y of K real numbers.

    Parameters
    ----------
    y : (n, K) responses
    w : (n,) weights that sum to 1; a sample of weight 0 takes no part
    """
    degree = 2
    cdef const double[:, ::1] y     # (K, n)
    cdef const double[::1] w

    def __init__(self, y, w):
        self.y = np.ascontiguousarray(np.transpose(y), dtype=float)
        self.w = np.ascontiguousarray(w, dtype=float)
        self.n_responses, self.n = self.y.shape[0], self.y.shape[1]
        self.saturated = 0.0

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        cdef Py_ssize_t i, k
        cdef double total = 0.0, r
        for k in range(self.n_responses):
            for i in range(self.n):
                r = self.y[k, i] - eta[k * self.n + i]
                u[k * self.n + i] = self.w[i] * r
                total += self.w[i] * r * r
        return 0.5 * total

    by_sample = True

    cdef double sample(self, const double* y, const double* eta, double* slope) noexcept nogil:
        cdef double total = 0.0
        cdef Py_ssize_t k
        for k in range(self.n_responses):
            slope[k] = eta[k] - y[k]
            total += slope[k] * slope[k]
        return 0.5 * total

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        cdef Py_ssize_t i, k
        for k in range(self.n_responses):
            for i in range(self.n):
                h[k * self.n + i] = self.w[i]

    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil:
        cdef Py_ssize_t i, k
        for k in range(self.n_responses):
            for i in range(self.n):
                out[k * self.n + i] = self.w[i] * v[k * self.n + i]

    cdef void parts(self, const double* u, double* A, double* r) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.n_responses):
            memcpy(A + k * self.n, &self.w[0], self.n * sizeof(double))
        memset(r, 0, self.n * sizeof(double))

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        """F(eta) + F*(-u) + eta'u = sum_i |w_i (y_i - eta_i) - u_i|^2 / (2 w_i)."""
        cdef Py_ssize_t i, k
        cdef double total = 0.0, r
        for k in range(self.n_responses):
            for i in range(self.n):
                if self.w[i] > 0.0:
                    r = self.y[k, i] - eta[k * self.n + i] - u[k * self.n + i] / self.w[i]
                    total += self.w[i] * r * r
                elif u[k * self.n + i] != 0.0:
                    return INFINITY
        return 0.5 * total
