"""Huber's loss by hand, at its kinks and on its flanks; its laws are in tests/laws."""

import numpy as np
import pytest

from sparsesolve.losses import LOSSES


def one(y, delta):
    """The loss of a single sample."""
    return LOSSES["huber"](np.array([y]), np.ones(1), delta)


def test_values_by_hand():
    y, eta = np.array([0.0, 1.0, 10.0, -10.0]), np.array([0.5, 1.0, 2.0, 2.0])
    loss = LOSSES["huber"](y, np.full(4, 0.25), 1.5)
    value, u = loss.at(eta)
    assert value == 0.25 * (0.125 + 0.0 + 1.5 * (8 - 0.75) + 1.5 * (12 - 0.75))
    assert u.tolist() == [-0.125, 0.0, 0.375, -0.375]
    assert loss.curvature_at(eta).tolist() == [0.25, 0.25, 0.0, 0.0]
    assert loss.saturated == 0.0 and loss.delta == 1.5


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_value_and_slope_are_continuous_where_the_curvature_jumps(side):
    delta, step = 1.5, 1e-9
    near, far = (one(0.0, delta).at(np.array([side * (delta + move)])) for move in (-step, step))
    assert near[0] == pytest.approx(far[0], abs=4e-9)
    assert near[1] == pytest.approx(far[1], abs=2e-9)
    at_kink = one(0.0, delta).at(np.array([side * delta]))
    assert at_kink[0] == delta**2 / 2 and at_kink[1] == -side * delta


def test_a_large_delta_is_the_squared_error():
    y, eta, w = np.array([1.0, -4.0]), np.array([0.3, 7.0]), np.array([0.5, 0.5])
    huber, square = LOSSES["huber"](y, w, 1e3), LOSSES["gaussian"](y, w)
    assert huber.at(eta)[0] == square.at(eta)[0]
    u = np.array([0.1, -0.7])
    assert huber.fenchel_young_at(eta, u) == pytest.approx(square.fenchel_young_at(eta, u))


def test_the_domain_of_the_conjugate_is_as_wide_as_delta():
    for u in (-1.5, 1.5):
        assert np.isfinite(one(0.0, 1.5).fenchel_young_at(np.zeros(1), np.array([u])))
        assert one(0.0, 1.5).fenchel_young_at(np.zeros(1), np.array([u * (1 + 1e-9)])) == np.inf


def test_the_gap_of_a_residual_on_the_flank_is_exactly_zero():
    """With y at 1e9 the sum of its terms would round to 1e-7 of anything."""
    loss = one(1e9, 1.0)
    for eta in (0.0, 1e9 - 3.0, 1e9 + 0.25, 2e9):
        point = np.array([eta])
        assert loss.fenchel_young_at(point, loss.at(point)[1]) == 0.0
    # u = 0.5 at a residual of 3: 2.5 + 0.125 - 1.5
    assert loss.fenchel_young_at(np.array([1e9 - 3.0]), np.array([0.5])) == 1.125
