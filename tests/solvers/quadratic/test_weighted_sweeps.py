"""Sweeps over a weighted group lasso by inner products fall to a stationary point."""

import numpy as np
import pytest
from sparsesolve.solvers.quadratic.weighted_sweeps import weighted_sweeps

from sparsesolve import penalties

NORM = 0.0, np.inf, 0.0, 1.0  # phi'(x; t) = t: a group lasso


def problem(start, t):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20, 6))
    start = np.array(start, dtype=np.intp)
    blocks = [slice(*pair) for pair in zip(start[:-1], start[1:], strict=True)]
    G, c = A.T @ A, A.T @ rng.standard_normal(20)
    curvature = np.array([np.linalg.eigvalsh(G[part, part])[-1] for part in blocks])
    return G, c, start, curvature, np.array(t, dtype=float), blocks


@pytest.mark.parametrize("start, t", [
    (range(7), [0.0, 1, 2, 3, 0.5, 1e9]),
    ([0, 1, 3, 6], [0.0, 2.0, 1.0]),
    ([0, 2, 6], [1e9, 0.0]),
])  # fmt: skip
def test_it_falls_to_a_stationary_point(start, t):
    G, c, start, curvature, t, blocks = problem(start, t)
    b, last = np.zeros(6), np.inf
    for _ in range(400):
        moved = weighted_sweeps(G, c, b, start, curvature, t, NORM, 0.0, 2)
        lengths = np.array([np.linalg.norm(b[part]) for part in blocks])
        value = b @ G @ b / 2 - c @ b + t @ lengths
        assert value <= last + 1e-12
        last = value
    left = c - G @ b
    assert moved <= 1e-12
    for part, level, length in zip(blocks, t, lengths, strict=True):
        assert np.linalg.norm(left[part]) <= level + 1e-9
        assert length == 0.0 or left[part] == pytest.approx(level * b[part] / length, abs=1e-9)
        assert length == 0.0 or level < 1e9


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
    G, c, start, curvature, level, _ = problem(range(7), [0.0, 1, 2, 3, 0.5, 1e9])
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
