"""A penalty on whole vectors, solved on the features that may be nonzero, certified on all.

    minimise over b   F(o + b0 + Zb) + lam Omega(b)

Given: a Problem whose penalty can be restricted to a part of the features, the others being 0
(``part`` in ``penalties/penalty.py``), and a maker of first-order states. Returned: the state of
a solver. Invariant: its gap is that of all features.

At a new lam the features are those of the last solution and those that the strong rule expects: a
proximal step for 2 lam - (last lam) from that solution moves them away from 0. After each
solution of the part a proximal step over all features finds which others must enter.

Reference: Tibshirani et al., "Strong rules for discarding predictors in lasso-type problems"
(2012); Larsson, Bogdan, Wallin, "The strong screening rule for SLOPE" (2020).
"""

from dataclasses import replace

import numpy as np

from sparsesolve.solvers.first_order.first_order import Point
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LAMBDA, STALLED, Reduced

# Features from which some are solved for. With 5,000 a SLOPE path of 100 lambdas takes a fraction
# of the time over all of them.
FEWEST_FEATURES = 200


class FewFeatures(Reduced):
    """A solver state that begins at the null model.

    Parameters
    ----------
    problem : Problem with a penalty on whole vectors that has parts
    make : callable (Problem) -> a FirstOrder state
    """

    def __init__(self, problem, make):
        super().__init__(make(problem))
        self.problem, self.make, self.whole = problem, make, self.state
        self.last = None  # the last lam
        self.part = np.empty(0, dtype=np.intp), None  # features, and the state that has them

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        if lam >= NULL_LAMBDA or not lam > 0.0:
            return self.whole.solve(lam, target, budget)
        # The other features may add to the gap of the part.
        limit, inner, gap = self.iterations + budget, 0.5 * target, np.inf
        expected = lam
        if self.last is not None:
            # A coarse grid would make the threshold 0, and all features would enter.
            expected = max(2.0 * lam - self.last, 0.5 * lam)
        self.last = lam
        used = self._used() | self._moved(expected)
        if used.mean() > 0.8:  # A part would save little.
            return self.whole.solve(lam, target, budget)
        # Rounds in which features enter at one lambda; the strong rule needs one or two.
        for _ in range(100):
            outcome = self._solve_part(np.flatnonzero(used), lam, inner, limit - self.iterations)
            before, gap = gap, self.whole.gap(lam)
            if gap <= target:
                return CONVERGED, gap
            if outcome == MAX_ITER or self.iterations >= limit:
                return MAX_ITER, gap
            entering = self._moved(lam) & ~used
            if entering.any():
                used |= entering
            elif not gap < before:
                return STALLED, gap
            else:
                inner *= 0.1
        return STALLED, gap

    def _used(self):
        b = self.whole.point.b
        return b.any(axis=0) if b.ndim == 2 else b != 0.0

    def _moved(self, lam):
        """Return a mask of features that a proximal step from the current point leaves nonzero,
        (p,).
        """
        whole = self.whole
        z, _ = whole.downhill(whole.point.u)
        b = whole.penalty.prox(whole.point.b + z / whole.L, lam / whole.L)
        return b.any(axis=0) if b.ndim == 2 else b != 0.0

    def _solve_part(self, which, lam, target, budget):
        """Solve for the features `which` alone, from the current point, and move there."""
        whole = self.whole
        if not len(which):
            return CONVERGED
        part, here = self._part_of(which), whole.point
        part.point = Point(here.b[..., which], here.c, here.eta, here.value, here.u)
        part.L, before = whole.L, part.iterations
        outcome, _ = part.solve(lam, target, max(budget, 1))
        self.spent += part.iterations - before
        b, end = np.zeros_like(here.b), part.point
        b[..., which] = end.b
        whole.point, whole.L = Point(b, end.c, end.eta, end.value, end.u), part.L
        return outcome

    def _part_of(self, which):
        """Return a state for the features `which`: the last one if they are the same."""
        if not np.array_equal(which, self.part[0]):
            problem, columns = self.problem, which.astype(np.intc)
            self.part = which, self.make(replace(
                problem, design=problem.design.part(columns), factor=problem.factor[which],
                shift=problem.shift[which], penalty=problem.penalty.part(which),
            ))  # fmt: skip
        return self.part[1]


def in_parts(problem):
    """Return True if features are many, and the penalty has parts and restrains all directions."""
    penalty = problem.penalty
    if problem.design.p < FEWEST_FEATURES or not hasattr(penalty.given, "part"):
        return False
    if penalty.kernel() is not None:
        return False
    return penalty.part(np.arange(1)) is not None
