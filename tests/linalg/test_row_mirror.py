"""Products with sparse working columns in one pass, through their mirror: those of the dense design."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss


def problem(seed=0, n=300, p=2500):
    """Sparse columns, many of them at work: conjugate gradients, and columns that come later."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, p), density=0.01, rng=rng, format="csc")
    X.data[:] = rng.standard_normal(X.nnz)
    signal = X @ (rng.standard_normal(p) * (rng.random(p) < 0.2))
    return X, signal + 0.3 * rng.standard_normal(n), rng.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
@pytest.mark.parametrize("alpha", [1.0, 0.6])
def test_sparse_and_dense_designs_have_one_path(family, alpha):
    X, y, weights = problem()
    y = y if family == "gaussian" else (y > np.median(y)).astype(float)
    options = {"family": family, "alpha": alpha, "weights": weights, "n_lambdas": 12, "tol": 1e-11}
    options |= {"lambda_min_ratio": 0.04, "stop": None}
    sparse_fit = ss.path(X, y, **options)
    dense_fit = ss.path(X.toarray(), y, **options | {"lambdas": sparse_fit.lambdas})
    assert sparse_fit.gaps.max() <= 1e-11 and sparse_fit.df.max() > 60
    for lam in sparse_fit.lambdas[1:]:
        one, other = sparse_fit.coef(s=lam), dense_fit.coef(s=lam)
        assert np.abs(X @ (one - other)).max() <= 1e-4 * np.abs(X @ other).max()
