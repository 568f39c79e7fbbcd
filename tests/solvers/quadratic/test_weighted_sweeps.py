"""Sweeps over a weighted group lasso by inner products fall to a stationary point."""

import numpy as np
import pytest
from sparsesolve.solvers.quadratic.weighted_sweeps import weighted_sweeps


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
        moved = weighted_sweeps(G, c, b, start, curvature, t, 2)
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
    assert weighted_sweeps(np.zeros((2, 2)), ones, b, start, np.zeros(2), 0 * ones, 1) == 0.0
    assert not b.any()
