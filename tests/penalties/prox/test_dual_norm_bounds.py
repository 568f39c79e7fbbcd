"""Dual norms of overlapping l2 groups: bounds from above that are valid and tight."""

import numpy as np
import pytest

from sparsesolve.penalties.prox.dual_norm_bounds import bounds, polar
from sparsesolve.penalties.prox.sum_of_norms import SumOfNorms


def _sum(p, groups, weights=None):
    features = np.concatenate(groups).astype(np.intc)
    start = np.cumsum([0, *map(len, groups)]).astype(np.intc)
    return SumOfNorms(p, features, start, np.sqrt(np.diff(start)) if weights is None else weights)


def _draws(count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        p = rng.integers(2, 14)
        groups = [np.flatnonzero(rng.random(p) < 0.5) for _ in range(rng.integers(1, 8))]
        groups = [g for g in groups if len(g)]
        missing = np.setdiff1d(np.arange(p), np.concatenate([*groups, np.empty(0, dtype=int)]))
        own = _sum(p, [*groups, *missing.astype(int)[:, None]])
        yield own, rng.standard_normal(p) * 10.0 ** rng.integers(-2, 3)


def test_dual_norms_are_bounds_and_tight():
    for own, z in _draws(60, seed=1):
        level = polar(own, z)
        rng = np.random.default_rng(2)
        for b in rng.standard_normal((200, own.p)):
            assert z @ b <= level * own.value(b)
        b, _ = own.prox(z, level * (1 - 1e-6))
        assert z @ b / own.value(b) == pytest.approx(level, rel=1e-8)
        found, (best, xi) = bounds(own, z, None, 0.5 * level)  # the level is far: a tenth will do
        assert level * (1 - 1e-8) <= found <= level * 1.06
        assert bounds(own, z, (best, xi), level)[0] == pytest.approx(level, rel=1e-7)
    assert polar(own, np.zeros(own.p)) == 0.0
