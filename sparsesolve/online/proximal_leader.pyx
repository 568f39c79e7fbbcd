"""FTRL-Proximal with the elastic net, lazily: a rate for each weight.

    w_{s+1} = argmin_w  w'(g_1 + ... + g_s) + t lam Omega(w) + sum_r sum_j sigma_rj (w_j - w_rj)^2 /
    2 sigma_rj = (sqrt(n_rj) - sqrt(n_{r-1,j})) / eta0,   n_rj = n_{r-1,j} + g_rj^2,   n_0 = beta^2
    Omega(w) = sum_j v_j N(w_j),   N(w) = alpha |w|_1 + (1 - alpha) |w|^2 / 2, or with |w|_2 if
    `tied`

The penalty counts once a step (t lam), so that the minimised function is the loss plus lam Omega.
Stored for a feature: q, minus the gradients plus sigma w, and n; if `tied` q (K,) and one n of
|g|^2. Invariant: w_s = S(q, level_s) / (sqrt(n) / eta0 + scale_s), level = t lam alpha v. Reading
a weight changes nothing, so that lazy and eager updates are the same for any schedule of t.
Reference: McMahan, "A survey of algorithms and analysis for adaptive online learning" (2017).

In single precision a feature takes 8 bytes, for one response and steps of single rows: q and n are
two floats, which share the place of one double of `record`. Sums and predictions use double
precision. Limit: once n reaches 2^24 g^2, a gradient g no longer changes n, and the rate of its
weight stays.
Reference: McMahan and others, "Ad click prediction: a view from the trenches" (2013), section 4.
"""
from libc.math cimport fabs, sqrt

import numpy as np

from sparsesolve.online.engine cimport Engine
from sparsesolve.online.shrinkage cimport soft
from sparsesolve.online.shrinkage import shrunk


