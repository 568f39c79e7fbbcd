"""The sorted l1 norm: prox by its inclusion and by a quadratic program on few coordinates."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from sparsesolve.prox.ordered import pool_sorted, prox_sorted


def test_prox_by_its_inclusion():
    rng = np.random.default_rng(0)
    for trial in range(300):
        n = rng.integers(1, 12)
        v, t = rng.standard_normal(n).round(trial % 3), 10.0 ** rng.uniform(-2, 1)
        w = -np.sort(-rng.random(n) * (rng.random(n) > 0.2)) + (trial % 2) * 0.1
        b = prox_sorted(v, t, w)
        z = np.sort(np.abs(v - b))[::-1]
        assert (np.cumsum(z) <= t * np.cumsum(w) + 1e-12).all()
        assert (v - b) @ b == pytest.approx(t * w @ np.sort(np.abs(b))[::-1], abs=1e-12)


def test_pooling_against_least_squares():
    """A sequence that does not rise and stays above 0 is a sum of steps of heights above 0."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        size, w = -np.sort(-rng.random(7)), -np.sort(-rng.random(7))
        steps = np.triu(np.ones((7, 7)))
        found = lsq_linear(steps, size - 0.4 * w, bounds=(0, np.inf), method="bvls")
        assert pool_sorted(size, 0.4, w) == pytest.approx(steps @ found.x, abs=1e-9)


def test_ties_signs_and_nothing():
    assert prox_sorted(np.array([2.0, -2.0]), 1.0, np.array([1.5, 0.5])).tolist() == [1.0, -1.0]
    assert prox_sorted(np.array([1.0, 0.2]), 1.0, np.array([2.0, 0.0])).tolist() == [0.0, 0.0]
    assert prox_sorted(np.zeros(0), 1.0, np.zeros(0)).shape == (0,)
