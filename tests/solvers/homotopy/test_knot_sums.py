"""The sums over knots, compared with numpy's."""

import numpy as np
import pytest
from sparsesolve.solvers.homotopy.knot_gaps import gaps_at, nonzeros, piece_gaps

from sparsesolve.solvers.homotopy.knot_certificate import largest
from sparsesolve.solvers.homotopy.path import first_excess

RNG = np.random.default_rng(0)
C, LAMS = RNG.standard_normal((7, 9)), np.linspace(1.0, 0.1, 7)
V = np.array([1.0, 2, 0, 1, 0.5, 1, np.inf, 1, 3])


@pytest.mark.parametrize("positive", [False, True])
def test_largest_correlations_over_their_bounds(positive):
    bound = np.where(V > 0, V, np.inf)
    size = C if positive else np.abs(C)
    found = largest(C, bound, positive)
    assert found == pytest.approx(np.maximum((size / bound).max(axis=1), 0.0))
    assert largest(-np.abs(C), bound, True).tolist() == [0.0] * 7


@pytest.mark.parametrize("positive", [False, True])
def test_the_first_excess_and_all_of_that_knot(positive):
    size, slack = (C if positive else np.abs(C)), np.full(9, 1e-3)
    which = np.array([0, 1, 3, 8], dtype=np.intc)
    for scale in (0.1, 0.5, 1.0, 100.0):
        over = size[:, which] > scale * LAMS[:, None] * V[which] + 1e-3
        rows = np.flatnonzero(over.any(axis=1))
        knot, columns = first_excess(C, scale * LAMS, which, V, slack, positive)
        assert knot == (rows[0] if len(rows) else 7)
        assert columns.tolist() == (which[over[rows[0]]].tolist() if len(rows) else [])


def test_gaps_and_nonzeros():
    features, v = np.array([8, 0, 2, 0], dtype=np.intc), np.where(np.isinf(V), 1.0, V)
    B = RNG.standard_normal((7, 4)) * (RNG.random((7, 4)) > 0.5)
    squares, most = RNG.uniform(1, 2, 7), RNG.uniform(0.0, 2.0, 7)
    s = np.minimum(1.0, LAMS / most)
    expected = 0.5 * (1 - s) ** 2 * (squares + 0.3 * B**2 @ v[features])
    blocks = LAMS * (np.abs(B) @ v[features])
    blocks -= s * (C[:, features] * B * (v[features] > 0)).sum(axis=1)
    found = gaps_at(LAMS, features, B, C, squares, most, v, 0.3)
    assert found == pytest.approx(expected + np.maximum(blocks, 0.0))
    order, unit = np.argsort(features, kind="stable"), np.array([2.0, 1, 1, 0.5])
    which, values, sizes = nonzeros(B, order, features, unit)
    assert sizes.tolist() == np.count_nonzero(B, axis=1).tolist()
    ends = np.cumsum(sizes)
    for k in range(7):
        part = slice(ends[k] - sizes[k], ends[k])
        kept = order[B[k, order] != 0.0]
        assert which[part].tolist() == features[kept].tolist()
        assert values[part].tolist() == (B[k] * unit)[kept].tolist()


@pytest.mark.parametrize("ends", ["exact", "turns", "moved"])
def test_gaps_of_pieces_are_the_largest_between_their_ends(ends):
    """Equal to those of a grid; no less where a coefficient changes its sign, or where rounding
    has moved the ends, so that the largest gap is not half way."""
    v, K = np.array([1.0, 2.0, 0.0, 0.5]), 6
    for seed in range(20):
        rng = np.random.default_rng(seed)
        lams = np.sort(rng.uniform(0.1, 1.0, K))[::-1].copy()
        B = rng.uniform(0.5, 1.0, (K, 4)) * (rng.random((K, 4)) < 0.6)
        B *= rng.choice([-1.0, 1.0], (1 if ends == "exact" else K, 4))
        inside = (B == 0.0) | (ends == "moved")
        C = lams[:, None] * v * np.where(inside, rng.uniform(-1, 1, (K, 4)), np.sign(B))
        found = piece_gaps(lams, np.arange(4, dtype=np.intc), B, C, v)
        assert found[0] == 0.0
        for k in range(1, K):
            t = np.linspace(0.0, 1.0, 2001)[:, None]
            lam, b, c = ((1 - t) * x[k - 1] + t * x[k] for x in (lams, B, C))
            most = (lam * v * np.abs(b) - c * b)[:, v > 0.0].sum(axis=1).max()
            assert found[k] >= most - 1e-12
            assert ends != "exact" or found[k] == pytest.approx(most, abs=1e-12)
