"""Overlapping l2 groups: proxes with proofs of their own accuracy, dual norms from both sides.

Dual norms of overlapping l2 groups: bounds from above that are valid and tight.

Systems of overlapping blocks: full and sparse ones, compared with the sums written out.
"""

import numpy as np
import pytest
from scipy.linalg import LinAlgError
from sparsesolve.penalties.prox.group_balls import ascend

from sparsesolve.penalties.prox import sum_of_norms
from sparsesolve.penalties.prox.sum_of_norms import BlockSystem, SumOfNorms
from sparsesolve.penalties.prox.sums import bounds, polar


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


def test_proxes_near_and_far_from_the_dual_norm():
    """The objective at b is that of the dual point: near the polar, where dual ascent creeps."""
    for own, v in _draws(60):
        level = polar(own, v)
        for share in (0.01, 0.3, 0.9, 0.99, 0.999, 0.99999):
            t = share * level
            b, xi = own.prox(v, t)
            assert (own.lengths(xi) <= t * own.d * (1 + 1e-14)).all()
            primal = 0.5 * (b - v) @ (b - v) + t * own.value(b)
            dual = 0.5 * v @ v - 0.5 * (v - own.total(xi)) @ (v - own.total(xi))
            assert primal - dual == pytest.approx(0.0, abs=1e-13 * (v @ v))
            # a proof of accuracy to second order: v'b - |b|^2 = t Omega(b) and |v - b| dual to b
            assert t * own.value(b) == pytest.approx((v - b) @ b, abs=1e-12 * (v @ v))
            assert polar(own, v - b) <= t * (1 + 1e-8) and b.any()
        assert not own.prox(v, level * 1.0001)[0].any()


def test_newton_alone_and_full_systems(monkeypatch):
    """The same with hardly any dual ascent, and with systems that are full or sparse."""
    v = np.random.default_rng(4).standard_normal(40)
    groups = [np.arange(i, i + 4) for i in range(0, 37, 2)] + [np.array([39])]
    own = _sum(40, groups)
    expected = own.prox(v, 0.6)[0]
    monkeypatch.setattr(sum_of_norms, "SWEEPS", 1)
    for dense in (0.0, 1.0):
        monkeypatch.setattr(sum_of_norms, "DENSE", dense)
        again = _sum(40, groups)
        assert again.system.full == (dense == 0.0)
        assert again.prox(v, 0.6)[0] == pytest.approx(expected, abs=1e-11)
    weight, unit = own.smooth_part(expected)
    some, h = np.flatnonzero(expected), 1e-4
    C = own.curvature(weight, unit)
    d = np.where(expected != 0.0, np.random.default_rng(5).standard_normal(40), 0.0)
    bend = (own.value(expected + h * d) + own.value(expected - h * d) - 2 * own.value(expected))
    assert bend / h**2 == pytest.approx(d[some] @ C[np.ix_(some, some)] @ d[some], rel=1e-4)


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


FEATURES = np.array([0, 1, 2, 2, 3, 4, 4, 0], dtype=np.intc)
START = np.array([0, 3, 6, 8], dtype=np.intc)
OF = np.repeat([0, 1, 2], np.diff(START))


@pytest.mark.parametrize("dense, pair", [(0.0, 50.0), (0.0, 0.0), (10.0, 50.0)],
                         ids=["products", "pairs", "sparse"])  # fmt: skip
def test_solutions_of_sums_written_out(monkeypatch, dense, pair):
    monkeypatch.setattr(sum_of_norms, "DENSE", dense)
    monkeypatch.setattr(sum_of_norms, "PAIR", pair)
    rng = np.random.default_rng(0)
    x, y, held, pull = (rng.standard_normal(k) for k in (8, 8, 3, 5))
    system, held = BlockSystem(5, FEATURES, START, OF), 5.0 + held**2
    H = np.diag(1.0 + np.bincount(FEATURES, held[OF], minlength=5))
    products = np.zeros((5, 5))
    for g in range(3):
        own = slice(START[g], START[g + 1])
        a, b = np.zeros(5), np.zeros(5)
        a[FEATURES[own]], b[FEATURES[own]] = x[own], y[own]
        products += 0.5 * (np.outer(a, b) + np.outer(b, a))
    assert system.solve(held, x, y, pull) == pytest.approx(np.linalg.solve(H - products, pull))
    assert system.matrix(x, y, np.arange(5.0)) == pytest.approx(np.diag(np.arange(5.0)) - products)


@pytest.mark.parametrize("dense", [0.0, 10.0])
def test_singular_systems_are_told(monkeypatch, dense):
    monkeypatch.setattr(sum_of_norms, "DENSE", dense)
    system = BlockSystem(1, np.zeros(1, np.intc), np.array([0, 1], np.intc), np.zeros(1, int))
    with pytest.raises(LinAlgError):
        system.solve(np.zeros(1), np.ones(1), np.ones(1), np.ones(1))


# Dual ascent, ball by ball


def test_one_group_is_done_in_one_sweep():
    v, xi = np.array([3.0, 4.0, 1.0]), np.zeros(2)
    b = v.copy()
    features, start = np.array([0, 1], dtype=np.intc), np.array([0, 2], dtype=np.intc)
    ascend(np.array([1.0]), features, start, xi, b, 1, 0.0)
    assert b == pytest.approx([2.4, 3.2, 1.0]) and xi == pytest.approx([0.6, 0.8])
    assert ascend(np.array([1.0]), features, start, xi, b, 5, 1e-15) <= 1e-15
    ascend(np.array([9.0]), features, start, xi, b, 1, 0.0)
    assert b.tolist() == [0.0, 0.0, 1.0]


def test_residuals_belong_to_vectors_within_their_balls():
    rng = np.random.default_rng(0)
    features, start = np.array([0, 1, 2, 2, 3], dtype=np.intc), np.array([0, 3, 5], dtype=np.intc)
    for sweeps in (1, 3, 500):
        v, xi, radius = rng.standard_normal(4), np.zeros(5), np.array([0.5, 0.7])
        b = v.copy()
        ascend(radius, features, start, xi, b, sweeps, 0.0)
        assert b == pytest.approx(v - np.bincount(features, xi), abs=1e-14)
        lengths = np.sqrt(np.add.reduceat(xi * xi, start[:-1]))
        assert (lengths <= radius * (1 + 1e-14)).all()
        gap = radius @ np.sqrt(np.add.reduceat(b[features] ** 2, start[:-1])) - xi @ b[features]
        assert gap >= -1e-14 and (sweeps < 500 or gap < 1e-13)
