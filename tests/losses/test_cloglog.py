"""The complementary log-log loss against forty digits; its laws are in tests/laws."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from cases import every

from sparsesolve.losses import LOSSES


def exact(y, eta):
    """Value, slope and curvature for eta as a double."""
    with localcontext(prec=120, Emin=-(10**6)):
        m = Decimal(eta).exp()
        one, share = Decimal(1), Decimal(y)
        success = -(one - (-m).exp()).ln() if y else Decimal(0)
        q = m / (m.exp() - one)
        value = share * success + (one - share) * m
        slope = (one - share) * m - share * q
        bend = (one - share) * m + share * q * (q + m - one)
        return tuple(map(float, (value, slope, bend)))


@every("y", [0.0, 0.3, 1.0])
@every("eta", [-90.0, -30.0, -18.5, -18.3, -5.0, -2.31, -2.3, -0.4, 0.0, 0.1, 1.7, 3.0, 5.0])
def test_value_residual_and_curvature_to_rounding(y, eta):
    loss = LOSSES["cloglog"](np.array([y]), np.ones(1))
    value, u = loss.at(np.array([eta]))
    expected = exact(y, eta)
    rounding = 1e-15 * (3 + np.exp(eta))  # of m = exp(eta) in exp(-m)
    assert value == pytest.approx(expected[0], rel=rounding, abs=0.0)
    # a share between 0 and 1 is the difference of two terms
    assert -u[0] == pytest.approx(expected[1], rel=30 * rounding, abs=0.0)
    h = loss.curvature_at(np.array([eta]))[0]
    assert h == pytest.approx(expected[2], rel=6 * rounding, abs=0.0)


def test_values_by_hand():
    w = np.array([0.5, 0.5])
    loss = LOSSES["cloglog"](np.array([0.0, 1.0]), w)
    value, u = loss.at(np.full(2, np.log(np.log(2.0))))  # probability one half
    assert value == pytest.approx(np.log(2.0))
    assert u == pytest.approx([-np.log(2.0) / 2, np.log(2.0) / 2])
    assert loss.saturated == 0.0


def test_far_out_successes_cost_nothing_and_failures_all():
    loss = LOSSES["cloglog"](np.array([1.0]), np.ones(1))
    assert loss.at(np.array([8.0]))[0] == 0.0 and loss.at(np.array([800.0]))[1] == 0.0
    assert loss.at(np.array([-800.0])) == (800.0, 1.0)
    loss = LOSSES["cloglog"](np.array([0.0]), np.ones(1))
    assert loss.at(np.array([800.0])) == (np.inf, -np.inf)
    assert loss.at(np.array([-800.0])) == (0.0, 0.0)
