"""Products of a dense design with many vectors, the same for any number of threads."""

import numpy as np
import pytest
from sparsesolve.linalg.blocks import block_products
from sparsesolve.linalg.design import Design


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("p", [1, 63, 64, 130])
@pytest.mark.parametrize("K", [0, 1, 9])
def test_they_are_the_products(dtype, p, K):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((20, p)) + 5, dtype=dtype)
    design = Design(X)
    assert design.moments(np.full(20, 0.05))
    design.standardise(True, 1.0 / np.asarray(design.spread))
    u = rng.standard_normal((K, 20))
    Z = (X.astype(float) - X.mean(axis=0, dtype=float)) / X.std(axis=0, dtype=float)
    one, two = (block_products(design, u, k) for k in (1, 2))
    assert one.shape == (K, p) and np.array_equal(one, two)
    assert one == pytest.approx(u @ Z, abs=1e-11)
