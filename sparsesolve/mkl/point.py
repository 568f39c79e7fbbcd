"""Point: norms and a dual vector of the working kernels, and the primal point that they define.

    f = sum_m n_m K_m u / s_m,    s_m = sqrt(u'K_m u),    ||f_m|| = n_m
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsesolve.mkl.certificate import gap_at

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
