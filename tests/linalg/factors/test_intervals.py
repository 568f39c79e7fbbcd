"""Sums over intervals against sums over a matrix of zeros and ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sparsesolve.linalg.factors.intervals import Intervals


def draw(rng, ranges, n):
    """Intervals inside consecutive ranges of the positions, their roots, and who holds what."""
    ends = np.cumsum(ranges)
    which = rng.integers(len(ranges), size=n)
    root, end = (ends - ranges)[which], ends[which]
    first = np.where(rng.random(n) < 0.3, root, rng.integers(root, end + 1))
    stop = rng.integers(root, end + 1)
    holds = (first[:, None] <= np.arange(ends[-1])) & (np.arange(ends[-1]) < stop[:, None])
    return Intervals(first, stop, root, end, ends[-1]), holds


RANGES = st.lists(st.integers(1, 20), min_size=1, max_size=4)


@given(st.integers(0, 10**6), RANGES, st.integers(1, 50))
def test_sums_are_those_of_the_matrix(seed, ranges, n):
    rng = np.random.default_rng(seed)
    intervals, holds = draw(rng, np.array(ranges), n)
    x, z = rng.standard_normal(n), rng.standard_normal(holds.shape[1])
    assert intervals.holding(x) == pytest.approx(holds.T @ x, rel=1e-12, abs=1e-13)
    assert intervals.inside(z) == pytest.approx(holds @ z, rel=1e-12, abs=1e-13)


def test_nothing_is_lost_beside_large_neighbours():
    """1 beside 2^60: a difference of prefix sums would leave nothing of it."""
    ends = [(0, 17), (3, 17), (18, 40), (18, 31)] + [(a, b) for a in range(18) for b in (18, 25)]
    first, stop = np.array(ends).T
    intervals = Intervals(first, stop, np.zeros(40), np.full(40, 40), 40)
    x = np.array([2.0**60] * 4 + [1.0] * 36)
    assert intervals.holding(x)[17] == 36.0
    z = np.full(40, 2.0**60)
    z[17:25] = 1.0
    assert intervals.inside(z)[ends.index((17, 25))] == 8.0
    assert intervals.inside(z)[ends.index((17, 18))] == 1.0


def test_no_positions_and_no_intervals():
    none = np.zeros(0, dtype=int)
    assert Intervals(none, none, none, none, 3).holding([]).tolist() == [0, 0, 0]
    zero = np.zeros(2, dtype=int)
    assert Intervals(zero, zero, zero, zero, 0).inside([]).tolist() == [0, 0]
