"""Signals and atoms as they are read, and what is said of codes."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from sparsesolve.paths.dictionary.encoding import (
    SparseCodes,
    dense_columns,
    read_columns,
    warn_missed,
)
from sparsesolve.results.status import ConvergenceWarning, Status


@pytest.mark.parametrize("matrix", [
    [[1, 2], [3, 4]],
    np.array([[1.0, 2.0], [3.0, 4.0]]),
    np.array([[1, 2], [3, 4]], np.float32),
    sparse.csc_array(np.array([[1.0, 2.0], [3.0, 4.0]])),
    sparse.coo_array(np.array([[1, 2], [3, 4]])),
])  # fmt: skip
def test_matrices_are_read_as_designs_are(matrix):
    read = dense_columns(read_columns("Y", matrix))
    assert read.flags.f_contiguous and read.dtype == np.float64
    assert read.tolist() == [[1, 2], [3, 4]]


def test_columns_in_place():
    Y = np.asfortranarray(np.ones((3, 2)))
    assert np.shares_memory(read_columns("Y", Y), Y) and np.shares_memory(dense_columns(Y), Y)
    for zeros in (np.zeros((2, 2)), sparse.csc_array((2, 2)), np.full((1, 1), 1e74)):
        read_columns("Y", zeros)


@pytest.mark.parametrize("matrix, error, sentence", [
    ([[1.0, np.nan]], ValueError, "^Y holds nan at row 0, column 1"),
    ([[1.0, np.inf]], ValueError, "^Y holds inf at row 0, column 1"),
    ([[np.nan, 1.0]], ValueError, "^Y holds nan at row 0, column 0"),
    (sparse.csc_array([[0.0, -np.inf]]), ValueError, "^Y holds -inf at row 0, column 1"),
    ([1.0, 2.0], ValueError, "^Y is one-dimensional"),
    ([["a"]], TypeError, "^Y .*holds text"),
    ([[1e76, 1.0]], ValueError, "^the largest entry of Y is 1e.76; rescale Y$"),
    ([[-1e76, 1.0]], ValueError, "^the largest entry of Y is 1e.76; rescale Y$"),
    ([[1e-76, -3e-80]], ValueError, "^the largest entry of Y is 1e-76; rescale Y$"),
])  # fmt: skip
def test_what_is_refused_bears_its_name(matrix, error, sentence):
    with pytest.raises(error, match=sentence):
        read_columns("Y", matrix)


def made(codes, gaps):
    gaps = np.array(gaps)
    return SparseCodes(sparse.csc_array(codes), gaps, *[np.zeros(len(gaps))] * 4)


def test_codes_in_a_line():
    assert repr(made([[1.0], [0], [2]], [0.25])) == (
        "<SparseCodes: 1 signal over 3 atoms, 2.0 in a code, worst gap 2.5e-01>"
    )
    assert repr(made([[1.0, 0.0]], [1e-9, 2e-8])) == (
        "<SparseCodes: 2 signals over 1 atom, 0.5 in a code, worst gap 2.0e-08>"
    )


def test_signals_that_miss_are_told_once():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_missed(np.array([1.0, 2.0]), np.zeros(2, int), 1e-7)
    gaps, status = np.array([9.0, 1e-3, 0.25, 0.0]), np.array([0, 1, 2, 0])
    with pytest.warns(ConvergenceWarning) as caught:
        warn_missed(gaps, status, 1e-7)
    assert [str(w.message) for w in caught] == [
        f"2 of 4 signals miss tol = 1e-07; the worst gap is 0.25 of signal 2 "
        f"({Status(2).sentence})"
    ]
