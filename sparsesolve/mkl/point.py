"""Point: norms and a dual vector of the working kernels, their primal point, and its gap.

    f = sum_m n_m K_m u / s_m,    s_m = sqrt(u'K_m u),    ||f_m|| = n_m

Let f_m = n_m K_m u / s_m with s_m = sqrt(u'K_m u). The dual point c u with 0 < c <= 1 has the gap

    gap = F(eta) + F*(-c u) + eta'(c u) + lam phi(n) + (lam phi)*(c s) - c f'u,

a sum of two nonnegative terms, by the Fenchel-Young inequalities of F and of phi.
Reference: Bach et al. (2012), section 1.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsesolve.solvers.certificate.gap import gap_of_terms


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
ROUNDING = 2.0**-25
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
    s[s <= ROUNDING * problem.kernels.bounds[which] * np.linalg.norm(u)] = 0.0
    n = np.where(s > 0.0, n, 0.0)
    f = np.tensordot(n / np.maximum(s, TINY), products, axes=1)
    value, residual, eta, intercepts = problem.fitted(f, near)
    return Point(which, n, u, products, s, f, eta, intercepts, value, residual)
