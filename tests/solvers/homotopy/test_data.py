"""Dense, sparse and Gram data give the homotopy the same numbers."""

import numpy as np
import pytest
from random_sparse import random_csc
from scipy import sparse
from states import problem_of

from sparsesolve.solvers.homotopy import path as homotopy_data
from sparsesolve.solvers.homotopy.path import DenseData, GramData, SparseData

RNG = np.random.default_rng(0)
X = np.where(RNG.random((30, 12)) < 0.6, 0.0, RNG.standard_normal((30, 12)) + 1)
Y, W = RNG.standard_normal(30), RNG.uniform(0.5, 2.0, 30)
SOME, U = np.array([1, 5, 7], dtype=np.intc), np.array([2, 3, 2], dtype=np.intc)
B = RNG.standard_normal((4, 3))


def made(matrix, kind, intercept=True):
    problem = problem_of(matrix, Y, "gaussian", weights=W, intercept=intercept)
    return kind(problem, 1), problem


def expected(problem):
    root = np.sqrt(problem.weights)
    A = root[:, None] * problem.design.unpacked(np.arange(12, dtype=np.intc))
    return A, root * problem.response


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", ["kept", "blocks", "sparse", "gram"])
def test_products_and_correlations(form, intercept, monkeypatch):
    if form == "blocks":
        monkeypatch.setattr(homotopy_data, "SMALL_DESIGN", 0)
    matrix = sparse.csc_array(X) if form == "sparse" else np.asfortranarray(X)
    data, problem = made(matrix, SparseData if form == "sparse" else DenseData, intercept)
    A, y = expected(problem)
    if form == "gram":
        data = GramData(A.T @ A, A.T @ y, float(y @ y))
    else:
        assert data.rank == 12
    assert data.squares == pytest.approx((A**2).sum(axis=0))
    assert data.response_square == pytest.approx(y @ y)
    inner = data.inner(SOME, U)
    assert inner == pytest.approx(A[:, SOME].T @ A[:, U], abs=1e-12)
    C, squares = data.measure(U, B)
    R = y[:, None] - A[:, U] @ B.T
    assert C == pytest.approx((A.T @ R).T, abs=1e-11)
    assert squares == pytest.approx((R**2).sum(axis=0), rel=1e-10)


def test_the_data_are_chosen_by_how_full_they_are():
    full, problem = made(np.asfortranarray(X), homotopy_data.homotopy_data)
    assert isinstance(full, DenseData)
    thin = random_csc((30, 12), 0.05, RNG)
    assert isinstance(made(thin, homotopy_data.homotopy_data)[0], SparseData)


@pytest.mark.parametrize("kind", [DenseData, SparseData])
@pytest.mark.parametrize("some", [SOME, np.arange(12, dtype=np.intc)[::-1].copy()], ids=len)
def test_once_all_inner_products_are_known_they_give_the_same(kind, some):
    """Some columns, and all of them in another order."""
    matrix = sparse.csc_array(X) if kind is SparseData else np.asfortranarray(X)
    (data, problem), (fresh, _) = made(matrix, kind), made(matrix, kind)
    A, y = expected(problem)
    assert data.all_inner() == pytest.approx(A.T @ A, abs=1e-12)
    assert data.all_inner() is data.gram
    assert data.inner(some, U) == pytest.approx(fresh.inner(some, U), abs=1e-12)
    coefs = np.random.default_rng(2).standard_normal((4, len(some)))
    C, squares = data.measure(some, coefs)
    D, others = fresh.measure(some, coefs)
    assert C == pytest.approx(D, abs=1e-11) and squares == pytest.approx(others, rel=1e-9)
