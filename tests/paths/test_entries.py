"""Matrix completion by a path against soft-impute, iterated in numpy, and its optimality."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.paths import entries

RNG = np.random.default_rng(0)
M, K = 25, 18
WHOLE = RNG.normal(size=(M, 2)) @ RNG.normal(size=(2, K)) + 0.1 * RNG.normal(size=(M, K))
SEEN = RNG.random((M, K)) < 0.6
Y = np.where(SEEN, WHOLE, np.nan)


def shrunk(B, amount):
    u, d, v = np.linalg.svd(B, full_matrices=False)
    return (u * np.maximum(d - amount, 0.0)) @ v


def soft_impute(lambdas):
    """Fill the gaps with the last solution and shrink singular values, until nothing moves."""
    B = np.zeros((M, K))
    for lam in lambdas:
        for _ in range(20_000):
            new = shrunk(np.where(SEEN, WHOLE, B), lam * SEEN.sum())
            done = np.abs(new - B).max() < 1e-11
            B = new
            if done:
                break
        yield B.copy()


def test_the_solutions_are_those_of_soft_impute():
    X, y = entries(Y)
    fit = ss.path(X, y, penalty=ss.penalties.TraceNorm((M, K)), intercept=False, n_lambdas=8,
                  lambda_min_ratio=0.05, stop=None, tol=1e-12)  # fmt: skip
    assert fit.gaps.max() <= 1e-12
    for lam, B in zip(fit.lambdas, soft_impute(fit.lambdas), strict=True):
        np.testing.assert_allclose(fit.coef(lam).reshape(M, K), B, atol=1e-5)
    first = np.linalg.norm(np.where(SEEN, WHOLE, 0.0), 2) / SEEN.sum()
    assert fit.lambdas[0] == pytest.approx(first)
    assert np.linalg.matrix_rank(fit.coef(fit.lambdas[3]).reshape(M, K), tol=1e-6) < K


def test_cross_validation_completes_the_matrix():
    X, y = entries(Y)
    penalty = ss.penalties.TraceNorm((M, K))
    folds = np.arange(len(y)) % 5
    lambdas = np.geomspace(0.05, 5e-4, 12)
    cv = ss.cv_path(X, y, penalty=penalty, folds=folds, lambdas=lambdas, tol=1e-7)
    found = cv.intercept("lambda_min") + cv.coef("lambda_min").reshape(M, K)
    hidden = np.mean((found - WHOLE)[~SEEN] ** 2)
    assert hidden < 0.25 * np.var(WHOLE[~SEEN])
    held = folds == 2
    fold = ss.path(X[~held], y[~held], penalty=penalty, lambdas=lambdas, tol=1e-7)
    errors = ((y[held, None] - fold.predict(X[held])) ** 2).mean(axis=0)
    np.testing.assert_allclose(cv.fold_scores[2], errors, rtol=1e-2)


def test_kinds_of_matrices():
    X, y = entries(Y)
    assert X.shape == (SEEN.sum(), M * K)
    np.testing.assert_array_equal(X @ WHOLE.ravel(), y)
    stored = sparse.coo_array((WHOLE[SEEN], np.nonzero(SEEN)), shape=(M, K))
    pandas = pytest.importorskip("pandas")
    for other in (stored, sparse.csr_matrix(stored), pandas.DataFrame(Y), Y.tolist()):
        again, values = entries(other)
        np.testing.assert_array_equal(again @ WHOLE.ravel(), values)
        assert sorted(values) == sorted(y)


def test_refusals():
    for bad, said in [(np.full((2, 2), np.nan), "no observed entry"), ([1.0, 2.0], "a matrix"),
                      ([[1.0, np.inf]], "inf at row 0, column 1")]:  # fmt: skip
        with pytest.raises(ValueError, match=said):
            entries(bad)
