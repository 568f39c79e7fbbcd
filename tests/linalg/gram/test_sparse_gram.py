"""Z'WZ of sparse columns, row by row: numpy's product of the dense ones."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.gram.sparse_gram import sparse_gram

RNG = np.random.default_rng(0)


def standardised(X, w):
    """The Design of X, centred and scaled, and its dense columns."""
    design = Design(sparse.csc_array(X))
    design.moments(w)
    design.standardise(True, np.ones(X.shape[1]))
    mean = w @ X
    return design, X - mean


@pytest.mark.parametrize("n, p, share", [(50, 8, 0.2), (3_000, 40, 0.05), (400, 3, 0.9)])
def test_it_is_the_product_of_centred_columns(n, p, share):
    X = RNG.normal(size=(n, p)) * (RNG.random((n, p)) < share)
    w = RNG.random(n)
    w /= w.sum()
    design, Z = standardised(X, w)
    found = np.asarray(sparse_gram(design, np.sqrt(w), 1))
    np.testing.assert_allclose(found, Z.T @ (w[:, None] * Z), atol=1e-13)
    np.testing.assert_array_equal(found, found.T)


def test_columns_whose_mean_is_far_above_their_spread_keep_their_digits():
    n = 500
    X = np.zeros((n, 3))
    X[:, 0] = 1e6 + RNG.normal(size=n)
    X[:, 1] = RNG.normal(size=n) * (RNG.random(n) < 0.1)
    X[:, 2] = 1e6 + RNG.normal(size=n)
    w = np.full(n, 1.0 / n)
    design, Z = standardised(X, w)
    found = np.asarray(sparse_gram(design, np.sqrt(w), 1))
    np.testing.assert_allclose(found, Z.T @ (w[:, None] * Z), rtol=1e-8, atol=1e-9)


def test_any_number_of_threads_gives_the_same_bits():
    X = RNG.normal(size=(2_000, 60)) * (RNG.random((2_000, 60)) < 0.1)
    w = RNG.random(2_000)
    design, _ = standardised(X, w / w.sum())
    one, two, five = (np.asarray(sparse_gram(design, np.sqrt(w), k)) for k in (1, 2, 5))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, five)
