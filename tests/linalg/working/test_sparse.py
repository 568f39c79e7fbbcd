"""Sparse working columns: the path of the dense design."""

import numpy as np
import pytest
from random_sparse import random_csc

import sparsesolve as ss


def problem(n, p, density):
    rng = np.random.default_rng(0)
    X = random_csc((n, p), density, rng)
    X.data[:] = rng.standard_normal(X.nnz)
    signal = X @ (rng.standard_normal(p) * (rng.random(p) < 0.2)) / 2
    return X, signal + 0.3 * rng.standard_normal(n), rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
@pytest.mark.parametrize("alpha", [1.0, 0.6])
@pytest.mark.parametrize(
    "shape",
    [
        (300, 2500, 0.01),  # conjugate gradients, and columns that come later
        (1500, 60, 0.08),  # inner products
    ],
)
def test_sparse_and_dense_designs_have_one_path(family, alpha, shape):
    X, y, weights = problem(*shape)
    y = y if family == "gaussian" else (y > np.median(y)).astype(float)
    options = {"family": family, "alpha": alpha, "weights": weights, "n_lambdas": 12, "tol": 1e-11}
    options |= {"lambda_min_ratio": 0.04 if shape[1] > shape[0] else 1e-3, "stop": None}
    sparse_fit = ss.path(X, y, **options)
    dense_fit = ss.path(X.toarray(), y, **options | {"lambdas": sparse_fit.lambdas})
    assert sparse_fit.gaps.max() <= 1e-11 and sparse_fit.df.max() > 10
    for lam in sparse_fit.lambdas[1:]:
        one, other = sparse_fit.coef(s=lam), dense_fit.coef(s=lam)
        assert np.abs(X @ (one - other)).max() <= 1e-4 * np.abs(X @ other).max()
