"""Reweighted l2 in its trace form: ridge problems in a metric that follows their solutions.

    minimise over B   sum_i w_i |y_i - Z_i B|^2 / 2  +  lam |B|_*

Given: squared error of one response or several, no ridge part, a penalty that answers `metric`.
Returned: B with the gap of the problem without smoothing. Invariant: what FirstOrder keeps.
Directions that the smoothing alone keeps from zero are shown as zero if that is better.

The trace norm is the least of quadratics: |B|_* = min over D > 0 of (tr B'D^-1 B + tr D) / 2. Two
steps alternate: D = (BB' + e^2 I)^(1/2), and B, a ridge problem in the metric M that D makes of
coefficients, of n equations:

    B = M A'(A M A' + lam I)^-1 C,     A = sqrt(W) Z, C = sqrt(W) (Y - mean),

while e vanishes. It is a baseline: gaps of 1e-3 come soon, smaller ones slowly if a singular
value is about to vanish.

Reference: Bach et al. 2012, section 5.2; Argyriou, Evgeniou, Pontil (2008), "Convex multi-task
feature learning".
"""

import numpy as np

from sparsesolve.losses.multigaussian import Multigaussian
from sparsesolve.solvers.costs.first_order import (
    KEPT_BY_SMOOTHING,
    MOST_TRACE_VALUES,
    TRACE_SMOOTHING_FADE,
)
from sparsesolve.solvers.costs.rounding import TRACE_SMOOTHING
from sparsesolve.solvers.first_order.first_order import FirstOrder
from sparsesolve.solvers.first_order.ridge_system import solve_shifted


class ReweightedTrace(FirstOrder):
    """A solver state, see solvers/state.py."""

    between, patience = 5, 40

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        root = np.sqrt(problem.weights)
        self.A = root[:, None] * self.design.unpacked(np.arange(self.design.p, dtype=np.intc))
        with np.errstate(divide="ignore", invalid="ignore"):
            off = np.where(problem.weights > 0.0, self.point.u / problem.weights, 0.0)
        y = self.point.eta + off - self.offset  # u = w (y - eta)
        self.center = y @ problem.weights if self.with_intercept else 0.0 * y[..., 0]
        self.C = (root * (y - np.expand_dims(self.center, -1))).T
        self.B = np.zeros_like(self.point.b)  # not yet shown as zero anywhere
        self.smoothest = float(np.linalg.norm(self.C) / max(np.linalg.norm(self.A, 2), 1e-300))

    def begin(self, lam):
        self.smoothing = self.smoothest

    def step(self, lam):
        omega = self.penalty.omega
        moved = omega.metric(self.B, max(self.smoothing, 1e-300))(self.A)  # A M
        self.B = (moved.T @ solve_shifted(moved @ self.A.T, lam, self.C)).T
        shown = omega.prox(self.B, KEPT_BY_SMOOTHING * self.smoothing)
        points = [self.at(b, self._intercepts()) for b in (shown, self.B.copy())]
        self.point = min(points, key=lambda point: self.objective(lam, point))
        least = TRACE_SMOOTHING * self.smoothest
        self.smoothing = max(TRACE_SMOOTHING_FADE * self.smoothing, least)

    def _intercepts(self):
        c = np.zeros_like(self.point.c)
        if self.with_intercept:
            c[..., 0] = self.center
        return c


def suits_trace(problem, lambdas):
    """Return True if there is such a ridge problem."""
    penalty = problem.penalty
    if problem.has_blocks or not hasattr(getattr(penalty, "omega", None), "metric"):
        return False
    if penalty.ridge > 0.0 or (lambdas is not None and lambdas[-1] == 0.0):
        return False
    squares = problem.loss is None or isinstance(problem.loss, Multigaussian)
    small = problem.design.n * problem.design.p <= MOST_TRACE_VALUES
    return squares and small and penalty.omega.metric(_nowhere(problem), 1.0) is not None


def _nowhere(problem):
    p, K = problem.design.p, problem.n_responses
    return np.zeros(p if K is None else (K, p))
