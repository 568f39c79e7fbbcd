"""Safe balls: what they exclude is excluded rightly, on long, short, sparse and packed columns."""

import numpy as np
import pytest
from random_sparse import random_csc
from screened import products_along_a_path
from sparsesolve.linalg.design.design import Design


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("rho", [0.5, 0.95])
def test_every_long_column_stays_below_lambda(rho, single):
    """X is multiplied in full 16 to 22 times for 30 lambdas."""
    rng, n, p = np.random.default_rng(1), 400, 4000
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    X = np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0), np.float32 if single else float)
    y = X[:, :40].astype(float) @ rng.standard_normal(40) + 5 * rng.standard_normal(n)
    y, w = (y - y.mean()) / y.std(), np.full(n, 1 / n)
    design = Design(X)
    assert design.moments(w)
    mean, spread = np.asarray(design.mean), np.asarray(design.spread)
    design.standardise(True, 1 / spread)
    Z = (X.astype(float) - mean) / spread
    assert products_along_a_path(design, Z, y, w, 0.01, 30) < 24 * p


@pytest.mark.parametrize(
    ("n", "density", "full", "share"),
    [
        (200, 0.003, False, 0.13),
        (200, 0.003, True, 0.8),
        (200, 0.03, False, 0.8),
        (200, 0.03, True, 0.8),
        (2000, 0.005, False, 0.6),  # few values of many rows: asleep by entries
    ],
)
def test_every_short_or_sparse_column_stays_below_lambda(n, density, full, share):
    rng, p = np.random.default_rng(2), 3000
    X = random_csc((n, p), density, rng)
    X.data -= 0.5
    X.indices = X.indices.astype(np.intc)
    dense = X.toarray()
    y = dense @ (rng.standard_normal(p) * (rng.random(p) < 0.02)) + 0.1 * rng.standard_normal(n)
    y, w = y - y.mean(), np.full(n, 1 / n)
    design = Design(np.asfortranarray(dense) if full else X)
    assert design.moments(w)
    design.standardise(True, np.ones(p))
    Z = dense - dense.mean(axis=0)
    assert products_along_a_path(design, Z, y, w, 0.02, 25) < share * 25 * p