cdef class ProximalLeader(Engine):
    """FTRL-Proximal with the elastic net; see the head of this file.

    Parameters
    ----------
    n_responses, n_features, intercept, kind :
        See Engine.
    eta0 : float
        Factor of the rates.
    beta : float
        n starts from beta^2.
    tied : bool
        Whether the K weights of a feature are shrunk together, by their length.
    """
    cdef readonly double eta0, beta
    cdef readonly bint tied
    cdef public double largest          # largest weight or intercept seen in a row
    cdef double[::1] weight, root       # of the last gathered row: its weights, and sqrt(n)
    cdef double[::1] total              # (p K,) gradient of a step of several rows or responses
    cdef double[::1] lead               # (K,) gradient of the intercepts
    cdef int[::1] touched               # features in this step
    cdef unsigned char[::1] seen        # 1 for the features in this step
    cdef Py_ssize_t n_touched

    def __init__(self, n_responses, n_features, intercept, kind=None, eta0=1.0, beta=1.0,
                 tied=False):
        self.tied = tied and n_responses > 1
        width = n_responses + 1 if self.tied else 2 * n_responses
        self.eta0, self.beta = eta0, beta
        super().__init__(n_responses, n_features, intercept, kind, width)
        self.weight, self.root = np.zeros(n_responses + 1023), np.zeros(1024)
        self.lead, self.total = np.zeros(n_responses), None

    learned = ("largest",)

    def weights(self, level, scale, plain, features=None):
        K, chosen = self.n_responses, slice(self.n_features) if features is None else features
        rows = self.rows()[chosen]
        which = 0 if self.kind is None else np.asarray(self.kind)[chosen]
        q, n = (rows[:, :K], rows[:, K:]) if self.tied else (rows[:, ::2], rows[:, 1::2])
        W = shrunk(q, np.asarray(level)[which], self.tied)
        W /= np.sqrt(self.beta**2 + n) / self.eta0 + np.reshape(np.asarray(scale)[which], (-1, 1))
        b = np.asarray(self.intercept_record)
        return W.T, b[0] * self.eta0 / np.sqrt(self.beta**2 + b[1])

    def grow(self, n_features):
        super().grow(n_features)
        self.total = None

    def run(self, loss, times, start, index, x, y, w, offset, steps):
        """Run as in Engine, with memory for the longest row and for gradients that are summed."""
        longest, p = int(np.diff(start).max(initial=0)), self.n_features
        if longest > len(self.root):
            self.weight, self.root = np.zeros(self.n_responses + 2 * longest), np.zeros(2 * longest)
        if self.total is None and (np.diff(steps).max(initial=0) > 1 or self.n_responses > 1):
            self.total = np.zeros(max(p, 1) * self.n_responses)
            self.touched, self.seen = np.zeros(max(p, 1), np.intc), np.zeros(max(p, 1), np.uint8)
        return super().run(loss, times, start, index, x, y, w, offset, steps)

    cdef inline double at_root(self, double n) noexcept nogil:
        """Return sqrt(n), with n counted from n_0."""
        return sqrt(self.beta * self.beta + n)

    cdef void read(self, Py_ssize_t s, Py_ssize_t j, double* w) noexcept nogil:
        """Read the weights (K,) of feature j before step s."""
        cdef Py_ssize_t k, K = self.n_responses, kind = 0 if self.kind is None else self.kind[j]
        cdef double level = self.level[s, kind], ridge = self.scale[s, kind], length = 0.0, factor
        cdef const double* r
        if self.tied:
            r = &self.record[(K + 1) * j]
            for k in range(K):
                length += r[k] * r[k]
            length = sqrt(length)
            factor = (1.0 - level / length if length > level else 0.0)
            factor /= self.at_root(r[K]) / self.eta0 + ridge
            for k in range(K):
                w[k] = factor * r[k]
        else:
            r = &self.record[2 * K * j]
            for k in range(K):
                w[k] = soft(r[2 * k], level) / (self.at_root(r[2 * k + 1]) / self.eta0 + ridge)

    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil:
        cdef Py_ssize_t a, k, K = self.n_responses
        cdef double top = self.largest, w
        for k in range(K):
            w = self.intercept_record[0, k] * self.eta0 / self.at_root(self.intercept_record[1, k])
            eta[k] += w
            top = max(top, fabs(w))
        if K > 1:
            for a in range(count):
                self.read(s, index[a], &self.weight[0])
                for k in range(K):
                    eta[k] += x[a] * self.weight[k]
            return
        self.largest = top
        eta[0] += gather_row(self, &self.record[0], s, index, x, count)

    cdef void scatter(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                      const double* slope) noexcept nogil:
        if self.n_responses > 1 or self.batched:
            self.add(index, x, count, slope)
        else:
            scatter_row(self, &self.record[0], s, index, x, count, slope[0])

    cdef void add(self, const int* index, const double* x, Py_ssize_t count,
                  const double* slope) noexcept nogil:
        """Add a row to the gradient of the step."""
        cdef Py_ssize_t a, k, K = self.n_responses
        for k in range(K):
            self.lead[k] += slope[k]
        for a in range(count):
            if not self.seen[index[a]]:
                self.seen[index[a]] = 1
                self.touched[self.n_touched] = index[a]
                self.n_touched += 1
            for k in range(K):
                self.total[K * index[a] + k] += slope[k] * x[a]

    cdef void learn(self, double* q, double* n, double u, double g, double w) noexcept nogil:
        """Update q and n of one weight w with a gradient g."""
        cdef double before = self.at_root(n[0])
        n[0] += u * g * g
        q[0] += (self.at_root(n[0]) - before) / self.eta0 * w - u * g

    cdef void commit(self, Py_ssize_t s) noexcept nogil:
        """Learn from the sum of gradients, if they were summed."""
        cdef Py_ssize_t a, k, j, K = self.n_responses
        cdef double u = self.rate[s]
        if K == 1 and not self.batched:
            return
        for k in range(K):
            if self.has_intercept:
                self.learn(&self.intercept_record[0, k], &self.intercept_record[1, k], u,
                           self.lead[k], self.intercept_record[0, k] * self.eta0
                           / self.at_root(self.intercept_record[1, k]))
            self.lead[k] = 0.0
        for a in range(self.n_touched):
            j = self.touched[a]
            self.read(s, j, &self.weight[0])
            if self.tied:
                self.learn_row(u, &self.total[K * j], &self.record[(K + 1) * j])
            else:
                for k in range(K):
                    self.learn(&self.record[2 * (K * j + k)], &self.record[2 * (K * j + k) + 1],
                               u, self.total[K * j + k], self.weight[k])
            for k in range(K):
                self.total[K * j + k] = 0.0
            self.seen[j] = 0
        self.n_touched = 0

    cdef void learn_row(self, double u, const double* g, double* r) noexcept nogil:
        """Update the record r of a feature with tied weights with a gradient g (K,)."""
        cdef Py_ssize_t k, K = self.n_responses
        cdef double before = self.at_root(r[K]), change
        for k in range(K):
            r[K] += u * g[k] * g[k]
        change = (self.at_root(r[K]) - before) / self.eta0
        for k in range(K):
            r[k] += change * self.weight[k] - u * g[k]


