"""Working sets of features for losses of K responses, with a duality gap over all features.

    minimise over B   F(eta) + lam sum_j v_j [alpha pen(B_j) + (1 - alpha) |B_j|_2^2 / 2],
    eta = offset + ZB

Given: a standardised design Z, a loss F of K responses, an offset (K, n), an optional intercept, a
warm start, and a penalty on the K coefficients B_j of each feature. pen is the l1 norm, or the l2
norm for a grouped penalty. Returned for each lam: coefficients with a duality gap over *all*
columns (`certificate`). Each round solves over the working columns (`descent`), checks the other
columns, and adds those that violate their bound. Invariant: every feature outside the working set
has zero coefficients.
Reference: Bach et al. 2012, section 6; Simon, Friedman and Hastie 2013 (grouped softmax).
"""

import numpy as np

from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.responses.certificate import (
    InactiveRows,
    certify,
    dual_point,
    working_gap,
)
from sparsesolve.solvers.responses.descent import ResponseDescent
from sparsesolve.solvers.rounds import entry_lambda, solve_by_rounds
from sparsesolve.solvers.screening.inactive import farthest, most_entering
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LAMBDA, STALLED, State
from sparsesolve.solvers.tolerances import INACTIVE_FRACTION, LAST_DIGITS, MOST_IDLE

# Another step of the model over all rows follows one that left at most this fraction of the gap;
# else sweeps go on. Iterations at .033 and .3: real 1.40 and 1.00, many 1.00 and 1.04.
PAYING_STEP = 0.1


class ResponseBlocks(State):
    """Solver state along a path, which starts at the null model of a problem with K responses."""

    def __init__(self, problem, n_threads=1):
        design, net = problem.design, ElasticNetRows(problem.penalty, problem.grouped)
        self.design, self.net, self.loss, self.n_threads = design, net, problem.loss, n_threads
        self.descent = ResponseDescent(problem, net)
        open_ = problem.open_columns
        self.inactive = InactiveRows(design, net, problem.n_responses, n_threads)
        self.inactive.leave(~open_)
        self.with_intercept = problem.intercept
        if problem.intercept:
            self.descent.add_to_working_set(np.array([-1], dtype=np.intc))
            self.descent.B[:, 0] = problem.null_intercept
            self.descent.refresh()
        self._enter(np.flatnonzero(problem.unpenalised() & open_))
        self.first_gap = 0.0  # the gap after the first round at the last lam

    @property
    def iterations(self):
        """Return the number of steps so far, plus that of conjugate gradient steps."""
        return self.descent.iterations

    @property
    def loss_value(self):
        """Return F at the current point minus the least value of F."""
        return self.descent.value - self.loss.saturated

    def coefficients(self):
        """Return the features with nonzero coefficients, ascending, and the values (K, count).

        If the loss depends only on differences between responses, each row is shifted to its least
        penalty.
        """
        which, B = self.descent.which, self.descent.centred()
        kept = np.flatnonzero((which >= 0) & B.any(axis=0))
        kept = kept[np.argsort(which[kept])]
        return which[kept], B[:, kept]

    @property
    def intercept(self):
        """Return the intercepts (K,) of the standardised design.

        They have mean 0 if the loss depends only on differences between responses.
        """
        if not self.with_intercept:
            return np.zeros(self.loss.n_responses)
        return self.descent.centred()[:, 0].copy()

    def start_at(self, which, values, intercept):
        """Set the coefficients of the features `which` (m,) to `values` (K, m), others to 0."""
        descent = self.descent
        self._enter(np.setdiff1d(which, descent.which))
        descent.B[:] = 0.0
        for j, column in zip(which, values.T, strict=True):
            descent.B[:, descent.which == j] = column[:, None]
        if self.with_intercept:
            descent.B[:, 0] = intercept
        descent.last_lam = self.first_gap = 0.0
        descent.solved = 0.0, np.zeros((len(values), 0))
        descent.refresh()

    def correlations(self):
        """Return the size of each column's products with the dual point, (p,).

        The size is the largest absolute value, or the l2 norm for a grouped penalty.
        """
        u, _ = dual_point(self.descent, NULL_LAMBDA)
        return self.net.sizes(self.design.response_products(u, None, self.n_threads))

    def solve(self, lam, target, budget):
        """Solve at lam until gap <= target. Return (outcome, gap)."""
        limit = self.iterations + budget
        self._enter(self.inactive.near(entry_lambda(lam, self.descent.last_lam), lam))
        self.descent.refresh()
        self.descent.extrapolate(lam)
        self.pays = True  # True while model steps reduce the gap enough
        return solve_by_rounds(self, lam, target, limit, sharpen=self.descent.newton_step)

    # The parts of a round, which solvers/rounds.py calls.

    def fit(self, lam, goal, limit):
        """Take steps until the working columns have a gap of about `goal`. Return the outcome."""
        outcome = self._descend(lam, goal, limit)
        if self.descent.eta_stale:
            self.descent.refresh()
        return outcome

    def certify(self, lam):
        """Return the gap over all columns, and note the columns that violate their bound."""
        gap, self.entering = certify(self.descent, lam, self.inactive)
        return gap

    def grow(self, lam, first):
        """Add columns that violate their bound to the working set. Return their number."""
        entering = self._farthest(self.entering)
        self._enter(entering)
        return len(entering)

    def goal(self, lam, target, outside):
        """Return the gap to reach over the working columns if the others add `outside`."""
        return max(0.5 * target, INACTIVE_FRACTION * outside)

    def _enter(self, which):
        if len(which):
            self.descent.add_to_working_set(which.astype(np.intc))
            self.inactive.leave(which)

    def _farthest(self, which):
        """Return the columns with the largest ratios of product to threshold.

        All columns are returned unless too many would enter.
        """
        most, l1 = most_entering(len(self.descent.which)), np.asarray(self.net.l1)[which]
        if len(which) <= most:
            return which
        size = np.asarray(self.inactive.size)[which]
        ratio = np.divide(size, l1, out=np.full(len(which), np.inf), where=l1 > 0.0)
        return which[farthest(ratio, np.ones(len(which)), most)]

    def _descend(self, lam, goal, limit):
        """Take steps until the estimated gap over the working columns is at most `goal`."""
        descent, best, last = self.descent, np.inf, np.inf
        patience = MOST_IDLE
        before = None  # the gap before the last step, if that was a model step
        while True:
            gap = working_gap(descent, lam)
            if gap <= goal:
                return CONVERGED
            if descent.iterations >= limit:
                return MAX_ITER
            value = descent.objective(lam)
            fell = value < last - LAST_DIGITS * max(abs(value), abs(descent.value))
            patience = MOST_IDLE if fell or gap < 0.5 * best else patience - 1
            if patience == 0:
                return STALLED
            best, last = min(gap, best), value
            leaving, moving = descent.gains(lam)
            quick = before is None or gap < max(PAYING_STEP * before, 10.0 * goal)
            self.pays = self.pays and quick
            before = gap
            tries_step = self.pays or leaving > 0.1 * moving
            if tries_step and descent.model_step(lam, goal / gap):
                continue
            before = None
            if not descent.newton_step(lam, goal) and not descent.model_step(lam, 0.0):
                return STALLED
