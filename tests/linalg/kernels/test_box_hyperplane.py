"""Projection on a box and a hyperplane: against bisection, by its laws, and at its edges."""

import math

import numpy as np
import pytest
from cases import every

from sparsesolve.penalties.prox import box_hyperplane


def by_bisection(m, low, high, a, z, d):
    """The slow twin: bisection on the multiplier of the hyperplane."""
    rate = a / d**2
    ends = (np.concatenate([low, high]) - np.tile(m, 2)) / np.tile(np.where(a == 0, 1, rate), 2)
    left, right = ends.min() - 1.0, ends.max() + 1.0
    for _ in range(200):
        middle = 0.5 * (left + right)
        at = a @ np.clip(m + middle * rate, low, high)
        left, right = (middle, right) if at < z else (left, middle)
    return np.clip(m + right * rate, low, high)


def case(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    m, a = 2.0 * rng.normal(size=n), rng.normal(size=n)
    if seed % 2:  # ties, zeros and flat pieces
        m, a = np.round(m), np.sign(np.round(a))
    low, high = -rng.random(n), rng.random(n)
    d = 0.1 + rng.random(n) if seed % 3 else np.ones(n)
    share = rng.random(n) if seed % 5 else np.round(rng.random(n))
    return m, low, high, a, float(a @ (low + share * (high - low))), d


@every("seed", range(200))
def test_it_is_what_bisection_finds_and_feasible(seed):
    m, low, high, a, z, d = case(seed)
    x = box_hyperplane(m, low, high, a, z, d)
    assert (low <= x).all() and (x <= high).all()
    assert a @ x == pytest.approx(z, abs=1e-12)
    twin = by_bisection(m, low, high, a, z, d)
    assert d**2 @ (x - m) ** 2 == pytest.approx(d**2 @ (twin - m) ** 2, abs=1e-9)
    assert np.abs(x - twin).max() < 1e-6
    assert box_hyperplane(x, low, high, a, z, d) == pytest.approx(x, abs=1e-12)


def test_it_is_non_expansive():
    rng = np.random.default_rng(1)
    for _ in range(50):
        a, m, k = rng.normal(size=(3, 12))
        first, second = (box_hyperplane(v, -1.0, 1.0, a, 0.0) for v in (m, k))
        assert np.linalg.norm(first - second) <= np.linalg.norm(m - k) + 1e-12


def test_all_kinks_equal_and_infinite_bounds():
    n = 1001
    assert box_hyperplane(np.ones(n), 0.0, 1.0, np.ones(n), n / 2) == pytest.approx(0.5)
    y = np.resize([1.0, -1.0, 1.0], n)
    assert y @ box_hyperplane(np.ones(n), 0.0, 1.0, y, 0.0) == pytest.approx(0.0, abs=1e-11)
    free = box_hyperplane([3.0, 1.0], -np.inf, np.inf, [1.0, 1.0], 0.0)
    assert free == pytest.approx([1.0, -1.0])
    half = box_hyperplane([3.0, -1.0], 0.0, np.inf, [1.0, 1.0], 1.0)
    assert half == pytest.approx([1.0, 0.0])
    assert box_hyperplane([5.0, 0.3], 0.0, 1.0, [0.0, 1.0], 0.5) == pytest.approx([1.0, 0.5])
    assert box_hyperplane([], 0.0, 1.0, [], 0.0).shape == (0,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"z": 3.0}, "at most 2 within the bounds.*missed by 1"),
        ({"z": -1.0}, "at least 0 within the bounds.*missed by 1"),
        ({"lower": [0.0, 2.0]}, "lower is 2 above upper, 1, at 1"),
        ({"m": [0.0, np.nan]}, "m is nan at 1"),
        ({"d": [1.0, 0.0]}, "d is 0 at 1; give positive"),
        ({"a": [1.0, np.inf]}, "a is infinite at 1"),
        ({"a": [1.0]}, r"a has shape \(1,\); m has 2 entries"),
        ({"z": np.nan}, "z is nan"),
        ({"m": [[1.0]]}, "m has 2 dimensions"),
    ],
)
def test_what_cannot_be_is_named(change, message):
    given = {"m": [0.2, 0.1], "lower": 0.0, "upper": 1.0, "a": [1.0, 1.0], "z": 1.0, **change}
    with pytest.raises(ValueError, match=message):
        box_hyperplane(**given)


@pytest.mark.parametrize("z", [0.3, -40_000.0])
def test_a_long_vector_meets_the_hyperplane_to_the_last_digits(z):
    rng = np.random.default_rng(0)
    n = 200_000
    a = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    x = box_hyperplane(rng.normal(size=n), 0.0, 1.0, a, z)
    assert abs(math.fsum(a * x) - z) <= 1e-12 * max(1.0, abs(z))
