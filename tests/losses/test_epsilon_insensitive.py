"""The epsilon-insensitive loss: its flat piece, and absolute error at epsilon = 0."""

import numpy as np
import pytest

from sparsesolve.losses import KINKED

RNG = np.random.default_rng(0)


def test_values_and_slopes():
    loss = KINKED["epsilon_insensitive"](np.zeros(5), np.ones(5), 0.5)
    value, u = loss.at(np.array([-2.0, -0.5, 0.1, 0.5, 0.75]))
    assert value == 1.5 + 0.0 + 0.0 + 0.0 + 0.25
    np.testing.assert_array_equal(u, [1.0, 0.0, 0.0, 0.0, -1.0])
    assert loss.parameters() == (0.5,)


def test_without_epsilon_it_is_twice_the_median_loss():
    y, eta = RNG.normal(size=(2, 30))
    absolute = KINKED["epsilon_insensitive"](y, np.ones(30), 0.0)
    pinball = KINKED["quantile"](y, np.ones(30), 0.5)
    assert absolute.at(eta)[0] == pytest.approx(2.0 * pinball.at(eta)[0], rel=1e-14)
    np.testing.assert_allclose(absolute.at(eta)[1], 2.0 * pinball.at(eta)[1])


def test_any_constant_within_the_flat_piece_is_best():
    y = np.array([0.0, 0.4])
    loss = KINKED["epsilon_insensitive"](y, np.full(2, 0.5), 0.3)
    assert loss.at(np.full(2, loss.best_shift(np.zeros(2))))[0] == 0.0
