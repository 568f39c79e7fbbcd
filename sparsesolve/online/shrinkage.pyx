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

`Averaged` also keeps the mean of the weights before each step, over all steps or at least the last
half, lazily:

    mean of w_s over steps s,   w_s = S(q, level_s - c) / scale_s  while a feature has no row

Invariant: `sums` holds what a feature contributed before step
`since`. While a feature occurs in no row, q stays and the level rises, so that a weight becomes 0
once, at a step d that a search finds, and contributes
    sign(q) ((|q| + c) (A_d - A_a) - (B_d - B_a)),   A_d = sum_{s<d} 1 / scale_s,
                                                     B_d = sum_{s<d} level_s / scale_s.
The sums A and B are kept for at most `period` steps. After these all features are brought up to
date, which costs as much per step as one feature. The same happens when the scale has grown by
much, because differences of A would lose digits.
Reference: Duchi and Singer (2009), section 6; Shamir and Zhang (2013) for means of the last half.
"""
from libc.math cimport sqrt

import numpy as np

from sparsesolve.online.engine cimport Engine, ss_fetch


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

    learned = ("square", "largest")

    def weights(self, level, scale, plain, features=None):
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


# All weights are brought up to date after as many steps as there are features, but not before
# this many steps: the pass over the features then costs little per step.
cdef Py_ssize_t LEAST_PERIOD = 4096
# Within the stored steps the scale grows at most by this factor: differences of A then lose at most
# one digit in base 16.
cdef double MOST_GROWTH = 16.0


cdef class Averaged(Shrinkage):
    """FOBOS or dual averaging that also keeps the mean of the weights; see the head of this file.

    Parameters
    ----------
    n_responses, n_features, intercept, kind, dual, tied :
        See Shrinkage.
    n_kinds : int
        Number of columns of `level` and `scale`.
    suffix : bool
        Whether the mean is over the steps since the last power of two but one.
    """
    cdef readonly bint suffix
    cdef public Py_ssize_t made             # number of steps so far
    cdef Py_ssize_t period                  # most stored steps
    cdef public Py_ssize_t known            # stored steps now
    cdef double[:, :, ::1] steps            # (period + 1, kinds, 3): level, A and B
    cdef public double growth               # growth of scales since the first stored step
    cdef public Py_ssize_t[::1] since       # (p,) stored step to which a feature is up to date
    cdef public Py_ssize_t since_intercept
    cdef public double[:, :, ::1] sums  # (2, p, K) of the part before the last, and of the last
    cdef public double[:, ::1] intercept_sums   # (2, K)
    cdef public Py_ssize_t[::1] counts      # (2,) steps in each part
    cdef bint begun                         # True if the levels of this step are stored

    def __init__(self, n_responses, n_features, intercept, kind=None, dual=False, tied=False,
                 n_kinds=1, suffix=False):
        super().__init__(n_responses, n_features, intercept, kind, dual, tied)
        self.suffix, self.period = suffix, max(n_features, LEAST_PERIOD)
        self.steps = np.zeros((self.period + 1, n_kinds, 3))
        self.since = np.zeros(max(n_features, 1), dtype=np.intp)
        self.sums = np.zeros((2, max(n_features, 1), n_responses))
        self.intercept_sums = np.zeros((2, n_responses))
        self.counts = np.zeros(2, dtype=np.intp)

    learned = (*Shrinkage.learned, "sums", "intercept_sums", "counts", "since", "since_intercept",
               "made", "known", "growth", "stored")

    @property
    def stored(self):
        """The stored steps, (known + 1, kinds, 3)."""
        return np.asarray(self.steps)[: self.known + 1]

    @stored.setter
    def stored(self, steps):
        np.asarray(self.steps)[: len(steps)] = steps

    def weights(self, level, scale, plain, features=None):
        """Return the means of the weights and intercepts; see Engine."""
        if not self.made:
            return super().weights(level, scale, plain, features)
        cdef Py_ssize_t a
        cdef const Py_ssize_t[::1] chosen = (
            np.arange(self.n_features) if features is None else np.asarray(features, np.intp))
        total = self.counts[0] + self.counts[1]
        W = np.asarray(self.sums)[:, np.asarray(chosen)].sum(axis=0)
        cdef double[:, ::1] mean = W
        for a in range(chosen.shape[0]):
            self.owe(chosen[a], self.known, &mean[a, 0])
        return W.T / total, np.asarray(self.intercept_sums).sum(axis=0) / total

    def refold(self, scale):
        """Set q to w and levels to 0, so that no earlier step is needed; see Shrinkage."""
        self.bring_up()
        super().refold(scale)

    cdef void fetch(self, const int* index, Py_ssize_t count) noexcept nogil:
        cdef Py_ssize_t a
        Shrinkage.fetch(self, index, count)
        for a in range(count):
            ss_fetch(&self.since[index[a]])
            ss_fetch(&self.sums[1, index[a], 0])

    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil:
        cdef Py_ssize_t a, k
        self.remember(s)
        for a in range(count):
            self.owe(index[a], self.known, &self.sums[1, index[a], 0])
            self.since[index[a]] = self.known
        if self.since_intercept < self.known:
            self.since_intercept = self.known
            for k in range(self.n_responses):
                self.intercept_sums[1, k] += self.intercept_record[0, k] / (
                    self.plain[s] if self.dual else 1.0)
        Shrinkage.gather(self, s, index, x, count, eta)

    cdef void commit(self, Py_ssize_t s) noexcept nogil:
        Shrinkage.commit(self, s)
        self.made += 1
        self.counts[1] += 1
        self.begun = False
        # The next step starts a part.
        if self.suffix and (self.made + 1) & self.made == 0:
            self.begin_part()
        elif self.known == self.period or self.growth > MOST_GROWTH:
            self.bring_up()

    cdef void begin_part(self) noexcept nogil:
        """Make the last part the one before the last, and forget the latter."""
        cdef Py_ssize_t j, k
        self.bring_up()
        for k in range(self.n_responses):
            for j in range(self.n_features):
                self.sums[0, j, k], self.sums[1, j, k] = self.sums[1, j, k], 0.0
            self.intercept_sums[0, k], self.intercept_sums[1, k] = self.intercept_sums[1, k], 0.0
        self.counts[0], self.counts[1] = self.counts[1], 0

    cdef void remember(self, Py_ssize_t s) noexcept nogil:
        """Store the levels of step s, once."""
        cdef Py_ssize_t c, h = self.known
        if self.begun:
            return
        self.begun = True
        for c in range(self.level.shape[1]):
            self.steps[h, c, 0] = self.level[s, c]
            self.steps[h + 1, c, 1] = self.steps[h, c, 1] + 1.0 / self.scale[s, c]
            self.steps[h + 1, c, 2] = self.steps[h, c, 2] + self.level[s, c] / self.scale[s, c]
            self.growth = max(self.growth, self.scale[s, c] * self.steps[1, c, 1])
        self.known = h + 1

    cdef void owe(self, Py_ssize_t j, Py_ssize_t upto, double* total) noexcept nogil:
        """Add to total (K,) what feature j contributes at the stored steps before `upto`."""
        cdef Py_ssize_t k, K = self.n_responses, first = self.since[j]
        cdef Py_ssize_t kind = 0 if self.kind is None else self.kind[j]
        cdef double* r = &self.record[self.width * j]
        cdef double c = 0.0 if self.dual else r[K], size = 0.0, part
        if first == upto:
            return
        if self.tied:
            for k in range(K):
                size += r[k] * r[k]
            size = sqrt(size)
            if size == 0.0:
                return
            part = self.area(kind, first, upto, size + c) / size
            for k in range(K):
                total[k] += r[k] * part
            return
        for k in range(K):
            if r[k] > 0.0:
                total[k] += self.area(kind, first, upto, r[k] + c)
            elif r[k] < 0.0:
                total[k] -= self.area(kind, first, upto, c - r[k])

    cdef double area(self, Py_ssize_t kind, Py_ssize_t first, Py_ssize_t last, double top
                     ) noexcept nogil:
        """Return the sum of (top - level_s)_+ / scale_s over steps first <= s < last."""
        cdef Py_ssize_t low = first, high = last, middle
        cdef const double* begin = &self.steps[first, kind, 0]
        cdef const double* end
        if self.steps[last - 1, kind, 0] < top:
            low = last
        # Find the step where the level reaches top.
        while low < high:
            middle = (low + high) // 2
            if self.steps[middle, kind, 0] < top:
                low = middle + 1
            else:
                high = middle
        end = &self.steps[low, kind, 0]
        return top * (end[1] - begin[1]) - (end[2] - begin[2])

    cdef void bring_up(self) noexcept nogil:
        """Add what all features contribute so far, and forget the stored steps."""
        cdef Py_ssize_t j
        for j in range(self.n_features):
            self.owe(j, self.known, &self.sums[1, j, 0])
            self.since[j] = 0
        self.known = self.since_intercept = 0
        self.growth = 0.0
