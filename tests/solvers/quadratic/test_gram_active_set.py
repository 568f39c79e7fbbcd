"""Columns that depend on those in the factor; what the solver finds is in tests/laws."""

import numpy as np
import pytest

import sparsesolve as ss


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", [3, 10])
def test_a_coefficient_that_is_rounding_does_not_hold_up_the_others(seed):
    """Repeated columns within limits, more than rows: all dependent ones slide, not the first."""
    rng, n, p = np.random.default_rng(seed), 44, 400
    X = rng.standard_normal((n, p))[:, rng.integers(0, p, p)] * rng.choice([-1, 1], p)
    signal = X @ (rng.standard_normal(p) * (rng.random(p) < 20 / p))
    signal *= 1.5 / signal.std()
    lower, upper = -rng.choice([0, 0.1, 1, np.inf], p), rng.choice([0, 0.1, 1, np.inf], p)
    y = signal + 0.1 * rng.standard_normal(n)
    fit = ss.path(X, y, lower=lower, upper=upper, n_lambdas=30, lambda_min_ratio=5e-3, stop=None)
    assert (fit.n_iters < 500).all()


@pytest.mark.filterwarnings("error")
def test_coefficients_at_limits_do_not_hold_up_the_others():
    """More than the rank are free; some, but for rounding, are where their step would stop."""
    rng = np.random.default_rng(1)
    n, p = 100, 300
    X = rng.normal(size=(n, p))
    X = X + 0.7 * rng.normal(size=(n, 1))
    rng.logistic(size=n)  # drawn, as where this was found
    y = X[:, 0] - X[:, 1] + 0.5 * X[:, 2] + rng.standard_t(2, size=n)
    huber = ss.families.huber(1.0)
    fit = ss.path(X, y, family=huber, lower=-0.3, upper=0.5, stop=None)
    assert (fit.n_iters < 1000).all()


@pytest.mark.filterwarnings("error")
def test_steps_that_many_coefficients_would_stop_end_at_the_first():
    """Few samples bend Huber's loss: Newton steps on more columns overshoot zero everywhere."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 60))
    y = X[:, :20] @ rng.standard_normal(20) + rng.standard_cauchy(60)
    fit = ss.path(X, y, family=ss.families.huber(0.05), n_lambdas=30, stop=None)
    assert fit.n_iters.max() < 2000  # 3,393 by clipping, 1,572 so


@pytest.mark.parametrize("seed", range(6))
def test_coefficients_that_stop_at_the_same_place_all_stop(seed):
    """Copies of a problem side by side: whatever stops in one stops in the others."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((30, 20)) @ rng.standard_normal((20, 20))
    X = np.kron(np.eye(3), A)
    y = np.tile(A[:, :10].sum(axis=1) + rng.standard_normal(30), 3)
    grid = np.abs(X.T @ y).max() / len(y) * np.array([0.5, 0.1, 0.01])
    options = {"intercept": False, "standardize": False, "lambdas": grid, "stop": None}
    fit = ss.path(X, y, solver="working_set", **options)
    assert not fit.status.any() and (fit.n_iters < 1000).all()
    for lam, b in zip(grid, fit.coefs.toarray().T, strict=True):
        r = (y - X @ b) / len(y)
        products = X.T @ r
        assert np.abs(products).max() <= lam * (1 + 1e-4)
        assert lam * np.abs(b).sum() == pytest.approx(b @ products, rel=1e-4)


def test_a_wide_ridge_of_the_cox_model_is_what_first_order_steps_find():
    """By conjugate gradients: a factor would be of all columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 300))
    y = np.column_stack([rng.exponential(np.exp(-X[:, 0])), rng.random(40) < 0.6])
    options = {"family": "cox", "alpha": 0.0, "n_lambdas": 5, "stop": None, "tol": 1e-9}
    fit, slow = ss.path(X, y, **options), ss.path(X, y, solver="fista", **options)
    assert not fit.status.any() and fit.n_iters.max() < 30
    np.testing.assert_allclose(fit.coefs.toarray(), slow.coefs.toarray(), atol=1e-5)


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
@pytest.mark.parametrize("step", [0.95, 0.7, 0.3])
def test_an_old_ridge_in_the_factor_costs_steps_and_nothing_else(family, step):
    """On fine grids it serves for long, coarse ones make it anew; a lambda alone has its own."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 90)) + rng.standard_normal((60, 1))
    y = X[:, :8].sum(axis=1) + rng.standard_normal(60)
    y = y > y.mean() if family == "binomial" else y
    options = {"family": family, "alpha": 0.3, "stop": None, "tol": 1e-12, "standardize": False}
    first = ss.path(X, y, n_lambdas=1, **options).lambdas[0]
    grid = first * step ** np.arange(25 if step > 0.5 else 5)
    fit = ss.path(X, y, lambdas=grid, **options)
    assert not fit.status.any() and (fit.n_iters < 200).all()
    for index in range(0, len(grid), 4):
        alone = ss.path(X, y, lambdas=grid[[index]], **options).coefs.toarray()[:, 0]
        fine = 2e-5 * np.abs(alone).max()
        np.testing.assert_allclose(fit.coefs.toarray()[:, index], alone, atol=fine)
