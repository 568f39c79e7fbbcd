"""Newton steps on rows: both forms of the system solve it, for dense and sparse rows."""

import numpy as np
import pytest
from scipy import sparse
from states import problem_of

import sparsesolve as ss
from sparsesolve.solvers.margin.rows_newton import RowsNewton, ascend


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


@pytest.mark.parametrize("n, p, level", [(2000, 10, 0.0), (321, 19, 1.0)])
def test_tight_tolerances_are_reached(n, p, level):
    """The method of multipliers alone stays above them near the knot of the first lambda."""
    rng = np.random.default_rng(10)
    X = rng.normal(size=(n, p))
    y = np.where(X[:, 0] + rng.normal(size=n) > level, 1, -1)
    fit = ss.path(X, y, family=ss.families.hinge(), alpha=0, tol=1e-10, n_lambdas=30,
                  standardize=False, solver="rows_newton")  # fmt: skip
    assert fit.gaps.max() <= 1e-10


@pytest.mark.parametrize("level", [True, False])
@pytest.mark.parametrize("rank", [12, 5])
def test_the_dual_rises_within_bounds_and_is_solved_where_none_binds(level, rank):
    rng = np.random.default_rng(rank)
    for wide in (100.0, 0.3):
        A = rng.normal(size=(12, rank))
        gram, lam, slope = A @ A.T, 0.3, rng.normal(size=12)
        u, low, high = np.zeros(12), -wide * np.ones(12), wide * np.ones(12)
        moved = ascend(gram, u, slope, low, high, lam, level)
        value = slope @ moved - moved @ gram @ moved / (2 * lam)
        assert value > 0.0 and np.abs(moved).max() <= wide
        if level:
            assert abs(moved.sum()) <= 1e-9 * np.abs(moved).sum()
        if wide == 100.0:
            left = slope - gram @ moved / lam
            left -= np.median(left) if level else 0.0  # one slope of all
            assert np.sort(np.abs(left))[:rank].max() <= 1e-8


def test_rows_that_depend_on_others_stay_where_they_are():
    gram = np.ones((3, 3))
    moved = ascend(gram, np.zeros(3), np.ones(3), -np.ones(3), np.ones(3), 1.0, False)
    assert moved.tolist() == [1.0, 0.0, 0.0]
