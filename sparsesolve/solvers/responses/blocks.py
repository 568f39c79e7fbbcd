"""Families of K responses: working sets of features with a duality gap over all.

    minimise over B   F(eta) + lam sum_j v_j [alpha pen(B_j) + (1 - alpha) |B_j|_2^2 / 2],
    eta = offset + ZB

Given: a standardised design Z, a penalty on its rows B_j of K coefficients (pen is the l1 norm, or
grouped the l2 norm), a loss F of K responses, an offset (K, n), an intercept or none, and a warm
start. Returned per lam: a gap over *all* columns (`certificate`). Every round solves over
the working columns (`descent`), meets the others, and lets those in that violate their
bound. Reference: Bach et al. 2012, section 6; Simon, Friedman and Hastie 2013 (grouped softmax).
"""

import numpy as np

from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers import costs
from sparsesolve.solvers.responses.certificate import certify, dual_point, working_gap
from sparsesolve.solvers.responses.descent import ResponseDescent
from sparsesolve.solvers.responses.inactive import InactiveRows
from sparsesolve.solvers.rounds import solve_by_rounds
from sparsesolve.solvers.screening.inactive import farthest, most_entering
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LEVEL, STALLED


class ResponseBlocks:
    """Solver state along a path, at first at the null model of a Problem of K responses."""

    def __init__(self, problem, n_threads=1):
        design, net = problem.design, ElasticNetRows(problem.penalty, problem.grouped)
        self.design, self.net, self.loss, self.n_threads = design, net, problem.loss, n_threads
        self.descent = ResponseDescent(problem, net)
        open_ = problem.open_columns
        free = (np.asarray(net.l1) == 0.0) & (np.asarray(net.l2) == 0.0) & open_
        self.inactive = InactiveRows(design, net, problem.n_responses, n_threads)
        self.inactive.leave(~open_)
        self.with_intercept = problem.intercept
        if problem.intercept:
            self.descent.add_to_working_set(np.array([-1], dtype=np.intc))
            self.descent.B[:, 0] = problem.null_intercept
            self.descent.refresh()
        self._enter(np.flatnonzero(free))
        self.opening = 0.0  # gap after the first round at the last lam

    @property
    def iterations(self):
        """Steps, and steps of conjugate gradients within them, so far."""
        return self.descent.iterations

    @property
    def loss_value(self):
        """F at the current point, less its least value."""
        return self.descent.value - self.loss.saturated

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients (K, count).

        Where only differences between responses count, rows are shifted to their least penalty.
        """
        which, B = self.descent.which, self.descent.centred()
        kept = np.flatnonzero((which >= 0) & B.any(axis=0))
        kept = kept[np.argsort(which[kept])]
        return which[kept], B[:, kept]

    @property
    def intercept(self):
        """Intercepts (K,) of the standardised design; of mean 0 where only differences count."""
        if not self.with_intercept:
            return np.zeros(self.loss.n_responses)
        return self.descent.centred()[:, 0].copy()

    def start_at(self, which, values, intercept):
        """Go on from the coefficients `values` (K, m) of the features `which` (m,)."""
        descent = self.descent
        self._enter(np.setdiff1d(which, descent.which))
        descent.B[:] = 0.0
        for j, column in zip(which, values.T, strict=True):
            descent.B[:, descent.which == j] = column[:, None]
        if self.with_intercept:
            descent.B[:, 0] = intercept
        descent.level, descent.solved, self.opening = 0.0, (0.0, np.zeros((len(values), 0))), 0.0
        descent.refresh()

    def correlations(self):
        """For each column the size of its products with the dual point, (p,): largest or l2."""
        u, _ = dual_point(self.descent, NULL_LEVEL)
        return self.net.sizes(self.design.response_products(u, None, self.n_threads))

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        limit = self.iterations + budget
        near = lam - costs.responses.ENTER_AHEAD * (self.descent.level - lam)
        neighbours = 0.5 * self.descent.level < lam <= self.descent.level
        self._enter(self.inactive.near(near if neighbours else np.inf, lam))
        self.descent.refresh()
        self.descent.extrapolate(lam)
        self.pays = True  # whether the model's last step brought the gap down
        return solve_by_rounds(self, lam, target, limit, sharpen=self.descent.newton_step)

    # A round, see solvers/rounds.py.

    def fit(self, lam, goal, limit):
        """Steps until the gap over the working columns is about `goal`."""
        outcome = self._settle(lam, goal, limit)
        if self.descent.eta_stale:
            self.descent.refresh()
        return outcome

    def certify(self, lam):
        """Return the gap over all columns."""
        gap, self.entering = certify(self.descent, lam, self.inactive)
        return gap

    def grow(self, lam, first):
        """Let in the columns that violate; return how many."""
        entering = self._farthest(self.entering)
        self._enter(entering)
        return len(entering)

    def goal(self, lam, target, outside):
        """The gap for the working columns, where the others leave a gap of `outside`."""
        return max(0.5 * target, costs.newton.INACTIVE_SHARE * outside)

    def _enter(self, which):
        if len(which):
            self.descent.add_to_working_set(which.astype(np.intc))
            self.inactive.leave(which)

    def _farthest(self, which):
        """Those of the highest products over their thresholds, where too many would enter."""
        most, l1 = most_entering(len(self.descent.which)), np.asarray(self.net.l1)[which]
        if len(which) <= most:
            return which
        size = np.asarray(self.inactive.size)[which]
        level = np.divide(size, l1, out=np.full(len(which), np.inf), where=l1 > 0.0)
        return which[farthest(level, np.ones(len(which)), most)]

    def _settle(self, lam, goal, limit):
        """Steps until the gap over the working columns is about goal at most."""
        descent, best, last = self.descent, np.inf, np.inf
        patience = costs.responses.BLOCK_PATIENCE
        before = None  # gap before the last step, if it was one of the model
        while True:
            gap = working_gap(descent, lam)
            if gap <= goal:
                return CONVERGED
            if descent.iterations >= limit:
                return MAX_ITER
            value = descent.objective(lam)
            fell = value < last - costs.rounding.OBJECTIVE * max(abs(value), abs(descent.value))
            patience = costs.responses.BLOCK_PATIENCE if fell or gap < 0.5 * best else patience - 1
            if patience == 0:
                return STALLED
            best, last = min(gap, best), value
            leaving, moving = descent.gains(lam)
            own = costs.responses
            pays = own.PAYING_STEP_WIDE if descent.shared.wide else own.PAYING_STEP
            self.pays = self.pays and (
                before is None or gap < max(pays * before, own.NEARLY_DONE * goal)
            )
            before = gap
            tries_step = self.pays or leaving > own.ASTRAY * moving
            if tries_step and descent.model_step(lam, goal / gap):
                continue
            before = None
            if not descent.newton_step(lam, goal) and not descent.model_step(lam, 0.0):
                return STALLED
