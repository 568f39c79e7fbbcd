"""The Tweedie loss against an independent deviance and its limits; its laws are in tests/laws."""

import numpy as np
import pytest
from sklearn.metrics import mean_tweedie_deviance

from sparsesolve.losses import LOSSES

Y, ETA = np.array([0.0, 0.2, 1.0, 7.0]), np.array([-1.0, 0.5, 0.1, 2.5])
W = np.array([0.4, 0.2, 0.2, 0.2])


@pytest.mark.parametrize("power", [1.01, 1.2, 1.5, 1.9])
def test_twice_the_value_above_saturated_is_the_deviance(power):
    loss = LOSSES["tweedie"](Y, W, power)
    value, u = loss.at(ETA)
    deviance = mean_tweedie_deviance(Y, np.exp(ETA), sample_weight=W, power=power)
    assert 2 * (value - loss.saturated) == pytest.approx(deviance, rel=1e-12)
    assert u == pytest.approx(W * (Y - np.exp(ETA)) * np.exp((1 - power) * ETA))


def above_least(loss, eta):
    """The value above the least one, which no constant changes, and -F'."""
    value, u = loss.at(eta)
    return value - loss.saturated, u


def test_powers_near_1_and_2_keep_their_digits():
    near, poisson = LOSSES["tweedie"](Y, W, 1 + 1e-9), LOSSES["poisson"](Y, W)
    for found, known in zip(above_least(near, ETA), above_least(poisson, ETA), strict=True):
        assert found == pytest.approx(known, abs=1e-7)
    y, w = Y[1:], np.full(3, 1 / 3)
    near, gamma = LOSSES["tweedie"](y, w, 2 - 1e-9), LOSSES["gamma"](y, w)
    for found, known in zip(above_least(near, ETA[1:]), above_least(gamma, ETA[1:]), strict=True):
        assert found == pytest.approx(known, abs=1e-7)


def test_a_response_of_zero_costs_nothing_far_below():
    loss = LOSSES["tweedie"](np.zeros(1), np.ones(1), 1.5)
    value, u = loss.at(np.array([-1e5]))
    assert value == loss.saturated == -2.0 and u == 0.0


@pytest.mark.parametrize("power", [1.1, 1.4, 1.9])
def test_a_slope_next_to_the_least_value_is_found(power):
    """There the slope is a difference, coarser than what can be said of the predictor."""
    for y in (1.0, 0.3, 20.0):
        one = LOSSES["tweedie"](np.array([y]), np.ones(1), power)
        for step in np.geomspace(1e-13, 1e-2, 300):
            for eta in (np.log(y) - step, np.log(y) + step):
                u = one.at(np.array([eta]))[1]
                for off in (0.0, 1e-16, -1e-16, 3e-22):
                    excess = one.fenchel_young_at(np.array([eta]), u * (1.0 + off) + off)
                    assert excess <= 1e-27 * (1 + y)
