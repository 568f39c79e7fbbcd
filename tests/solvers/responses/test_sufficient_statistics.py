"""K responses from inner products alone: against a slow solver, and down paths."""

from functools import partial

import numpy as np
import pytest
import response_oracle as oracle
from response_problems import (
    CONVERGED,
    FACTORS,
    P,
    full,
    largest,
    make_state,
    measured,
)
from sparsesolve.solvers.responses.response_statistics import ResponseSufficientStatistics

import sparsesolve as ss

TIED = {"family": "multigaussian", "grouped": True}
state_of = partial(make_state, ResponseSufficientStatistics)
@pytest.mark.parametrize("n, p", [(40, 12), (30, 80), (12, 40)])
@pytest.mark.parametrize("alpha", [1.0, 0.6])
def test_down_a_path_and_up_again(n, p, alpha):
    X, Y, _ = measured(n=n, p=p)
    options = {**TIED, "alpha": alpha}
    state, Z = state_of(X, Y, **options)
    grid = largest(state, **options) * np.geomspace(1, 0.003, 15)
    for lam in np.append(grid, grid[::-4]):
        outcome, gap = state.solve(lam, 1e-12, 100_000)
        assert outcome == CONVERGED and gap <= 1e-12
        assert -1e-13 <= oracle.certificate(Z, Y, lam, *full(state, p), **options) <= 1e-11


def test_unpenalised_columns_that_depend_on_each_other():
    X, Y, _ = measured()
    X = np.asfortranarray(np.c_[X, X[:, 2] + X[:, 7]])
    options = {**TIED, "v": np.append(FACTORS, 0.0)}
    state, Z = state_of(X, Y, **options)
    top = largest(state, **options)
    for share in (0.5, 0.05):
        outcome, gap = state.solve(share * top, 1e-11, 100_000)
        b0, B = full(state, P + 1)
        best, _, _ = oracle.solve(Z, Y, share * top, **options)
        mine = oracle.objective(Z, Y, share * top, b0, B, **options)
        assert outcome == CONVERGED and mine - best <= gap + 1e-12


def test_columns_much_like_their_neighbours_miss_no_lambda():
    """The objective falls for long before the gap does."""
    rng = np.random.default_rng(2)
    X = np.cumsum(rng.normal(size=(60, 300)), axis=1) / 5
    Y = X[:, :3] @ rng.normal(size=(3, 2)) + 0.1 * rng.normal(size=(60, 2))
    options = {"lambda_min_ratio": 1e-3, "n_lambdas": 8, "stop": None, "tol": 1e-4}
    fit = ss.path(X, Y, family="multigaussian", solver="sufficient", **options)
    assert not fit.status.any() and (fit.gaps >= 0.0).all()


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_dummies_without_a_penalty_go_nowhere(seed):
    """With the intercept they depend on each other: along that direction nothing holds them."""
    rng = np.random.default_rng(seed)
    kinds = []
    for count in (5, 100):
        shares = 1.0 / np.arange(1, count + 1)
        kinds.append(rng.choice(count, size=1000, p=shares / shares.sum()))
    X = np.hstack([np.eye(5)[kinds[0]], np.eye(100)[kinds[1]]])
    Y = rng.normal(size=(1000, 3)) + np.outer(kinds[0] == 1, [1, 0, 1])
    Y += np.outer(kinds[1] == 3, [1, -1, 0])
    factors = np.r_[np.zeros(5), np.ones(100)]
    fit = ss.path(X, Y, family="multigaussian", penalty_factor=factors, stop=None)
    assert fit.gaps.max() <= 1e-7 and max(np.abs(b.data).max() for b in fit.coefs) < 100
