"""FOBOS and dual averaging step by step on whole vectors: any penalty, projections, averages.

    FOBOS   w_{s+1} = P(argmin_w |w - (w_s - eta_s g_s)|^2 / 2 + eta_s lam Omega(w))
    RDA     w_{s+1} = P(argmin_w w'(g_1 + ... + g_s) + t lam Omega(w) + beta_t |w|^2 / 2)

P is the projection onto |w| <= radius, if there is one. Nothing is lazy: a step costs as much as
the penalty's prox. P keeps the bound of the regret, because Omega increases along rays from 0.
Averages are over the w_s before each step, each step counting once: over all steps, or over those
since the last power of two but one, which are at least half. "best" keeps the w_s of the least mean
loss plus lam Omega, which steps of all rows know, and what Corollary 5 needs: the sums of eta_s and
of eta_s^2 |g_s|^2.
Reference: Duchi and Singer (2009), sections 3 and 7.2; Shamir and Zhang (2013) for suffixes.
"""
import numpy as np

from sparsesolve.online.engine cimport Engine


cdef class Whole(Engine):
    """FOBOS or dual averaging with any penalty; see the head of this file.

    Parameters
    ----------
    n_responses, n_features, intercept :
        See Engine.
    penalty : object with value and prox on arrays (K, p)
    dual : bool
        True: gradients are summed (RDA).
    radius : float or None
    average : False, True, "suffix" or "best"
    lam : float
    """
    cdef readonly object penalty, radius, average
    cdef readonly bint dual
    cdef public double largest              # largest |w|^2 so far, with intercepts
    cdef public double[:, ::1] value        # (K, p) weights at this step
    cdef public double[::1] b               # (K,) intercepts
    cdef double[:, ::1] gradient            # (K, p) gradient of this step
    cdef double[::1] lead                   # (K,) gradient of the intercepts
    cdef readonly double lam
    cdef public double path, squares        # sums of eta_s, and of eta_s^2 |g_s|^2, of "best"
    cdef public object best                 # its [objective, W (K, p), b (K,)]
    cdef public object sums                 # for averages: [u, W (K, p), b (K,)] for each epoch
    cdef public Py_ssize_t made             # number of steps
    cdef object failed                      # exception of the penalty

    def __init__(self, n_responses, n_features, intercept, penalty, dual, radius, average,
                 lam):
        super().__init__(n_responses, n_features, intercept, None, n_responses)
        self.penalty, self.dual, self.radius, self.average = penalty, dual, radius, average
        shape = n_responses, n_features
        self.value, self.gradient = np.zeros(shape), np.zeros(shape)
        self.lead, self.b = np.zeros(n_responses), np.zeros(n_responses)
        self.sums, self.lam = [self._nothing(), self._nothing()], lam
        self.best = [np.inf, *self._nothing()[1:]]

    def _nothing(self):
        return [0.0, np.zeros((self.n_responses, self.n_features)), np.zeros(self.n_responses)]

    learned = ("value", "b", "sums", "made", "largest", "path", "squares", "best")

    def run(self, loss, times, start, index, x, y, w, offset, steps):
        """Run as in Engine, and raise an exception of the penalty."""
        found = super().run(loss, times, start, index, x, y, w, offset, steps)
        error, self.failed = self.failed, None
        if error is not None:
            raise error
        return found

    cdef void fetch(self, const int* index, Py_ssize_t count) noexcept nogil:
        """Do nothing: every step updates all weights."""

    cdef void gather(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                     double* eta) noexcept nogil:
        cdef Py_ssize_t a, k
        for k in range(self.n_responses):
            eta[k] += self.b[k]
            for a in range(count):
                eta[k] += x[a] * self.value[k, index[a]]

    cdef void scatter(self, Py_ssize_t s, const int* index, const double* x, Py_ssize_t count,
                      const double* slope) noexcept nogil:
        cdef Py_ssize_t a, k
        for k in range(self.n_responses):
            if self.has_intercept:
                self.lead[k] += slope[k]
            for a in range(count):
                self.gradient[k, index[a]] += slope[k] * x[a]

    cdef void commit(self, Py_ssize_t s) noexcept nogil:
        with gil:
            self._commit(s)

    cdef void _commit(self, Py_ssize_t s) noexcept:
        if self.failed is not None:
            return
        try:
            u = self.rate[s]
            if self.average == "best":
                self._compare(u)
            elif self.average is not False:
                self._add()
            amount = self.level[s + 1, 0] if self.dual else self.level[s + 1, 0] - self.level[s, 0]
            self._step(u, amount, self.scale[s + 1, 0])
        except BaseException as error:
            self.failed = error

    def _step(self, rate, amount, scale):
        """Learn the gradient, and shrink by `amount`."""
        W, G = np.asarray(self.value), np.asarray(self.gradient)
        b, lead = np.asarray(self.b), np.asarray(self.lead)
        if self.dual:
            q = np.asarray(self.record).reshape(W.shape)
            q -= rate * G
            sums = np.asarray(self.intercept_record)[0]
            sums -= rate * lead
            W, b = self.penalty.prox(q / scale, amount / scale), sums / scale
        else:
            W, b = self.penalty.prox(W - rate * G, amount), b - rate * lead
        if self.radius is not None:
            length = np.sqrt(np.vdot(W, W))
            W = W * (self.radius / length) if length > self.radius else W
        self.value, self.b = np.ascontiguousarray(W), b
        G[:], lead[:] = 0.0, 0.0
        self.largest = max(self.largest, float(np.vdot(W, W) + b @ b))

    def _compare(self, rate):
        """Keep the weights at the start of this step if their objective is the least so far."""
        W, G, lead = np.asarray(self.value), np.asarray(self.gradient), np.asarray(self.lead)
        self.path += rate
        self.squares += rate * rate * float(np.vdot(G, G) + lead @ lead)
        objective = self.suffered + self.penalty.value(W, self.lam)
        if objective < self.best[0]:
            self.best = [objective, W.copy(), np.array(self.b)]

    def _add(self):
        """Add the weights at the start of this step to the average."""
        self.made += 1
        if self.average == "suffix" and self.made & (self.made - 1) == 0:
            self.sums = [self.sums[1], self._nothing()]
        here = self.sums[1]
        here[0] += 1.0
        here[1] += np.asarray(self.value)
        here[2] += np.asarray(self.b)

    def weights(self, level, scale, plain, features=None):
        """Return the weights and intercepts, averaged if that was requested; see Engine."""
        W, b = np.array(self.value), np.array(self.b)
        if self.average == "best":
            W, b = (W, b) if self.best[0] == np.inf else (self.best[1].copy(), self.best[2].copy())
        elif self.average is not False and self.made > 0:
            total = self.sums[0][0] + self.sums[1][0]
            W = (self.sums[0][1] + self.sums[1][1]) / total
            b = (self.sums[0][2] + self.sums[1][2]) / total
        return (W if features is None else W[:, features]), b
