"""Dual coordinate descent for ridge problems whose loss has pieces, with an unpenalised intercept.

    minimise over b0, b   F(o + b0 + Zb)  +  lam sum_j v_j b_j^2 / 2

Given: a Problem that `ridge_dual.suits`. Returned per lam: the duality gap of ridge_dual.py.
Invariant: u is within its bounds, and A'u is kept with it.

Rows are swept in random order (row_sweeps.pyx). An intercept asks for the hyperplane 1'u = 0. The
method of multipliers, b0 <- b0 + rho 1'u, reaches it, so that single rows can move. Rows leave a
sweep by a heuristic that is undone before a lambda ends. If sweeps stall, Newton steps go on:
those on rows (rows_newton.py) if the loss has kinks or rows alone are given, else proximal Newton
steps on columns. Where rows alone are given (`solve_rows`), they also go on once they are cheaper.

Reference: Hsieh et al. (2008); Bertsekas, "Constrained optimization and Lagrange multiplier
methods" (1982), for the hyperplane.
"""

from typing import NamedTuple

import numpy as np

from sparsesolve.solvers.margin.multipliers import ROUNDS_PATIENCE
from sparsesolve.solvers.margin.ridge_dual import RidgeDual, RowProblem
from sparsesolve.solvers.margin.row_sweeps import EntropicSweeps, RowSweeps
from sparsesolve.solvers.margin.rows_newton import RowsNewton
from sparsesolve.solvers.newton.proximal_newton import ProximalNewton
from sparsesolve.solvers.problem.standardisation import null_model
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LAMBDA, STALLED, Reduced

# Penalty on the sum of u that the intercept asks to be 0, as a multiple of the mean squared row
# over lambda: the curvature that it adds to each row. A larger one couples all rows and slows the
# sweeps; a smaller one leaves more of the sum to the multipliers.
# Iterations at 0.0333333 and 0.3: sweeps 1.63 and 0.88.
BIAS_PENALTY = 0.1
# Sweeps go on while one gains more than this multiple of the target gap: before that a gap is not
# worth its two passes and its projection. After MOST_SWEEPS it is computed whatever they gain.
# Iterations at 0.1 and 0.9: sweeps 1.17 and 1.17. Seconds at 15 and 60 sweeps: .7 and 1.4 (smooth
# losses), 1.1 and 1 (hinge), 1.2 and .8 (LinearSVC).
SWEEP_GAIN, MOST_SWEEPS = 0.3, 30


