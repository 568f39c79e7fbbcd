"""Products of a dense design with many vectors, the same for any number of threads."""

import numpy as np
import pytest
from cases import every
from scipy import sparse
from sparsesolve.linalg.design.design import Design


@every("dtype", [np.float64, np.float32])
@every("p", [1, 63, 64, 130])
@every("K", [0, 1, 9])
@every("n", [20, 1024, 2050])
def test_they_are_the_products(dtype, n, p, K):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((n, p)) + 5, dtype=dtype)
    design = Design(X)
    assert design.moments(np.full(n, 1.0 / n))
    design.standardise(True, 1.0 / np.asarray(design.spread))
    u = rng.standard_normal((K, n))
    Z = (X.astype(float) - X.mean(axis=0, dtype=float)) / X.std(axis=0, dtype=float)
    one, two = (design.response_products(u, None, k) for k in (1, 2))
    assert one.shape == (K, p) and np.array_equal(one, two)
    assert one == pytest.approx(u @ Z, abs=1e-12 * n)
    some = np.flatnonzero(np.arange(p) % 3 == 0).astype(np.intc)
    assert design.response_products(u, some) == pytest.approx(u @ Z[:, some], abs=1e-12 * n)


@pytest.mark.parametrize("n", [20, 1025, 3000])
@pytest.mark.parametrize("full", [0, 2])
def test_some_columns_of_a_sparse_design_may_be_full(n, full):
    rng = np.random.default_rng(0)
    X = (rng.random((n, 4)) < 0.2) * rng.standard_normal((n, 4))
    X[:, full] = rng.standard_normal(n)
    u = rng.standard_normal((3, n))
    found = Design(sparse.csc_array(X)).response_products(u)
    assert found == pytest.approx(u @ X, abs=1e-12 * n)
