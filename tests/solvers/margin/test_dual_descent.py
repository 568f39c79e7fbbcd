"""Dual descent: rows that leave for good are those that the optimum has at their ends."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

import sparsesolve as ss


def squared_hinge(y, eta):
    lack = np.maximum(1.0 - y * eta, 0.0)
    return 0.5 * lack**2, -y * lack


def logistic(y, eta):
    return np.logaddexp(0.0, eta) - y * eta, 1.0 / (1.0 + np.exp(-eta)) - y


@pytest.mark.parametrize("loss", [squared_hinge, logistic])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("store", [np.asarray, sparse.csc_array])
def test_smooth_losses_are_those_of_lbfgs(store, intercept, loss):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 40)) * (rng.random((60, 40)) < 0.3)
    y, family = np.where(X[:, 0] + rng.normal(size=60) > 0.3, 1.0, -1.0), "binomial"
    if loss is squared_hinge:
        family = ss.families.squared_hinge()
    else:  # shares of successes, some of them 0 or 1
        y = np.clip(y * rng.uniform(0.3, 1.1, size=60), 0.0, 1.0)
    w, offset = rng.random(60) * (rng.random(60) < 0.9), rng.normal(size=60)
    w, factor, lambdas = w / w.sum(), np.resize([1.0, 0.5, 2.0], 40), [0.3, 0.01, 1e-4]
    fit = ss.path(store(X), y, family=family, alpha=0, weights=w, tol=1e-10, offset=offset,
                  lambdas=lambdas, penalty_factor=factor, standardize=False, intercept=intercept,
                  solver="dual_descent", stop=None)  # fmt: skip
    factor = factor * 40 / factor.sum()
    assert fit.gaps.max() <= 1e-10

    def objective(x, lam):
        b, b0 = x[:40], x[40] * intercept
        values, slopes = loss(y, offset + X @ b + b0)
        slope = np.append(lam * factor * b + X.T @ (w * slopes), w @ slopes * intercept)
        return w @ values + 0.5 * lam * factor @ b**2, slope

    for lam in lambdas:
        least = minimize(objective, np.zeros(41), (lam,), jac=True, options={"gtol": 1e-10}).fun
        here = objective(np.append(fit.coef(lam), fit.intercept(lam)), lam)[0]
        assert least * (1 - 1e-9) <= here <= least + 1e-10 * fit.null_deviance


@pytest.mark.parametrize("kind", ["hinge", "squared_hinge", "binomial"])
def test_newton_steps_go_on_where_sweeps_have_stalled(monkeypatch, kind):
    monkeypatch.setattr("sparsesolve.solvers.margin.dual_descent.ROUNDS_PATIENCE", 0)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 60))
    y = np.sign(X[:, 0] + rng.normal(size=40))
    family = kind if kind == "binomial" else getattr(ss.families, kind)()
    options = {"family": family, "alpha": 0, "n_lambdas": 5}
    fit = ss.path(X, y, solver="dual_descent", **options)
    assert fit.gaps.max() <= 1e-7


@pytest.mark.parametrize("seed", [3, 8, 9, 15])
def test_sweeps_that_gain_little_leave_the_rest_to_newton_steps(seed):
    """Sweeps that waited for a met gap used up the budget here, and ended at a gap of 1."""
    rng = np.random.default_rng(5000 + seed)
    n, p = int(rng.integers(20, 80)), int(rng.integers(5, 80))
    X = rng.normal(size=(n, p)) * rng.choice([0.01, 1, 10])
    y = X[:, 0] / X.std() + rng.normal(size=n)
    fit = ss.path(X, y, family=ss.families.epsilon_insensitive(0.1), alpha=0.0, standardize=False,
                  lambdas=[1 / n, 0.01 / n], tol=1e-8, max_iter=10_000)  # fmt: skip
    assert not fit.status.any() and fit.gaps.max() <= 1e-8
