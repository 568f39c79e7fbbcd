"""The rounds of a working set at one lambda: fit, certify, grow.

    minimise over b   F(Zb) + lam Omega(b),   b = 0 off a working set W that grows

Given: a state with the methods of `Rounds`, and a target for its duality gap. Returned: an outcome
and the gap over *all* coefficients. Invariant: each round lets violators into W, or solves over W
more closely; the state gives up after TRIES rounds in a row of which none halved the gap.
Reference: Johnson, Guestrin (2015), "Blitz", algorithm 1; Massias, Gramfort, Salmon (2018),
"Celer".
"""

from typing import Protocol

import numpy as np

from sparsesolve.solvers.state import CONVERGED, MAX_ITER, STALLED

# Rounds without violators that may fail to halve the gap in a row.
TRIES = 10


def entry_lambda(lam, last):
    """Return the lambda whose violators enter at lam, where `last` is the one before.

    Between neighbours they enter ahead of time: those that pass a lambda lower by .3 of the step.
    """
    return lam - 0.3 * (last - lam) if 0.5 * last < lam <= last else lam


class Rounds(Protocol):
    """What a state answers in a round. `first_gap` is that of the first round at the last lambda:
    the violators that made it cost much the same at the next."""

    iterations: int
    first_gap: float

    def fit(self, lam, goal, limit):
        """Solve over the working set until its gap is about `goal`; return an outcome."""

    def certify(self, lam):
        """Return the duality gap over all coefficients, and find those that violate."""

    def grow(self, lam, first):
        """Let violators into the working set; return how many. `first`: in the first round."""

    def goal(self, lam, target, outside):
        """Return the gap to fit to, where inactive coefficients leave a gap of `outside`."""


def solve_by_rounds(state: Rounds, lam, target, limit, goal=None, sharpen=None):
    """Reach gap <= target at lam; return (outcome, gap).

    `goal`, if given, is the gap of the first fit; else the state tells it.
    `sharpen(lam, goal)` is called before a closer fit of the same coefficients.
    """
    tries, first, last = 0, True, np.inf
    goal = state.goal(lam, target, state.first_gap) if goal is None else goal
    while True:
        # 1. Solve over the working set, certify over all.
        outcome = state.fit(lam, goal, limit)
        gap = state.certify(lam)
        ended = outcome == MAX_ITER or state.iterations >= limit
        if first:
            state.first_gap = gap
        # 2. Stop: gap reached, or budget spent.
        if gap <= target:
            return CONVERGED, gap
        if ended:
            return MAX_ITER, gap
        # 3. Violators enter. Without any, the goal is smaller.
        if state.grow(lam, first):
            goal, tries = state.goal(lam, target, gap), 0
        elif goal > (least := state.goal(lam, target, 0.0)):
            goal = least
        else:
            tries = 0 if gap < 0.5 * last else tries + 1
            if tries == TRIES:
                return STALLED, gap
            # Where the domain of F* ends, the gap may fall as the square root of the goal: to .32
            # a round, which is progress.
            goal *= 0.1
            if sharpen is not None:
                sharpen(lam, goal)
        last, first = gap, False
