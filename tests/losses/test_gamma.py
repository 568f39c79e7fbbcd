"""The gamma loss against a likelihood and forty digits; its laws are in tests/laws."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy import stats

from sparsesolve.losses import LOSSES


def one(y):
    """The loss of a single sample."""
    return LOSSES["gamma"](np.array([y]), np.ones(1))


def test_values_are_those_of_the_likelihood():
    """With shape a the log-likelihood is -a (y exp(-eta) + eta) + what does not hold eta."""
    y, eta, shape = np.array([0.1, 1.0, 7.0]), np.array([-1.0, 0.5, 2.5]), 3.0
    w = np.array([0.5, 0.25, 0.25])
    loss = LOSSES["gamma"](y, w)
    value, u = loss.at(eta)

    def likelihood(mean):
        return stats.gamma.logpdf(y, shape, scale=mean / shape)

    expected = w @ (likelihood(y) - likelihood(np.exp(eta))) / shape
    assert value - loss.saturated == pytest.approx(expected)
    assert u == pytest.approx(w * (y * np.exp(-eta) - 1.0))
    assert loss.curvature_at(eta) == pytest.approx(w * y * np.exp(-eta))


def test_far_out_the_loss_is_linear_or_infinite():
    assert one(2.0).at(np.array([800.0]))[0] == 800.0
    assert one(2.0).at(np.array([800.0]))[1] == -1.0
    assert one(2.0).at(np.array([-800.0]))[0] == np.inf


def test_the_conjugate_ends_where_the_ratio_would_be_negative():
    assert one(2.0).fenchel_young_at(np.zeros(1), np.array([-1.0])) == 2.0
    assert one(2.0).fenchel_young_at(np.zeros(1), np.array([-1.0 - 1e-9])) == np.inf


@pytest.mark.parametrize("y", [1e-12, 0.5, 1e12])
@pytest.mark.parametrize("ratio", [1e-3, 0.9, 1.0 + 1e-4, 30.0])
def test_large_responses_leave_a_gap_its_digits(y, ratio):
    eta, u = np.log(y * ratio), 0.01
    with localcontext(prec=60):
        s, e, y_ = 1 + Decimal(u), Decimal(eta), Decimal(y)
        exact = y_ * (-e).exp() + e + s * (s / y_).ln() - s + e * Decimal(u)
    found = one(y).fenchel_young_at(np.array([eta]), np.array([u]))
    assert found == pytest.approx(float(exact), rel=1e-11, abs=0.0)
