"""The squared hinge by hand and at its kink; its laws are in tests/laws."""

import numpy as np
import pytest

from sparsesolve.losses import LOSSES


def one(y):
    """The loss of a single sample."""
    return LOSSES["squared_hinge"](np.array([y]), np.ones(1))


def test_values_by_hand():
    y, eta = np.array([1.0, 1.0, -1.0, -1.0]), np.array([3.0, -2.0, -0.5, 0.5])
    loss = LOSSES["squared_hinge"](y, np.full(4, 0.25))
    value, u = loss.at(eta)
    assert value == 0.25 * (0.0 + 4.5 + 0.125 + 1.125)
    assert u.tolist() == [0.0, 0.75, -0.125, -0.375]
    assert loss.curvature_at(eta).tolist() == [0.0, 0.25, 0.25, 0.25]
    assert loss.saturated == 0.0


@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_value_and_slope_are_continuous_where_the_curvature_jumps(y):
    for move in (-1e-9, 0.0, 1e-9):
        value, u = one(y).at(np.array([y + move]))
        assert value <= 1e-17 and abs(u[0]) <= 1.1e-9
    assert one(y).curvature_at(np.array([y - 1e-9 * y])) == 1.0
    assert one(y).curvature_at(np.array([y + 1e-9 * y])) == 0.0


@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_the_conjugate_is_that_of_a_maximum_found_on_a_grid(y):
    """F*(-u) = sup of -u eta - F(eta), for u that pull eta towards its label."""
    eta = np.linspace(-20, 20, 400_001)
    values = np.maximum(0.0, 1 - y * eta) ** 2 / 2
    for size in (0.0, 0.3, 1.0, 4.0):
        u = y * size
        expected = (-u * eta - values).max()
        found = one(y).fenchel_young_at(np.array([0.4]), np.array([u]))
        assert found - one(y).at(np.array([0.4]))[0] - 0.4 * u == pytest.approx(expected, abs=1e-8)
    assert one(y).fenchel_young_at(np.zeros(1), np.array([-1e-9 * y])) == np.inf


def test_right_answers_beyond_the_margin_cost_nothing():
    loss = one(1.0)
    assert loss.at(np.array([1e300]))[0] == 0.0
    assert loss.fenchel_young_at(np.array([7.0]), np.zeros(1)) == 0.0
