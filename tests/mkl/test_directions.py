"""Small quadratic programs against projected gradients.

The linear system of a step against the dense one, for one and several responses.
"""

import mkl_oracle
import numpy as np
import pytest

from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.newton import System, bounded_step
from sparsesolve.mkl.screening import LowRankCache


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


X, K, _ = mkl_oracle.problem(0, n=20, M=3)
ETA = np.array([0.5, 2.0])


def kernels():
    return Kernels(list(K), np.full(3, 10.0), LowRankCache([None] * 3, 20))


def dense(H, x):
    """(H^-1 + K)^-1 x = H (I + K H)^-1 x over all responses at once."""
    q, n = x.shape[1:]
    total = np.kron(np.eye(q), 0.5 * K[0] + 2.0 * K[2])
    out = np.linalg.solve((np.eye(q * n) + total @ H).T, H.T)
    return np.array([(out.T @ v.ravel()).reshape(q, n) for v in x])


@pytest.mark.parametrize("q", [1, 3])
def test_diagonal_curvature_some_of_it_zero(q):
    rng = np.random.default_rng(1)
    h = rng.exponential(size=(q, 20))
    h[:, 3] = 0.0
    x = rng.normal(size=(4, q, 20))
    system = System(kernels(), [0, 2], ETA, h)
    np.testing.assert_allclose(system.kernel_times(x[0]), x[0] @ (0.5 * K[0] + 2 * K[2]))
    np.testing.assert_allclose(system.inverse(x), dense(np.diag(h.ravel()), x), atol=1e-12)


@pytest.mark.parametrize("empty", [False, True])
def test_softmax(empty):
    rng = np.random.default_rng(2)
    p, w = rng.dirichlet(np.ones(3), size=20).T, rng.exponential(size=20)
    w[5] = 0.0
    H = np.zeros((60, 60))
    for i in range(20):
        places = [i, 20 + i, 40 + i]
        H[np.ix_(places, places)] = w[i] * (np.diag(p[:, i]) - np.outer(p[:, i], p[:, i]))
    x = rng.normal(size=(2, 3, 20))
    which, eta = ([], []) if empty else ([0, 2], ETA)
    system = System(kernels(), which, eta, w * p, joined=True)
    expected = np.array([(H @ v.ravel()).reshape(3, 20) for v in x]) if empty else dense(H, x)
    np.testing.assert_allclose(system.inverse(x), expected, atol=1e-10)
    if empty:
        assert not system.kernel_times(x[0]).any()


@pytest.mark.parametrize("junk", [np.nan, np.inf])
def test_memory_that_nothing_was_written_to_is_not_met(monkeypatch, junk):
    rng = np.random.default_rng(3)
    h = rng.dirichlet(np.ones(3), size=20).T * rng.integers(0, 2, size=20)
    x = rng.normal(size=(2, 3, 20))
    wanted = System(kernels(), [0, 2], ETA, h, joined=True).inverse(x)
    monkeypatch.setattr(np, "empty", lambda shape, *given: np.full(shape, junk, *given))
    assert np.array_equal(System(kernels(), [0, 2], ETA, h, joined=True).inverse(x), wanted)
