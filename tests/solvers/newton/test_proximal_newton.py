"""Proximal Newton on truly sparse designs, where the way of solving changes along the path."""

import glm_oracle
import numpy as np
import numpy_losses
import pytest
from random_sparse import random_csc
from sparsesolve.linalg.working.columns import pack
from sparsesolve.solvers.newton.local_model import floors

import sparsesolve as ss
from sparsesolve.paths import path as api
from sparsesolve.solvers import SOLVERS, choice
from sparsesolve.solvers.choice import choose
from sparsesolve.solvers.newton import proximal_newton, working_set

LOSSES = {"binomial": numpy_losses.BINOMIAL, "poisson": numpy_losses.POISSON}
DESIGNS = {"few columns": (600, 60, 0.03), "many columns": (100, 1000, 0.04)}


def problem(family, design, seed=0):
    rng = np.random.default_rng(seed)
    n, p, density = DESIGNS[design]
    X = random_csc((n, p), density, rng)
    X.data += 1.0
    signal = X[:, :12] @ rng.standard_normal(12)
    if family == "poisson":
        return X, rng.poisson(np.exp(np.clip(signal, -3, 2))).astype(float)
    return X, (signal + 0.3 * rng.logistic(size=n) > 0).astype(float)


@pytest.fixture
def kinds(monkeypatch):
    """The ways of solving that states used, asked after every lambda."""
    seen, solver = set(), SOLVERS["proximal_newton"]

    class Watched(solver.state):
        def solve(self, lam, target, budget):
            found = super().solve(lam, target, budget)
            seen.add(type(self.quadratic).__name__)
            return found

    monkeypatch.setitem(choice.SOLVERS, "proximal_newton", solver._replace(state=Watched))
    return seen


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("design", sorted(DESIGNS))
@pytest.mark.parametrize("family", sorted(LOSSES))
def test_every_lambda_is_certified_from_the_data(family, design, intercept, standardize, kinds,
                                                 monkeypatch):  # fmt: skip
    monkeypatch.setattr(working_set, "WORKING_ROOM", 10)  # more sparse columns go one by one
    X, y = problem(family, design)
    options = {"intercept": intercept, "standardize": standardize}
    fit = ss.path(X, y, family=family, n_lambdas=25, lambda_min_ratio=0.02, stop=None, tol=1e-7,
                  **options)  # fmt: skip
    assert not fit.status.any() and "DataActiveSet" in kinds
    for k, lam in enumerate(fit.lambdas):
        b = fit.coefs[:, [k]].toarray().ravel()
        found = glm_oracle.certificate(X, y, fit.intercepts[k], b, lam, loss=LOSSES[family],
                                       **options)  # fmt: skip
        assert found <= 3e-7, k


def test_the_way_of_solving_changes_and_nothing_is_lost(kinds):
    """The columns that brought about the change are in the model like all others."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 200))
    y = (X[:, :5].sum(axis=1) > rng.logistic(size=40)) * 1.0
    fit = ss.path(X, y, family="binomial", alpha=0.05, n_lambdas=30, lambda_min_ratio=1e-2,
                  stop=None)  # fmt: skip
    assert kinds == {"DataActiveSet", "GramActiveSet"}
    for k, lam in enumerate(fit.lambdas):
        b = fit.coefs[:, [k]].toarray().ravel()
        found = glm_oracle.certificate(X, y, fit.intercepts[k], b, lam, alpha=0.05,
                                       loss=numpy_losses.BINOMIAL)  # fmt: skip
        assert found <= 3e-7, k


@pytest.mark.parametrize("penalty", [None, ss.penalties.GroupL2(np.arange(400) // 4)],
                         ids=["l1", "groups"])  # fmt: skip
def test_columns_of_cox_are_held_as_dense_where_nothing_else_leads_on(penalty, monkeypatch):
    """The diagonal model of F'' takes few steps at first, and no end of them near saturation."""
    held = []

    def packed(*args, dense, **how):
        held.append(dense)
        return pack(*args, dense=dense, **how)

    monkeypatch.setattr(proximal_newton, "pack", packed)
    rng = np.random.default_rng(0)
    X = random_csc((120, 400), 0.03, rng)
    X.data += 1.0
    times = rng.exponential(np.exp(-(X[:, :12] @ rng.standard_normal(12))))
    y = np.column_stack([times, rng.random(120) < 0.8])
    options = {"family": "cox", "stop": None, "lambda_min_ratio": 0.01, "penalty": penalty,
               "tol": 1e-9}  # fmt: skip
    fit = ss.path(X, y, **options)
    assert not fit.status.any() and held == [True]
    dense = ss.path(X.toarray(), y, **options)
    assert len(held) == 1 and fit.dev_ratio == pytest.approx(dense.dev_ratio, abs=1e-5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", [32, 43, 234, 285, 343])
def test_a_dual_point_at_the_edge_of_its_domain_misses_no_lambda(seed):
    """A sum of u of 1e-7, squared in the model's gap, takes as much of the certificate."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 20))
    y = 2 * X[:, 0] + rng.normal(size=100)
    y[::20] += 100
    assert not ss.path(X, y, family=ss.families.huber(1.0)).status.any()


def test_separable_classes_without_penalty():
    """Where all curvature vanishes the least that a model holds must not outweigh it.

    With a floor of 1e-6 of a sample's weight the gap fell as 1/step, and 1e5 steps missed it.
    """
    rng = np.random.default_rng(33)
    X = rng.normal(size=(60, 25))
    y = (rng.random(60) < 1 / (1 + np.exp(-X[:, :5].sum(axis=1)))).astype(int)
    selected = ss.path(X, y, family="binomial", n_lambdas=20).nonzero()
    support = next(columns for columns in selected if len(columns) == 20)
    free = np.zeros(20)
    fit = ss.path(X[:, support], y, family="binomial", penalty_factor=free, lambdas=[0.0])
    assert fit.gaps[0] <= 1e-7


def test_separable_classes_reach_a_gap_far_below_the_others(monkeypatch):
    """The null model of free columns is asked for 1e-14: 1e5 steps at a floor of 1e-6."""
    states = []
    monkeypatch.setattr(api, "choose", lambda *a: states.append(choose(*a)) or states[-1])
    X = np.random.default_rng(0).standard_normal((60, 20))
    options = {"family": "binomial", "penalty_factor": np.zeros(20), "lambdas": [1.0]}
    fit = ss.path(X, X[:, 0] + X[:, 1] > 0, **options)
    assert fit.gaps[0] <= 1e-13 and states[0].iterations < 500


def test_samples_without_curvature_are_given_some():
    """Less than the mean where the loss bends at all, and something where it bends nowhere."""
    even, least = floors(0.25)
    assert 0.0 < least < even < 0.25
    assert all(floor > 0.0 for floor in floors(0.0))
