"""Symmetric softmax loss over K classes."""
from libc.math cimport INFINITY, exp, fabs, log1p

import numpy as np

from sparsesolve.losses.base cimport Loss
from sparsesolve.losses.entropy cimport divergence, price

DEF CHUNK = 128                 # samples whose K values stay in cache together
cdef double BEYOND = 1e-12      # of a probability: rounding outside the simplex


cdef class Multinomial(Loss):
    """value(y, eta) = log sum_k exp(eta_k) - y'eta, for y on the simplex: the shares of the classes.

    Parameters
    ----------
    y : (n, K) shares, each row of sum 1
    w : (n,) weights that sum to 1; a sample of weight 0 takes no part

    The class of the largest eta is kept apart from the rest, so that 1 - p is exact where p rounds to 1.
    """
    cdef const double[:, ::1] y     # (K, n)
    cdef const double[::1] w

    def __init__(self, y, w):
        shares = np.ascontiguousarray(np.transpose(y), dtype=float)
        self.y, self.w = shares, np.ascontiguousarray(w, dtype=float)
        self.n_responses, self.n = shares.shape
        self.symmetric = self.shift_invariant = True
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = -np.where(shares > 0.0, shares * np.log(shares), 0.0).sum(axis=0)
        self.saturated = float(np.dot(self.w, entropy))

    cdef void _exponentials(self, const double* eta, Py_ssize_t begin, Py_ssize_t count, double* e, int* top,
                            double* rest) noexcept nogil:
        """e (K, n) = exp(eta - its largest), where that is (count,), and the sum of the others, from sample begin."""
        cdef Py_ssize_t i, k
        cdef double[CHUNK] most
        for i in range(count):
            most[i], top[i], rest[i] = eta[begin + i], 0, 0.0
        for k in range(1, self.n_responses):
            for i in range(count):
                if eta[k * self.n + begin + i] > most[i]:
                    most[i], top[i] = eta[k * self.n + begin + i], k
        for k in range(self.n_responses):
            for i in range(count):
                e[k * self.n + begin + i] = exp(eta[k * self.n + begin + i] - most[i])
                if k != top[i]:
                    rest[i] += e[k * self.n + begin + i]

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        cdef Py_ssize_t i, k, begin, at, count
        cdef double[CHUNK] rest, loss
        cdef int[CHUNK] top
        cdef double total = 0.0, share
        for begin in range(0, self.n, CHUNK):
            count = min(CHUNK, self.n - begin)
            self._exponentials(eta, begin, count, u, top, rest)
            for i in range(count):
                loss[i] = log1p(rest[i])
            for k in range(self.n_responses):
                for i in range(count):
                    at, share = k * self.n + begin + i, self.y[k, begin + i]
                    if share != 0.0:
                        loss[i] += share * (eta[top[i] * self.n + begin + i] - eta[at])
                    if k == top[i]:
                        u[at] = self.w[begin + i] * ((share - 1.0) + share * rest[i]) / (1.0 + rest[i])
                    else:
                        u[at] = self.w[begin + i] * (share - u[at] / (1.0 + rest[i]))
            for i in range(count):
                if self.w[begin + i] > 0.0:
                    total += self.w[begin + i] * loss[i]
        return total

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        cdef Py_ssize_t i, k, begin, at, count
        cdef double[CHUNK] rest
        cdef int[CHUNK] top
        cdef double p
        for begin in range(0, self.n, CHUNK):
            count = min(CHUNK, self.n - begin)
            self._exponentials(eta, begin, count, h, top, rest)
            for k in range(self.n_responses):
                for i in range(count):
                    at = k * self.n + begin + i
                    p = h[at] / (1.0 + rest[i])
                    h[at] = self.w[begin + i] * p * (rest[i] / (1.0 + rest[i]) if k == top[i] else 1.0 - p)

    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil:
        cdef Py_ssize_t i, k, begin, at, count
        cdef double[CHUNK] rest, mean
        cdef int[CHUNK] top
        for begin in range(0, self.n, CHUNK):
            count = min(CHUNK, self.n - begin)
            self._exponentials(eta, begin, count, out, top, rest)
            for i in range(count):
                mean[i] = 0.0
            for k in range(self.n_responses):       # from the largest's: differences alone matter
                for i in range(count):
                    at = k * self.n + begin + i
                    out[at] /= 1.0 + rest[i]
                    mean[i] += out[at] * (v[at] - v[top[i] * self.n + begin + i])
            for k in range(self.n_responses):
                for i in range(count):
                    at = k * self.n + begin + i
                    out[at] *= self.w[begin + i] * ((v[at] - v[top[i] * self.n + begin + i]) - mean[i])

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        """The divergence of s = y - u / w from the probabilities at eta."""
        cdef Py_ssize_t i, k, at
        cdef double total = 0.0
        for i in range(self.n):
            if self.w[i] > 0.0:
                total += self.w[i] * self._divergence(i, eta, u)
                continue
            for k in range(self.n_responses):
                if u[k * self.n + i] != 0.0:
                    return INFINITY
        return total

    cdef double _divergence(self, Py_ssize_t i, const double* eta, const double* u) noexcept nogil:
        cdef Py_ssize_t k, at, top = i
        cdef double total = 0.0, rest = 0.0, surplus = 0.0, share, v, s, p, log_p, off
        for k in range(1, self.n_responses):
            top = k * self.n + i if eta[k * self.n + i] > eta[top] else top
        for k in range(self.n_responses):
            at = k * self.n + i
            rest += exp(eta[at] - eta[top]) if at != top else 0.0
        for k in range(self.n_responses):
            at, share = k * self.n + i, self.y[k, i]
            v, log_p = u[at] / self.w[i], eta[at] - eta[top] - log1p(rest)
            s, p = share - v, exp(eta[at] - eta[top]) / (1.0 + rest)
            off = ((share - 1.0) + share * rest) / (1.0 + rest) - v if at == top else s - p
            surplus += v
            if s < -BEYOND:
                return INFINITY
            total += divergence(s, p, log_p, off) + price(-s, eta[at] - eta[top])
        return total if fabs(surplus) <= BEYOND * self.n_responses else INFINITY
