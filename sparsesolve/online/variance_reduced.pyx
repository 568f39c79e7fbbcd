"""Proximal stochastic gradients with variance reduction (prox-SVRG) with the elastic net, lazily.

    w_{s+1} = argmin_w |w - (w_s - eta d_s)|^2 / 2 + eta lam Omega(w)
    d_s     = u_i (f_i'(w_s) - f_i'(v)) x_i + m,      m = mean_i u_i f_i'(v) x_i

with u_i the weight of row i over the mean weight, and v the weights at the start of the pass.
Omega(w) = sum_j v_j N(w_j),   N(w) = alpha |w|_1 + (1 - alpha) |w|^2 / 2, or with |w|_2 if `tied`

Given: a pass over all rows by `measure`, and then rows to learn by `run`. Stored for a feature: w
(K,), v (K,), m (K,), and the step to which w is up to date. Invariant: while a feature occurs in
no row, it makes steps with the fixed gradient m. A single weight makes them in closed form: it
moves by a constant, times 1 / (1 + eta lam (1 - alpha)), until its sign changes, which happens at
most once. Rows of weights make the steps one by one, until a step changes nothing.
Reference: Xiao and Zhang, "A proximal stochastic gradient method with progressive variance
reduction" (2014).
"""
from libc.math cimport exp, fabs, floor, log1p, sqrt

import numpy as np

from sparsesolve.losses.base cimport Loss
from sparsesolve.online.engine cimport Engine
from sparsesolve.online.shrinkage cimport soft


