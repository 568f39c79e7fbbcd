"""Inner products of many columns: all kernels against numpy, at all sizes around their blocks."""

import numpy as np
import pytest
from cases import every
from sparsesolve.linalg.gram.products import products_and_sums, row_products, row_sums

ROWS = [1, 7, 64, 511, 512, 513, 1023, 1300, 2100]


@every("kernel", ["blas", "few", "many", "chosen"])
@every("n", ROWS)
@every(
    "m, k",
    [(1, 1), (2, 9), (3, 4), (4, 3), (5, 8), (24, 3), (25, 5), (127, 2), (128, 6), (130, 33)],
)
def test_products_of_two_sets_of_columns(n, m, k, kernel):
    rng = np.random.default_rng(n + m)
    A, B = (np.asfortranarray(rng.standard_normal((n, size))) for size in (m, k))
    np.testing.assert_allclose(products_and_sums(A, B, kernel), 1 + A.T @ B, atol=1e-13 * n)


@every("kernel", ["blas", "few", "many", "chosen"])
@every("n", ROWS)
@every("m", [1, 2, 3, 4, 5, 24, 25, 63, 128, 129, 261])
def test_products_of_one_set_of_columns(n, m, kernel):
    A = np.asfortranarray(np.random.default_rng(n + m).standard_normal((n, m)))
    expected = np.triu(1 + A.T @ A)
    np.testing.assert_allclose(products_and_sums(A, None, kernel), expected, atol=1e-13 * n)


@pytest.mark.parametrize("m, k", [(130, 20), (20, 130), (200, 64), (300, None)])
def test_threads_change_no_bit(m, k):
    rng = np.random.default_rng(m)
    A = np.asfortranarray(rng.standard_normal((2100, m)))
    B = None if k is None else np.asfortranarray(rng.standard_normal((2100, k)))
    one, two, three = (products_and_sums(A, B, "chosen", count) for count in (1, 2, 3))
    assert np.array_equal(one, two) and np.array_equal(one, three)


@pytest.mark.parametrize(
    "K, m, n", [(1, 1, 1), (3, 9, 70), (5, 40, 5000), (0, 4, 3), (4, 0, 3), (2, 3, 0)]
)
def test_products_and_sums_of_rows(K, m, n):
    rng = np.random.default_rng(K + m)
    u, B, rows = (rng.standard_normal(shape) for shape in ((K, n), (K, m), (m, n)))
    np.testing.assert_allclose(row_products(u, rows), u @ rows.T, atol=1e-11)
    np.testing.assert_allclose(row_sums(B, rows), B @ rows, atol=1e-11)
    np.testing.assert_allclose(row_sums(B[:, ::-1], rows[::-1]), B @ rows, atol=1e-11)
