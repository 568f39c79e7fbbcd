"""Where the solver of "auto" misses, others are tried; a solver that was named is respected."""

import numpy as np
import pytest
from scipy.linalg import hilbert

import sparsesolve as ss


def objective(X, y, fit, k, groups, lam):
    r = y - fit.intercepts[k] - X @ fit.coefs[:, [k]].toarray()[:, 0]
    b = X.std(axis=0) * fit.coefs[:, [k]].toarray()[:, 0]
    norms = [np.sqrt((groups == g).sum()) * np.linalg.norm(b[groups == g]) for g in set(groups)]
    return (r @ r) / (2 * len(y)) + lam * sum(norms)


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
def test_groups_of_a_hilbert_matrix_end_as_well_as_the_best_solver():
    X, y = hilbert(12), np.random.default_rng(0).normal(size=12)
    groups = np.arange(12) // 3
    penalty = ss.penalties.GroupL2(groups)
    first = ss.path(X, y, penalty=penalty, n_lambdas=2).lambdas[0]
    grid = np.geomspace(1, 1e-6, 12) * first
    fits = {solver: ss.path(X, y, penalty=penalty, lambdas=grid, max_iter=20_000, solver=solver)
            for solver in ("auto", "proximal_newton", "reweighted")}  # fmt: skip
    assert fits["auto"].gaps.max() <= 1e-6 and len(fits["auto"].lambdas) == 12
    for k, lam in enumerate(grid):
        best = min(objective(X, y, fit, k, groups, lam) for fit in fits.values())
        assert objective(X, y, fits["auto"], k, groups, lam) <= best + 1e-6 * y.var() / 2


def test_a_few_iterations_are_all_there_are():
    X, y = hilbert(12), np.random.default_rng(0).normal(size=12)
    penalty = ss.penalties.GroupL2(np.arange(12) // 3)
    with pytest.warns(ss.ConvergenceWarning, match="standardize='group' solves"):
        fit = ss.path(X, y, penalty=penalty, lambdas=[1e-5], max_iter=50)
    assert fit.n_iters.sum() <= 60 and fit.gaps[0] > 1e-3


def test_a_named_solver_is_told_of_the_choice():
    X, y = hilbert(12), np.random.default_rng(0).normal(size=12)
    with pytest.warns(ss.ConvergenceWarning, match="solver='auto' tries several"):
        ss.path(X, y, lambdas=[1e-7], solver="sufficient", tol=1e-12)


def test_a_loss_with_kinks_that_misses_is_returned_with_a_warning():
    """The other solvers take smooth losses alone, so that there is no second try."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    y = np.sign(X[:, 0] + rng.normal(size=30))
    with pytest.warns(ss.ConvergenceWarning, match="miss tol"):
        fit = ss.path(X, y, family=ss.families.hinge(), lambdas=[0.05], tol=0.0)
    assert 0.0 < fit.gaps[0] < 1e-9
