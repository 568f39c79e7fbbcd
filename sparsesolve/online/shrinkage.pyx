"""FOBOS and regularised dual averaging with the elastic net, lazily.

    FOBOS   w_{s+1} = argmin_w  |w - (w_s - eta_s g_s)|^2 / 2 + eta_s lam Omega(w)
    RDA     w_{s+1} = argmin_w  w'(g_1 + ... + g_s) + t lam Omega(w) + beta_t |w|^2 / 2
    Omega(w) = sum_j v_j N(w_j),   N(w) = alpha |w|_1 + (1 - alpha) |w|^2 / 2,
               or with |w|_2 if `tied`

Stored for a feature: q (K,), and with FOBOS the level c by which q has been shrunk. Invariant:
w_s = S(q, level_s - c) / scale_s with the soft threshold S of the norm, c = 0 in RDA. Steps of
FOBOS multiply: scale is M_s = prod (1 + eta lam (1 - alpha)), level the sum of eta lam alpha M
before each step, and q is M w. So two numbers describe norm and ridge exactly.
Reference: Duchi and Singer (2009), Proposition 11; Xiao, "Dual averaging methods for regularized
stochastic learning and online optimization" (2010).
"""
from libc.math cimport sqrt

import numpy as np

from sparsesolve.online.engine cimport Engine


def shrunk(q, level, tied):
    """Return q (p, K) shrunk by level, () or (p,): each number, or if `tied` each row by its
    length.
    """
    level = np.reshape(level, (-1, 1))
    if not tied:
        return np.sign(q) * np.maximum(np.abs(q) - level, 0.0)
    length = np.sqrt((q * q).sum(axis=1, keepdims=True))
    return q * np.divide(length - level, length, out=np.zeros_like(length), where=length > level)


cdef class Shrinkage(Engine):
    """FOBOS or dual averaging with the elastic net; see the head of this file.

    Parameters
    ----------
    n_responses, n_features, intercept, kind :
        See Engine.
    dual : bool
        True: gradients are summed (RDA). False: weights are updated (FOBOS).
    tied : bool
        Whether the K weights of a feature are shrunk together, by their length.
    """
    def __init__(self, n_responses, n_features, intercept, kind=None, dual=False, tied=False):
        self.dual, self.tied = dual, tied and n_responses > 1
        super().__init__(n_responses, n_features, intercept, kind, n_responses + (not dual))

    def state(self):
        return [*super().state(), self.square, self.largest]

    def restore(self, state):
        super().restore(state)
        self.square, self.largest = state[2:]

    def weights(self, level, scale, plain, features=None):
        """Return the weights (K, p) and intercepts (K,) at a step with these levels, (kinds,)
        each.

        With features (m,) the weights are those of these features, (K, m)."""
        K, chosen = self.n_responses, slice(self.n_features) if features is None else features
        rows = self.rows()[chosen]
        which = 0 if self.kind is None else np.asarray(self.kind)[chosen]
        c = 0.0 if self.dual else rows[:, K]
        W = shrunk(rows[:, :K], np.asarray(level)[which] - c, self.tied)
        W /= np.reshape(np.asarray(scale)[which], (-1, 1))
        return W.T, np.asarray(self.intercept_record)[0] / (plain if self.dual else 1.0)

    def refold(self, scale):
        """Set q to w and levels to 0 when numbers have become large; for FOBOS."""
        W, _ = Shrinkage.weights(self, *scale)
        rows = self.rows()[: self.n_features]
        rows[:, : self.n_responses], rows[:, self.n_responses] = W.T, 0.0

    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil:
        cdef Py_ssize_t a, k
        cdef double c = self.level[s, 0], total = 0.0, q, fell = 0.0
        cdef double* r
        cdef double* record = &self.record[0]
        for k in range(self.n_responses):
            eta[k] += self.intercept_record[0, k] / (self.plain[s] if self.dual else 1.0)
        if self.n_responses > 1 or self.kind is not None:
            self.gather_rows(s, index, x, count, eta)
        elif self.dual:
            for a in range(count):
                total += x[a] * soft(record[index[a]], c)
            eta[0] += total / self.scale[s, 0]
        else:
            for a in range(count):
                r = record + 2 * index[a]
                q = soft(r[0], c - r[1])
                fell += (r[0] - q) * (r[0] + q)
                r[0], r[1] = q, c
                total += x[a] * q
            eta[0] += total / self.scale[s, 0]
            self.square -= fell / (self.scale[s, 0] * self.scale[s, 0])

    cdef void gather_rows(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                          double* eta) noexcept nogil:
        """Gather a row with several responses, or with features that have levels of their own."""
        cdef Py_ssize_t a, k, K = self.n_responses, kind
        cdef double c, m, level, factor, length
        cdef double* r
        for a in range(count):
            kind = 0 if self.kind is None else self.kind[index[a]]
            c, m = self.level[s, kind], self.scale[s, kind]
            r = &self.record[(K + (not self.dual)) * index[a]]
            level, length = (c if self.dual else c - r[K]), 0.0
            if self.tied:
                for k in range(K):
                    length += r[k] * r[k]
                length = sqrt(length)
                factor = 1.0 - level / length if length > level else 0.0
            for k in range(K):
                length = factor * r[k] if self.tied else soft(r[k], level)
                eta[k] += x[a] * length / m
                if not self.dual:
                    self.square -= (r[k] - length) * (r[k] + length) / (m * m)
                    r[k] = length
            if not self.dual:
                r[K] = c

    cdef void scatter(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                      const double* slope) noexcept nogil:
        cdef Py_ssize_t a, k, K = self.n_responses, kind
        cdef Py_ssize_t width = K + (not self.dual)
        cdef double step = self.rate[s] * slope[0], m = self.scale[s, 0], q, rose = 0.0
        cdef double* r
        cdef double* record = &self.record[0]
        if self.has_intercept:
            for k in range(K):
                self.intercept_record[0, k] -= self.rate[s] * slope[k]
        if K == 1 and self.kind is None:
            if self.dual:
                for a in range(count):
                    record[index[a]] -= step * x[a]
                return
            step *= m
            for a in range(count):
                r = record + 2 * index[a]
                q = r[0] - step * x[a]
                rose += (q - r[0]) * (q + r[0])
                r[0] = q
            self.square += rose / (m * m)
            return
        for a in range(count):
            r = &self.record[width * index[a]]
            if not self.dual:
                m = self.scale[s, 0 if self.kind is None else self.kind[index[a]]]
            for k in range(K):
                q = r[k] - self.rate[s] * slope[k] * x[a] * (1.0 if self.dual else m)
                if not self.dual:
                    self.square += (q - r[k]) * (q + r[k]) / (m * m)
                r[k] = q

    cdef void commit(self, Py_ssize_t s) noexcept nogil:
        cdef double square = self.square
        cdef Py_ssize_t k
        for k in range(self.n_responses):
            square += self.intercept_record[0, k] * self.intercept_record[0, k]
        if square > self.largest:
            self.largest = square
