"""Summaries of rows merge to that of all rows, whatever the order, units and weights."""

from functools import reduce

import numpy as np
import pytest

from sparsesolve.data.design import read_block
from sparsesolve.linalg.design.row_summary import merged, summarise

RNG = np.random.default_rng(4)
N = 60
X = RNG.standard_normal((N, 3)) * [1.0, 20.0, 0.0] + [0.0, 1e3, 4.0]
Y = X[:, 0] + RNG.standard_normal(N)
W = RNG.uniform(size=N)


def parts(X, w=W, y=Y, ends=(0, 7, 30, 45, N)):
    cuts = [slice(i, j) for i, j in zip(ends[:-1], ends[1:], strict=True)]
    return [summarise(X[cut], read_block, w[cut], None if y is None else y[cut]) for cut in cuts]


def check(found, X, w=W, y=Y):
    """Against means and products of the columns, in units of the largest."""
    centred, share = X - w @ X / w.sum(), w / w.sum()
    unit = np.ldexp(1.0, -found.exponent)
    assert found.finite and found.weight == pytest.approx(w.sum())
    size = np.abs(X).max(axis=0) * unit
    assert (np.abs(found.mean - share @ (X * unit)) <= 1e-14 * size).all()
    gram = (centred * unit).T @ (w[:, None] * (centred * unit))
    assert found.square == pytest.approx(np.diagonal(gram), rel=1e-9, abs=1e-20)
    if y is not None:
        assert found.gram == pytest.approx(gram, rel=1e-9, abs=1e-9 * np.abs(gram).max())
        assert found.response_mean == pytest.approx(share @ y)
        cross = (w * (y - share @ y)) @ (centred * unit)
        assert found.cross == pytest.approx(cross, rel=1e-9, abs=1e-12 * N * size.max())


@pytest.mark.parametrize("y", [None, Y], ids=["alone", "with a response"])
@pytest.mark.parametrize("step", [1, -1])
def test_merged_in_any_order_they_are_that_of_the_whole(step, y):
    check(reduce(merged, parts(X, y=y)[::step]), X, y=y)


@pytest.mark.parametrize("sizes", [(1e200, 1e180), (1e180, 1e200), (1.0, 1e200)])
def test_parts_in_different_units_are_brought_to_one(sizes):
    """The first rows small, the last large, or the other way round."""
    A = X[:, :2] * np.where(np.arange(N) < 30, *sizes)[:, None]
    check(reduce(merged, parts(A)), A)


def test_rows_without_weight_leave_no_trace():
    w = np.where(np.arange(N) < 30, 0.0, W)
    A = X.copy()
    A[:30] *= 1e9
    found, rest = reduce(merged, parts(A, w)), reduce(merged, parts(A, w)[2:])
    for one, other in zip(found, rest, strict=True):
        assert np.array_equal(one, other)


def test_a_value_that_is_not_finite_is_felt_whatever_its_weight():
    A, w = X.copy(), W.copy()
    A[3, 1], w[3] = np.nan, 0.0
    assert not reduce(merged, parts(A, w)).finite
