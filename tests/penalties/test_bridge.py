"""Bridge: near lam |b|^q, a jump of the prox, the l1 norm as q goes to 1."""

import numpy as np
import pytest

from sparsesolve.penalties import Bridge


@pytest.mark.parametrize("q", [0.3, 0.5, 0.9])
def test_the_value_is_that_power_of_large_coefficients(q):
    b = np.array([4.0, -9.0])
    assert Bridge(q).value(b, 2.0) == pytest.approx(2.0 * np.sum(np.abs(b) ** q), rel=0.15)
    assert Bridge(q).value([0.0], 2.0) == 0.0


@pytest.mark.parametrize("q", [0.3, 0.5, 0.9])
def test_the_prox_is_stationary_and_jumps(q):
    penalty, x = Bridge(q), np.linspace(0.0, 6.0, 601)
    b = penalty.prox(x, 1.0)
    moved = b > 0.0
    slope = q * (b[moved] + 1e-3) ** (q - 1.0)
    assert b[moved] - x[moved] + slope == pytest.approx(0.0, abs=1e-7)
    assert b[moved].min() > np.diff(x)[0]  # no small coefficients
    assert not b[: np.argmax(moved)].any()


def test_as_q_goes_to_1_it_is_the_soft_threshold():
    assert Bridge(1.0 - 1e-7).prox([3.0, -0.5], 1.0) == pytest.approx([2.0, 0.0], abs=1e-4)
