"""Factors of matrices of rank one below the diagonal, against dense Cholesky factors."""

import numpy as np
import pytest
from sparsesolve.linalg.factors.root import Semiseparable

N = 30


def draw(seed):
    """A positive definite matrix of three blocks, where it stands, and its factor."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(N)[:24]
    first = np.isin(np.arange(24), [0, 7, 8])
    x = rng.uniform(0.1, 2.0, 24)
    block = np.cumsum(first)
    A = np.zeros((24, 24))
    bend = np.zeros(24)
    fade = rng.uniform(0.0, 1.0, 24)
    fade[12] = 0.0
    for k in range(1, 4):
        rows = np.flatnonzero(block == k)
        bend[rows] = np.cumsum(rng.random(len(rows)))
        for i in rows:
            for j in rows[rows <= i]:
                A[i, j] = A[j, i] = -x[i] * x[j] * bend[j] * fade[j + 1 : i + 1].prod()
    diagonal = np.abs(A).sum(axis=1) + 0.1
    A += np.diag(diagonal)
    factor = Semiseparable(order, first, N)
    factor.factor_of(diagonal, x, bend, fade, np.full(24, 1e-12))
    return rng, order, A, factor


@pytest.mark.parametrize("seed", range(5))
def test_products_and_solutions_are_those_of_the_dense_factor(seed):
    rng, order, A, factor = draw(seed)
    L = np.linalg.cholesky(A)
    z = rng.standard_normal(N)
    rest = np.setdiff1d(np.arange(N), order)
    for mine, wanted in (
        (factor.product(z), L.T @ z[order]),
        (factor.solution(z), np.linalg.solve(L, z[order])),
        (factor.solution(z, transposed=True), np.linalg.solve(L.T, z[order])),
    ):
        assert mine[order] == pytest.approx(wanted, rel=1e-11, abs=1e-13)
        assert mine[rest].tolist() == z[rest].tolist()


def test_pivots_have_a_floor():
    """A matrix without full rank: [[1, -1], [-1, 1]]."""
    factor = Semiseparable([0, 1], [True, False], 2)
    factor.factor_of([2.0, 2.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.25, 0.25])
    assert factor.product([3.0, 2.0]).tolist() == [1.0, 1.0]  # 3 - 2, 2 / 2
    assert factor.solution([1.0, 0.0]).tolist() == [1.0, 2.0]
    assert factor.solution([1.0, 0.0], transposed=True).tolist() == [1.0, 0.0]
