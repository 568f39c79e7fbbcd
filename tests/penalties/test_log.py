"""Log: concave, its tangent the reweighted l1 norm, its prox a root of a quadratic."""

import numpy as np
import pytest

from sparsesolve.penalties import Log


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_prox_is_stationary_or_zero(epsilon):
    x, lam = np.linspace(0.0, 8.0, 161), 0.7
    b = Log(epsilon).prox(x, lam)
    moved = b > 0.0
    assert moved.any() and (~moved).any()
    assert (b - x + lam / (epsilon + b))[moved] == pytest.approx(0.0, abs=1e-12)
    assert (np.diff(b) >= -1e-12).all()


def test_the_tangent_is_a_weighted_l1_norm_above_it():
    """Weights are lam / (epsilon + |b|), as in Candes, Wakin and Boyd's iteration."""
    penalty, at, lam = Log(0.5), 1.3, 2.0
    weight = lam / (0.5 + at)
    other = np.linspace(0.0, 9.0, 91)
    tangent = penalty.value([at], lam) + weight * (other - at)
    own = np.array([penalty.value([x], lam) for x in other])
    assert (own <= tangent + 1e-12).all()
    assert penalty.value([at], lam) == pytest.approx(lam * np.log1p(at / 0.5))


def test_a_large_epsilon_is_the_l1_norm():
    assert Log(1e8).prox([3.0, -0.5], 1e8) == pytest.approx([2.0, 0.0], abs=1e-6)
