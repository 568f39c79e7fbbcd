"""The contract of a loss: F(eta) of the linear predictors of all samples, convex and smooth.

A loss knows samples and never coefficients: responses y, weights w that sum to 1, and eta, offset included.  Solvers
ask for F with u = -F'(eta), for the curvature, and for

    F(eta) + F*(-u) + eta'u  >=  0      (Fenchel and Young; 0 where u = -F'(eta)),

the part of a duality gap that samples answer for: with eta = offset + Zb it and lam Omega(b) + (lam Omega)*(Z'u) -
b'Z'u add up to P(b) - D(u).
"""
from libc.math cimport INFINITY, NAN, fabs

import numpy as np

from sparsesolve.linalg.design.equal_rows import class_means
from sparsesolve.losses.contact cimport Contact, contact_from, settles
from sparsesolve.losses.entropy cimport price

DEF BLOCK = 256                 # samples whose losses are added one by one
cdef int STEPS = 200            # Newton's, or doublings and halvings of a bracket
cdef double HIDDEN = 1e-12      # of the least value: as little above it is rounding
cdef double BEYOND = 1e-12      # of slope and bend at 0: rounding outside the range of slopes


cdef class Loss:
    """F(eta), whatever it is; a subclass overrides every `cdef` method (a forgotten one returns 0: the laws tell)."""

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        """F(eta), with u = -F'(eta)."""
        return 0.0

    cdef double evaluate_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* eta, double* u) noexcept nogil:
        """What samples start..stop add to F(eta), with their u; all samples at once unless `by_rows`."""
        return self.evaluate(eta, u)

    smooth = True           # False where there are kinks: solvers then take its Moreau envelope

    by_sample = False       # whether `sample` is there: F is a sum over samples, each known by its own y

    cdef double sample(self, const double* y, const double* eta, double* slope) noexcept nogil:
        """Loss of one sample of weight 1, whatever this was made with, and its slope; y, eta, slope are (K,)."""
        return NAN

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        """h = the diagonal of F''(eta), or more where F'' is not diagonal and less would mislead."""

    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil:
        """out = F''(eta) v."""

    cdef void parts(self, const double* u, double* A, double* r) noexcept nogil:
        """Of K responses: F'' is diag(a_i) - r_i a_i a_i', a_i of A (K, n), r (n,), for a sample where -F' is u."""

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        """F(eta) + F*(-u) + eta'u, INFINITY where -u is outside the conjugate's domain."""
        return INFINITY

    cdef bint admits(self, const double* eta, const double* u) noexcept nogil:
        """Whether that is finite."""
        return self.fenchel_young(eta, u) < INFINITY

    cdef bint take_root(self, const double* eta, double floor, bint dense) noexcept nogil:
        """Whether F''(eta) is far from its diagonal and yet has a factor L L' in O(n); with `dense`, in O(n^3).

        If so it is left in `root`, in which samples of weight 0 have no place; no squared diagonal entry of L is
        below `floor` times a sample's weight.
        """
        return False

    def curvature_parts(self, u):
        """The same: (A (K, n), r (n,)) for u (K, n)."""
        cdef const double[:, ::1] slope = np.ascontiguousarray(u, dtype=float)
        cdef double[:, ::1] A = np.empty((self.n_responses, self.n))
        cdef double[::1] r = np.empty(self.n)
        self.parts(&slope[0, 0], &A[0, 0], &r[0])
        return np.asarray(A), np.asarray(r)

    ends = None             # the least and the largest u of each sample, (n,) each, where these are known

    # samples that share eta

    linear_in_y = False     # whether F is a sum over samples of w times a multiple of y and a term without it,
    exposes = False         # and value(y, o + eta) that of another o by a factor, but for what eta does not change

    def samples(self):
        """y (n,) or (n, K), and w (n,), as it was made with."""
        raise NotImplementedError

    def parameters(self):
        """What else it was made with."""
        return ()

    def merged(self, const int[::1] label, const int[::1] first, eta, double excess):
        """The same function of eta, where it is that of classes of samples, and `linear_in_y`.

        label (n,) are the classes and first (m,) the first sample of each: it takes their mean y, and all of their
        weight.  `saturated` stays that of single samples, of which F at eta, (m,) or (K, m), is `excess` above.
        """
        cdef Loss found
        mean, weight = class_means(label, first, *self.samples())
        found = type(self)(mean, weight, *self.parameters())
        found.saturated = found.at(eta)[0] - excess
        return found

    def raise_pending(self):
        """Raise what went wrong in Python inside the methods above, which let no exception out, if anything did."""
        error, self.pending = self.pending, None
        if error is not None:
            raise error

    # the same for arrays, checked

    def at(self, eta):
        """F(eta) and -F'(eta), for eta (n,) or (K, n)."""
        cdef const double[::1] e = self._flat(eta)
        out = np.empty(e.shape[0])
        cdef double[::1] u = out
        cdef double value = self.evaluate(&e[0], &u[0])
        self.raise_pending()
        return value, out.reshape(np.shape(eta))

    def sample_at(self, y, eta):
        """What `sample` gives for y and eta (K,): the loss, and its slope (K,)."""
        cdef const double[::1] labels = np.ascontiguousarray(np.atleast_1d(y), dtype=float)
        cdef const double[::1] e = np.ascontiguousarray(np.atleast_1d(eta), dtype=float)
        slope = np.empty(e.shape[0])
        cdef double[::1] out = slope
        return self.sample(&labels[0], &e[0], &out[0]), slope

    def curvature_at(self, eta):
        """What `curvature` gives, in the shape of eta."""
        cdef const double[::1] e = self._flat(eta)
        out = np.empty(e.shape[0])
        cdef double[::1] h = out
        self.curvature(&e[0], &h[0])
        self.raise_pending()
        return out.reshape(np.shape(eta))

    def curvature_product(self, eta, v):
        """F''(eta) v, in the shape of eta."""
        cdef const double[::1] e = self._flat(eta)
        cdef const double[::1] x = self._flat(v)
        image = np.empty(e.shape[0])
        cdef double[::1] out = image
        self.curvature_times(&e[0], &x[0], &out[0])
        self.raise_pending()
        return image.reshape(np.shape(eta))

    def fenchel_young_at(self, eta, u):
        """F(eta) + F*(-u) + eta'u."""
        cdef const double[::1] e = self._flat(eta)
        cdef const double[::1] x = self._flat(u)
        cdef double excess = self.fenchel_young(&e[0], &x[0])
        self.raise_pending()
        return excess

    def root_at(self, eta, floor=1e-6, dense=False):
        """The Root L of F''(eta) = L L', or None where there is no such factor."""
        cdef const double[::1] e = self._flat(eta)
        return self.root if self.take_root(&e[0], floor, dense) else None

    def _flat(self, eta):
        flat = np.ascontiguousarray(eta, dtype=float).ravel()
        if len(flat) != self.n * self.n_responses:
            raise ValueError(f"eta has {len(flat)} values; {self.n_responses} x {self.n} are needed")
        return flat


