"""Small quadratic programs against projected gradients."""

import numpy as np
import pytest

from sparsesolve.mkl.directions import bounded_step


def slow(S, c, low, steps=200_000):
    x, length = np.zeros(len(c)), 1 / np.linalg.eigvalsh(S)[-1]
    bounds = np.concatenate([low, np.full(len(c) - len(low), -np.inf)])
    for _ in range(steps):
        new = np.maximum(x - length * (S @ x - c), bounds)
        if np.abs(new - x).max() < 1e-15:
            break
        x = new
    return x


@pytest.mark.parametrize("seed", range(20))
def test_solution(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(30, 8))
    S, c = A.T @ A / 30, rng.normal(size=8)
    low = -rng.exponential(size=6) * rng.integers(0, 2, 6)
    x = bounded_step(S, c, low, low < 0)
    np.testing.assert_allclose(x, slow(S, c, low), atol=1e-6)


def test_duplicates_and_scales_do_no_harm():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 3))
    A = np.column_stack([A, A[:, 0], 1e8 * A[:, 1], np.zeros(30)])
    S, c = A.T @ A, A.T @ rng.normal(size=30)
    x = bounded_step(S, c, np.zeros(6), np.zeros(6, dtype=bool))
    pull = c - S @ x
    size = np.sqrt(np.diagonal(S)) * 10
    assert (x >= 0).all() and (pull <= 1e-9 * (1 + size)).all()
    assert np.abs(pull * x).max() < 1e-6


def test_nothing_to_do():
    assert len(bounded_step(np.zeros((0, 0)), np.zeros(0), np.zeros(0), np.zeros(0, bool))) == 0
