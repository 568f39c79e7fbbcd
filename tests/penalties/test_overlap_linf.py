"""OverlapLinf: its dual norm by enumeration, its prox by Fenchel-Young, its clusters."""

from itertools import product

import numpy as np
import pytest

from sparsesolve.penalties import GroupLinf, OverlapLinf

RNG = np.random.default_rng(12)
GROUPS, WEIGHTS = [[0, 1, 2], [2, 3], [1, 3, 4]], np.array([1.0, 0.5, 2.0])


def own(p=5):
    return OverlapLinf(GROUPS, WEIGHTS).over(p)


def enumerated_polar(z):
    """The largest |z|(S) / (weight of the groups that S meets), over all sets S."""
    best = 0.0
    for bits in product([False, True], repeat=5):
        S = np.array(bits)
        met = sum(d for d, g in zip(WEIGHTS, GROUPS, strict=True) if S[g].any())
        best = max(best, np.abs(z[S]).sum() / met) if S.any() else best
    return best


def test_the_polar_is_the_largest_ratio_over_all_sets():
    for z in RNG.standard_normal((8, 5)):
        assert own().polar(z) == pytest.approx(enumerated_polar(z), rel=1e-9)


def test_the_value_is_the_sum_of_the_largest_sizes():
    b = np.array([1.0, -3.0, 2.0, 0.5, -4.0])
    assert own().value(b) == pytest.approx(1.0 * 3.0 + 0.5 * 2.0 + 2.0 * 4.0)
    assert OverlapLinf(GROUPS, WEIGHTS).over(6).value([*b, 2.0]) == own().value(b) + 2.0


@pytest.mark.parametrize("t", [0.01, 0.3, 2.0, 50.0])
def test_prox_and_polar_attain_fenchel_young(t):
    for v in 2.0 * RNG.standard_normal((5, 5)):
        b = own().prox(v, t)
        z = v - b
        assert own().polar(z) <= t * (1.0 + 1e-9)
        assert z @ b == pytest.approx(t * own().value(b), abs=1e-10)
        assert (b * v >= 0.0).all()


def test_0_from_the_polar_on():
    v = RNG.standard_normal(5)
    level = own().polar(v)
    assert not own().prox(v, level * (1 + 1e-9)).any() and own().prox(v, 0.999 * level).any()


def test_one_group_of_all_is_the_linf_norm():
    one, other = OverlapLinf([range(5)], [2.0]).over(5), GroupLinf([0] * 5, [2.0]).over(5)
    for v in RNG.standard_normal((5, 5)):
        assert one.prox(v, 0.4) == pytest.approx(other.prox(v, 0.4), abs=1e-12)
        assert one.polar(v) == pytest.approx(other.polar(v), rel=1e-12)


def test_the_splitting_has_the_same_value():
    b = RNG.standard_normal(5)
    split = own().splitting()
    assert split.psi.value(split.matrix @ b) == pytest.approx(own().value(b))


def test_the_largest_of_a_group_keep_one_size():
    b = np.array([2.0, -2.0, 1.0, 1.0, 0.0])  # 0 and 1 are tied in group 0, 2 and 3 in group 1
    tangent = own().tangent(b)
    assert tangent.directions.shape[1] == own().degrees(b) == 2
    d = 1e-3 * RNG.standard_normal(2)
    moved = b + tangent.step(d)
    assert moved[4] == 0.0 and abs(moved[0]) == pytest.approx(abs(moved[1]))
    assert own().value(moved) - own().value(b) == pytest.approx(tangent.gradient @ d, abs=1e-12)


def test_a_part_is_the_norm_with_zeros_elsewhere():
    which = np.array([1, 2, 4])
    b = np.zeros(5)
    b[which] = RNG.standard_normal(3)
    assert own().part(which).value(b[which]) == pytest.approx(own().value(b))
