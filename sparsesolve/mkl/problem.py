"""KernelProblem: kernels, a norm and a loss, as every solver of this folder receives them; Point.

    minimise over f_1..f_M, b0    F(offset + b0 + sum_m f_m)  +  lam phi(||f_1||, .., ||f_M||)

Solutions have the form f_m = n_m K_m u / s_m, with one dual vector u (q, n) for all kernels and
s_m = sqrt(u'K_m u) (Bach et al. 2012, section 1.5). So ||f_m|| = n_m. A dual point is any u; with
an intercept it sums to 0 over the samples. Its objective is -F*(-u) - offset'u - (lam phi)*(s).

A Point holds norms n and u of the working kernels. Its dual point c u with 0 < c <= 1 has the gap

    gap = F(eta) + F*(-c u) + eta'(c u) + lam phi(n) + (lam phi)*(c s) - c f'u,

a sum of two nonnegative terms, by the Fenchel-Young inequalities of F and of phi.
Reference: Bach et al. (2012), section 1.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sparsesolve.losses import Loss
from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.norms import Norm
from sparsesolve.solvers.certificate.gap import gap_of_terms
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


def gap_at(problem, lam, point, u, s, along, others=0.0):
    """Return the gap of a Point at the dual vector u (q, n).

    Parameters
    ----------
    s : (k,)
        s_m of the point's kernels at u.
    along : (k,)
        The products f_m'u / n_m; they equal s where f_m is computed from u.
    others : float
        The largest s_m / d_m of all other kernels. Where kernels add to the conjugate one by one,
        the point has all that do.
    """
    norm, d, n = problem.norm, problem.factors[point.which], point.n
    value, inner = lam * norm.value(n, d), float(n @ along)
    if others > 0.0:
        s, d = np.append(s, others), np.append(d, 1.0)
    c = norm.scale(s, d, lam)
    left = abs(float(u.sum(axis=1) @ point.intercepts))  # u sums to 0 up to rounding
    blocks = value + norm.conjugate(c * s, d, lam) - c * inner
    return gap_of_terms(problem.young(point.eta, c * u), blocks, left)


# An s below this share of |K|^(1/2) |u| is rounding, as for a constant kernel.
ROUNDING_OF_SIZES = 1e-7
# Norms below this are replaced by it, so that quotients by s = 0 are finite.
TINY = 1e-300


@dataclass
class Point:
    """A primal point and the dual vector that defines it, for the kernels `which`."""

    which: np.ndarray  # (k,) working kernels
    n: np.ndarray  # (k,) norms, some of which may be 0
    u: np.ndarray  # (q, n)
    products: np.ndarray  # (k, q, n) K_m u
    s: np.ndarray  # (k,)
    f: np.ndarray  # (q, n)
    eta: np.ndarray  # (q, n)
    intercepts: np.ndarray  # (q,)
    loss_value: float  # F less its least value
    residual: np.ndarray  # (q, n) -F'(eta)

    def objective(self, problem, lam):
        """Return the objective less F's least value."""
        return self.loss_value + lam * problem.norm.value(self.n, problem.factors[self.which])

    def gap(self, problem, lam, others=0.0):
        """Return the certified gap; `others` bounds s_m / d_m of all other kernels."""
        return gap_at(problem, lam, self, self.u, self.s, self.s, others)


def sizes_of(products, u):
    """Return s_m (k,) from K_m u (k, q, n)."""
    return np.sqrt(np.maximum(np.einsum("kqn,qn->k", products, u), 0.0))


def make_point(problem, which, n, u, products, near):
    """Return the Point of norms n (k,) and u (q, n); intercepts are searched from `near`."""
    s = sizes_of(products, u)
    s[s <= ROUNDING_OF_SIZES * problem.kernels.bounds[which] * np.linalg.norm(u)] = 0.0
    n = np.where(s > 0.0, n, 0.0)
    f = np.tensordot(n / np.maximum(s, TINY), products, axes=1)
    value, residual, eta, intercepts = problem.fitted(f, near)
    return Point(which, n, u, products, s, f, eta, intercepts, value, residual)
