"""Reweighted l2: ridge problems whose weights follow their solutions, with a vanishing smoothing.

    minimise over b   |c - A b|^2 / 2  +  lam Omega(b),    A = sqrt(W) Z,  c = sqrt(W) y

Given: squared error, no limits, a penalty with a quadratic majorant (elastic net, group lasso,
sparse group lasso). Returned: b with the gap of the problem without smoothing. Invariant: what
FirstOrder keeps. Coefficients that the smoothing alone keeps from zero are shown as zero if that
is better.

A norm is the least of quadratics: |b_g| = min over eta of (|b_g|^2 / eta + eta) / 2. Two steps
alternate: eta_g = sqrt(|b_g|^2 + e^2), and b, a ridge problem. Cholesky's factor of A'A + V (p,
p) solves it, or Woodbury's formula with A V^-1 A' + 1 (n, n) if that is smaller.

Reference: Bach et al. 2012, section 5.
"""

import numpy as np

from sparsesolve.linalg.gram.gram import tall_gram
from sparsesolve.linalg.gram.outer import wide_gram
from sparsesolve.solvers.costs.first_order import (
    FIRST_SMOOTHING,
    KEPT_BY_SMOOTHING,
    SMOOTHING_FADE,
)
from sparsesolve.solvers.costs.rounding import SMOOTHING
from sparsesolve.solvers.first_order.first_order import FirstOrder
from sparsesolve.solvers.first_order.ridge_system import solve_shifted


class Reweighted(FirstOrder):
    """A solver state, see solvers/state.py."""

    between, patience = 5, 40

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        self.y, self.root_w = problem.response, np.sqrt(problem.weights)
        open_ = self.alive & ~_shut(self.penalty) & ~self.unpenalised
        self.which = np.flatnonzero(open_).astype(np.intc)
        self.b = np.zeros(self.design.p)  # b with the coefficients that are shown as zero.
        self.response = self.unpenalised_basis.span.without(self.root_w * self.y)
        self.tall = len(self.which) <= self.design.n
        if self.tall:
            Q, design = self.unpenalised_basis.span.Q, self.design
            gram, cross = tall_gram(design, self.root_w, self.y, n_threads)
            seen = [design.products(self.root_w * q, n_threads) for q in Q.T]
            seen = np.reshape(seen, (-1, design.p))[:, self.which]  # Q'A
            self.gram = gram[np.ix_(self.which, self.which)] - seen.T @ seen
            self.cross = cross[self.which] - seen.T @ (Q.T @ (self.root_w * self.y))
        largest = np.abs(self.design.products(self.root_w * self.response, n_threads))
        square = np.maximum(problem.norms**2, 1e-300)
        self.smoothest = FIRST_SMOOTHING * (largest / square)[self.which].max(initial=0.0)

    def begin(self, lam):
        self.smoothing = self.smoothest

    def step(self, lam):
        weights = lam * self.penalty.majorant(self.b, max(self.smoothing, 1e-300))[self.which]
        self.b[self.which] = self._ridge(np.maximum(weights, 1e-300))
        shown = np.where(np.abs(self.b) <= KEPT_BY_SMOOTHING * self.smoothing, 0.0, self.b)
        points = [self._with_least_squares(shown), self._with_least_squares(self.b.copy())]
        self.point = min(points, key=lambda point: self.objective(lam, point))
        self.smoothing = max(SMOOTHING_FADE * self.smoothing, SMOOTHING * self.smoothest)

    def _ridge(self, v):
        """Return the minimiser of |c - A b|^2 / 2 + sum_j v_j b_j^2 / 2."""
        if self.tall:
            d = 1.0 / np.sqrt(v)
            return d * solve_shifted(d[:, None] * self.gram * d, 1.0, d * self.cross)
        matrix = wide_gram(self.design, self.which, 1.0 / v, self.root_w, self.n_threads)
        matrix = self.unpenalised_basis.span.without(self.unpenalised_basis.span.without(matrix).T)
        a = solve_shifted(matrix, 1.0, self.response)
        return self.design.products(self.root_w * a, self.n_threads)[self.which] / v

    def _with_least_squares(self, b):
        """Return the Point of b with the best unpenalised coefficients for it."""
        which = np.flatnonzero(b).astype(np.intc)
        rest = self.y - self.design.combination(which, b[which])
        return self.at(b, self.unpenalised_basis.span.Q.T @ (self.root_w * rest))


def suits(problem, lambdas):
    """Return True with squared error, a majorant and no limits."""
    penalty = problem.penalty
    if problem.loss is not None or (lambdas is not None and lambdas[-1] == 0.0):
        return False
    if problem.n_responses is not None or not hasattr(penalty, "majorant"):
        return False
    free = np.isinf(penalty.lower) & np.isinf(penalty.upper)
    return bool((free | (np.asarray(penalty.lower) == np.asarray(penalty.upper))).all())


def _shut(penalty):
    """Return a mask of the features that are excluded, (p,)."""
    one, nowhere = np.ones(len(penalty.lower)), np.zeros(len(penalty.lower))
    return ~(penalty.unpenalised(nowhere, one, 0.0) | penalty.unpenalised(nowhere, -one, 0.0))
