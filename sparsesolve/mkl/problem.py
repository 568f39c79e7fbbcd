"""KernelProblem: kernels, a norm and a loss, as every solver of this folder receives them.

    minimise over f_1..f_M, b0    F(offset + b0 + sum_m f_m)  +  lam phi(||f_1||, .., ||f_M||)

Solutions have the form f_m = n_m K_m u / s_m, with one dual vector u (q, n) for all kernels and
s_m = sqrt(u'K_m u) (Bach et al. 2012, section 1.5). So ||f_m|| = n_m. A dual point is any u; with
an intercept it sums to 0 over the samples. Its objective is -F*(-u) - offset'u - (lam phi)*(s).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sparsesolve.losses import Loss
from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.norms import Norm
from sparsesolve.solvers.problem.standardisation import best_intercept, best_intercepts


class KernelFit(NamedTuple):
    """A solution: f_m = shares_m K_m dual."""

    norms: np.ndarray  # (k,) of the active kernels
    shares: np.ndarray  # (k,)
    dual: np.ndarray  # (q, n)


@dataclass(frozen=True)
class KernelProblem:
    """The problem that a solver receives, in inner units: lam = user's lambda / 2**unit."""

    kernels: Kernels
    norm: Norm
    factors: np.ndarray  # (M,) weights d_m of the norms; inf leaves a kernel out
    loss: Loss
    weights: np.ndarray  # (n,) sum 1
    offset: np.ndarray  # (q, n)
    intercept: bool
    null_intercept: np.ndarray  # (q,) of the model with offset and intercept only
    null_value: float  # its loss minus the least possible loss
    unit: int
    mean: np.ndarray  # (q,) the mean removed from y, over 2**exponent
    exponent: int  # user's f = inner f * 2**exponent
    joined: bool  # True if F'' is that of the softmax
    means: dict  # column means (n,) of kernels that were centred, by number
    limited = False  # True if there are limits on coefficients

    @property
    def shape(self):
        """The shape of u, (q, n)."""
        return self.offset.shape

    @property
    def included(self):
        """The kernels that may enter."""
        return np.flatnonzero(np.isfinite(self.factors))

    def inner_lambda(self, lam):
        """Return the user's lambda in inner units."""
        return float(np.ldexp(lam, -self.unit))

    def user_lambdas(self, levels):
        """Return the user's lambdas for inner ones."""
        return np.ldexp(levels, self.unit)

    def rounding_cost(self, which, fit, intercepts):
        """Return 0: rounding costs nothing, because kernels do not cancel one another."""
        return 0.0

    def to_user(self, which, fit, intercepts):
        """Return kernels, KernelFit and intercepts in the user's units, for `solvers.follow`."""
        for m, share in zip(which, fit.shares, strict=True):
            if m in self.means:
                intercepts = intercepts - share * (fit.dual @ self.means[m])
        scaled = KernelFit(
            np.ldexp(fit.norms, self.exponent), fit.shares, np.ldexp(fit.dual, self.exponent)
        )
        intercepts = np.ldexp(self.mean + intercepts, self.exponent)
        if self.loss.symmetric:
            intercepts = intercepts - intercepts.mean()
        return which, scaled, intercepts

    def fitted(self, f, near):
        """Return F minus its least value, -F', the linear predictor and the intercepts of f (q,
        n).

        The intercepts (q,) are the best ones, searched from `near`. If f is so large that F
        overflows, F is infinite.
        """
        base = self.offset + f + near[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(self.loss_at(base)[0]):
                return np.inf, np.zeros(self.shape), base, near
        if self.intercept:
            near = near + self.best_intercepts(base)
            base = self.offset + f + near[:, None]
        value, u = self.loss_at(base)
        return value - self.loss.saturated, u, base, near

    def loss_at(self, eta):
        """Return F and u = -F' at the linear predictor eta (q, n)."""
        value, u = self.loss.at(eta if self.loss.n_responses > 1 else eta[0])
        return value, u.reshape(self.shape)

    def best_intercepts(self, base):
        """Return the intercepts that make each row of u sum to 0, for base (q, n)."""
        if self.loss.n_responses > 1:
            return best_intercepts(self.loss, base)[0]
        return np.array([best_intercept(self.loss, base[0])[0]])

    def curvature(self, eta):
        """Return H's diagonal (q, n) as System takes it; for the softmax it is w p."""
        if self.joined:
            shares = np.exp(eta - eta.max(axis=0))
            return self.weights * shares / shares.sum(axis=0)
        flat = eta if self.loss.n_responses > 1 else eta[0]
        return np.maximum(self.loss.curvature_at(flat).reshape(self.shape), 0.0)

    def raised_curvature(self, eta):
        """Return H's diagonal with the mean for samples without curvature, which bounds a step."""
        h = self.curvature(eta)
        return h if self.joined else np.where(h > 0.0, h, h.sum() * self.weights)

    def curvature_times(self, eta, v):
        """Return H v for v (q, n)."""
        if self.loss.n_responses > 1:
            return self.loss.curvature_product(eta, v)
        return self.loss.curvature_product(eta[0], v[0])[None]

    def young(self, eta, u):
        """Return F(eta) + F*(-u) + eta'u."""
        one = self.loss.n_responses > 1
        return self.loss.fenchel_young_at(eta if one else eta[0], u if one else u[0])
