"""The certificate: a bound on what a wrong solution costs, and 0 for a right one."""

import numpy as np
import oracle
import pytest

from sparsesolve.solvers.homotopy.knot_certificate import Certificate, Rules
from sparsesolve.solvers.homotopy.path import GramData

RNG = np.random.default_rng(0)
X = RNG.standard_normal((20, 6))
Y = X[:, 0] - X[:, 1] + RNG.standard_normal(20)
PLAIN = {"intercept": False, "standardize": False}


def certificate(ridge=0.0, positive=False, lasso=True):
    data = GramData(X.T @ X / 20, X.T @ Y / 20, float(Y @ Y) / 20)
    none = np.empty(0, dtype=np.intc)
    rules = Rules(np.ones(6), ridge, np.ones(6, dtype=bool), none, lasso, positive, 0.0, 6, 99)
    first, size = float(np.abs(data.cross).max()), np.sqrt(data.squares + ridge)
    return data, Certificate(data, rules, first, size, none, np.empty((0, 0)))


def measured(b, lam, ridge=0.0, **kind):
    data, judge = certificate(ridge, **kind)
    every = np.arange(6, dtype=np.intc)
    C, squares = data.measure(every, b[None, :])
    return judge.batch(np.array([lam]), every, b[None, :], C - ridge * b, squares).gaps[0]


@pytest.mark.parametrize("ridge", [0.0, 0.4])
@pytest.mark.parametrize("positive", [False, True])
def test_it_bounds_the_suboptimality(ridge, positive):
    lam, options = 0.2, {**PLAIN, **({"lower": 0.0} if positive else {})}
    problem = {"lam": lam + ridge, "alpha": lam / (lam + ridge), **options}
    best = oracle.solve(X, Y, **problem)[1]
    least = oracle.objective(X, Y, 0.0, best, **problem)
    assert 0.0 <= measured(best, lam, ridge, positive=positive) <= 1e-13
    for seed in range(5):
        b = best + 0.1 * np.random.default_rng(seed).standard_normal(6)
        b = np.maximum(b, 0.0) if positive else b
        lost = oracle.objective(X, Y, 0.0, b, **problem) - least
        assert measured(b, lam, ridge, positive=positive) >= lost / (0.5 * Y @ Y / 20) - 1e-14


def test_of_least_angle_regression_it_is_the_departure():
    data, judge = certificate(lasso=False)
    assert measured(np.zeros(6), judge.first, lasso=False) == 0.0
    assert measured(np.zeros(6), 0.5 * judge.first, lasso=False) == pytest.approx(0.5)
