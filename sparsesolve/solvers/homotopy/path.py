"""The homotopy over all columns: a window of them is followed, and all are checked at every knot.

    minimise over b   |y - A b|^2 / 2 + rho sum_j v_j b_j^2 / 2 + lam sum_j v_j |b_j|,   every lam

Given: data that multiply (`data`) and Rules. Returned: every knot, in batches, with its
certificate.

Invariant: no column outside the window exceeds its bound at a knot that is returned. Between two
knots correlations and bounds are linear in lam, so that a column that keeps its bound at both
keeps it between them. The first knot at which one does not, and all behind it, are undone, and
the path goes on with that column in the window. The correlations at many knots are one matrix
product. Those at the last one correct its coefficients by a step of iterative refinement before
the path goes on. A long path of few columns has all of them in its window, by their Gram matrix,
so that no column is missed.

Reference: Osborne, Presnell, Turlach (2000); Efron, Hastie, Johnstone, Tibshirani (2004).
"""

import numpy as np

from sparsesolve.solvers.costs.rounding import BEYOND_BOUND, NO_CORRELATION
from sparsesolve.solvers.homotopy.events import Homotopy, Reason
from sparsesolve.solvers.homotopy.knot_certificate import Certificate
from sparsesolve.solvers.homotopy.survey import first_excess

# Knots before the first check of all columns; the number then doubles, to at most MOST_KNOTS, or
# twice as many with all columns in the window.
FIRST_KNOTS, MOST_KNOTS = 16, 64
# Up to this many columns all are in the window from the second batch on, by their Gram matrix.
FEW_COLUMNS = 600
# Columns of the window for every knot to come, and beyond those. More cost time at every knot,
# fewer are missed and make the batch begin again.
COLUMNS_PER_KNOT, SPARE_COLUMNS = 2.0, 32

UNCLEAR = "rounding hides in which order features join and leave"


