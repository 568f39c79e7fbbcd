"""K responses with the whole Hessian: against a slow solver and its own certificate."""

from types import SimpleNamespace

import numpy as np
import pytest
import response_oracle as oracle
from response_problems import FACTORS, FORMS, LIMITS, SETTINGS, full, labelled, measured
from sparsesolve.linalg.design import Design
from sparsesolve.solvers.response_newton import ResponseNewton

from sparsesolve.losses import LOSSES
from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.null_model import null_models

CONVERGED = 0


def state_of(X, Y, *, family, grouped=False, alpha=1.0, w=None, v=None, offset=None,
             intercept=True, low=None, high=None):  # fmt: skip
    """A solver state, and its design in numpy."""
    w = np.full(len(Y), 1 / len(Y)) if w is None else w
    design = Design(X)
    assert design.moments(w)
    spread = np.asarray(design.spread)
    design.standardise(intercept, 1 / np.where(spread > 0, spread, np.inf))
    offset = np.zeros((Y.shape[1], len(Y))) if offset is None else offset
    loss = LOSSES[family](Y, w)
    null = null_models(loss, offset, intercept)[0] if intercept else np.zeros(Y.shape[1])
    problem = SimpleNamespace(
        design=design, loss=loss, penalty=ElasticNet(design.p, alpha, v, low, high),
        grouped=grouped, intercept=intercept, offset=offset, null_intercept=null,
    )  # fmt: skip
    unpacked = design.unpacked(np.arange(design.p, dtype=np.intc))
    return ResponseNewton(problem), np.ascontiguousarray(unpacked)


def largest(state, alpha):
    state.solve(1e20, 1e-14, 1000)
    scores = state.correlations()
    v = np.asarray(state.net.factors)[: len(scores)]
    return (scores[v > 0] / v[v > 0]).max() / alpha


def check(X, Y, share, options):
    """Solve to 1e-11 at a share of the largest lambda and compare with the oracle."""
    state, Z = state_of(X, Y, **options)
    lam = share * largest(state, options.get("alpha", 1.0))
    outcome, gap = state.solve(lam, 1e-11, 100_000)
    assert outcome == CONVERGED and gap <= 1e-11
    b0, B = full(state, Z.shape[1])
    best, _, _ = oracle.solve(Z, Y, lam, **options)
    mine = oracle.objective(Z, Y, lam, b0, B, **options)
    assert mine == pytest.approx(best, abs=1e-9)
    assert mine - best <= gap + 1e-13
    return Z, lam, b0, B


@pytest.mark.parametrize("share", [0.9, 0.05])
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("family, grouped", FORMS)
def test_agrees_with_the_slow_solver_and_its_certificate(family, grouped, name, share):
    X, Y, _ = (labelled if family == "multinomial" else measured)()
    options = {"family": family, "grouped": grouped, **SETTINGS[name]}
    Z, lam, b0, B = check(X, Y, share, options)
    assert -1e-13 <= oracle.certificate(Z, Y, lam, b0, B, **options) <= 1e-9


@pytest.mark.parametrize("extra", [{}, {"alpha": 0.5}, {"v": FACTORS}])
def test_limits_hold_and_the_optimum_is_theirs(extra):
    X, Y, _ = labelled()
    _, _, _, B = check(X, Y, 0.05, {"family": "multinomial", **LIMITS, **extra})
    assert (B >= LIMITS["low"]).all() and (B <= LIMITS["high"]).all()


@pytest.mark.parametrize("family, grouped", FORMS)
def test_more_columns_than_samples_down_a_path(family, grouped):
    X, Y, _ = (labelled if family == "multinomial" else measured)(n=30, p=80)
    options = {"family": family, "grouped": grouped}
    state, Z = state_of(X, Y, **options)
    for lam in largest(state, 1.0) * np.geomspace(1, 0.03, 12):
        outcome, gap = state.solve(lam, 1e-10, 100_000)
        assert outcome == CONVERGED
        assert oracle.certificate(Z, Y, lam, *full(state, 80), **options) <= 1e-9


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("classes", [2, 26])
def test_few_and_many_classes_one_of_a_lone_member(classes, grouped):
    X, Y, _ = labelled(n=150, p=10, classes=classes)
    labels = Y.argmax(axis=1)
    labels[labels == classes - 1] = 0
    labels[7] = classes - 1
    check(X, np.eye(classes)[labels], 0.1, {"family": "multinomial", "grouped": grouped})


@pytest.mark.parametrize("grouped", [False, True])
def test_duplicated_and_dependent_columns(grouped):
    X, Y, _ = labelled()
    X = np.asfortranarray(np.c_[X, X[:, :3], X[:, 0] - X[:, 1], np.full(len(X), 2.0)])
    check(X, Y, 0.05, {"family": "multinomial", "grouped": grouped})


def test_a_budget_is_kept_and_said():
    X, Y, _ = labelled()
    state, _ = state_of(X, Y, family="multinomial")
    outcome, gap = state.solve(1e-3, 1e-12, 2)
    assert outcome != CONVERGED and gap > 1e-12
