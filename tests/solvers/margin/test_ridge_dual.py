"""Ridge problems with kinks: both solvers by rows, against programmes with cuts and libsvm."""

import warnings

import kinked_oracle as twin
import numpy as np
import pytest
from scipy import sparse
from states import problem_of

import sparsesolve as ss
from sparsesolve.solvers.margin.ridge_dual import RidgeDual

KINDS = {
    "hinge": ss.families.hinge(),
    "quantile": ss.families.quantile(0.3),
    "epsilon_insensitive": ss.families.epsilon_insensitive(0.2),
}
SOLVERS = ("dual_descent", "rows_newton")
BASELINES = ("ls_bmrm", "qp_bmrm", "pragam", "pegasos")


def data(kind, seed, n=30, p=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.6)
    y = X[:, 0] - X[:, 1] + rng.normal(size=n)
    y = np.where(y > 0.5, 1.0, -1.0) if kind == "hinge" else y.round(1)
    w = rng.random(n) * (rng.random(n) < 0.9)
    w[:2] = 0.5
    y[:2] = 1.0, -1.0
    return X, y, w / w.sum(), rng.normal(size=n)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_gaps_bound_the_distance_from_programmes_with_cuts(kind, intercept, seed):
    X, y, w, offset = data(kind, seed)
    factor = np.array([1.0, 0.5, 2.0, 0.5])
    lambdas = [0.5, 0.02]
    options = {"alpha": 0, "weights": w, "standardize": False, "intercept": intercept,
               "offset": offset, "penalty_factor": factor, "lambdas": lambdas}  # fmt: skip
    least = [twin.bounds(kind, X, y, w, twin.squares(lam * factor), offset, intercept)
             for lam in lambdas]  # fmt: skip
    for solver in SOLVERS:
        M = sparse.csc_array(X) if seed == 1 else X
        fit = ss.path(M, y, family=KINDS[kind], solver=solver, tol=1e-9, **options)
        assert fit.gaps.max() <= 1e-9
        for lam, (low, high) in zip(lambdas, least, strict=True):
            b, b0 = fit.coef(lam), fit.intercept(lam)
            here = twin.loss(kind, y, w, offset + X @ b + b0) + 0.5 * lam * factor @ b**2
            assert low - 1e-9 <= here <= high + 1e-9 and high - low <= 1e-7


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(60, 120), (150, 12), (40, 40)])
def test_all_solvers_agree_from_the_first_lambda_on(kind, shape):
    rng = np.random.default_rng(sum(shape))
    X = rng.normal(size=shape) + 1.0
    X[:, 0] = 2.0  # a constant column beside the intercept
    X[5] = X[6]
    y = X[:, 1] - X[:, 2] + rng.normal(size=shape[0])
    y = np.sign(y) if kind == "hinge" else y
    options = {"family": KINDS[kind], "alpha": 0}
    first = ss.path(X, y, n_lambdas=6, **options)
    assert first.gaps.max() <= 1e-7 and len(first.lambdas) > 3
    for solver in (*SOLVERS, "multipliers"):
        fit = ss.path(X, y, lambdas=first.lambdas, solver=solver, **options)
        assert fit.gaps.max() <= 1e-7
        assert fit.dev_ratio == pytest.approx(first.dev_ratio, abs=2e-4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_labels_that_are_told_apart_and_rows_that_are_repeated(solver):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(15, 30)), 3, axis=0)
    y = np.repeat(np.sign(rng.normal(size=15)), 3)
    options = {"family": ss.families.hinge(), "alpha": 0, "lambdas": np.geomspace(1, 1e-6, 10)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = ss.path(X, y, solver=solver, **options)
    assert fit.gaps.max() <= 1e-7 and fit.dev_ratio[-1] > 0.99
    assert np.array_equal(fit.predict(X, s=fit.lambdas[-1], kind="class"), y)


@pytest.mark.parametrize("solver", ["auto", "multipliers", *SOLVERS, *BASELINES])
def test_above_the_knot_the_solution_is_known_in_closed_form(solver):
    """Without an intercept u = y / n and b = X'y / (n lam) down to lam = max_i y_i x_i'X'y / n."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(14, 3))
    y = np.where(X[:, 0] + rng.normal(size=14) > 0.4, 1.0, -1.0)
    mean = X.T @ y / 14
    knot = (y * (X @ mean)).max()
    options = {"family": ss.families.hinge(), "alpha": 0, "intercept": False, "standardize": False}
    fit = ss.path(X, y, lambdas=[3 * knot, 1.001 * knot, 0.9 * knot], solver=solver,
                  tol=1e-12 if solver in SOLVERS else 1e-7, **options)  # fmt: skip
    for lam in fit.lambdas[:2]:
        assert fit.coef(lam) == pytest.approx(mean / lam, rel=1e-6)
    assert not np.allclose(fit.coef(0.9 * knot), mean / (0.9 * knot), rtol=1e-3)


@pytest.mark.parametrize("stored", ["dense", "sparse"])
def test_the_gap_is_the_difference_of_both_objectives(stored):
    X, y, w, offset = data("epsilon_insensitive", 4)
    M = sparse.csc_array(X) if stored == "sparse" else np.asfortranarray(X)
    problem = problem_of(M, y, KINDS["epsilon_insensitive"], weights=w, offset=offset, alpha=0.0)
    dual, rng = RidgeDual(problem, 1), np.random.default_rng(0)
    A = problem.design.unpacked(dual.which) / dual.root_v
    rows = dual.rows.unpacked(np.arange(30, dtype=np.intc)).T - dual.centre
    assert np.allclose(rows, A, atol=1e-12)
    width = np.ldexp(0.2, -problem.exponent)  # residuals are in units
    for lam in (1.0, 0.01):
        u = dual.feasible(dual.low + rng.random(30) * (dual.high - dual.low))
        assert abs(u.sum()) <= 1e-12 and (u >= dual.low).all() and (u <= dual.high).all()
        for g in (None, rng.normal(size=4)):
            gap = dual.certify(lam, u, g)
            primal = problem.loss.at(dual.intercept + A @ dual.g)[0]
            primal += 0.5 * lam * dual.g @ dual.g
            value = u @ dual.target - width * np.abs(u).sum() - ((u @ A) ** 2).sum() / (2 * lam)
            assert gap == pytest.approx(primal - value, rel=1e-9)


@pytest.mark.parametrize("solver", ["auto", *SOLVERS, *BASELINES])
def test_the_grid_of_constant_columns_is_0_where_the_null_model_is_certified(solver):
    """The least gap is rounding, and the tolerance is less: sweeps went on and divided by 0."""
    y, w = np.array([-1.0, 1.0, 1.0, -1.0, 1.0]), [0.7, 0.1, 0.3, 0.5, 0.2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        fit = ss.path(np.ones((5, 2)), y, family="hinge", alpha=0.0, solver=solver, weights=w,
                      tol=1e-20)  # fmt: skip
    assert list(fit.lambdas) == [0.0] and fit.df[0] == 0
    assert fit.gaps[0] <= 1e-14
