"""Dual descent: rows that leave for good are those that the optimum has at their ends."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.paths.assembly import read_problem
from sparsesolve.solvers.margin.dual_descent import DualDescent
from sparsesolve.solvers.state import CONVERGED

FAMILIES = [ss.families.hinge(), ss.families.quantile(0.4), ss.families.epsilon_insensitive(0.5)]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("intercept", [True, False])
def test_shrinking_is_safe(family, intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8))
    y = X[:, 0] + rng.normal(size=120)
    y = np.sign(y) if family.name == "hinge" else y
    problem, *_ = read_problem(
        X, y, family, weights=None, offset=None, penalty_factor=None, lower=None, upper=None,
        alpha=0.0, intercept=intercept, standardize=True, n_threads=1,
    )  # fmt: skip
    left = 0
    for lam in (0.3, 0.02):
        best = DualDescent(problem, 1)
        outcome, gap = best.solve(lam, 1e-12 * problem.null_value, 10_000)
        assert outcome == CONVERGED
        optimum = best.dual.u
        for target in (1e-2, 1e-4, 1e-6):
            state = DualDescent(problem, 1)
            _, gap = state.solve(lam, target * problem.null_value, 10_000)
            kept = state._unsettled(lam, gap)
            settled = np.setdiff1d(np.arange(120), kept)
            left += len(settled)
            put = state.sweeps.dual_point()[settled]
            assert put == pytest.approx(optimum[settled], abs=1e-5 / 120)
    assert left > 120


def test_newton_steps_go_on_where_sweeps_have_stalled(monkeypatch):
    monkeypatch.setattr("sparsesolve.solvers.margin.dual_descent.GAPS_BEFORE_NEWTON", 0)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 60))
    y = np.sign(X[:, 0] + rng.normal(size=40))
    options = {"family": ss.families.hinge(), "alpha": 0, "n_lambdas": 5}
    fit = ss.path(X, y, solver="dual_descent", **options)
    assert fit.gaps.max() <= 1e-7
