"""The sorted l1 norm: prox by its inclusion and by a quadratic program on few coordinates."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from sparsesolve.penalties.prox.ordered import falling_order, pool_sorted, prox_sorted


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


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 3000])
def test_the_falling_order_of_near_ties(n):
    """Sizes that differ in their last bits, which the keys of the sort leave out."""
    rng = np.random.default_rng(n)
    for size in (rng.exponential(size=n), np.zeros(n), 1.0 + rng.integers(0, 9, n) * 2.0**-52,
                 1.0 + rng.random(n) * 1e-12, rng.integers(0, 3, n) * 5e-324):  # fmt: skip
        places, ranked = falling_order(size)
        assert np.array_equal(ranked, np.sort(size)[::-1])
        assert np.array_equal(size[places], ranked)
        assert np.array_equal(np.sort(places), np.arange(n))


def test_vectors_may_be_read_only():
    v = np.array([3.0, -2.0, 0.5])
    v.setflags(write=False)
    assert prox_sorted(v, 1.0, np.array([1.0, 1.0, 0.0])).tolist() == [2.0, -1.0, 0.5]
    assert v.tolist() == [3.0, -2.0, 0.5]
