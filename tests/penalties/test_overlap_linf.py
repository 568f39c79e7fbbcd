"""OverlapLinf: its dual norm by enumeration, its prox by Fenchel-Young, its clusters."""

from itertools import product

import numpy as np
import pytest

from sparsesolve.penalties import OverlapLinf

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
