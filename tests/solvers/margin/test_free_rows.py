"""The finish on free rows: an exact maximisation, cut at bounds, with or without a kept sum."""

import numpy as np
import pytest

from sparsesolve.solvers.margin.rows_newton import ascend


@pytest.mark.parametrize("level", [True, False])
@pytest.mark.parametrize("rank", [12, 5])
def test_the_dual_rises_within_bounds_and_is_solved_where_none_binds(level, rank):
    rng = np.random.default_rng(rank)
    for wide in (100.0, 0.3):
        A = rng.normal(size=(12, rank))
        gram, lam, slope = A @ A.T, 0.3, rng.normal(size=12)
        u, low, high = np.zeros(12), -wide * np.ones(12), wide * np.ones(12)
        moved, common = ascend(gram, u, slope, low, high, lam, level)
        value = slope @ moved - moved @ gram @ moved / (2 * lam)
        assert value > 0.0 and np.abs(moved).max() <= wide
        if level:
            assert abs(moved.sum()) <= 1e-9 * np.abs(moved).sum()
        if wide == 100.0:
            left = slope - gram @ moved / lam - common
            assert np.sort(np.abs(left))[:rank].max() <= 1e-8


def test_rows_that_depend_on_others_stay_where_they_are():
    gram = np.ones((3, 3))
    moved, _ = ascend(gram, np.zeros(3), np.ones(3), -np.ones(3), np.ones(3), 1.0, False)
    assert moved.tolist() == [1.0, 0.0, 0.0]
