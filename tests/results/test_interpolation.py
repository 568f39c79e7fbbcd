"""Interpolation along a path against numpy's, and what is not a lambda."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from sparsesolve.results.interpolation import interpolator, read_s

LAMBDAS = np.array([4.0, 2.0, 0.5, 0.0])


def between(lambdas, s):
    """The same weights by numpy.interp, which wants increasing places."""
    return np.stack([np.interp(s, lambdas[::-1], unit[::-1]) for unit in np.eye(len(lambdas))])


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=8, unique=True),
       st.lists(st.floats(0, 2e3), max_size=8))  # fmt: skip
def test_weights_of_any_lambdas(lambdas, s):
    lambdas = np.sort(lambdas)[::-1]
    W = interpolator(lambdas, np.array(s)).toarray()
    assert ((0 <= W) & (W <= 1)).all()
    inside = np.clip(s, lambdas[-1], lambdas[0]) if s else np.array([])
    assert lambdas @ W == pytest.approx(inside, rel=1e-12, abs=1e-9)
    for column in W.T:
        met = np.flatnonzero(column)
        assert len(met) in (1, 2) and met[-1] - met[0] < 2  # neighbours
    if len(s):
        assert pytest.approx(between(lambdas, inside), abs=1e-6) == W


def test_a_lambda_of_the_path_has_weight_1_and_nothing_beside_it():
    lambdas = np.array([2.9, 1.7, 0.3, 0.1])
    W = interpolator(lambdas, lambdas)
    assert W.nnz == 4 and W.data.tolist() == [1.0] * 4
    assert (W.toarray() == np.eye(4)).all()
    outside = interpolator(lambdas, np.array([7.0, 0.05]))
    assert outside.nnz == 2 and outside.indices.tolist() == [0, 3]


def test_one_s_and_none():
    assert interpolator(LAMBDAS, np.array(3.0)).toarray().tolist() == [[0.5], [0.5], [0], [0]]
    assert interpolator(LAMBDAS, np.array([])).shape == (4, 0)
    assert interpolator(LAMBDAS[:0], np.array([])).shape == (0, 0)
    with pytest.raises(ValueError) as caught:
        interpolator(LAMBDAS[:0], np.array(1.0))
    assert str(caught.value) == "The path holds no solution: it ended before its first lambda"


def test_s_is_read_as_float64():
    for s in (2, 2.0, np.float32(2), "2", True):
        assert read_s(s).shape == () and read_s(s).dtype == np.float64
    assert read_s([3, 0]).tolist() == [3.0, 0.0] and read_s([]).shape == (0,)
    assert read_s(np.inf) == np.inf


@pytest.mark.parametrize("s, error, sentence", [
    ("lambda_min", TypeError,
     "s is 'lambda_min'; give a value of lambda, or a list of them, as numbers"),
    ([1, [2]], TypeError, "s is [1, [2]]; give a value of lambda, or a list of them, as numbers"),
    (1j, TypeError, "s is 1j; give a value of lambda, or a list of them, as numbers"),
    (np.ones((2, 1)), ValueError, "s has shape (2, 1); give one lambda or a flat list of them"),
    (-1, ValueError, "s holds -1.0 at position 0; a lambda is at least 0"),
    ([1, 2, np.nan, -1], ValueError, "s holds nan at position 2; a lambda is at least 0"),
])  # fmt: skip
def test_what_is_no_lambda(s, error, sentence):
    with pytest.raises(error) as caught:
        read_s(s)
    assert str(caught.value) == sentence