cdef class Separable(Loss):
    """F(eta) = sum_i w_i value(y_i, eta_i): a subclass gives scalar functions, or the loops where speed counts.

    Parameters
    ----------
    y : (n,) responses
    w : (n,) weights that sum to 1; a sample of weight 0 takes no part
    """

    def __init__(self, y, w):
        cdef Py_ssize_t i
        self.y, self.w = np.ascontiguousarray(y, dtype=float), np.ascontiguousarray(w, dtype=float)
        self.n, self.n_responses, self.by_rows = self.y.shape[0], 1, True
        self.saturated = 0.0
        for i in range(self.n):
            if self.w[i] > 0.0:
                self.saturated += self.w[i] * self.least(self.y[i])

    by_sample = True

    def samples(self):
        return np.asarray(self.y), np.asarray(self.w)

    @property
    def ends(self):
        cdef Py_ssize_t i
        cdef double[:, ::1] out = np.zeros((2, self.n))
        for i in range(self.n):
            if self.w[i] > 0.0:
                out[0, i] = -self.w[i] * self.largest_slope(self.y[i])
                out[1, i] = -self.w[i] * self.least_slope(self.y[i])
        return np.asarray(out)

    cdef double value(self, double y, double eta) noexcept nogil:
        """Loss of one sample."""
        return 0.0

    cdef double slope(self, double y, double eta) noexcept nogil:
        """Its derivative in eta."""
        return 0.0

    cdef double sample(self, const double* y, const double* eta, double* slope) noexcept nogil:
        slope[0] = self.slope(y[0], eta[0])
        return self.value(y[0], eta[0])

    cdef double bend(self, double y, double eta) noexcept nogil:
        """Its second derivative."""
        return 0.0

    cdef double least(self, double y) noexcept nogil:
        """The infimum of value(y, eta) over eta."""
        return 0.0

    cdef double least_slope(self, double y) noexcept nogil:
        """The infimum of slope(y, eta) over eta."""
        return -INFINITY

    cdef double largest_slope(self, double y) noexcept nogil:
        """The supremum of slope(y, eta) over eta."""
        return INFINITY

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        """value(y, eta) + conjugate(y, v) - v eta, INFINITY where v is no slope: how far value is at eta above the
        line of slope v that supports it.

        A subclass that has a formula for it overrides it.  Here the point of contact is found, t where slope is v.
        """
        cdef Contact at = contact_from(eta)
        cdef double off, least
        cdef int k
        if v == 0.0:
            least = self.least(y)
            off = self.value(y, eta) - least
            if off > HIDDEN * fabs(least):      # else it is rounding
                return off
        for k in range(STEPS):
            off = self.slope(y, at.t) - v
            if settles(&at, off, self.bend(y, at.t)):       # no more than the last term is missing
                return max(self.above(y, eta, at.t, v), 0.0) + fabs(off) * at.step
        if fabs(v) > BEYOND * (fabs(self.slope(y, 0.0)) + self.bend(y, 0.0)):
            return INFINITY
        return self.value(y, eta) - self.least(y) + price(fabs(v), eta)

    cdef double above(self, double y, double eta, double t, double v) noexcept nogil:
        """How far value is at eta above the line of slope v that meets it at t."""
        return self.value(y, eta) - self.value(y, t) + v * (t - eta)

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        return self.evaluate_rows(0, self.n, eta, u)

    cdef double evaluate_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* eta, double* u) noexcept nogil:
        """Sums of halves: equal terms, one behind the other, would all be rounded the same way."""
        cdef Py_ssize_t middle = (start + stop) // 2
        if stop - start <= BLOCK:
            return self.evaluate_block(start, stop, eta, u)
        return self.evaluate_rows(start, middle, eta, u) + self.evaluate_rows(middle, stop, eta, u)

    cdef double evaluate_block(self, Py_ssize_t start, Py_ssize_t stop, const double* eta, double* u) noexcept nogil:
        """The same, of a few samples."""
        cdef Py_ssize_t i
        cdef double total = 0.0
        for i in range(start, stop):
            u[i] = 0.0
            if self.w[i] > 0.0:
                total += self.w[i] * self.value(self.y[i], eta[i])
                u[i] = -self.w[i] * self.slope(self.y[i], eta[i])
        return total

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.n):
            h[i] = self.w[i] * self.bend(self.y[i], eta[i]) if self.w[i] > 0.0 else 0.0

    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil:
        cdef Py_ssize_t i
        self.curvature(eta, out)
        for i in range(self.n):
            out[i] *= v[i]

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        cdef Py_ssize_t i
        cdef double total = 0.0
        for i in range(self.n):
            if self.w[i] > 0.0:
                total += self.w[i] * self.excess(self.y[i], eta[i], -u[i] / self.w[i])
            elif u[i] != 0.0:
                return INFINITY
        return total
