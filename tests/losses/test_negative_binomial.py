"""The negative binomial loss against a likelihood and forty digits; its laws are in tests/laws."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy import stats

from sparsesolve.losses import LOSSES

THETAS = [0.05, 1.0, 40.0]


def one(y, theta):
    """The loss of a single sample."""
    return LOSSES["negative_binomial"](np.array([y]), np.ones(1), theta)


@pytest.mark.parametrize("theta", THETAS)
def test_values_are_those_of_the_likelihood(theta):
    y, eta = np.array([0.0, 1.0, 7.0]), np.array([-1.0, 0.5, 2.5])
    w = np.array([0.5, 0.25, 0.25])
    loss = LOSSES["negative_binomial"](y, w, theta)
    value, u = loss.at(eta)

    def likelihood(mean):
        return stats.nbinom.logpmf(y, theta, theta / (theta + mean))

    mean = np.exp(eta)
    expected = w @ (likelihood(np.maximum(y, 1e-300)) - likelihood(mean))
    assert value - loss.saturated == pytest.approx(expected)
    assert u == pytest.approx(w * (y - mean) / (1 + mean / theta))
    bend = (y + theta) * theta * mean / (theta + mean) ** 2
    assert loss.curvature_at(eta) == pytest.approx(w * bend)


def test_a_large_theta_is_poisson():
    y, eta, w = np.array([0.0, 4.0]), np.array([0.3, -1.0]), np.array([0.5, 0.5])
    loss, limit = LOSSES["negative_binomial"](y, w, 1e14), LOSSES["poisson"](y, w)
    assert loss.at(eta)[0] == pytest.approx(limit.at(eta)[0], rel=1e-13)
    assert loss.at(eta)[1] == pytest.approx(limit.at(eta)[1], rel=1e-13)
    assert loss.saturated == pytest.approx(limit.saturated, rel=1e-13)


@pytest.mark.parametrize("theta", THETAS)
def test_far_out_the_loss_is_linear(theta):
    """At 800 exp(eta) overflows: the slopes are theta and -y all the same."""
    value, u = one(3.0, theta).at(np.array([800.0]))
    assert value == pytest.approx(theta * 800.0 - (3.0 + theta) * np.log(theta))
    assert u == pytest.approx([-theta])
    assert one(3.0, theta).at(np.array([-800.0]))[0] == 2400.0
    assert one(3.0, theta).at(np.array([-800.0]))[1] == 3.0


def test_the_domain_of_the_conjugate():
    loss, eta = one(2.0, 0.5), np.zeros(1)
    for u, finite in [(2.0, True), (2.0 + 1e-9, False), (-0.5, True), (-0.5 - 1e-9, False)]:
        assert np.isfinite(loss.fenchel_young_at(eta, np.array([u]))) == finite


@pytest.mark.parametrize("theta", [0.05, 1.0, 40.0, 1e9])
@pytest.mark.parametrize("y", [0.5, 1e6])
@pytest.mark.parametrize("ratio", [1e-3, 0.9, 1.0 + 1e-4, 30.0])
def test_large_counts_leave_a_gap_its_digits(theta, y, ratio):
    eta = np.log(y * ratio)
    u = 0.01 * min(y, theta)
    with localcontext(prec=60):
        e, t, y_, u_ = (Decimal(x) for x in (eta, theta, y, u))
        s, rest, size = y_ - u_, t + u_, y_ + t
        value = size * (1 + e.exp() / t).ln() - y_ * e
        conjugate = s * (s * t / size).ln() + rest * (rest / size).ln()
        exact = value + conjugate + e * u_
    found = one(y, theta).fenchel_young_at(np.array([eta]), np.array([u]))
    assert found == pytest.approx(float(exact), rel=1e-10, abs=0.0)
