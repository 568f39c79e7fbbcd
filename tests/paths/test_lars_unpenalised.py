"""lars_path with penalty factors of 0: columns that are active from the start and never leave."""

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import sparsesolve as ss
from sparsesolve.solvers.homotopy import path as homotopy_path


def made(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 1.0
    X[:, 1:] += 0.5 * X[:, :-1]
    b = np.array([2.0, -1, 1, 3, -2])[:p]
    return X, X[:, : len(b)] @ b + rng.standard_normal(n)


@pytest.mark.parametrize("shape", [(40, 8), (12, 30), (6, 3)], ids=str)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("standardize", [True, False])
def test_every_knot_and_midpoint_solves_it(shape, intercept, standardize):
    X, y = made(*shape)
    factors = np.random.default_rng(1).uniform(0.5, 2.0, shape[1])
    factors[[0, 2]] = 0.0
    options = {"intercept": intercept, "standardize": standardize, "penalty_factor": factors}
    fit = oracle.solved(ss.lars_path(X, y, **options), X, y, **options)
    design = np.column_stack([np.ones(len(y)), X[:, [0, 2]]])[:, 0 if intercept else 1 :]
    assert fit.coef(fit.lambdas[0])[[0, 2]] == pytest.approx(
        np.linalg.lstsq(design, y, rcond=None)[0][-2:], abs=1e-10)  # fmt: skip
    assert fit.df[0] == 2 and set(fit.nonzero(0.0)) >= {0, 2}


def test_it_is_the_path_of_coordinate_descent():
    X, y = made(30, 12, seed=3)
    factors = np.array([0.0, 1, 2, 0, 1, 1, np.inf, 1, 1, 1, 0.5, 1])
    options = {"penalty_factor": factors, "weights": np.linspace(0.5, 1.5, 30), "offset": y[::-1]}
    fit = ss.lars_path(X, y, **options)
    grid = ss.path(X, y, tol=1e-13, lambda_min_ratio=1e-3, **options)
    assert fit.lambdas[0] == pytest.approx(grid.lambdas[0], rel=1e-10)
    assert fit.coef(grid.lambdas) == pytest.approx(grid.coefs.toarray(), abs=1e-5)
    assert fit.coef(grid.lambdas[0]) == pytest.approx(grid.coef(grid.lambdas[0]), abs=1e-9)
    assert fit.null_deviance == pytest.approx(grid.null_deviance, rel=1e-12)
    assert 6 not in fit.nonzero(0.0)


@pytest.mark.parametrize("form", ["sparse", "windows", "gram"])
def test_sparse_columns_windows_and_gram_matrices(form, monkeypatch):
    X, y = made(25, 60, seed=4)
    X = X * (np.abs(X) > 1.5)
    options = {"intercept": False, "standardize": False, "penalty_factor": np.ones(60)}
    options["penalty_factor"][[5, 50]] = 0.0
    if form == "windows":
        monkeypatch.setattr(homotopy_path, "FEW_COLUMNS", 0)
        monkeypatch.setattr(homotopy_path, "COLUMNS_PER_KNOT", 0.1)
    if form == "gram":
        fit = ss.paths.lars_path_gram(X.T @ X, X.T @ y, 25, yty=y @ y,
                                penalty_factor=options["penalty_factor"])  # fmt: skip
    else:
        fit = ss.lars_path(sparse.csc_array(X) if form == "sparse" else X, y, **options)
    oracle.solved(fit, X, y, 1e-11, **options)


def test_a_ridge_leaves_them_alone():
    X, y = made(30, 10, seed=5)
    factors = np.array([0.0, 1, 1, 1, 0, 1, 1, 1, 1, 1])
    fit = ss.lars_path(X, y, ridge=0.3, penalty_factor=factors)
    for lam in fit.lambdas[:-1]:
        gap = oracle.certificate(X, y, fit.intercept(lam), fit.coef(lam), lam + 0.3,
                                 alpha=lam / (lam + 0.3), penalty_factor=factors)  # fmt: skip
        assert gap <= 1e-13
    residual = y - fit.intercept(0.0) - X @ fit.coef(0.0)
    assert X[:, [0, 4]].T @ residual == pytest.approx([0, 0], abs=1e-10)


@settings(max_examples=30)
@given(st.data())
def test_dependent_and_tied_ones(data):
    """Small integers: duplicates among the free columns, penalised copies of them, ties."""
    n, p = data.draw(st.integers(2, 7)), data.draw(st.integers(2, 7))
    draw = st.lists(st.integers(-2, 2), min_size=n, max_size=n)
    X = np.array([data.draw(draw) for _ in range(p)], dtype=float).T
    X = np.hstack([X, X[:, : data.draw(st.integers(0, 2))]])
    y = np.array(data.draw(draw), dtype=float)
    factors = np.array([float(data.draw(st.booleans())) for _ in range(X.shape[1])])
    options = {"standardize": False, "penalty_factor": factors}
    fit = ss.lars_path(X, y, **options)
    assert not fit.status.any() and (np.diff(fit.lambdas) < 0).all()
    if fit.stop_reason == "no feature correlates with y":  # the only lambda is rounding
        residual = y - fit.intercept(fit.lambdas[0]) - X @ fit.coef(fit.lambdas[0])
        assert X.T @ residual == pytest.approx(np.zeros(X.shape[1]), abs=1e-12)
        return
    middle = 0.5 * (fit.lambdas[1:] + fit.lambdas[:-1])
    for s in [*fit.lambdas[fit.lambdas > 0], *middle]:
        assert oracle.certificate(X, y, fit.intercept(s), fit.coef(s), s, **options) <= 1e-10


def test_least_angle_regression_starts_from_them():
    """By Frisch, Waugh and Lovell, the path of the columns less what these explain."""
    X, y = made(30, 9, seed=6)
    X, y = X - X.mean(axis=0), y - y.mean()
    free, rest = [1, 7], [0, 2, 3, 4, 5, 6, 8]
    Q = np.linalg.qr(X[:, free])[0]
    factors = np.ones(9)
    factors[free] = 0.0
    plain = {"intercept": False, "standardize": False, "method": "lar"}
    fit = ss.lars_path(X, y, penalty_factor=factors, **plain)
    part = ss.lars_path(X[:, rest] - Q @ (Q.T @ X[:, rest]), y - Q @ (Q.T @ y), **plain)
    assert fit.lambdas * 9 / 7 == pytest.approx(part.lambdas, abs=1e-12)
    assert fit.coefs.toarray()[rest] == pytest.approx(part.coefs.toarray(), abs=1e-11)
    assert fit.gaps.max() <= 1e-13


def test_where_nothing_is_penalised_the_path_is_a_point():
    X, y = made(20, 3, seed=7)
    fit = ss.lars_path(X, y, penalty_factor=[0.0, 0.0, np.inf])
    assert fit.lambdas.tolist() == [0.0]
    assert fit.stop_reason == "every feature is excluded or without a penalty"
    ones = np.column_stack([np.ones(20), X[:, :2]])
    assert fit.coef(0.0)[:2] == pytest.approx(np.linalg.lstsq(ones, y, rcond=None)[0][1:])


def test_a_coefficient_that_lacks_its_fit_is_certified_as_such():
    """The certificate bounds what is lost by a free coefficient that is not the best."""
    from sparsesolve.solvers.homotopy.knot_certificate import Certificate, Rules
    from sparsesolve.solvers.homotopy.path import GramData

    X, y = made(20, 6, seed=8)
    data, free = GramData(X.T @ X / 20, X.T @ y / 20, float(y @ y) / 20), np.array([2], np.intc)
    v, every = np.array([1.0, 1, 0, 1, 1, 1]), np.arange(6, dtype=np.intc)
    rules = Rules(v, 0.0, v > 0, free, True, False, 0.0, 6, 99)
    judge = Certificate(data, rules, 1.0, np.sqrt(data.squares), free,
                        np.sqrt(data.gram[2:3, 2:3]))  # fmt: skip
    plain = {"intercept": False, "standardize": False, "penalty_factor": v}
    lam = 0.2
    best = oracle.solve(X, y, lam * 5 / 6, **plain)[1]  # the factors are scaled to sum to 6

    def objective(b):
        return 0.5 * np.sum((y - X @ b) ** 2) / 20 + lam * v @ np.abs(b)

    for size in (0.0, 1e-3, 0.1):
        b = best + size * np.random.default_rng(9).standard_normal(6)
        C, squares = data.measure(every, b[None])
        gap = judge.batch(np.array([lam]), every, b[None], C, squares).gaps[0]
        lost = (objective(b) - objective(best)) / (0.5 * y @ y / 20)
        assert lost - 1e-14 <= gap and (size or gap <= 1e-7)
