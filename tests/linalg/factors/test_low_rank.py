"""Pivoted Cholesky of few rows: what is left is small, known, and of no use where it is not."""

import numpy as np
import pytest
from sparsesolve.linalg.factors.low_rank import distance, low_rank_rows


def kernel(n, width=1.0, seed=0):
    x = np.random.default_rng(seed).normal(size=n)
    return np.exp(-width * np.subtract.outer(x, x) ** 2)


@pytest.mark.parametrize("n", [1, 5, 200])
def test_rows_come_as_near_as_asked(n):
    K = kernel(n)
    for tiny in (0.1, 1e-6, 1e-12):
        L = low_rank_rows(K, n, tiny)
        rest = K - L.T @ L
        assert np.diagonal(rest).max() <= tiny + 1e-14
        assert np.linalg.eigvalsh(rest)[0] >= -1e-13
        assert distance(K.copy(), L) == pytest.approx(np.linalg.norm(rest), rel=1e-9, abs=1e-15)
    assert len(low_rank_rows(K, n, 1e-6)) <= min(n, 40)


def test_only_the_lower_triangle_is_read():
    K = kernel(30)
    spoilt = np.tril(K) + np.triu(np.full((30, 30), np.nan), 1)
    assert (low_rank_rows(spoilt, 30, 1e-8) == low_rank_rows(K, 30, 1e-8)).all()
    L = low_rank_rows(K, 3, 1.0)
    assert distance(spoilt, L) == pytest.approx(np.linalg.norm(K - L.T @ L))


def test_the_rank_of_what_has_one():
    Z = np.random.default_rng(1).normal(size=(50, 4))
    assert len(low_rank_rows(Z @ Z.T, 10, 1e-10)) == 4
    assert len(low_rank_rows(np.zeros((6, 6)), 3, 0.0)) == 0


def test_too_many_are_not_made():
    assert low_rank_rows(np.eye(20), 19, 1e-3) is None
    assert len(low_rank_rows(np.eye(20), 20, 1e-3)) == 20
    assert low_rank_rows(np.eye(20), 0, 1e-3) is None


def test_what_is_indefinite_is_far():
    """A negative eigenvalue stays in the rest, however few pivots are left."""
    K = kernel(40)
    values, vectors = np.linalg.eigh(K)
    K -= 1e-3 * np.outer(vectors[:, 0], vectors[:, 0])
    L = low_rank_rows(K, 40, 1e-9)
    assert L is None or distance(K.copy(), L) >= 1e-3 - 1e-9
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert distance(swap.copy(), low_rank_rows(swap, 2, 0.0)) == pytest.approx(np.sqrt(2))