cdef class VarianceReduced(Engine):
    """Prox-SVRG with the elastic net; see the head of this file.

    Parameters
    ----------
    n_responses, n_features, intercept, kind :
        See Engine.
    eta0 : float
        The step size.
    l1, ridge : (kinds,)
        lam alpha and lam (1 - alpha), times the different factors.
    tied : bool
        Whether the K weights of a feature are shrunk together, by their length.
    """
    cdef readonly bint tied
    cdef readonly double eta0               # step size
    cdef public double total                # weight of the measured rows
    cdef public Py_ssize_t measured, made   # measured rows; steps since then
    cdef double[::1] l1, ridge              # (kinds,) multiplied by eta0
    cdef public double[:, ::1] lead         # (2, K) intercepts at the start of the pass; their m
    cdef Loss loss                          # for a run: its loss, responses and weights of rows
    cdef const double[:, ::1] y
    cdef const double[::1] w
    cdef double[::1] first, change          # (K,) eta of a row at v; its slope minus that at v

    def __init__(self, n_responses, n_features, intercept, kind, eta0, l1, ridge, tied):
        super().__init__(n_responses, n_features, intercept, kind, 3 * n_responses + 1)
        self.eta0, self.tied = eta0, tied and n_responses > 1
        self.l1 = eta0 * np.asarray(l1, dtype=float)
        self.ridge = eta0 * np.asarray(ridge, dtype=float)
        self.lead = np.zeros((2, n_responses))
        self.first, self.change = np.zeros(n_responses), np.zeros(n_responses)

    learned = ("lead", "total", "measured", "made")

    def begin(self):
        """Start a pass: store the weights, and clear the gradient."""
        cdef Py_ssize_t j, k, K = self.n_responses
        cdef double* r
        for j in range(self.n_features):
            r = &self.record[self.width * j]
            self.bring_up(j, r)
            for k in range(K):
                r[K + k], r[2 * K + k] = r[k], 0.0
            r[3 * K] = 0.0
        for k in range(K):
            self.lead[0, k], self.lead[1, k] = self.intercept_record[0, k], 0.0
        self.total, self.measured, self.made = 0.0, 0, 0

    def measure(self, Loss loss, const Py_ssize_t[::1] start, const int[::1] index,
                const double[::1] x, const double[:, ::1] y, const double[::1] w, offset):
        """Add rows, as in `run`, to the mean gradient at the weights of the start of the pass."""
        cdef Py_ssize_t i, a, k, K = self.n_responses, n = w.shape[0]
        cdef const double[:, ::1] known = np.zeros((1, K)) if offset is None else offset
        cdef Py_ssize_t stride = 0 if offset is None else 1
        cdef double[::1] eta = np.zeros(K), slope = np.zeros(K)
        cdef int* at = NULL if index.shape[0] == 0 else <int*> &index[0]
        cdef double* value = NULL if x.shape[0] == 0 else <double*> &x[0]
        cdef double* r
        with nogil:
            for i in range(n):
                self.at_start(at + start[i], value + start[i], start[i + 1] - start[i],
                              &known[stride * i, 0], &eta[0])
                loss.sample(&y[i, 0], &eta[0], &slope[0])
                for a in range(start[i], start[i + 1]):
                    r = &self.record[self.width * index[a]] + 2 * K
                    for k in range(K):
                        r[k] += w[i] * slope[k] * x[a]
                for k in range(K):
                    self.lead[1, k] += w[i] * slope[k]
                self.total += w[i]
        self.measured += n
        loss.raise_pending()

    def end_measure(self):
        """Divide the gradient by the weight of all rows."""
        cdef Py_ssize_t j, k, K = self.n_responses
        for j in range(self.n_features):
            for k in range(2 * K, 3 * K):
                self.record[self.width * j + k] /= self.total
        for k in range(K):
            self.lead[1, k] /= self.total

    def run(self, Loss loss, times, start, index, x, y, w, offset, steps):
        """Make a step for each row, whose slope is also taken at the start; see Engine."""
        self.loss, self.y, self.w = loss, y, w
        return super().run(loss, times, start, index, x, y, w, offset, steps)

    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil:
        cdef Py_ssize_t a, k, K = self.n_responses
        cdef double* r
        self.at_start(index, x, count, eta, &self.first[0])
        for k in range(K):
            eta[k] += self.intercept_record[0, k]
        for a in range(count):
            r = &self.record[self.width * index[a]]
            self.bring_up(index[a], r)
            for k in range(K):
                eta[k] += x[a] * r[k]

    cdef void scatter(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                      const double* slope) noexcept nogil:
        """Make a step along the difference of the slopes plus the mean gradient."""
        cdef Py_ssize_t a, k
        cdef double share = self.w[s] * self.measured / self.total
        cdef double* change = &self.change[0]
        self.loss.sample(&self.y[s, 0], &self.first[0], change)
        for k in range(self.n_responses):
            change[k] = share * (slope[k] - change[k])
            if self.has_intercept:
                self.intercept_record[0, k] -= self.eta0 * (change[k] + self.lead[1, k])
        self.made += 1
        for a in range(count):
            self.step(index[a], &self.record[self.width * index[a]], x[a], change)

    def weights(self, level, scale, plain, features=None):
        cdef Py_ssize_t a, j, K = self.n_responses
        cdef const Py_ssize_t[::1] chosen = (
            np.arange(self.n_features) if features is None else np.asarray(features, np.intp))
        rows = np.asarray(self.record).reshape(-1, self.width)[np.asarray(chosen)]
        cdef double[:, ::1] now = rows
        for a in range(chosen.shape[0]):
            self.bring_up(chosen[a], &now[a, 0])
        return rows[:, :K].T.copy(), np.array(self.intercept_record)[0]

    cdef void at_start(self, const int* index, const double* x, Py_ssize_t count,
                       const double* known, double* eta) noexcept nogil:
        """Set eta (K,) to the linear predictor of a row at the weights of the start of the pass."""
        cdef Py_ssize_t a, k, K = self.n_responses
        cdef const double* r
        for k in range(K):
            eta[k] = known[k] + self.lead[0, k]
        for a in range(count):
            r = &self.record[self.width * index[a]] + K
            for k in range(K):
                eta[k] += x[a] * r[k]

    cdef void step(self, Py_ssize_t j, double* r, double x, const double* slope) noexcept nogil:
        """Make the step of a row for one of its features."""
        cdef Py_ssize_t k, K = self.n_responses
        cdef Py_ssize_t kind = 0 if self.kind is None else self.kind[j]
        for k in range(K):
            r[k] -= self.eta0 * (slope[k] * x + r[2 * K + k])
        self.shrink(r, kind)
        r[3 * K] = self.made

    cdef inline void shrink(self, double* w, Py_ssize_t kind) noexcept nogil:
        cdef Py_ssize_t k
        cdef double length = 0.0, factor = 1.0 / (1.0 + self.ridge[kind])
        if self.tied:
            for k in range(self.n_responses):
                length += w[k] * w[k]
            length = sqrt(length)
            factor *= 1.0 - self.l1[kind] / length if length > self.l1[kind] else 0.0
        for k in range(self.n_responses):
            w[k] = factor * (w[k] if self.tied else soft(w[k], self.l1[kind]))

    cdef void bring_up(self, Py_ssize_t j, double* r) noexcept nogil:
        """Make the steps that feature j with record r has not made yet, with m alone."""
        cdef Py_ssize_t k, K = self.n_responses
        cdef Py_ssize_t kind = 0 if self.kind is None else self.kind[j]
        cdef double count = self.made - r[3 * K]
        if count <= 0.0:
            return
        r[3 * K] = self.made
        if self.tied:
            self.repeat(r, kind, count)
            return
        for k in range(K):
            if r[k] != 0.0 or r[2 * K + k] != 0.0:
                r[k] = moved(r[k], self.eta0 * r[2 * K + k], self.l1[kind], self.ridge[kind], count)

    cdef void repeat(self, double* r, Py_ssize_t kind, double count) noexcept nogil:
        """Make steps with m for a row of weights, until they change nothing."""
        cdef Py_ssize_t k, K = self.n_responses
        cdef double before, change, push = 0.0
        for k in range(K):
            push += self.eta0 * self.eta0 * r[2 * K + k] * r[2 * K + k]
        while count > 0.0:
            change = 0.0
            for k in range(K):
                change += fabs(r[k])
            if change == 0.0 and sqrt(push) <= self.l1[kind]:
                return
            for k in range(K):
                r[k] -= self.eta0 * r[2 * K + k]
            self.shrink(r, kind)
            count -= 1.0


