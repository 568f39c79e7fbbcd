"""Sparse working columns that are met row by row: the path of columns alone."""

import numpy as np
import pytest
from random_sparse import random_csc
from scipy import sparse

import sparsesolve as ss
from sparsesolve.linalg.working import sparse as packed_sparse

SHAPES = {
    "few at work": ((1500, 60, 0.08), 1e-3),
    "many at work": ((300, 2500, 0.01), 0.04),  # conjugate gradients
}


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson"])
def test_columns_that_are_mirrored_row_by_row(shape, family, monkeypatch):
    """And its bits on any number of threads; a column has a value in every row."""
    (n, p, density), ratio = SHAPES[shape]
    rng = np.random.default_rng(0)
    X, whole = random_csc((n, p), density, rng), np.linspace(1.0, 3.0, n)[:, None]
    X.data[:] = rng.standard_normal(X.nnz)
    signal = X @ (rng.standard_normal(p) * (rng.random(p) < 0.2)) / 2
    signal += 0.3 * rng.standard_normal(n)
    weights = rng.uniform(0.5, 2.0, n)
    weights[::11] = 0.0
    X = sparse.hstack([X, sparse.csc_array(whole)], format="csc")
    y = {"gaussian": signal, "binomial": signal > np.median(signal),
         "poisson": np.floor(np.exp(signal / signal.std()))}[family]  # fmt: skip
    options = {"family": family, "weights": weights, "n_lambdas": 10, "tol": 1e-11, "stop": None}
    options |= {"lambda_min_ratio": ratio if family == "gaussian" else max(ratio, 0.03)}
    options |= {"solver": "auto" if family == "gaussian" else "proximal_newton"}
    alone = ss.path(X, y, **options)
    monkeypatch.setattr(packed_sparse, "MANY_ROWS", 50)
    fits = [ss.path(X, y, **options | {"lambdas": alone.lambdas, "n_threads": k}) for k in (1, 2)]
    assert fits[0].gaps.max() <= 1e-11 and alone.df.max() > 10
    X = X[weights > 0]  # what other rows are predicted, no data tell
    for fit in fits:
        one, other = fit.coefs.toarray(), alone.coefs.toarray()
        assert np.abs(X @ (one - other)).max() <= 1e-4 * np.abs(X @ other).max()
    assert np.array_equal(fits[0].coefs.toarray(), fits[1].coefs.toarray())