class DualDescent(Reduced):
    """A solver state, see solvers/state.py."""

    def __init__(self, problem, n_threads):
        self.problem, self.n_threads = problem, n_threads
        self.dual = dual = RidgeDual(problem, n_threads)
        super().__init__(dual)  # which answers for the point certified last
        self.with_intercept, self.null = dual.with_intercept, max(problem.null_value, 1e-300)
        loss = dual.loss
        sweeps = EntropicSweeps if loss.entropic else RowSweeps
        self.sweeps = sweeps(
            dual.rows, dual.centre, dual.target, dual.low, dual.high, dual.diagonal, loss.width
        )
        self.mean_square = float(problem.weights @ self.sweeps.squares())
        self.sweeps.set(dual.u, dual.z)
        self.b0 = dual.intercept

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        if self.state is not self.dual:  # sweeps have stalled before
            return self.state.solve(lam, target, budget)
        if not 0.0 < lam < NULL_LAMBDA:  # a grid has 0 where no column can lower the loss
            return self.dual.at_null()
        limit, patience = self.iterations + budget, ROUNDS_PATIENCE
        # In operations of products. A sweep costs 1e4 more than these, and a round 2e5.
        paid, price, each = 0.0, self._price_of_newton(), 1e4 + 4.0 * self.dual.rows.stored
        self.sweeps.take_all()
        gap = least = self._certify(lam)
        while not gap <= target:
            if self.iterations >= limit:
                return MAX_ITER, gap
            if patience == 0 or paid > price:
                return self._by_newton(lam, target, limit, gap)
            swept, last = self.iterations, gap
            self._sweep(lam, gap, target, limit, patience == ROUNDS_PATIENCE)
            swept = self.iterations - swept
            paid += 2e5 + swept * each
            gap = self._certify(lam)
            if swept * each * _to_come(last, gap, target) > price:
                return self._by_newton(lam, target, limit, gap)
            patience = ROUNDS_PATIENCE if gap < 0.97 * least else patience - 1
            least = min(least, gap)
        return CONVERGED, gap

    def _price_of_newton(self):
        """Return about what Newton steps on rows alone cost, in operations, where rows are many;
        else inf. Sweeps that have cost as much give way to them: 100 x 10 at C = 100 takes 1.3 to
        3.4 times as long without (benchmarks/margin/estimators.py --only small).
        """
        stored, n, p = self.dual.rows.stored, self.dual.rows.p, self.dual.rows.n
        if not isinstance(self.problem, RowProblem) or n < 4 * p:
            return np.inf
        steps = 2 if self.dual.loss.smooth else 10
        return steps * (3e5 + 4.0 * stored + 0.03 * stored * p + 0.1 * p**3)

    def _by_newton(self, lam, target, limit, gap):
        """Newton steps from the current point, after sweeps have stalled."""
        if self.dual.loss.smooth and not isinstance(self.problem, RowProblem):
            self.state = ProximalNewton(self.problem, self.n_threads)
            self.state.start_at(*self.dual.coefficients(), self.dual.intercept)
            self.spent += self.dual.iterations
            return self.state.solve(lam, target, max(limit - self.iterations, 1))
        best = self.dual.u
        newton = RowsNewton(self.problem, self.n_threads, self.dual)
        outcome, found = newton.solve(lam, target, max(limit - self.iterations, 1))
        self.spent += newton.iterations
        if found > gap:
            outcome, found = STALLED, self.dual.certify(lam, best)
        self.sweeps.set(self.dual.u)
        self.b0 = self.dual.intercept
        return outcome, found

    def _certify(self, lam):
        """Return the gap at the coefficients of u, projected on the hyperplane; sweeps go on from
        there.
        """
        u = self.sweeps.dual_point()
        feasible = self.dual.feasible(u)
        gap = self.dual.certify(lam, feasible)
        if self.with_intercept:
            self.sweeps.set(feasible, self.dual.z)
        return gap

    def _sweep(self, lam, gap, target, limit, falling):
        """Sweep until a sweep gains little compared with the gap, at last over all rows; while
        gaps are `falling`, until gains foretell that the target is met.
        """
        rho = BIAS_PENALTY * self.mean_square / lam if self.with_intercept else 0.0
        enough = SWEEP_GAIN * target
        if falling and self.sweeps.gain > 0.0 and gap < np.inf:  # no faster than gains do
            enough = min(enough, self.sweeps.gain * target / gap)
        self.sweeps.take_all()
        whole = self.sweeps.active
        for _ in range(MOST_SWEEPS):
            all_of_them = self.sweeps.active == whole
            gain = self.sweeps.sweep(lam, self.b0, rho)
            self.spent += 1
            infeasible = abs(self.sweeps.total) * self.dual.spread if self.with_intercept else 0.0
            if self.with_intercept:
                moved = rho * self.sweeps.total
                self.b0 += moved
                if abs(moved) > self.sweeps.worst:  # Rows that were left out may move now.
                    self.sweeps.take_all()
            if self.iterations >= limit:
                return
            if gain <= enough and infeasible <= enough:
                if all_of_them:
                    return
                self.sweeps.take_all()


def _to_come(last, gap, target):
    """Return how many times the last sweeps must be repeated for the gap to reach the target."""
    if gap <= target:
        return 0.0
    if gap >= last:
        return 300.0
    times = np.log(gap / max(target, 1e-300)) / np.log(last / gap)
    return min(times, 300.0)


class Machine(NamedTuple):
    """A certified solution for rows in the user's units."""

    coef: np.ndarray  # (p,)
    intercept: float
    dual: np.ndarray  # (n,), u / lam: the coefficients of the rows in `coef`
    gap: float  # relative to the null objective
    iterations: int


def solve_rows(given, loss, lam, tol, budget, mean=0.0):
    """Minimise F(b0 + Xb) + lam |b|^2 / 2 by the rows of X alone, at one lam.

    The gap is of the coefficients and the intercept as they are returned.

    Parameters
    ----------
    given : Rows
    loss : Loss with pieces, of responses less `mean`
    tol : float
        Gap to reach, relative to the null objective.
    budget : int, most iterations

    Returns
    -------
    Machine, or None : where tol is not reached, or numbers are near the ends of floats.
    """
    offset = np.zeros(len(given.weights))
    problem = RowProblem(given, loss, offset, *null_model(loss, offset, given.intercept))
    if not problem.null_value > 0.0:
        return None
    state = DualDescent(problem, 1)
    sizes = np.array([lam, given.size, state.dual.spread])
    if not ((sizes > 1e-75) & (sizes < 1e75)).all():
        return None
    dual, target = state.dual, tol * problem.null_value
    goal = target
    while goal > 0.0 and _reaches(state, lam, goal, budget):
        intercept = dual.intercept - float(dual.g @ given.mean) + mean
        gap = dual.gap_at(lam, given.stored.products(dual.g) + (intercept - mean))
        if gap <= target:
            found = gap / problem.null_value
            return Machine(dual.g, intercept, dual.u / lam, found, state.iterations)
        goal = min(0.1 * goal, 2.0 * target - gap)
    return None


def _reaches(state, lam, goal, budget):
    """Return True if the gap is at most `goal`; False also where a Hessian has lost its digits.
    """
    try:
        return state.solve(lam, goal, budget)[0] == CONVERGED
    except np.linalg.LinAlgError:
        return False
