"""The Poisson loss against a likelihood and forty digits; its laws are in tests/laws."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy import stats

from sparsesolve.losses import LOSSES


def one(y):
    """The loss of a single sample."""
    return LOSSES["poisson"](np.array([y]), np.ones(1))


def test_values_are_those_of_the_likelihood():
    y, eta = np.array([0.0, 1.0, 7.0]), np.array([-1.0, 0.5, 2.5])
    w = np.array([0.5, 0.25, 0.25])
    loss = LOSSES["poisson"](y, w)
    value, u = loss.at(eta)
    best = stats.poisson.logpmf(y, np.maximum(y, 1e-300))
    expected = w @ (best - stats.poisson.logpmf(y, np.exp(eta)))
    assert value - loss.saturated == pytest.approx(expected)
    assert u == pytest.approx(w * (y - np.exp(eta)))
    assert loss.curvature_at(eta) == pytest.approx(w * np.exp(eta))


def test_a_mean_of_zero_is_reached_far_below():
    loss = one(0.0)
    assert loss.saturated == 0.0 and loss.at(np.array([-800.0]))[0] == 0.0
    assert loss.at(np.array([800.0]))[0] == np.inf


def test_the_conjugate_ends_where_the_mean_would_be_negative():
    loss = one(2.0)
    assert loss.fenchel_young_at(np.zeros(1), np.array([2.0])) == 1.0  # s = 0: exp(0)
    assert loss.fenchel_young_at(np.zeros(1), np.array([2.0 + 1e-9])) == np.inf
    assert one(0.0).fenchel_young_at(np.zeros(1), np.array([1e-300])) == np.inf


@pytest.mark.parametrize("y", [0.5, 3.0, 1e6, 1e12])
@pytest.mark.parametrize("ratio", [1e-3, 0.9, 1.0 + 1e-4, 30.0])
def test_large_counts_leave_a_gap_its_digits(y, ratio):
    """F(eta) + F*(-u) + eta'u is far smaller than its terms: y log y is 3e13 for the largest."""
    eta, u = np.log(y * ratio), 0.01 * y
    with localcontext(prec=60):
        s, e = Decimal(y) - Decimal(u), Decimal(eta)
        exact = e.exp() - s * e + s * s.ln() - s
    found = one(y).fenchel_young_at(np.array([eta]), np.array([u]))
    assert found == pytest.approx(float(exact), rel=1e-11, abs=0.0)


def test_equal_samples_are_not_all_rounded_the_same_way():
    """Steps are judged by small differences of the sum."""
    n = 20_000
    loss = LOSSES["poisson"](np.zeros(n), np.full(n, 1 / n))
    value = np.exp(-8.3)
    assert abs(loss.at(np.full(n, -8.3))[0] - value) <= 1e-14 * value
