"""The sorted l1 norm: prox by its inclusion and by a quadratic program on few coordinates.

The projection behind the prox of the k-support norm, against its optimality conditions.
"""

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from sparsesolve.penalties.prox.ordered import falling_order, pool_sorted, prox_sorted, shrinkage

from sparsesolve import penalties as P


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


def _draws(count):
    rng = np.random.default_rng(0)
    for i in range(count):
        p = int(rng.integers(1, 12))
        v = rng.standard_normal(p)
        v = np.round(v) if i % 3 == 0 else v  # ties
        v = v * rng.choice([0, 1], p) if i % 5 == 0 else v
        t = float(rng.uniform(0, 2) * rng.choice([1e-8, 1e-3, 1]))
        yield v, int(rng.integers(1, p + 1)), t


def test_prox_and_rest_are_a_pair_of_the_norm_and_its_dual():
    """b = prox(v) exactly when |v - b|* <= t and (v - b)'b = t |b|."""
    for v, k, t in _draws(500):
        norm = P.KSupport(k)
        b = norm.prox(v, t)
        rest = v - b
        scale = np.abs(v).max(initial=1e-300)
        assert norm.polar(rest) <= t * (1.0 + 1e-12) + 1e-15 * scale
        assert rest @ b == pytest.approx(t * norm.value(b), abs=1e-13 * scale**2 + 1e-12 * t)


def test_shares_of_the_squares_sum_to_k():
    for v, k, t in _draws(200):
        x = np.sort(np.abs(v))[::-1].copy()
        if np.linalg.norm(x[:k]) <= t or t == 0.0 or np.count_nonzero(x) < k:
            continue
        m, level = shrinkage(x, k, t)
        s = np.minimum(x, np.maximum(level, x / (1.0 + m)))
        assert np.linalg.norm(np.sort(s)[::-1][:k]) == pytest.approx(t, rel=1e-12)
        if level > 0.0:
            assert np.clip((x / level - 1.0) / m, 0.0, 1.0).sum() == pytest.approx(k, rel=1e-6)


def test_zero_and_no_strength():
    assert P.KSupport(2).prox([1.0, -2.0, 0.5], 0.0).tolist() == [1.0, -2.0, 0.5]
    assert P.KSupport(3).prox([2.0, 0.0, 0.0], 0.5).tolist() == [1.5, 0.0, 0.0]
