"""Elastic net with penalty factors and limits; alpha = 1 is the lasso, alpha = 0 ridge."""
from inspect import signature

import numpy as np

from sparsesolve.penalties.elastic_net cimport conjugate, feasible_scale, prox, value

from sparsesolve.penalties.norm import LEAST_ALPHA, NO_PENALTY, free_directions


cdef class ElasticNet:
    """Omega(b) = sum_j v_j (alpha |b_j| + (1 - alpha) b_j^2 / 2), with lower_j <= b_j <= upper_j.

    Parameters
    ----------
    n_features : int
    alpha : float in [0, 1]
    factors : (p,)
        Penalty factors v, already rescaled; 0 unpenalised. Excluded features have limits of 0.
    lower, upper : (p,) or None
        lower <= 0 <= upper.
    ridge_unit : float
        Multiplies the squared part: 1 unless coefficients are measured in units other than the
        penalty's.

    The level lam is an argument of every method, never an attribute.
    """

    __signature__ = signature(lambda n_features, alpha=1.0, factors=None, lower=None, upper=None,
                                     ridge_unit=1.0: None)
    has_blocks, has_groups = True, False    # each feature is a block; see penalty.py

    def __init__(self, n_features, alpha=1.0, factors=None, lower=None, upper=None, ridge_unit=1.0):
        v = np.ones(n_features) if factors is None else np.array(factors, dtype=float)
        self.alpha = alpha
        self.factors = v
        self.l1 = alpha * v
        self.l2 = (1.0 - alpha) * ridge_unit * v
        self.lower = np.full(n_features, -np.inf) if lower is None else np.array(lower, dtype=float)
        self.upper = np.full(n_features, np.inf) if upper is None else np.array(upper, dtype=float)

    def part(self, which):
        """Return the penalty on the features `which` alone."""
        factors, l2, lower, upper = np.stack([self.factors, self.l2, self.lower,
                                              self.upper])[:, which]
        cdef ElasticNet net = ElasticNet(len(which), self.alpha, factors, lower, upper)
        net.l2 = np.array(l2)
        return net

    def unlimited(self, features):
        """Return the penalty without limits on these features, a mask (p,)."""
        net = self.part(np.arange(len(features)))
        np.asarray(net.lower)[features], np.asarray(net.upper)[features] = -np.inf, np.inf
        return net

    def value(self, const double[::1] b, double lam=1.0):
        """Return lam * Omega(b), infinite outside the limits."""
        cdef double total = 0.0
        cdef Py_ssize_t j
        for j in range(b.shape[0]):
            if not self.lower[j] <= b[j] <= self.upper[j]:
                return np.inf
            # Without a ridge part its square, which may be beyond floats, does not count.
            total += lam * self.l1[j] * fabs(b[j]) if self.l2[j] == 0.0 else value(
                b[j], lam * self.l1[j], lam * self.l2[j])
        return total

    def prox(self, const double[::1] x, double lam=1.0):
        """Return argmin_b |b - x|^2 / 2 + lam * Omega(b)."""
        out = np.empty(x.shape[0])
        cdef double[::1] b = out
        cdef Py_ssize_t j
        for j in range(x.shape[0]):
            b[j] = prox(x[j], 1.0, lam * self.l1[j], lam * self.l2[j], self.lower[j], self.upper[j])
        return out

    def polar(self, const double[::1] z):
        """Return the least lam with b = 0 optimal for -z'b: max |z_j| / (alpha v_j)."""
        cdef double largest = 0.0
        cdef Py_ssize_t j
        for j in range(z.shape[0]):
            if z[j] != 0.0 and (self.upper[j] if z[j] > 0 else -self.lower[j]) > 0:
                if self.l1[j] == 0.0:
                    return np.inf
                largest = max(largest, abs(z[j]) / self.l1[j])
        return largest

    def entry_lambdas(self, const double[::1] z):
        """Return the least lam that keeps each feature at zero, (p,), with alpha at least 1e-3."""
        v, upper, lower = np.asarray(self.factors), np.asarray(self.upper), np.asarray(self.lower)
        held = (v > 0.0) & ((upper > 0.0) | (lower < 0.0))
        levels = np.where(held, np.abs(z) / np.where(held, v, 1.0), 0.0)
        return levels / max(self.alpha, LEAST_ALPHA)

    def conjugate(self, const double[::1] z, double lam=1.0):
        """Return sup_b z'b - lam * Omega(b)."""
        cdef double total = 0.0
        cdef Py_ssize_t j
        for j in range(z.shape[0]):
            total += conjugate(z[j], lam * self.l1[j], lam * self.l2[j], self.lower[j],
                               self.upper[j])
        return total

    def feasible_scale(self, const double[::1] z, double lam=1.0):
        """Return the largest s <= 1 for which conjugate(s z) is finite."""
        cdef double s = 1.0
        cdef Py_ssize_t j
        for j in range(z.shape[0]):
            s = min(s, feasible_scale(z[j], lam * self.l1[j], lam * self.l2[j], self.lower[j],
                                      self.upper[j]))
        return s

    def kernel(self):
        """Return the unpenalised features without limits as directions, csc (p, k)."""
        return free_directions(self, self.l1.shape[0])

    def unpenalised(self, b, z, double lam=1.0):
        """Return a mask (p,) of the features without a penalty at this lam and without an active
        limit.

        A limit is active if z presses the coefficient against it.
        """
        b, z, lower, upper = (np.asarray(b), np.asarray(z), np.asarray(self.lower),
                              np.asarray(self.upper))
        with np.errstate(over="ignore"):  # a level beyond the range of floats is no small penalty
            without_penalty = lam * np.maximum(self.l1, self.l2) <= NO_PENALTY
        return without_penalty & ~((b >= upper) & (z >= 0.0)) & ~((b <= lower) & (z <= 0.0))

    def majorant(self, b, double smoothing):
        """Return v (p,) such that sum_j v_j x_j^2 / 2 plus a constant majorises Omega(x).

        The majorant is close to Omega at x = b if `smoothing` is small.
        """
        return np.asarray(self.l1) / np.hypot(b, smoothing) + np.asarray(self.l2)
