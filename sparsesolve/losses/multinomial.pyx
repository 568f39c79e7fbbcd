"""Symmetric softmax loss over K classes."""
from libc.math cimport INFINITY, exp, fabs, log, log1p

import numpy as np

from sparsesolve.losses.base cimport Loss
from sparsesolve.losses.entropy cimport price

DEF CHUNK = 128                 # samples whose K values stay in cache together
cdef double BEYOND = 1e-12      # of a probability: rounding outside the simplex


cdef inline double divergence(double s, double p, double log_p) noexcept nogil:
    """s log(s / p) - s + p >= 0, to the last digits where s is close to p."""
    cdef double r
    if s <= 0.0:
        return p
    r = (s - p) / p if p > 1e-290 else 1.0
    if fabs(r) < 0.5:
        return p * ((1.0 + r) * log1p(r) - r)
    return s * (log(s) - log_p) - s + p


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
        cdef double total = 0.0, most, rest, s, off, log_sum, sample
        for i in range(self.n):
            most, rest, off, sample = eta[i], 0.0, 0.0, 0.0
            for k in range(1, self.n_responses):
                most = max(most, eta[k * self.n + i])
            for k in range(self.n_responses):
                rest += exp(eta[k * self.n + i] - most)
            log_sum = log(rest)
            for k in range(self.n_responses):
                at = k * self.n + i
                if self.w[i] <= 0.0:
                    if u[at] != 0.0:
                        return INFINITY
                    continue
                s = self.y[k, i] - u[at] / self.w[i]
                off += u[at] / self.w[i]
                if s < -BEYOND:
                    return INFINITY
                sample += divergence(s, exp(eta[at] - most) / rest, eta[at] - most - log_sum)
                sample += price(-s, eta[at] - most)
            if fabs(off) > BEYOND * self.n_responses:
                return INFINITY
            if self.w[i] > 0.0:
                total += self.w[i] * sample
        return total
