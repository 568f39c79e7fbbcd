"""OverlapL2: closed forms, the prox by Fenchel-Young, bounds that start from the last ones."""

import numpy as np
import pytest

from sparsesolve.penalties import OverlapL2

RNG = np.random.default_rng(13)
GROUPS, WEIGHTS = [[0, 1, 2], [2, 3], [1, 3, 4]], np.array([1.0, 0.5, 2.0])


def own(p=5):
    return OverlapL2(GROUPS, WEIGHTS).over(p)


@pytest.mark.parametrize("feature, weight", [(0, 1.0), (1, 3.0), (2, 1.5), (3, 2.5), (4, 2.0)])
def test_one_feature_is_shared_by_its_groups(feature, weight):
    """With z on one feature the dual norm is |z_j| over the sum of the weights of its groups."""
    z = np.zeros(5)
    z[feature] = -3.0
    assert own().polar(z) == pytest.approx(3.0 / weight, rel=1e-7)
    b = own().prox(z, 0.5)
    assert b == pytest.approx(np.where(z != 0.0, -(3.0 - 0.5 * weight), 0.0), abs=1e-9)


def test_starts_change_no_answer():
    v = RNG.standard_normal(5)
    b, near = own().prox_near(v, 0.3, None)
    again, _ = own().prox_near(v + 1e-3, 0.3, near)
    assert b == pytest.approx(own().prox(v, 0.3), abs=1e-12)
    assert again == pytest.approx(own().prox(v + 1e-3, 0.3), abs=1e-9)
    level, near = own().polar_near(v, None, 0.0)
    assert own().polar_near(1.001 * v, near, 0.0)[0] == pytest.approx(1.001 * level, rel=1e-8)
