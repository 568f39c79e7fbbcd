"""Working columns for several responses, dense and sparse, against arrays."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design

from sparsesolve.linalg.design.response_columns import (
    DenseColumns,
    SparseColumns,
    response_columns,
)

N, P, K = 30, 40, 3
RNG = np.random.default_rng(7)
MADE = RNG.normal(size=(N, P)) * (RNG.random((N, P)) < 0.1)


def columns(store, centre=True):
    """The working columns of a standardised design, and Z with the intercept's column last."""
    X = MADE + (3.0 if store is np.asfortranarray else 0.0)
    design, w = Design(store(X)), np.full(N, 1 / N)
    design.moments(w)
    spread = np.asarray(design.spread)
    factor = np.divide(1.0, spread, out=np.zeros(P), where=spread > 0)
    design.standardise(centre, factor)
    Z = (X - centre * X.mean(axis=0)) * factor
    return response_columns(design), np.column_stack([Z, np.ones(N)])


@pytest.fixture(params=["dense", "single", "sparse", "as it is"])
def pair(request):
    store = {"dense": np.asfortranarray, "sparse": sparse.csc_array, "as it is": sparse.csc_array,
             "single": lambda X: np.asfortranarray(X, dtype=np.float32)}  # fmt: skip
    store = store[request.param]
    working, Z = columns(store, request.param != "as it is")
    tolerance = 1e-6 if request.param == "single" else 1e-12
    return working, Z, {"rtol": tolerance, "atol": tolerance}


def test_the_kind_is_that_of_the_design():
    assert isinstance(columns(np.asfortranarray)[0], DenseColumns)
    assert isinstance(columns(sparse.csc_array)[0], SparseColumns)
    filled = Design(sparse.csc_array(np.ones((4, 2))))
    assert isinstance(response_columns(filled), DenseColumns)


def same(found, wanted, tolerance):
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, **tolerance)


def test_products_are_those_of_the_columns_taken_in(pair):
    working, Z, tolerance = pair
    taken = []
    for new in ([-1], [5, 3], [], list(range(6, 26)), [0]):  # beyond the room there is at first
        if taken and not new:
            continue
        before = len(taken)
        working.append(np.array(new, dtype=np.intc))
        taken += new
        A = Z[:, taken]  # -1 is the last of Z
        assert working.size == len(taken)
        B, u, h = RNG.normal(size=(K, len(taken))), RNG.normal(size=(K, N)), RNG.random(N)
        same(working.combine(B), B @ A.T, tolerance)
        for first in {0, before, len(taken) - 1}:
            same(working.correlate(u, first), u @ A[:, first:], tolerance)
            same(working.gram(h, first), A.T @ (h[:, None] * A[:, first:]), tolerance)
            same(working.squares(h, first), h @ A[:, first:] ** 2, tolerance)


@pytest.mark.parametrize("some", [[0, 1, 2], [0, 1, 2, 3, 4], [1, 4], [4], []])
def test_some_of_them(pair, some):
    working, Z, tolerance = pair
    working.append(np.array([-1, 7, 2, 9, 30], dtype=np.intc))
    A, u = Z[:, [-1, 7, 2, 9, 30]][:, some], RNG.normal(size=(K, N))
    part = working.some(np.array(some, dtype=np.intp))
    assert part.size == len(some) and part.dense == working.dense
    same(part.correlate(u), u @ A, tolerance)
    if some:
        same(part.combine(u[:, : len(some)]), u[:, : len(some)] @ A.T, tolerance)
    assert working.size == 5
