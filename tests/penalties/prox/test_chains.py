"""Total variation on a chain: prox by its inclusion, dual norms by all intervals, any scale.

Norms of total variation along a chain: against enumerations of prefixes and intervals.
"""

import numpy as np
import pytest
from sparsesolve.penalties.prox.chains import (
    chain_polar,
    chain_value,
    prox_chain,
    sparse_chain_polar,
)


def _draws(count=600):
    rng = np.random.default_rng(0)
    for trial in range(count):
        n = rng.integers(1, 15)
        v = rng.standard_normal(n).round(rng.integers(0, 3)) * 10.0 ** rng.integers(-3, 4)
        w = np.where(rng.random(n - 1) < 0.15, 0.0, rng.random(n - 1)) if trial % 2 else None
        yield v, 10.0 ** rng.uniform(-3, 3), w


def test_polar_of_intervals():
    for z, mu, given in _draws():
        n, w = len(z), np.ones(len(z) - 1) if given is None else given
        ends = np.concatenate([[0.0], w, [0.0]])
        best = max(
            abs(z[i:j].sum()) / (mu * (j - i) + ends[i] + ends[j])
            for i in range(n) for j in range(i + 1, n + 1)
        )  # fmt: skip
        assert sparse_chain_polar(z, mu, w) == pytest.approx(best, rel=1e-12)


def test_polar_of_sums():
    z = np.array([1.0, -3.0, 2.5, -0.5])
    assert chain_polar(z) == 2.0
    assert chain_polar(z, np.array([1.0, 0.5, 1.0])) == 4.0
    assert chain_polar(z, np.array([1.0, 0.0, 1.0])) == np.inf
    assert chain_polar(np.array([1.0, -1, 2, -2]), np.array([1.0, 0.0, 1.0])) == 2.0


def test_long_chains_and_extreme_levels():
    rng = np.random.default_rng(1)
    v = np.cumsum(rng.standard_normal(20_000)) + 3 * rng.standard_normal(20_000)
    for t in (1e-12, 0.1, 10.0, 1e4, 1e9):
        b = prox_chain(v, t)
        z = np.cumsum(v - b)[:-1]
        assert (np.abs(z) <= t + 1e-7).all()
        assert -z @ np.diff(b) == pytest.approx(t * chain_value(b), rel=1e-8, abs=1e-6)
    assert prox_chain(v, 1e9) == pytest.approx(np.full(20_000, v.mean()))
    assert (prox_chain(v, 0.0) == v).all() and prox_chain(v, 0.0) is not v


def test_ends_of_a_chain():
    assert prox_chain(np.array([3.0]), 1.0).tolist() == [3.0]
    assert prox_chain(np.array([3.0, 1.0]), 0.5).tolist() == [2.5, 1.5]
    assert prox_chain(np.zeros(0), 1.0).shape == (0,)
    assert prox_chain(np.full(5, 0.1), 1.0) == pytest.approx(np.full(5, 0.1), abs=1e-16)


@pytest.mark.parametrize("n", [2, 37, 5000])
@pytest.mark.parametrize("t", [1e-3, 0.3, 4.0, 1e6])
def test_the_direct_scan_is_the_taut_string(n, t):
    """Weights of 1, given, go by the string; not given, by the scan, or by the string after it."""
    rng = np.random.default_rng(n)
    for v in (np.cumsum(rng.standard_normal(n)) + rng.standard_normal(n), np.zeros(n),
              np.resize([1.0, -1.0], n), np.round(rng.standard_normal(n))):  # fmt: skip
        string = prox_chain(v, t, np.ones(n - 1))
        assert prox_chain(v, t) == pytest.approx(string, abs=1e-12 * (n + np.abs(v).sum()))


RNG = np.random.default_rng(14)


def enumerated(z, mu, w):
    """The largest |sum_I z| / (mu |I| + w at the ends of I), over intervals I."""
    ends, best = np.r_[0.0, w, 0.0], 0.0
    for i in range(len(z)):
        for j in range(i + 1, len(z) + 1):
            best = max(best, abs(z[i:j].sum()) / (mu * (j - i) + ends[i] + ends[j]))
    return best


def test_values():
    assert chain_value(np.array([1.0, 3.0, 2.0])) == 3.0
    assert chain_value(np.array([1.0, 3.0, 2.0]), np.array([0.5, 2.0])) == 3.0
    assert chain_value(np.array([7.0])) == 0.0


def test_the_polar_is_the_largest_sum_of_a_prefix():
    for n in (2, 5, 30):
        z, w = RNG.standard_normal(n), RNG.uniform(0.1, 2.0, n - 1)
        z -= z.mean()
        sums = np.abs(np.cumsum(z))[:-1]
        assert chain_polar(z) == pytest.approx(sums.max())
        assert chain_polar(z, w) == pytest.approx((sums / w).max())


def test_edges_of_weight_0():
    w = np.array([0.0, 1.0])
    assert chain_polar(np.array([0.0, 2.0, -2.0]), w) == 2.0
    assert chain_polar(np.array([1.0, 1.0, -2.0]), w) == np.inf


@pytest.mark.parametrize("mu", [0.05, 0.5, 5.0])
def test_with_l1_the_polar_is_the_largest_ratio_of_an_interval(mu):
    for n in (1, 2, 7, 25):
        z, w = RNG.standard_normal(n), RNG.uniform(0.0, 2.0, n - 1)
        assert sparse_chain_polar(z, mu, w) == pytest.approx(enumerated(z, mu, w), rel=1e-9)


def test_the_polar_is_the_least_t_with_a_constant_prox():
    v, w = RNG.standard_normal(20), RNG.uniform(0.5, 2.0, 19)
    level = chain_polar(v - v.mean(), w)
    assert np.ptp(prox_chain(v, level * (1 + 1e-9), w)) < 1e-12
    assert np.ptp(prox_chain(v, 0.99 * level, w)) > 1e-6
