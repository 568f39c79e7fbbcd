"""Sparse working columns: the path of the dense design."""

import numpy as np
import pytest
from random_sparse import random_csc
from scipy import sparse

import sparsesolve as ss
from sparsesolve.linalg import packed_sparse


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


SHAPES = {
    "few at work": ((1500, 60, 0.08), 1e-3),
    "many at work": ((300, 2500, 0.01), 0.04),  # conjugate gradients
}


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson"])
def test_columns_that_are_mirrored_row_by_row(shape, family, monkeypatch):
    """The path of columns alone, and its bits on any number of threads."""
    shape, ratio = SHAPES[shape]
    X, signal, weights = problem(*shape)
    whole = np.linspace(1.0, 3.0, shape[0])[:, None]  # a column with a value in every row
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
    for fit in fits:
        one, other = fit.coefs.toarray(), alone.coefs.toarray()
        assert np.abs(X @ (one - other)).max() <= 1e-4 * np.abs(X @ other).max()
    assert np.array_equal(fits[0].coefs.toarray(), fits[1].coefs.toarray())
