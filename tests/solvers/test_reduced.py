"""Few rows that stand for many: their inner products are those of the design they replace."""

import numpy as np
import pytest

from sparsesolve.solvers.reduced import ModelRows, Rows, SampleRows, factor

RNG = np.random.default_rng(6)
A = RNG.normal(size=(40, 5)) * [1.0, 1e3, 1e-3, 1.0, 1.0]
A[:, 4] = 0.0
WIDE = RNG.normal(size=(4, 9))
WIDE[3] = WIDE[0] - WIDE[2]  # of rank 3
WIDE[:, 7] = 0.0


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


@pytest.mark.parametrize("B", [A, WIDE, RNG.normal(size=(3, 4)), np.zeros((2, 3))])
def test_rows_of_a_model_go_on_from_a_start(B):
    """Though columns are alike or 0, and of sizes far apart."""
    gram, (n, p) = B.T @ B, B.shape
    rows, size = ModelRows(gram), np.sqrt(np.maximum(np.diagonal(gram), 1e-300))
    assert inner(rows) == pytest.approx(gram, abs=1e-12 * size.max() ** 2)
    assert np.asarray(rows.design.spread).tolist() == B.any(axis=0).astype(float).tolist()
    start, z = RNG.normal(size=p) * B.any(axis=0) / size, B.T @ RNG.normal(size=n)
    c = rows.target(start, z, None)
    assert cross(rows, c) / size == pytest.approx((z + gram @ start) / size, abs=1e-6)


def test_a_factor_is_of_the_matrix_but_for_rounding():
    for B in (A, WIDE):
        gram = B.T @ B
        U = factor(gram)
        size = np.sqrt(np.where(np.diagonal(gram) > 0, np.diagonal(gram), 1.0))
        assert np.array_equal(U, np.triu(U))
        apart = (U.T @ U - gram) / np.outer(size, size)
        apart[np.diag_indices_from(apart)] *= np.diagonal(gram) > 0
        assert abs(apart).max() <= 1e-10


def test_rows_of_samples_go_on_from_a_start():
    n, K, p = 6, 3, 30
    roots, columns = RNG.normal(size=(n, K, K)), RNG.normal(size=(n, p))
    B = np.einsum("iab,ij->iabj", roots, columns).reshape(n * K, K * p)
    rows = SampleRows(B, np.linalg.inv(roots).transpose(0, 2, 1))
    assert rows.weights == pytest.approx(np.full(n * K, 1 / (n * K)))
    assert inner(rows) == pytest.approx(B.T @ B, abs=1e-11)
    start, u = RNG.normal(size=K * p), RNG.normal(size=(K, n))
    z = (u @ columns).ravel()
    c = rows.target(start, z, u)
    assert cross(rows, c) == pytest.approx(z + B.T @ B @ start, abs=1e-10)
