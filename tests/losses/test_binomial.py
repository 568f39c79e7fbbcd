"""The logistic loss at points where it can be told by hand; its laws are in tests/laws."""

import numpy as np
import pytest

from sparsesolve.losses import LOSSES


def test_values_by_hand():
    loss = LOSSES["binomial"](np.array([0.0, 1.0, 0.25]), np.full(3, 1 / 3))
    value, u = loss.at(np.zeros(3))
    assert value == pytest.approx(np.log(2))
    assert u == pytest.approx(np.array([-0.5, 0.5, -0.25]) / 3)
    assert loss.curvature_at(np.zeros(3)) == pytest.approx(np.full(3, 1 / 12))
    entropy = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))
    assert loss.saturated == pytest.approx(entropy / 3)


def test_far_out_losses_are_linear_and_right_answers_cost_nothing():
    loss = LOSSES["binomial"](np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    assert loss.at(np.array([800.0, 800.0]))[0] == 400.0
    assert loss.at(np.array([-800.0, 800.0]))[0] == 0.0
