"""The group lasso's penalty: numbers worked out by hand, and the oracle's blocks."""

import group_oracle
import numpy as np
import pytest

from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup

FREE = np.full(4, np.inf)


def penalty(groups=("u", "v", "u", "u"), weights=(1.0, 2.0)):
    return GroupL2(list(groups), list(weights)).over(len(groups))


def under(omega, alpha=1.0, factors=(1.0, 1.0), lower=-FREE, upper=FREE):
    return omega.under(alpha, np.array(factors), np.zeros(2, dtype=bool), lower, upper, 1.0)


B = np.array([2.0, -1.0, 3.0, -6.0])  # |(2, 3, -6)| = 7


def test_value_and_polar_by_hand():
    assert penalty().value(B) == 7 + 2
    assert penalty().value(B, 0.5) == 4.5
    assert penalty().polar(B) == 7
    assert penalty().levels(np.array([0.0, 3.0, 0.0, 1.0])).tolist() == [1, 1.5]
    assert GroupL2(["u", "v", "u", "u"]).over(4).value(B) == pytest.approx(np.sqrt(3) * 7 + 1)


def test_prox_by_hand():
    assert penalty().prox(B, 3.5).tolist() == [1, 0, 1.5, -3]
    assert not penalty().prox(B, 7.0).any()
    assert penalty(weights=(0.0, 1.0)).prox(B, 3.5).tolist() == [2, 0, 3, -6]


def test_ridge_part_by_hand():
    """alpha 7 (1 - alpha) 49 / 2, each times d_g v_g."""
    omega = under(penalty(), alpha=0.5, factors=(2.0, 1.0))
    assert omega.value(B) == 2 * (3.5 + 12.25) + 2 * (0.5 + 0.25)
    # (1 - 2 * 0.5 / 7) / (1 + 2 * 0.5) of the block of length 7
    assert omega.prox(B, 1.0)[[0, 2, 3]] == pytest.approx(B[[0, 2, 3]] * (6 / 7) / 2, rel=1e-15)
    # sup z'b - |b| - |b|^2 / 2 = (7 - 1)^2 / 2 and nothing where z is small
    assert omega.conjugate(np.array([2.0, -1.0, 3.0, -6.0]), 1.0) == pytest.approx(18, rel=1e-15)


def test_limits_by_hand():
    """A coordinate that ends at its limit leaves the length to the others."""
    upper = np.array([np.inf, np.inf, 0.0, np.inf])
    omega = under(penalty(weights=(2.0, 1.0)), upper=upper)
    assert omega.prox(np.array([3.0, 0.0, 5.0, 4.0]), 1.0) == pytest.approx([1.8, 0, 0, 2.4])
    assert omega.polar(np.array([3.0, 0.0, 5.0, 4.0])) == 2.5
    # at (b, 4/5) with b at its limit 3/5: length 1, so x - b = lam d b
    omega = under(penalty(weights=(2.0, 1.0)), upper=np.array([0.6, np.inf, np.inf, np.inf]))
    found = omega.prox(np.array([9.0, 0.0, 0.0, 2.4]), 1.0)
    assert found == pytest.approx([0.6, 0, 0, 0.8], rel=1e-14)


def test_conjugate_with_limits_by_hand():
    """sup over b_1 <= 1/2 of 3 b_1 + 4 b_2 - 5 |b| for z = (3, 4): 0; for |z| = 5 above lam = 4
    the limit takes over what is too much: (3 - k / 2) in k = sqrt(4^2 - 4^2) = 0, so 3 / 2."""
    omega = GroupL2([0, 0], [1.0]).over(2)
    upper = np.array([0.5, np.inf])
    omega = omega.under(1.0, np.ones(1), np.zeros(1, dtype=bool), -FREE[:2], upper, 1.0)
    assert omega.conjugate(np.array([3.0, 4.0]), 5.0) == 0
    assert omega.conjugate(np.array([3.0, 4.0]), 4.0 * (1 + 1e-13)) == pytest.approx(1.5, rel=1e-5)
    assert omega.conjugate(np.array([3.0, 4.0]), 3.9) == np.inf


KINDS = {"l2": GroupL2, "sparse": SparseGroup, "linf": GroupLinf}


@pytest.mark.parametrize("kind", KINDS)
def test_all_three_agree_with_the_oracle_on_hostile_blocks(kind):
    """Limits of 0 and inf, ridge parts, ties, coordinates equal but for the last digit."""
    rng = np.random.default_rng(1)
    for trial in range(240):
        s = int(rng.integers(1, 8))
        more = (0.3,) if kind == "sparse" else ()
        lower, upper = -rng.choice([0, 0.1, np.inf, 1], s), rng.choice([0, 0.1, np.inf, 1], s)
        if trial % 3 == 0:
            lower[:], upper[:] = (0.0, np.inf) if trial % 2 else (-np.inf, np.inf)
        alpha, v, lam = (float(rng.choice(k)) for k in ([1, 0.5, 0], [1, 0.3, 2], [0.05, 0.5, 3]))
        omega = KINDS[kind](["u"] * s, *more).over(s).under(
            alpha, np.array([v]), np.zeros(1, dtype=bool), lower, upper, 1.0)
        l1, main = (0.3, 0.7 * np.sqrt(s)) if kind == "sparse" else (0.0, np.sqrt(s))
        block = group_oracle.Block(
            np.arange(s), alpha * v * l1, alpha * v * main * (kind != "linf"),
            alpha * v * main * (kind == "linf"), (1 - alpha) * v * (l1 + main), lower, upper)
        x = 3 * rng.standard_normal(s)
        if trial % 2:
            x[-1], x[s // 2] = x[0] * (1 + rng.choice([0, 1, -1, 5]) * 2.2e-16), -x[0]
        b = block.prox(lam, 1.0, x)
        assert omega.prox(x, lam) == pytest.approx(b, rel=1e-12, abs=1e-12), trial
        assert omega.value(b, lam) == pytest.approx(block.value(lam, b), rel=1e-13)
        assert omega.polar(x) == pytest.approx(block.polar(x), rel=1e-12), trial
        expected = block.conjugate(lam, x)
        assert omega.conjugate(x, lam) == pytest.approx(expected, rel=1e-11, abs=1e-12), trial
