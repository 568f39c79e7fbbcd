"""Designs and options at the edge of the problem: nothing breaks, and the certificate stands."""

import numpy as np
import oracle
import pytest
from scipy import sparse

import sparsesolve as ss

STORAGES = {"dense": np.asfortranarray, "sparse": sparse.csc_array,
            "single": lambda X: np.asfortranarray(X, dtype=np.float32)}


@pytest.fixture(params=sorted(STORAGES))
def storage(request):
    return STORAGES[request.param]


def normal(n, p, seed=0):
    """Numbers that float32 holds exactly, so that all storages hold the same problem."""
    return np.random.default_rng(seed).standard_normal((n, p)).astype(np.float32).astype(float)


def certified(X, y, tol=1e-10, **options):
    """Fit, check every point's certificate and the objective against the oracle's, return it."""
    fit = ss.path(X, y, tol=tol, **options)
    for name in ("lambdas", "lambda_min_ratio", "n_lambdas", "stop", "max_iter"):
        options.pop(name, None)
    assert not np.any(fit.status)
    assert np.isfinite(fit.intercepts).all() and np.isfinite(fit.coefs.data).all()
    null = oracle.null_objective(X, y, **options)
    for k in range(0, len(fit.lambdas), max(1, len(fit.lambdas) // 8)):
        lam, b0, b = fit.lambdas[k], fit.intercepts[k], fit.coefs[:, [k]].toarray().ravel()
        assert oracle.certificate(X, y, b0, b, lam, **options) <= 1.01 * tol + 1e-13
        least = oracle.objective(X, y, *oracle.solve(X, y, lam, **options), lam, **options)
        value = oracle.objective(X, y, b0, b, lam, **options)
        assert value - least <= (fit.gaps[k] + 1e-13) * null
    return fit


GRID = np.geomspace(1.0, 1e-3, 8)


@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("shape", [(40, 7), (12, 30), (2000, 7)])
def test_without_intercept_and_scaling_a_constant_column_is_one_of_all(storage, shape, alpha):
    X = normal(*shape)
    X[:, 1], X[:, 4] = 0.0, 3.3
    X = X.astype(np.float32).astype(float)
    y = 1 + X[:, 0] + X[:, 4] + normal(shape[0], 1, 3).ravel()
    fit = certified(storage(X), y, intercept=False, standardize=False, alpha=alpha,
                    lambdas=[1.0, 0.1, 0.01])  # fmt: skip
    assert (fit.coef(0.01)[4] > 1.0) and not fit.coef(0.01)[1]
    alone = ss.path(storage(X[:, 4:5]), y, intercept=False, standardize=False, lambdas=[0.0])
    assert alone.coef(0.0) == pytest.approx([y.mean() / X[0, 4]])


def test_a_column_that_varies_only_where_weights_are_zero(storage):
    X = normal(30, 5)
    X[:25, 2] = 1.5
    y = X[:, 0] + X[:, 2] + normal(30, 1, 2).ravel()
    fit = certified(storage(X), y, weights=np.arange(30) < 25, lambdas=GRID)
    assert not fit.coefs.toarray()[2].any()


def test_one_hot_columns_that_sum_to_the_intercept(storage):
    level = np.arange(48) % 6
    X = np.column_stack([np.eye(6)[level], normal(48, 3)])
    y = level + X[:, 6] + 0.1 * normal(48, 1, 6).ravel()
    certified(storage(X), y, lambdas=np.r_[GRID, 1e-6, 0.0])
    certified(storage(X), y, penalty_factor=np.r_[np.zeros(6), np.ones(3)], lambdas=GRID)


def test_more_active_columns_than_rows(storage):
    """With ridge in it, or with limits, more than n columns are active at once."""
    X = normal(12, 60)
    y = X[:, :20].sum(axis=1)
    assert certified(storage(X), y, alpha=0.1, lambdas=GRID / 10).df.max() > 12
    fit = certified(storage(X), y, lower=-0.15, upper=0.15, lambdas=GRID / 10)
    assert fit.df.max() > 12


@pytest.mark.parametrize("options", [
    {}, {"weights": np.arange(1.0, 41)}, {"lower": -0.2, "upper": 0.5}, {"intercept": False},
    {"alpha": 0.5}, {"alpha": 0.0}, {"offset": np.sin(np.arange(40))}], ids=lambda o: "-".join(o))
@pytest.mark.parametrize("p", [8, 60])
def test_lambda_zero(storage, p, options):
    X = normal(40, p)
    y = X[:, :5].sum(axis=1) + normal(40, 1, 7).ravel()
    fit = certified(storage(X), y, lambdas=[0.5, 0.1, 0.0], **options)
    assert fit.lambdas[-1] == 0.0
    if p < 40 and not options:
        A = np.column_stack([np.ones(40), X])
        b = np.linalg.lstsq(A, y, rcond=None)[0]
        assert fit.coefs[:, [2]].toarray().ravel() == pytest.approx(b[1:], abs=1e-4)
    only = certified(storage(X), y, lambdas=0.0, **options)
    assert only.lambdas.tolist() == [0.0]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("standardize", [True, False])
def test_one_row(storage, intercept, standardize):
    """Every column of one row is constant, so beside an intercept the null model is the answer."""
    X = normal(1, 3)
    fit = ss.path(storage(X), [2.0], intercept=intercept, standardize=standardize,
                  lambdas=[1.0, 0.1])  # fmt: skip
    if not (intercept or standardize):  # one column takes all
        largest = np.abs(X[0]).max()
        assert fit.df[1] == 1 and abs(X[0] @ fit.coef(0.1)) == pytest.approx(2 - 0.1 / largest)
        return
    assert fit.coefs.nnz == 0 and fit.intercepts == pytest.approx(2.0 if intercept else 0.0)
    own = ss.path(X, [2.0], intercept=intercept, standardize=standardize)
    assert np.isfinite(own.dev_ratio).all() and np.isfinite(own.gaps).all()
