"""FOBOS, dual averaging and FTRL-Proximal with a penalty on groups, lazily where that is exact.

    Omega(w) = sum_g v_g [alpha N_g(w_g) + (1 - alpha) d_g |w_g|^2 / 2]

with the norms N_g of a BlockPenalty; with K responses a group has its features in all of them.
Stored for a group: q, its weights or gradients; with FOBOS the level c by which q was shrunk;
with FTRL n, the sum of |g_g|^2, so that a group has one rate.
Invariant: w_g = argmin_w  h |w|^2 / 2 - q'w + (level - c) N_g(w), over M, where of
FOBOS h = 1 and M = prod (1 + eta lam ridge);  of RDA h = beta + t lam ridge and M = 1, c = 0;
of FTRL h = sqrt(n) / eta0 + t lam ridge and M = 1, c = 0.
Dual averaging and FTRL read a weight by one prox, for any norm. FOBOS has to make up for many
proxes, which are one if proxes of a norm add up (`lazy_kind` "norm"); otherwise every step moves
all groups.
Reference: Duchi and Singer (2009), sections 5.6 and 6, Proposition 11.
"""
from libc.math cimport sqrt

import numpy as np

from sparsesolve.online.engine cimport Engine
from sparsesolve.penalties.blocks cimport BlockPenalty

cdef enum Method:
    FOBOS
    RDA
    FTRL

METHODS = {"fobos": FOBOS, "rda": RDA, "ftrl": FTRL}


