"""The contract of a loss: F(eta) of the linear predictors of all samples, convex and smooth.

A loss knows samples and never coefficients: responses y, weights w that sum to 1, and eta, which
includes the offset. Solvers ask for F together with u = -F'(eta), for the curvature, and for the
Fenchel-Young gap

    F(eta) + F*(-u) + eta'u  >=  0      (0 if u = -F'(eta)),

the samples' part of a duality gap. With eta = offset + Zb, the sum of it and lam Omega(b) + (lam
Omega)*(Z'u) - b'Z'u is P(b) - D(u).

Any new loss is a subclass of one of two classes.

    Separable   a sum over samples (`separable.pyx`). It must implement `value`, `slope` and
                `second_derivative` of one sample's response and predictor. It should implement
                `excess`; otherwise the point of contact of a line of that slope is searched.
    Loss        one that couples samples, or has K responses. It must implement `evaluate`,
                `curvature`, `curvature_times` and `fenchel_young`; with K responses `parts`, too.

In `__init__` it sets n, w, saturated (its infimum) and, with K responses, n_responses. Attributes
that say what else it can do (`smooth`, `by_sample`, `by_rows`, `linear_in_y`, ...) stand below with
their meaning. Then a line in `losses/__init__.py`, and one in `tests/laws/test_losses.py`.
"""
from libc.math cimport INFINITY, NAN

import numpy as np

from sparsesolve.linalg.design.equal_rows import class_means


