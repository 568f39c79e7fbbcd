"""OverlapL2: closed forms, the prox by Fenchel-Young, bounds that start from the last ones."""

import numpy as np
import pytest

from sparsesolve.penalties import OverlapL2

RNG = np.random.default_rng(13)
GROUPS, WEIGHTS = [[0, 1, 2], [2, 3], [1, 3, 4]], np.array([1.0, 0.5, 2.0])


def own(p=5):
    return OverlapL2(GROUPS, WEIGHTS).over(p)


def test_the_value_is_the_sum_of_the_lengths():
    b = np.array([2.0, 1.0, 2.0, 0.0, 0.0])
    assert own().value(b) == pytest.approx(1.0 * 3.0 + 0.5 * 2.0 + 2.0 * 1.0)
    assert OverlapL2(GROUPS, WEIGHTS).over(6).value([*b, -2.0]) == own().value(b) + 2.0


@pytest.mark.parametrize("feature, weight", [(0, 1.0), (1, 3.0), (2, 1.5), (3, 2.5), (4, 2.0)])
def test_one_feature_is_shared_by_its_groups(feature, weight):
    """With z on one feature the dual norm is |z_j| over the sum of the weights of its groups."""
    z = np.zeros(5)
    z[feature] = -3.0
    assert own().polar(z) == pytest.approx(3.0 / weight, rel=1e-7)
    b = own().prox(z, 0.5)
    assert b == pytest.approx(np.where(z != 0.0, -(3.0 - 0.5 * weight), 0.0), abs=1e-9)


@pytest.mark.parametrize("t", [0.01, 0.3, 1.0, 50.0])
def test_prox_and_polar_attain_fenchel_young(t):
    for v in 2.0 * RNG.standard_normal((5, 5)):
        b = own().prox(v, t)
        z = v - b
        assert own().polar(z) <= t * (1.0 + 1e-7)
        assert z @ b == pytest.approx(t * own().value(b), abs=1e-9)


def test_the_polar_bounds_all_products():
    z = RNG.standard_normal(5)
    level = own().polar(z)
    ratios = [z @ b / own().value(b) for b in RNG.standard_normal((2000, 5))]
    assert max(ratios) <= level * (1.0 + 1e-12)
    b = own().prox(z, 0.999 * level)  # near the dual norm its direction attains the ratio
    assert z @ b / own().value(b) == pytest.approx(level, rel=2e-3)


def test_starts_change_no_answer():
    v = RNG.standard_normal(5)
    b, near = own().prox_near(v, 0.3, None)
    again, _ = own().prox_near(v + 1e-3, 0.3, near)
    assert b == pytest.approx(own().prox(v, 0.3), abs=1e-12)
    assert again == pytest.approx(own().prox(v + 1e-3, 0.3), abs=1e-9)
    level, near = own().polar_near(v, None, 0.0)
    assert own().polar_near(1.001 * v, near, 0.0)[0] == pytest.approx(1.001 * level, rel=1e-8)


def test_the_splitting_has_the_same_value():
    b = RNG.standard_normal(5)
    split = own().splitting()
    assert split.psi.value(split.matrix @ b) == pytest.approx(own().value(b))


def test_the_second_derivative_along_the_support():
    b, h = np.array([1.0, -2.0, 0.0, 0.5, 0.0]), 1e-4
    tangent = own().tangent(b)
    assert tangent.directions.shape[1] == 3
    C = tangent.curvature(np.zeros(5))
    for d in RNG.standard_normal((4, 3)):
        low, mid, high = (own().value(b + k * h * tangent.step(d)) for k in (-1, 0, 1))
        assert (high - low) / (2 * h) == pytest.approx(tangent.gradient @ d, abs=1e-6)
        assert (low + high - 2 * mid) / h**2 == pytest.approx(d @ C @ d, abs=1e-5)


def test_a_part_is_the_norm_with_zeros_elsewhere():
    which = np.array([1, 2, 4])
    b = np.zeros(5)
    b[which] = RNG.standard_normal(3)
    assert own().part(which).value(b[which]) == pytest.approx(own().value(b))
