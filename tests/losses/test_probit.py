"""The probit loss against scipy's normal law, near and far; its laws are in tests/laws."""

import numpy as np
import pytest
from scipy import special

from sparsesolve.losses import LOSSES

ETA = np.concatenate([np.linspace(-60, 36, 801), [-4.9999999, -5.0, -5.0000001]])


def alone(y):
    """A loss of which every sample has the response y, with n w = 1; and n."""
    n = len(ETA)
    return LOSSES["probit"](np.full(n, y), np.full(n, 1 / n)), n


def test_values_by_hand():
    loss = LOSSES["probit"](np.array([0.0, 1.0, 0.25]), np.full(3, 1 / 3))
    value, u = loss.at(np.zeros(3))
    assert value == pytest.approx(np.log(2))
    slope = np.sqrt(2 / np.pi)  # phi(0) / Phi(0)
    assert u == pytest.approx(np.array([-1.0, 1.0, -0.5]) * slope / 3)
    assert loss.curvature_at(np.zeros(3)) == pytest.approx(np.full(3, slope**2 / 3))
    entropy = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))
    assert loss.saturated == pytest.approx(entropy / 3)


def test_values_are_scipys_at_every_distance():
    for eta in ETA:
        value = LOSSES["probit"](np.ones(1), np.ones(1)).at(np.array([eta]))[0]
        rounding = 1e-15 * (4 + eta**2)  # of eta^2 / 2 in exp(-eta^2 / 2)
        assert value == pytest.approx(-special.log_ndtr(eta), rel=rounding, abs=0.0)


def test_residuals_keep_their_digits_in_both_tails():
    """phi / Phi = sqrt(2 / pi) / erfcx(-eta / sqrt 2), whichever tail eta lies in."""
    loss, n = alone(1.0)
    expected = np.sqrt(2 / np.pi) / special.erfcx(-ETA / np.sqrt(2))
    rounding = 1e-15 * (4 + np.maximum(ETA, 0) ** 2)  # of eta^2 / 2 in exp(-eta^2 / 2)
    off = np.abs(n * loss.at(ETA)[1] / expected - 1)
    assert (off < rounding).all()
    mirrored, _ = alone(0.0)
    assert np.array_equal(mirrored.at(-ETA)[1], -loss.at(ETA)[1])


def test_curvature_far_out_is_that_of_the_asymptotic_series():
    """Minus (log Phi)'' at -x is 1 - 1/x^2 + 6/x^4 - 50/x^6 + ... for large x."""
    for x in (1e2, 1e4, 1e8, 1e150):
        loss = LOSSES["probit"](np.ones(1), np.ones(1))
        series = 1 - x**-2 + 6 * x**-4 - 50 * x**-6
        assert loss.curvature_at(np.array([-x])) == pytest.approx([series], rel=1e-12)


def test_curvature_is_continuous_where_the_formula_changes():
    loss, n = alone(1.0)
    h = n * loss.curvature_at(ETA)[-3:]
    assert h == pytest.approx(np.full(3, h[1]), rel=1e-8)
    step = n * loss.at(np.array([*ETA[:-2], -5.0 - 1e-4, -5.0 + 1e-4]))[1][-2:]
    assert (step[0] - step[1]) / 2e-4 == pytest.approx(h[1], rel=1e-7)


def test_nothing_is_nan_where_squares_overflow():
    for y in (0.0, 0.3, 1.0):
        for eta in (-1e200, 1e200):
            loss = LOSSES["probit"](np.array([y]), np.ones(1))
            value, u = loss.at(np.array([eta]))
            assert not np.isnan([value, u[0], loss.curvature_at(np.array([eta]))[0]]).any()
