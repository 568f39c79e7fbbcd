"""Rounds of a working set: when they end, what they ask for, and which goals they set."""

import numpy as np
import pytest

from sparsesolve.solvers.rounds import TRIES, solve_by_rounds
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, STALLED


class Scripted:
    """A state whose gaps and numbers of violators are given, round by round."""

    def __init__(self, gaps, entering, steps=1):
        self.gaps, self.entering, self.steps = list(gaps), list(entering), steps
        self.iterations, self.first_gap, self.goals, self.firsts = 0, 8.0, [], []

    def fit(self, lam, goal, limit):
        self.goals.append(goal)
        self.iterations += self.steps
        return CONVERGED

    def certify(self, lam):
        return self.gaps.pop(0) if len(self.gaps) > 1 else self.gaps[0]

    def grow(self, lam, first):
        self.firsts.append(first)
        return self.entering.pop(0) if self.entering else 0

    def goal(self, lam, target, outside):
        return max(0.5 * target, 0.01 * outside)


def test_rounds_end_at_a_gap_of_the_target():
    state = Scripted([100.0, 30.0, 0.5], [3, 2])
    assert solve_by_rounds(state, 1.0, 1.0, 99) == (CONVERGED, 0.5)
    assert state.firsts == [True, False]
    assert state.first_gap == 100.0


def test_goals_follow_the_gap_that_inactive_coefficients_leave():
    """The first by the gap of the lambda before, then by this one's, least where none violates."""
    state = Scripted([1000.0, 600.0, 300.0, 0.1], [3, 2, 0])
    solve_by_rounds(state, 1.0, 1.0, 99)
    assert state.goals == [0.5, 10.0, 6.0, 0.5]


def test_a_spent_budget_ends_with_the_gap_reached():
    assert solve_by_rounds(Scripted([9.0], [1] * 99), 1.0, 1.0, 5) == (MAX_ITER, 9.0)
    assert solve_by_rounds(Scripted([0.5], [1]), 1.0, 1.0, 1) == (CONVERGED, 0.5)


def test_a_gap_that_does_not_fall_stalls_after_goals_down_to_rounding():
    sharpened = []
    state = Scripted([5.0], [])
    found = solve_by_rounds(state, 1.0, 1.0, 999, sharpen=lambda lam, goal: sharpened.append(goal))
    assert found == (STALLED, 5.0)
    assert sharpened == pytest.approx(0.5 * 0.1 ** np.arange(1, len(sharpened) + 1))
    assert len(sharpened) == TRIES


def test_a_gap_that_keeps_falling_is_no_stall():
    state = Scripted([4.0**-k for k in range(60)], [])
    assert solve_by_rounds(state, 1.0, 4.0**-50, 999) == (CONVERGED, 4.0**-50)
