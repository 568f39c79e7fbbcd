"""The tiled factor is the factor, on any number of threads to the last bit."""

import numpy as np
import pytest

from sparsesolve.linalg.factors import tiled_cholesky


def definite(n, seed=0):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return A @ A.T + np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 159, 160, 161, 400])
def test_factor_and_solutions(n):
    A = definite(n)
    L = A.copy()
    assert tiled_cholesky.factorise(L)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(A), rtol=1e-9, atol=1e-9)
    rhs = np.random.default_rng(1).normal(size=(11, n))
    whole = rhs.copy()
    tiled_cholesky.solve(L, whole)
    np.testing.assert_allclose(whole @ A, rhs, atol=1e-7)


def test_threads_change_no_bit():
    one, two = definite(500), definite(500)
    tiled_cholesky.factorise(one, 1)
    tiled_cholesky.factorise(two, 2)
    assert (np.tril(one) == np.tril(two)).all()
    a, b = np.ones((9, 500)), np.ones((9, 500))
    tiled_cholesky.solve(one, a, 1)
    tiled_cholesky.solve(one, b, 2)
    assert (a == b).all()


def test_the_upper_triangle_is_neither_read_nor_needed():
    A = definite(200)
    L = np.tril(A) + np.triu(np.full((200, 200), np.nan), 1)
    assert tiled_cholesky.factorise(L)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(A), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("place", [0, 170, 399])
def test_what_is_not_definite_is_told(place):
    A = definite(400)
    A[place, place] = -1.0
    assert not tiled_cholesky.factorise(A)


def test_nothing_is_fine():
    assert tiled_cholesky.factorise(np.empty((0, 0)))


@pytest.mark.parametrize("n", [1, 7, 400])
def test_scaled_and_shifted_below_the_diagonal(n):
    rng = np.random.default_rng(n)
    A, root = rng.standard_normal((n, n)), rng.uniform(0.1, 2.0, n)
    for threads in (1, 3):
        out = A.copy()
        tiled_cholesky.scale(out, root, 0.5, threads)
        expected = root[:, None] * A * root + 0.5 * np.eye(n)
        np.testing.assert_allclose(np.tril(out), np.tril(expected), rtol=1e-13, atol=1e-14)
        assert (np.triu(out, 1) == np.triu(A, 1)).all()
