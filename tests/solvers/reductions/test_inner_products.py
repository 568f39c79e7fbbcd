"""Few rows that stand for many: their inner products are those of the design they replace."""

import numpy as np
import pytest

from sparsesolve.solvers.reductions.identities import Rows

RNG = np.random.default_rng(6)
A = RNG.normal(size=(40, 5)) * [1.0, 1e3, 1e-3, 1.0, 1.0]
A[:, 4] = 0.0


def inner(rows):
    """A'A as solvers see it: columns of the design under its weights."""
    columns = rows.design.unpacked(np.arange(rows.design.p, dtype=np.intc))
    return (rows.weights[:, None] * columns).T @ columns


def cross(rows, response):
    columns = rows.design.unpacked(np.arange(rows.design.p, dtype=np.intc))
    return (rows.weights * response) @ columns


def test_rows_of_a_gram_matrix():
    gram = A.T @ A
    rows, size = Rows(gram), np.where(A.any(axis=0), np.sqrt(np.diagonal(gram)), 1.0)
    assert rows.design.n == 6 and rows.weights == pytest.approx(np.full(6, 1 / 6))
    assert inner(rows) / np.outer(size, size) == pytest.approx(gram / np.outer(size, size),
                                                               abs=1e-9)  # fmt: skip
    assert np.asarray(rows.design.spread).tolist() == [1, 1, 1, 1, 0]


def test_a_response_of_few_rows_has_the_products_and_the_length_of_the_one_it_replaces():
    X, y = RNG.normal(size=(40, 5)), RNG.normal(size=40)
    rows = Rows(X.T @ X)
    c = rows.response(X.T @ y, y @ y)
    assert cross(rows, c) == pytest.approx(X.T @ y, rel=1e-10)
    assert rows.weights @ c**2 == pytest.approx(y @ y, rel=1e-12)
    for square in (0.0, 1e-3):  # no length is too small for these products
        shortest = rows.response(X.T @ y, square)
        assert shortest[-1] == 0.0 and shortest[:-1] == pytest.approx(c[:-1])
    fitted = X @ np.linalg.lstsq(X, y, rcond=None)[0]
    assert rows.weights @ rows.response(X.T @ y) ** 2 == pytest.approx(fitted @ fitted)
