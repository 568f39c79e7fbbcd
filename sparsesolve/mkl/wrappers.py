"""Wrapper methods, as baselines: an inner solver for one kernel, and an update of its weights.

    minimise over eta   J(eta)     with J of single_kernel.py

Given: a KernelProblem and decreasing lam. Returned: a Point whose gap is below a target.
Invariant: J does not rise.

SimpleMKL follows the reduced gradient of J on the simplex of beta_m = lam d_m^2 eta_m, for the
norm "l1_squared". The alternation sets eta_m = n_m / (lam phi_m'(n)), the closed form for given
norms. Both work for the hinge loss, which no other algorithm here does.
References: Rakotomamonjy, Bach, Canu, Grandvalet (2008), "SimpleMKL", JMLR 9; Kloft, Brefeld,
Sonnenburg, Zien (2011), "lp-norm multiple kernel learning", JMLR 12, algorithm 1.
"""

import numpy as np

from sparsesolve.mkl.single_kernel import single_value, solve_single
from sparsesolve.mkl.state import WorkingState
from sparsesolve.mkl.weighted import shares_of

# The inner problem is solved to this share of the target, so that its error does not count.
INSIDE = 1e-3
# Share of the predicted decrease that a step must reach.
ARMIJO = 1e-4
# A step is halved at most this often.
HALVINGS = 30


class Alternation(WorkingState):
    """Alternate between the inner problem and the closed form of the kernel weights."""

    patience = 200

    def __init__(self, problem):
        super().__init__(problem)
        self._work_on(self.all)

    def _look(self, lam):
        return 0.0, False

    def _solve(self, lam, target, budget):
        self.enough = INSIDE * max(target, 1e-13 * self.null)
        if not self.point.n.any():
            sizes = self.point.s
            n = self.problem.norm.response(sizes, self.problem.factors[self.all], lam)
            n = np.maximum(n, 1e-3 * max(n.max(initial=0.0), 1e-3 * self.null / lam))
            self._make(self.all, n, self.point.u, self.point.products)
            self.started = True
        return super()._solve(lam, target, budget)

    def _step(self, lam):
        eta = shares_of(self.problem, self.point, lam)
        self.point = self._inner(eta)

    def _inner(self, eta):
        point = self.point
        return solve_single(self.problem, self.all, eta, point.u, point.intercepts, self.enough)


class SimpleMKL(Alternation):
    """Follow the reduced gradient of the kernel weights, with a line search on the simplex."""

    def _solve(self, lam, target, budget):
        d = self.problem.factors[self.all]
        self.scale = 1.0 / (lam * d**2)  # eta at beta = 1
        if not self.started:
            self.beta = np.full(len(d), 1.0 / max(len(d), 1))
            self.started = True
        self.enough = INSIDE * max(target, 1e-13 * self.null)
        self.point = self._inner(self.beta * self.scale)
        return WorkingState._solve(self, lam, target, budget)

    def _step(self, lam):
        slope = -0.5 * self.point.s**2 * self.scale
        top = int(np.argmax(self.beta))
        direction = -(slope - slope[top])
        direction[(self.beta <= 0.0) & (direction < 0.0)] = 0.0
        direction[top] = 0.0
        direction[top] = -direction.sum()
        share = self._to_the_edge(direction, top)
        if share > 0.0:
            self._search_line(slope, direction, share)

    def _to_the_edge(self, direction, top):
        """Move to the next face of the simplex while J decreases; return the length that is left.
        """
        while True:
            falling = np.flatnonzero(direction < 0.0)
            if not len(falling):
                return 0.0
            lengths = -self.beta[falling] / direction[falling]
            first, length = falling[np.argmin(lengths)], float(lengths.min())
            beta = np.maximum(self.beta + length * direction, 0.0)
            beta[first] = 0.0
            point = self._inner(beta * self.scale)
            if single_value(point) >= single_value(self.point) or first == top:
                return length
            self.beta, self.point = beta / beta.sum(), point
            direction[first] = direction[top] = 0.0
            direction[top] = -direction.sum()  # exactly 0 in a corner of the simplex

    def _search_line(self, slope, direction, share):
        value, fall = single_value(self.point), float(slope @ direction)
        for _ in range(HALVINGS):
            beta = np.maximum(self.beta + share * direction, 0.0)
            point = self._inner(beta / beta.sum() * self.scale)
            if single_value(point) <= value + ARMIJO * share * fall:
                self.beta, self.point = beta / beta.sum(), point
                return
            share *= 0.5
