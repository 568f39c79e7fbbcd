"""Low-rank factors near kernels are within their errors; bounds of sizes are bounds, or exact."""

import numpy as np
import pytest

from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.screening import MOST_ROWS, LowRankCache, Screening, near_factors

N = 90
RNG = np.random.default_rng(2)


def kernel(rank, rest=0.0):
    """A kernel of so many columns, and a rest of full rank."""
    Z, W = RNG.normal(size=(N, rank)), RNG.normal(size=(N, N))
    return Z @ Z.T + rest * (W @ W.T) / N


@pytest.mark.parametrize("n_threads", [1, 2])
def test_factors_are_as_near_as_they_say(n_threads):
    items = [kernel(1), kernel(12), kernel(4, 1e-4), kernel(N), np.zeros((N, N)),
             kernel(3).astype(np.float32)]  # fmt: skip
    allowed = [1e-6, 1e-6, 1e-1, 1e-6, 1e-6, 1e-2]
    found = near_factors(items, allowed, n_threads)
    assert [factor is None for factor in found] == [False, False, False, True, False, False]
    for K, most, factor in zip(items, allowed, found, strict=True):
        if factor is None:
            continue
        L, error = factor
        assert L.shape[1] == N and len(L) <= MOST_ROWS
        off = np.abs(np.linalg.eigvalsh(K.astype(float) - L.T @ L)).max()
        assert off <= error <= most
    assert len(found[0][0]) == 1 and len(found[1][0]) == 12
    again = near_factors(items, allowed, 1)
    for one, other in zip(found, again, strict=True):
        assert one is other or ((one[0] == other[0]).all() and one[1] == other[1])


def test_what_is_too_far_has_no_factor():
    K = kernel(4, 1e-2)
    assert near_factors([K, K], [1e-3, 0.0], 1) == [None, None]
    assert near_factors([np.eye(100)], [1e-8], 1) == [None] and near_factors([], [], 1) == []
    near = LowRankCache([None, None], 4)
    assert near.known.tolist() == [False, False] and near.rows.shape == (0, 4)
    assert near.squares(np.ones((1, 4))).tolist() == [0.0, 0.0]


def test_squares_bound_quadratic_forms():
    items = [kernel(2), kernel(N), kernel(5, 1e-5)]
    near = LowRankCache(near_factors(items, [1e-6, 1e-6, 1e-2], 1), N)
    u = RNG.normal(size=(3, N))
    assert near.known.tolist() == [True, False, True] and near.errors[1] == np.inf
    squares = near.squares(u)
    assert squares.shape == (3,) and squares[1] == 0.0
    for m in (0, 2):
        exact = sum(row @ items[m] @ row for row in u)
        assert abs(squares[m] - exact) <= near.errors[m] * (u**2).sum() + 1e-12 * exact
    assert near.squares(u[:1])[0] == pytest.approx(u[0] @ items[0] @ u[0], rel=1e-9)


def test_bounds_hold_and_violating_kernels_are_exact():
    items = [kernel(2), kernel(N), kernel(5, 1e-5), kernel(3)]
    near = LowRankCache(near_factors(items, [1e-6, 1e-6, 1e-2, 1e2], 1), N)
    screening, which = Screening(Kernels(items, np.ones(4), near)), np.array([0, 1, 3])
    for _ in range(5):
        u = RNG.normal(size=(2, N))
        exact = np.array([np.sqrt(np.einsum("qi,ij,qj", u, items[m], u)) for m in which])
        level = np.median(exact)
        found = screening.sizes(u, which, np.full(3, level))
        assert (found >= exact * (1 - 1e-9)).all()
        np.testing.assert_allclose(found[found > level], exact[found > level], rtol=1e-9)
        np.testing.assert_allclose(screening.estimates(u, which)[1], exact[1], rtol=1e-9)
