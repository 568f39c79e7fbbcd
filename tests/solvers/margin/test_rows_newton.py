"""Newton steps on rows: both forms of the system solve it, for dense and sparse rows."""

import numpy as np
import pytest
from scipy import sparse
from states import problem_of

import sparsesolve as ss
from sparsesolve.solvers.margin.rows_newton import RowsNewton


@pytest.mark.parametrize("stored", ["dense", "sparse"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("by_columns", [True, False])
def test_a_step_solves_the_newton_system(stored, intercept, by_columns, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 7)) * (rng.random((200, 7)) < 0.5) + 1.0 * (stored == "dense")
    y = np.sign(X[:, 0] - X[:, 1] + rng.normal(size=200))
    problem = problem_of(sparse.csc_array(X) if stored == "sparse" else np.asfortranarray(X), y,
                         ss.families.hinge(), alpha=0.0, intercept=intercept)  # fmt: skip
    state, lam = RowsNewton(problem, 1), 0.3
    state.g, state.b0 = 0.3 * rng.normal(size=7), 0.1 * intercept
    A = problem.design.unpacked(state.dual.which) / state.dual.root_v
    state.eta = state.b0 + A @ state.g
    state.envelope.about(state.m, 0.5)
    h = state.envelope.curvature_at(state.eta)
    assert 7 < np.count_nonzero(h) < 200
    solver = RowsNewton._by_columns if by_columns else RowsNewton._by_rows
    monkeypatch.setattr(state, "_by_rows", solver.__get__(state))
    monkeypatch.setattr(state, "_by_columns", solver.__get__(state))
    slope, slope_0 = rng.normal(size=7), 0.4 * intercept
    step, step_0 = state._direction(lam, slope, slope_0)
    E = np.column_stack([A, np.ones(200)]) if intercept else A
    H = E.T @ (h[:, None] * E)
    H[np.arange(7), np.arange(7)] += lam
    found = np.append(step, step_0) if intercept else step
    assert H @ found == pytest.approx(np.append(slope, slope_0)[: len(H)], abs=1e-8)


def test_tight_tolerances_are_reached():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(2000, 10))
    y = np.sign(X[:, 0] + rng.normal(size=2000))
    fit = ss.path(X, y, family=ss.families.hinge(), alpha=0, tol=1e-10, n_lambdas=6,
                  solver="rows_newton")  # fmt: skip
    assert fit.gaps.max() <= 1e-10


def test_near_the_knot_the_rows_inside_are_solved_for():
    """The method of multipliers alone stayed at 1.4e-10 at the first lambda here."""
    rng = np.random.default_rng(10)
    n, p = rng.integers(50, 400), rng.integers(2, 20)
    X = rng.normal(size=(n, p))
    y = np.where(X[:, 0] + rng.normal(size=n) > rng.choice([0, 1]), 1, -1)
    fit = ss.path(X, y, family=ss.families.hinge(), alpha=0, tol=1e-10, n_lambdas=30,
                  standardize=False, solver="rows_newton")  # fmt: skip
    assert fit.gaps.max() <= 1e-10