class FollowedPath:
    """A path as far as it was followed: b at `lam`, with correlations `c`."""

    def __init__(self, data, rules):
        self.data, self.rules = data, rules
        self.size = np.sqrt(data.squares + rules.ridge * rules.v)
        self.bound = np.where(rules.open, rules.v, np.inf)
        self.few = len(rules.v) <= FEW_COLUMNS
        self.rank = len(rules.v) if rules.ridge else data.rank
        columns = FEW_COLUMNS
        if self.few:
            columns = int(COLUMNS_PER_KNOT * FIRST_KNOTS) + SPARE_COLUMNS
        self.core = Homotopy(
            rules.v, self.size, np.sqrt(data.response_square), rules.lasso, rules.positive,
            int(min(rules.max_features, len(rules.v))), self.rank,
            min(self.rank, FEW_COLUMNS) + 1, columns,
        )  # fmt: skip
        self.slope, self.beta = np.zeros((2, len(rules.v)))
        C, B, squares = self._fit_without_penalty()
        self.c, self.features = C[0].copy(), self.core.active
        self.first = self.lam = self._first_lam()
        self.certificate = Certificate(data, rules, self.first, self.size, self.features,
                                       self.core.basis.state()[0])  # fmt: skip
        if self.idle:  # lam is rounding: let it cover all of that.
            self.first = self.lam = float(self.certificate.largest(C)[0][0])
        self.core.start(self.first, rules.last)
        largest = np.sqrt(data.response_square) * self.size
        self.rounding = BEYOND_BOUND * (self.first * rules.v + largest)
        lams = np.array([self.lam])
        self.start = self.certificate.batch(lams, self.features, B, C, squares)
        self.room = 0  # Room for events beyond those of the knots.
        self.events = 0  # Events since the last knot.
        self.urgent = np.empty(0, dtype=np.intc)
        self.window, self.enclosed, self.per_knot = None, False, COLUMNS_PER_KNOT
        self.reason, self.steps = Reason.RUNNING, 0

    def _fit_without_penalty(self):
        """Let the columns without a penalty join; return correlations, coefficients and |y - A
        b|^2.
        """
        core, data, free = self.core, self.data, self.rules.free
        none = np.empty(0, dtype=np.intc)
        C, squares = data.measure(none, np.empty((1, 0)))
        if len(free):
            core.basis.rewindow(none, np.empty((0, len(free))), data.inner(free, free),
                                self.size[free] ** 2, len(free))  # fmt: skip
            core.begin(free, C[0], 0, len(free))
            core.admit()
            self.beta[core.active] = core.coefficients
            C, squares = data.measure(core.active, core.coefficients[None])
        return C, core.coefficients[None], squares

    def _first_lam(self):
        """Return the least lam with b = 0. Sets `idle` if only rounding correlates with y."""
        v, data, open_ = self.rules.v, self.data, self.rules.open
        size = self.c if self.rules.positive else np.abs(self.c)
        rounding = NO_CORRELATION * np.sqrt(data.response_square * data.squares)
        self.idle = not (size > rounding)[open_].any()
        return float(np.max(size[open_] / v[open_], initial=0.0))

    @property
    def why(self):
        """The reason why the path ended, a sentence without a full stop."""
        rules = self.rules
        if self.idle and not self.rules.open.any():
            return "every feature is excluded or without a penalty"
        if self.idle:
            return "no feature correlates with y"
        if self.reason == Reason.FULL:
            return f"more than max_features = {rules.max_features} features would be active"
        if self.reason == Reason.STUCK:
            return UNCLEAR
        if self.steps >= rules.max_steps:
            return f"max_steps = {rules.max_steps} knots were found"
        return "lambda = 0 was reached" if rules.last == 0.0 else "lambda_min was reached"

    def batches(self):
        """Follow the path to its end; yield Batches. The first knot is `start`."""
        knots, rules = FIRST_KNOTS, self.rules
        while not self._ended():
            knots = int(min(knots, rules.max_steps - self.steps))
            same = self._open_window(knots)
            self.core.begin(self.window, self.c, knots, self._events(knots), same)
            self.reason = self.core.run()
            batch, whole = self._checked()
            most = min((1 + self.enclosed) * MOST_KNOTS,
                       2e8 / (1 + self.core.basis.size**2))  # fmt: skip
            self.per_knot *= 0.95 if whole else 1.5
            self.per_knot = max(COLUMNS_PER_KNOT, self.per_knot)
            knots = 2 * knots if whole else max(len(batch.lams), FIRST_KNOTS)
            knots = max(1, int(min(knots, most)))
            self.steps += len(batch.lams)
            if len(batch.lams):
                yield batch

    def _ended(self):
        ended = self.idle or self.lam <= self.rules.last or self.steps >= self.rules.max_steps
        return ended or self.reason in (Reason.AT_END, Reason.FULL, Reason.STUCK)

    def _events(self, knots):
        return knots + 16 + self.room

    def _open_window(self, knots):
        """Choose the columns that may join before the next check, and put them into the basis.

        Returns True if the window has all columns, so that the active ones are in it.
        """
        core, data = self.core, self.data
        more = max(min(self._events(knots), self.rank - core.basis.size), 0)
        if self.enclosed:
            core.basis.refresh(more)
            return True
        if self.few and self.window is not None:  # It will be a long path.
            self.enclosed = True
            core.basis.enclose(data.all_inner(), core.active, self.size**2, more)
            core.enclose(~self.rules.open)
            return True
        chosen = self._candidates(int(self.per_knot * knots) + SPARE_COLUMNS)
        held, idle = core.window
        keep = np.flatnonzero(idle & chosen[held]).astype(np.intc)
        held = held[keep]
        chosen[held] = False
        new = np.flatnonzero(chosen).astype(np.intc)
        known = np.concatenate([core.active, held])
        core.basis.rewindow(
            keep, data.inner(known, new), data.inner(new, new), self.size[new] ** 2, more,
            min(self._events(knots), len(core.active) - len(self.rules.free)),
        )  # fmt: skip
        self.window = np.concatenate([held, new])
        return False

    def _candidates(self, count):
        """Return a mask of the columns that would join first if correlations kept their last
        slope.
        """
        lam, soonest = self.lam, np.full(len(self.c), np.inf)
        for side in (1.0,) if self.rules.positive else (1.0, -1.0):
            with np.errstate(invalid="ignore"):
                rate = np.maximum(self.bound - side * self.slope, 0.1 * self.bound)
                soonest = np.fmin(soonest, (lam * self.bound - side * self.c) / rate)
        soonest[~self.rules.open] = soonest[self.core.active] = np.inf
        chosen = np.isfinite(soonest)
        if chosen.sum() > count:
            chosen[np.argpartition(soonest, count)[count:]] = False
        chosen[self.urgent] = True
        return chosen

    def _checked(self):
        """Return the Batch of new knots, and False if a violation has undone some of them."""
        core, rules = self.core, self.rules
        lams, features, B = core.knots()
        C, squares = self.data.measure(features, B)
        if rules.ridge:
            np.subtract.at(C, (slice(None), features), rules.ridge * rules.v[features] * B)
        kept = self._violation(lams, C, features)
        whole = kept == len(lams)
        if not whole:
            core.undo(kept)
            self.reason = Reason.RUNNING
        elif self.reason == Reason.CROWDED or not kept:
            self.room = 2 * self.room + 64
        events = core.events_by_knot()
        events[0] += self.events
        self.events = events[kept]
        batch = self.certificate.batch(lams[:kept], features, B[:kept], C[:kept], squares[:kept],
                                       events[:kept], core)
        if kept:
            self.slope = (self.c - C[kept - 1]) / (self.lam - lams[kept - 1])
            self.beta[self.features] = 0.0
            np.add.at(self.beta, features, B[kept - 1])
            self.lam, self.c, self.features = float(lams[kept - 1]), C[kept - 1].copy(), features
        core.reset(self.lam, self.beta[core.active])
        return batch, whole

    def _violation(self, lams, C, features):
        """Return the first knot where a column outside the window exceeds its bound, else their
        number.
        """
        if self.enclosed:
            return len(lams)
        unwatched = self.rules.open.copy()
        unwatched[features] = unwatched[self.window] = False
        which = np.flatnonzero(unwatched).astype(np.intc)
        kept, self.urgent = first_excess(C, lams, which, self.rules.v, self.rounding,
                                         self.rules.positive)  # fmt: skip
        return kept