cdef class Loss:
    """A loss F(eta).

    A subclass overrides every `cdef` method it supports. An override that is forgotten silently
    returns 0; tests/laws detect it.
    """

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        """Return F(eta) and set u = -F'(eta)."""
        return 0.0

    cdef double evaluate_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* eta,
                              double* u) noexcept nogil:
        """Return the contribution of the samples start..stop to F(eta) and set their u.

        A loss without `by_rows` accepts all samples only.
        """
        return self.evaluate(eta, u)

    # False if the loss has kinks; solvers then use its Moreau envelope.
    smooth = True

    # True if `sample` is available: F is a sum over samples, and each depends on its own y only.
    by_sample = False

    cdef double sample(self, const double* y, const double* eta, double* slope) noexcept nogil:
        """Return the loss of one sample of weight 1 and set its slope; y, eta and slope are (K,).

        The responses that the loss was made with do not matter.
        """
        return NAN

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        """Set h to the diagonal of F''(eta), or to more where less would mislead."""

    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil:
        """Set out = F''(eta) v."""

    cdef void parts(self, const double* u, double* A, double* r) noexcept nogil:
        """Split F'' of K responses into diag(a_i) - r_i a_i a_i' for every sample i, where -F' is
        u.

        The a_i are the columns of A (K, n), and r is (n,).
        """

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        """Return F(eta) + F*(-u) + eta'u, or INFINITY if -u is outside the conjugate's domain."""
        return INFINITY

    cdef bint admits(self, const double* eta, const double* u) noexcept nogil:
        """Return True if F*(-u) is finite."""
        return self.fenchel_young(eta, u) < INFINITY

    cdef bint take_root(self, const double* eta, double floor, bint dense) noexcept nogil:
        """Factor F''(eta) = L L' if it is far from its diagonal; return True if there is a
        factor.

        The factor takes O(n), or O(n^3) if `dense` is True. It is stored in `root`, which leaves
        out samples of weight 0. Squared diagonal entries of L are at least `floor` times the
        sample's weight.
        """
        return False

    def curvature_parts(self, u):
        """Return what `parts` computes, (A (K, n), r (n,)), for u (K, n)."""
        cdef const double[:, ::1] slope = np.ascontiguousarray(u, dtype=float)
        cdef double[:, ::1] A = np.empty((self.n_responses, self.n))
        cdef double[::1] r = np.empty(self.n)
        self.parts(&slope[0, 0], &A[0, 0], &r[0])
        return np.asarray(A), np.asarray(r)

    # The smallest and the largest u of each sample, (n,) each, if they are known.
    ends = None

    # F(t eta) of responses t y is t^degree F(eta) of y, once parameters that are residuals are
    # multiplied by t; 0 if y has no unit that eta shares.
    degree = 0

    def in_units(self, y, int exponent):
        """Return the same function of y (n,) divided by 2**exponent; requires `degree`."""
        return type(self)(y, self.samples()[1], *self.parameters())

    # The attributes and methods below let samples that share eta be merged.

    # F is a sum over samples of w times a multiple of y plus a term without y.
    linear_in_y = False
    # value(y, o + eta) equals value(y, eta) times a factor, up to terms that eta does not change.
    exposes = False

    def samples(self):
        """Return the responses (n,) or (n, K) and the weights (n,) that the loss was made with."""
        raise NotImplementedError

    def parameters(self):
        """Return the other arguments that the loss was made with."""
        return ()

    def __reduce__(self):
        return type(self), (*self.samples(), *self.parameters())

    def merged(self, const int[::1] label, const int[::1] first, eta, double excess):
        """Return the same function of eta as a loss of classes of samples; requires
        `linear_in_y`.

        label (n,) is the class of each sample, and first (m,) the first sample of each class.
        That sample gets the mean response and the total weight of its class. `saturated` stays
        the infimum for single samples; F of the single samples at eta, (m,) or (K, m), exceeds it
        by `excess`.
        """
        cdef Loss found
        mean, weight = class_means(label, first, *self.samples())
        found = type(self)(mean, weight, *self.parameters())
        found.saturated = found.at(eta)[0] - excess
        return found

    def raise_pending(self):
        """Raise the exception that a method above caught in Python, if there is one.

        These methods are noexcept, so no exception can leave them.
        """
        error, self.pending = self.pending, None
        if error is not None:
            raise error

    # Pieces of a loss that is linear or quadratic between kinks, for solvers of its dual:
    #     f(y, eta) = max over s in [l, h] of  s (eta - c) - width |s| - bend s^2 / 2.
    # `pieces` holds c, l and h (n,) each; None of a loss of another form. One that is entropic has
    # width = bend = 0, and the entropy of the share (s - l) / (h - l) is added.
    pieces = None
    bend, entropic = 0.0, False

    # The methods below check their arguments and take arrays.

    def at(self, eta):
        """Return F(eta) and -F'(eta), for eta (n,) or (K, n)."""
        cdef const double[::1] e = self._flat(eta)
        out = np.empty(e.shape[0])
        cdef double[::1] u = out
        cdef double value = self.evaluate(&e[0], &u[0])
        self.raise_pending()
        return value, out.reshape(np.shape(eta))

    def sample_at(self, y, eta):
        """Return what `sample` computes for y and eta (K,): the loss and its slope (K,)."""
        cdef const double[::1] labels = np.ascontiguousarray(np.atleast_1d(y), dtype=float)
        cdef const double[::1] e = np.ascontiguousarray(np.atleast_1d(eta), dtype=float)
        slope = np.empty(e.shape[0])
        cdef double[::1] out = slope
        return self.sample(&labels[0], &e[0], &out[0]), slope

    def curvature_at(self, eta):
        """Return what `curvature` computes, in the shape of eta."""
        cdef const double[::1] e = self._flat(eta)
        out = np.empty(e.shape[0])
        cdef double[::1] h = out
        self.curvature(&e[0], &h[0])
        self.raise_pending()
        return out.reshape(np.shape(eta))

    def curvature_product(self, eta, v):
        """Return F''(eta) v, in the shape of eta."""
        cdef const double[::1] e = self._flat(eta)
        cdef const double[::1] x = self._flat(v)
        image = np.empty(e.shape[0])
        cdef double[::1] out = image
        self.curvature_times(&e[0], &x[0], &out[0])
        self.raise_pending()
        return image.reshape(np.shape(eta))

    def fenchel_young_at(self, eta, u):
        """Return F(eta) + F*(-u) + eta'u."""
        cdef const double[::1] e = self._flat(eta)
        cdef const double[::1] x = self._flat(u)
        cdef double excess = self.fenchel_young(&e[0], &x[0])
        self.raise_pending()
        return excess

    def root_at(self, eta, floor=1e-6, dense=False):
        """Return the Root L of F''(eta) = L L', or None if there is no such factor."""
        cdef const double[::1] e = self._flat(eta)
        return self.root if self.take_root(&e[0], floor, dense) else None

    def _flat(self, eta):
        flat = np.ascontiguousarray(eta, dtype=float).ravel()
        if len(flat) != self.n * self.n_responses:
            raise ValueError(
                f"eta has {len(flat)} values; {self.n_responses} x {self.n} are needed")
        return flat
