"""Norms of total variation along a chain: against enumerations of prefixes and intervals."""

import numpy as np
import pytest
from sparsesolve.penalties.prox.chains import (
    chain_polar,
    chain_value,
    prox_chain,
    sparse_chain_polar,
)

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
