"""The pinball loss: its values, and that the constant that fits best is the quantile."""

import numpy as np
import pytest

from sparsesolve.losses import KINKED

RNG = np.random.default_rng(0)


def test_values_and_slopes():
    loss = KINKED["quantile"](np.array([1.0, 1.0, 1.0]), np.ones(3), 0.25)
    value, u = loss.at(np.array([0.0, 1.0, 3.0]))
    assert value == 0.25 * 1.0 + 0.0 + 0.75 * 2.0
    np.testing.assert_array_equal(u, [0.25, 0.0, -0.75])
    assert loss.parameters() == (0.25,) and loss.q == 0.25


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_the_best_constant_is_a_quantile(q):
    y, w = RNG.normal(size=41), RNG.random(41)
    loss = KINKED["quantile"](y, w / w.sum(), q)
    a = loss.best_shift(np.zeros(41))
    share = w / w.sum()
    assert share[y < a - 1e-12].sum() <= q + 1e-12 and share[y > a + 1e-12].sum() <= 1 - q + 1e-12
    best = loss.at(np.full(41, a))[0]
    assert all(loss.at(np.full(41, one))[0] >= best - 1e-15 for one in y)


def test_at_one_half_it_is_half_the_absolute_error():
    y, eta = RNG.normal(size=(2, 9))
    assert KINKED["quantile"](y, np.ones(9), 0.5).at(eta)[0] == pytest.approx(
        np.abs(y - eta).sum() / 2, rel=1e-14)  # fmt: skip
