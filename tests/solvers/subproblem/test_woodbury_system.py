"""Elastic nets with more active columns than rows: the n x n system leads to the same optimum."""

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design
from sparsesolve.solvers.subproblem.data_active_set import DataActiveSet

import sparsesolve as ss
from sparsesolve.linalg.working.pack import pack
from sparsesolve.solvers import costs

RNG = np.random.default_rng(7)
N, P = 40, 500
X = RNG.standard_normal((N, P)) + RNG.standard_normal((N, 1))
Y = X[:, :10].sum(axis=1) + 2.0 * RNG.standard_normal(N)
UNEQUAL = 10.0 ** RNG.uniform(-2.0, 2.0, P)
SOME_FREE = np.where(np.arange(P) % 100 == 3, 0.0, RNG.uniform(0.5, 2.0, P))


def used(state):
    """Whether the state solves by the n x n system, and has made factors of it."""
    rows = state.quadratic.rows
    return rows is not None and rows.factorisations > 0


def relative_gap(lam, alpha, factors, b, intercept):
    """(P - D) / P(0) of a gaussian elastic net, from y and X alone; D at the residual."""
    r = Y - intercept - X @ b
    y, Z = Y - Y.mean(), X - X.mean(axis=0)
    primal = r @ r / (2 * N) + lam * factors @ (alpha * np.abs(b) + 0.5 * (1 - alpha) * b**2)
    u = (r - r.mean()) / N
    beyond = np.maximum(np.abs(Z.T @ u) - lam * alpha * factors, 0.0)
    dual = u @ y - N * (u @ u) / 2 - np.sum(beyond**2 / (2 * lam * (1 - alpha) * factors))
    return (primal - dual) / (y @ y / (2 * N))


@pytest.mark.parametrize("name", ["equal", "unequal"])
@pytest.mark.parametrize("alpha", [0.2, 0.03])
def test_the_gap_from_the_data_is_the_one_asked_for(states, name, alpha):
    factors = {"equal": np.ones(P), "unequal": UNEQUAL * P / UNEQUAL.sum()}[name]
    fit = ss.path(X, Y, alpha=alpha, penalty_factor=factors, solver="working_set", stop=None,
                  standardize=False, lambda_min_ratio=1e-4, n_lambdas=40, tol=1e-8)  # fmt: skip
    assert fit.df[-1] > N and used(states[-1])
    for lam, b, a in zip(fit.lambdas, fit.coefs.toarray().T, fit.intercepts, strict=True):
        assert -1e-12 < relative_gap(lam, alpha, factors, b, a) <= 1e-8 + 1e-12


@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson"])
@pytest.mark.parametrize("limits", [{}, {"lower": -0.02, "upper": 0.03}], ids=["free", "limited"])
def test_columns_without_penalty_and_limits_keep_the_optimality_conditions(states, family, limits):
    """KKT conditions in numpy, at tight gaps."""
    y = {"gaussian": Y, "binomial": Y > 0, "poisson": np.round(np.exp(Y / 6))}[family]
    alpha, solver = 0.05, "working_set" if family == "gaussian" else "proximal_newton"
    fit = ss.path(X, y, family=family, alpha=alpha, penalty_factor=SOME_FREE, solver=solver,
                  stop=None, standardize=False, n_lambdas=12, lambda_min_ratio=0.02, tol=1e-13,
                  **limits)  # fmt: skip
    assert fit.df[-1] > N and used(states[-1])
    lam, b = fit.lambdas[-1], fit.coefs.toarray()[:, -1]
    eta = X @ b + fit.intercepts[-1]
    mean = {"gaussian": eta, "binomial": 1 / (1 + np.exp(-eta)), "poisson": np.exp(eta)}[family]
    factors = SOME_FREE * P / SOME_FREE.sum()
    slope = X.T @ (y - mean) / N - lam * (1 - alpha) * factors * b
    level = lam * alpha * factors
    low, high = limits.get("lower", -np.inf), limits.get("upper", np.inf)
    close = 1e-4 * lam
    inside = (b != 0.0) & (b > low) & (b < high) | (level == 0.0) & (b > low) & (b < high)
    assert abs(slope - level * np.sign(b))[inside].max() < close
    assert np.all(slope[b == high] > level[b == high] - close)
    assert np.all(slope[b == low] < close - level[b == low])
    assert np.all(abs(slope[b == 0.0]) <= level[b == 0.0] + close)
    assert abs((y - mean).mean()) < close


def test_more_columns_without_penalty_than_are_eliminated(states):
    factors = np.where(np.arange(P) < 36, 0.0, 1.0)  # 36 columns, 40 rows
    fit = ss.path(X, Y, alpha=0.05, penalty_factor=factors, n_lambdas=10, stop=None)
    assert fit.gaps.max() <= 1e-7


def test_first_order_steps_find_the_same_coefficients(states):
    """An independent solver, at gaps where coefficients are determined."""
    options = {"alpha": 0.05, "solver": "working_set", "n_lambdas": 15, "stop": None, "tol": 1e-12}
    fit = ss.path(X, Y, **options)
    other = ss.path(X, Y, **options | {"solver": "fista", "max_iter": 10**6})
    assert used(states[0]) and costs.subproblem.MOST_ROWS_SQUARE >= N
    assert np.abs((fit.coefs - other.coefs).toarray()).max() < 1e-5


def test_a_factor_serves_several_directions(states):
    ss.path(X, Y, alpha=0.05, solver="working_set", n_lambdas=100, stop=None)
    quadratic = states[-1].quadratic
    assert used(states[-1]) and quadratic.rows.factorisations < 0.5 * quadratic.iterations
    assert quadratic.rows.updates > 0


def test_a_direction_solves_the_system_of_the_columns_from_any_factor():
    """One old factor serves other lambdas and columns; three columns have no ridge."""
    rng, p = np.random.default_rng(3), 30
    A = np.asfortranarray(rng.standard_normal((12, p)))
    net = ss.penalties.ElasticNet(p, 0.3, np.where(np.arange(p) % 10 == 3, 0.0, 1.0))
    design, w = Design(A), np.full(12, 1.0 / 12)
    design.moments(w)
    design.standardise(False, np.ones(p))
    quadratic = DataActiveSet(pack(design, np.sqrt(w), False, n_threads=1), by_rows=True)
    for first in (0, 20):
        which, start = np.arange(first, first + 20 - first // 2), rng.standard_normal(p)
        quadratic.append(design, net, which.astype(np.intc), start[which], start[which])
        quadratic.residual_square = 1.0  # what the accuracy of the system is measured by
        for lam in (1.0, 0.9, 0.05):
            _, rhs, step = quadratic.newton_direction(lam)
            Z = A[:, : len(step)] / np.sqrt(12)
            system = Z.T @ Z + lam * np.diag(np.asarray(net.l2)[: len(step)])
            np.testing.assert_allclose(step, np.linalg.solve(system, rhs), rtol=1e-6, atol=1e-9)
    assert quadratic.iterative.directions == 0 and 0 < quadratic.rows.factorisations < 6