cdef class ShortLeader(ProximalLeader):
    """FTRL-Proximal in single precision; see the head of this file.

    Parameters
    ----------
    n_features, intercept, kind, eta0, beta :
        See ProximalLeader.
    """

    def __init__(self, n_features, intercept, kind=None, eta0=1.0, beta=1.0):
        super().__init__(1, 0, intercept, kind, eta0, beta)
        Engine.__init__(self, 1, n_features, intercept, kind, 1)

    def rows(self):
        """Return the stored numbers, (p, 2); see Engine."""
        return np.asarray(self.record).view(np.float32).reshape(-1, 2).astype(float)

    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil:
        eta[0] += self.intercept_record[0, 0] * self.eta0 / self.at_root(
            self.intercept_record[1, 0])
        eta[0] += gather_row(self, <float*> &self.record[0], s, index, x, count)

    cdef void scatter(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                      const double* slope) noexcept nogil:
        scatter_row(self, <float*> &self.record[0], s, index, x, count, slope[0])


ctypedef fused Stored:
    float
    double


cdef inline double gather_row(ProximalLeader self, Stored* record, Py_ssize_t s, const int* index,
                              const double* x, Py_ssize_t count) noexcept nogil:
    """Return x'w of a row for one response, and store its weights and roots."""
    cdef Py_ssize_t a
    cdef double level = self.level[s, 0], ridge = self.scale[s, 0], total = 0.0, w, root
    cdef double invert = 1.0 / self.eta0, least = self.beta * self.beta, top = self.largest
    cdef double* weight = &self.weight[0]
    cdef double* roots = &self.root[0]
    cdef const Stored* r
    for a in range(count):
        r = record + 2 * index[a]
        if self.kind is not None:
            level = self.level[s, self.kind[index[a]]]
            ridge = self.scale[s, self.kind[index[a]]]
        root = sqrt(least + r[1])
        w = soft(r[0], level)
        if w != 0.0:
            w /= root * invert + ridge
        total += x[a] * w
        top = max(top, fabs(w))
        weight[a], roots[a] = w, root
    self.largest = top
    return total


cdef inline void scatter_row(ProximalLeader self, Stored* record, Py_ssize_t s, const int* index,
                             const double* x, Py_ssize_t count, double slope) noexcept nogil:
    """Learn from a gathered row for one response."""
    cdef Py_ssize_t a
    cdef double u = self.rate[s], g, root, invert = 1.0 / self.eta0, least = self.beta * self.beta
    cdef const double* weight = &self.weight[0]
    cdef const double* roots = &self.root[0]
    cdef Stored* r
    if self.has_intercept:
        self.learn(&self.intercept_record[0, 0], &self.intercept_record[1, 0], u, slope,
                   self.intercept_record[0, 0] * self.eta0
                   / self.at_root(self.intercept_record[1, 0]))
    for a in range(count):
        r = record + 2 * index[a]
        g = slope * x[a]
        r[1] = <Stored> (r[1] + u * g * g)
        root = sqrt(least + r[1])
        r[0] = <Stored> (r[0] + (root - roots[a]) * invert * weight[a] - u * g)