cdef double moved(double w, double push, double level, double ridge, double count) noexcept nogil:
    """Return w after `count` steps w <- S(w - push, level) / (1 + ridge)."""
    cdef double sign = 1.0 if w > 0.0 or (w == 0.0 and push < 0.0) else -1.0
    cdef double each = sign * push + level, size = sign * w, jump, shrink
    # size >= 0 decreases by `each` per step while it stays above 0; it grows if `each` is
    # negative.
    if size == 0.0 and each >= 0.0:
        return 0.0
    if each <= 0.0:
        return sign * slid(size, each, ridge, count)
    # size_j = (size + each / ridge) (1 + ridge)^-j - each / ridge.
    if ridge > 0.0:
        jump = log1p(size * ridge / each) / log1p(ridge)
    else:
        jump = size / each
    # The steps next to the change of sign are made one by one.
    jump = floor(jump) - 2.0
    if jump >= count:
        return sign * slid(size, each, ridge, count)
    if jump > 0.0:
        size = slid(size, each, ridge, jump)
        count -= jump
    shrink = 1.0 / (1.0 + ridge)
    while count > 0.0 and size > 0.0:
        size = soft(size - sign * push, level) * shrink
        count -= 1.0
    if count == 0.0 or size == 0.0 and fabs(push) <= level:
        return sign * size
    # Beyond 0 the weight moves away from 0 for good.
    each = -sign * push + level
    return -sign * slid(-size, each, ridge, count)


cdef inline double slid(double size, double each, double ridge, double count) noexcept nogil:
    """Return size after `count` steps size <- (size - each) / (1 + ridge)."""
    cdef double fade
    if ridge == 0.0:
        return size - count * each
    fade = exp(-count * log1p(ridge))
    return size * fade - each * (1.0 - fade) / ridge
