"""Descent over clusters of equal sizes reaches the minimum of its model that proximal steps reach;
sweeps over a weighted group lasso by inner products fall to a stationary point."""

import numpy as np
import pytest
from sparsesolve.penalties.prox.ordered import prox_sorted
from sparsesolve.solvers.quadratic.sweeps import cluster_descent, weighted_sweeps

from sparsesolve import penalties

SHAPES = {
    "tall": (40, 8, 0.0), "wide": (10, 25, 0.0), "alike": (30, 12, 0.9), "ridge": (10, 25, 0.5),
}  # fmt: skip
WEIGHTS = {
    "lasso": np.ones, "oscar": lambda p: np.linspace(1.0, 0.1, p),
    "largest": lambda p: np.r_[1.0, np.zeros(p - 1)],
}  # fmt: skip


def model(rng, n, p, alike, unequal):
    X = np.sqrt(1.0 - alike) * rng.normal(size=(n, p)) + np.sqrt(alike) * rng.normal(size=(n, 1))
    X[:, 1] = -X[:, 0]
    Q = np.linalg.qr(rng.normal(size=(n, 2)))[0]
    h = rng.uniform(0.0, 1.0, n) if unequal else np.full(n, 0.7)
    h[: n // 5] *= not unequal
    return np.asfortranarray(X), np.asfortranarray(Q), h, h * rng.normal(size=n)


def objective(X, Q, h, u, w, l2, b, c):
    s = X @ b + Q @ c
    return 0.5 * s @ (h * s) - u @ s + np.sort(np.abs(b))[::-1] @ w + 0.5 * l2 * b @ b


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_it_reaches_the_minimum(shape, weights):
    rng = np.random.default_rng(8)
    n, p, alike = SHAPES[shape]
    X, Q, h, u = model(rng, n, p, alike, weights == "oscar")
    l2 = 0.1 if shape == "ridge" else 0.0
    w = WEIGHTS[weights](p)
    w *= 0.1 * np.max(np.cumsum(np.sort(np.abs(X.T @ u))[::-1]) / np.cumsum(w))

    def prox(v, t):
        return prox_sorted(v / (1.0 + t * l2), t / (1.0 + t * l2), w)

    given = X, Q, h, u, w, l2
    start = rng.normal(size=p) * (rng.random(p) < 0.6)
    b, c = start.copy(), np.zeros(2)
    values = [objective(*given, b, c)]
    L, taken = 1e-3, 1
    for _ in range(500):
        r = u - h * (X @ b + Q @ c)
        L, taken = cluster_descent(X, Q, h, r, w, l2, b, c, prox, L, 0.0, 1)
        values.append(objective(*given, b, c))
    rounding = 1e-13 * abs(values[0])
    assert np.all(np.diff(values) <= rounding)

    both = np.linalg.eigvalsh(np.hstack([X, Q]).T @ (h[:, None] * np.hstack([X, Q])))[-1]
    d, e, v, f, t = start, np.zeros(2), start, np.zeros(2), 1.0
    for _ in range(3000):  # FISTA
        r = u - h * (X @ v + Q @ f)
        last = d, e
        d, e = prox(v + X.T @ r / both, 1.0 / both), f + Q.T @ r / both
        before, t = t, 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
        v, f = (x + (before - 1.0) / t * (x - y) for x, y in zip((d, e), last, strict=True))
        if (v - d) @ (d - last[0]) + (f - e) @ (e - last[1]) < 0.0:
            t = 1.0
    least = objective(*given, d, e)
    assert values[-1] <= least + 1e-9 * abs(values[0])
    assert values[-1] >= least - 1e-9 * abs(values[0])


def test_it_stops_at_a_round_that_lowers_little():
    rng = np.random.default_rng(3)
    X, Q, h, u = model(rng, 40, 8, 0.0, unequal=False)
    w = np.linspace(1.0, 0.5, 8)
    b, c = np.zeros(8), np.zeros(2)
    _, taken = cluster_descent(
        X, Q, h, u, w, 0.0, b, c, lambda v, t: prox_sorted(v, t, w), 1.0, 1e-6, 500
    )
    assert 1 < taken < 100
    before = objective(X, Q, h, u, w, 0.0, b, c)
    r = u - h * (X @ b + Q @ c)
    cluster_descent(X, Q, h, r, w, 0.0, b, c, lambda v, t: prox_sorted(v, t, w), 1.0, 0.0, 500)
    assert before - objective(X, Q, h, u, w, 0.0, b, c) < 1e-3


NORM = 0.0, np.inf, 0.0, 1.0  # phi'(x; t) = t: a group lasso


def blocks_of(start, t):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20, 6))
    start = np.array(start, dtype=np.intp)
    blocks = [slice(*pair) for pair in zip(start[:-1], start[1:], strict=True)]
    G, c = A.T @ A, A.T @ rng.standard_normal(20)
    curvature = np.array([np.linalg.eigvalsh(G[part, part])[-1] for part in blocks])
    return G, c, start, curvature, np.array(t, dtype=float), blocks


def test_a_block_without_curvature_stays():
    start, ones = np.arange(3, dtype=np.intp), np.ones(2)
    b = np.zeros(2)
    flat = np.zeros((2, 2)), ones, b, start, np.zeros(2), 0 * ones
    assert weighted_sweeps(*flat, NORM, 0.0, 1) == 0.0
    assert not b.any()


@pytest.mark.parametrize("penalty", [
    penalties.MCP(2.0), penalties.SCAD(), penalties.Log(0.3), penalties.Bridge(0.5)
], ids=repr)  # fmt: skip
def test_concave_penalties_in_other_units(penalty):
    """A twin of the slopes by differences of phi; b and phi count in units of 8 and 4."""
    G, c, start, curvature, level, _ = blocks_of(range(7), [0.0, 1, 2, 3, 0.5, 1e9])
    b = np.linalg.solve(G, c)
    moved = weighted_sweeps(G, c, b, start, curvature, level, penalty.form, 1e-12, 5000, 8.0, 0.25)
    assert moved <= 1e-12 and np.count_nonzero(b) >= 2
    for left, at, lam in zip(c - G @ b, np.abs(b), level, strict=True):
        h = 1e-6 * (8 * at + 1e-3)
        ends = 8 * at + np.array([0.0, h]) - (h / 2 if at else 0.0)
        slope = 0.25 * np.diff(penalty._phi(ends, lam))[0] / h if lam else 0.0
        assert abs(left) <= slope * (1 + 1e-3) + 1e-6
        assert at == 0.0 or abs(left) == pytest.approx(slope, rel=1e-4, abs=1e-5)


def test_a_round_counts_what_new_thresholds_change():
    """One coefficient is at its best after one sweep at any weight, but not under the penalty."""
    one, b = np.ones(1), np.array([2.0])
    start = np.arange(2, dtype=np.intp)
    form = penalties.MCP(3.0).form
    moved = weighted_sweeps(one[:, None], 2.5 * one, b, start, one, one, form, 1e-9, 1)
    assert moved > 0.1
    weighted_sweeps(one[:, None], 2.5 * one, b, start, one, one, form, 1e-13, 1000)
    assert b == pytest.approx(penalties.MCP(3.0).prox([2.5], 1.0), abs=1e-11)