cdef class Grouped(Engine):
    """FOBOS, dual averaging or FTRL with a penalty on groups; see the head of this file.

    Parameters
    ----------
    n_responses, n_features, intercept :
        See Engine.
    penalty : BlockPenalty
        Penalty on the K p weights with alpha = 1: the norms alone, without a ridge part or
        limits.
    sizes : (G,)
        Factor of `level` for each group: v_g times all factors of N_g.
    kind : (G,) intc
        Column of `level` and `scale` for each group.
    method : {"fobos", "rda", "ftrl"}
    eta0, beta : float
        As in ProximalLeader.
    """
    cdef readonly BlockPenalty penalty
    cdef readonly object method
    cdef public double square, largest      # for FOBOS, as in Shrinkage
    cdef readonly double eta0, beta
    cdef Method code
    cdef bint lazy
    cdef const double[::1] size             # (G,)
    cdef const int[::1] of_kind             # (G,)
    cdef int[::1] place                     # (K p,) place of a weight, group by group
    cdef public double[::1] last            # (G,) c or n
    cdef double[::1] value, gradient        # (K p,) weights at this step; its gradient
    cdef double[::1] lead                   # (K,) gradient of the intercepts
    cdef int[::1] touched                   # groups in this step
    cdef unsigned char[::1] seen            # 1 for the groups in this step
    cdef Py_ssize_t n_touched

    def __init__(self, n_responses, n_features, intercept, penalty, sizes, kind, method, eta0,
                 beta):
        super().__init__(n_responses, n_features, intercept, None, n_responses)
        self.penalty, self.method, self.eta0, self.beta = penalty, method, eta0, beta
        self.code, self.lazy = METHODS[method], penalty.lazy_kind == "norm" or method != "fobos"
        self.size = np.ascontiguousarray(sizes, dtype=float)
        self.of_kind = np.ascontiguousarray(kind, dtype=np.intc)
        total, G = n_responses * n_features, len(sizes)
        self.place = np.argsort(penalty.member).astype(np.intc)
        self.last, self.value, self.gradient = np.zeros(G), np.zeros(total), np.zeros(total)
        self.lead, self.touched = np.zeros(n_responses), np.zeros(G, np.intc)
        self.seen = np.zeros(G, np.uint8)

    learned = ("last", "square", "largest")

    cdef void fetch(self, const int* index, Py_ssize_t count) noexcept nogil:
        """Do nothing: groups have many features each, so prefetching does not pay."""

    cdef void read(self, Py_ssize_t g, double level, double scale) noexcept nogil:
        """Bring group g up to a step, and set `value`."""
        cdef Py_ssize_t a, first = self.penalty.start[g], count = self.penalty.size(g)
        cdef double* q = &self.record[first]
        cdef double* w = &self.value[first]
        cdef double h = 1.0, lam = 0.0
        if self.code == FTRL:
            h = sqrt(self.beta * self.beta + self.last[g]) / self.eta0 + scale
        elif self.code == RDA:
            h = scale
        else:
            level -= self.last[g]
        if self.size[g] > 0.0:
            lam = level / self.size[g]
        if lam > 0.0:
            self.penalty.block_prox(g, h, q, lam, w)
        else:
            for a in range(count):
                w[a] = q[a] / h
        if self.code != FOBOS:
            return
        self.last[g] += level
        for a in range(count):
            self.square -= (q[a] - w[a]) * (q[a] + w[a]) / (scale * scale)
            q[a] = w[a]
            w[a] /= scale

    def weights(self, level, scale, plain, features=None):
        b = np.asarray(self.intercept_record)
        if self.code == FTRL:
            b = b[0] * self.eta0 / np.sqrt(self.beta**2 + b[1])
        else:
            b = b[0] / (plain if self.code == RDA else 1.0)
        if features is not None and len(features) == 0:
            return np.zeros((self.n_responses, 0)), b
        kept = np.array(self.record), np.array(self.last), np.array(self.value)
        cdef double square = self.square
        cdef Py_ssize_t g
        cdef const double[::1] levels = np.ascontiguousarray(level)
        cdef const double[::1] scales = np.ascontiguousarray(scale)
        for g in range(self.penalty.n_groups):
            self.read(g, levels[self.of_kind[g]], scales[self.of_kind[g]])
        W = np.asarray(self.value)[np.asarray(self.place)].reshape(self.n_responses, -1)
        self.record, self.last, self.value = kept
        self.square = square
        return (W if features is None else W[:, features]), b

    def refold(self, now):
        """Set q to w and levels to 0 when numbers have become large; for FOBOS."""
        W, _ = self.weights(*now)
        self.record = W.ravel()[np.asarray(self.penalty.member)]
        self.last = np.zeros(len(self.last))

    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil:
        cdef Py_ssize_t a, k, g, K = self.n_responses, p = self.n_features
        for k in range(K):
            if self.code == FTRL:
                eta[k] += self.intercept_record[0, k] * self.eta0 / sqrt(
                    self.beta * self.beta + self.intercept_record[1, k])
            else:
                eta[k] += self.intercept_record[0, k] / (
                    self.plain[s] if self.code == RDA else 1.0)
        for a in range(count):
            g = self.penalty.of[index[a]]
            if not self.seen[g]:
                self.seen[g] = 1
                self.touched[self.n_touched] = <int> g
                self.n_touched += 1
                self.read(g, self.level[s, self.of_kind[g]], self.scale[s, self.of_kind[g]])
            for k in range(K):
                eta[k] += x[a] * self.value[self.place[k * p + index[a]]]

    cdef void scatter(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                      const double* slope) noexcept nogil:
        cdef Py_ssize_t a, k, K = self.n_responses, p = self.n_features
        for k in range(K):
            self.lead[k] += slope[k]
        for a in range(count):
            for k in range(K):
                self.gradient[self.place[k * p + index[a]]] += slope[k] * x[a]

    cdef void commit(self, Py_ssize_t s) noexcept nogil:
        cdef Py_ssize_t a, k, g
        cdef double square
        for k in range(self.n_responses):
            if self.has_intercept:
                self.learn_intercept(k, self.rate[s])
            self.lead[k] = 0.0
        for a in range(self.n_touched):
            g = self.touched[a]
            self.learn(g, self.rate[s], self.scale[s, self.of_kind[g]])
            self.seen[g] = 0
        self.n_touched = 0
        if not self.lazy:
            for g in range(self.penalty.n_groups):
                self.read(g, self.level[s + 1, self.of_kind[g]],
                          self.scale[s + 1, self.of_kind[g]])
        square = self.square
        for k in range(self.n_responses):
            square += self.intercept_record[0, k] * self.intercept_record[0, k]
        self.largest = max(self.largest, square)

    cdef void learn(self, Py_ssize_t g, double u, double scale) noexcept nogil:
        """Learn group g from its gradient, and clear the gradient."""
        cdef Py_ssize_t a, first = self.penalty.start[g], count = self.penalty.size(g)
        cdef double* q = &self.record[first]
        cdef double* d = &self.gradient[first]
        cdef const double* w = &self.value[first]
        cdef double change = 0.0, before, step = u
        if self.code == FTRL:
            before = sqrt(self.beta * self.beta + self.last[g])
            for a in range(count):
                self.last[g] += u * d[a] * d[a]
            change = (sqrt(self.beta * self.beta + self.last[g]) - before) / self.eta0
        elif self.code == FOBOS:
            step *= scale
        for a in range(count):
            if self.code == FOBOS:
                self.square += (step * d[a] - 2.0 * q[a]) * step * d[a] / (scale * scale)
            q[a] += change * w[a] - step * d[a]
            d[a] = 0.0

    cdef void learn_intercept(self, Py_ssize_t k, double u) noexcept nogil:
        """Learn intercept k from its gradient."""
        cdef double* q = &self.intercept_record[0, k]
        cdef double* n = &self.intercept_record[1, k]
        cdef double before
        if self.code == FTRL:
            before = sqrt(self.beta * self.beta + n[0])
            n[0] += u * self.lead[k] * self.lead[k]
            q[0] += (sqrt(self.beta * self.beta + n[0]) / before - 1.0) * q[0]
        q[0] -= u * self.lead[k]
