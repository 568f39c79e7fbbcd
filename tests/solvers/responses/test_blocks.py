"""Families of K responses at single lambdas: against a slow solver and its own certificate."""

from functools import partial

import numpy as np
import pytest
import response_oracle as oracle
from response_problems import (
    CONVERGED,
    FACTORS,
    FORMS,
    LIMITS,
    SETTINGS,
    N,
    P,
    check,
    full,
    labelled,
    largest,
    make_state,
    measured,
)
from scipy import sparse

import sparsesolve as ss
from sparsesolve.solvers.responses import certificate
from sparsesolve.solvers.responses.blocks import ResponseBlocks

state_of = partial(make_state, ResponseBlocks)


@pytest.mark.parametrize("share", [0.9, 0.4, 0.05])
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("family, grouped", FORMS)
def test_agrees_with_the_slow_solver_and_its_certificate(family, grouped, name, share):
    X, Y, _ = (labelled if family == "multinomial" else measured)()
    options = {"family": family, "grouped": grouped, **SETTINGS[name]}
    state, Z = state_of(X, Y, **options)
    lam = share * largest(state, **options)
    check(X, Y, lam, state, Z, options)


@pytest.mark.parametrize("share", [0.5, 0.05])
@pytest.mark.parametrize("extra", [{}, {"alpha": 0.5}, {"v": FACTORS}])
def test_limits_hold_and_the_optimum_is_theirs(share, extra):
    X, Y, _ = labelled()
    options = {"family": "multinomial", **LIMITS, **extra}
    state, Z = state_of(X, Y, **options)
    lam = share * largest(state, **options)
    _, B = check(X, Y, lam, state, Z, options)
    assert (B >= LIMITS["low"]).all() and (B <= LIMITS["high"]).all()


@pytest.mark.parametrize("family, grouped", FORMS)
def test_at_lambda_max_nothing_enters_and_just_below_something_does(family, grouped):
    X, Y, _ = (labelled if family == "multinomial" else measured)()
    state, _ = state_of(X, Y, family=family, grouped=grouped, v=FACTORS)
    top = largest(state, v=FACTORS)
    free = set(np.flatnonzero(FACTORS == 0))
    for share, entered in [(1 + 1e-9, 0), (0.99, 1)]:
        state.solve(share * top, 1e-14, 1000)
        assert (len(set(state.coefficients()[0]) - free) >= entered) and (
            entered or set(state.coefficients()[0]) == free
        )


@pytest.mark.parametrize("family, grouped", FORMS)
def test_sparse_and_single_precision_designs_are_the_same_problem(family, grouped):
    X, Y, _ = (labelled if family == "multinomial" else measured)(n=60, p=30)
    X = np.round(np.where(np.abs(X) < 1.2, 0.0, X + 1), 2).astype(np.float32)
    dense, Z = state_of(X.astype(float, order="F"), Y, family=family, grouped=grouped)
    lam = 0.2 * largest(dense)
    dense.solve(lam, 1e-13, 10_000)
    eta = full(dense, 30)[1] @ Z.T
    thin = sparse.csc_array(np.where(np.arange(30) % 2, X, 0))
    for other in (np.asfortranarray(X), sparse.csc_array(X.astype(float)), sparse.csc_array(X)):
        state, _ = state_of(other, Y, family=family, grouped=grouped)
        state.solve(lam, 1e-13, 10_000)
        assert full(state, 30)[1] @ Z.T == pytest.approx(eta, abs=1e-5)
        assert state.loss_value == pytest.approx(dense.loss_value, abs=1e-9)
    state, Z = state_of(thin, Y, family=family, grouped=grouped)  # few enough for sparse kernels
    check(thin, Y, 0.3 * largest(state), state, Z, {"family": family, "grouped": grouped})


def test_coefficients_of_the_softmax_are_centred_at_their_best():
    """No constant added to a row lowers its penalty; intercepts and ridge rows have mean 0."""
    X, Y, _ = labelled()
    for alpha, grouped in [(1.0, False), (0.5, False), (0.5, True), (1.0, True)]:
        state, _ = state_of(X, Y, family="multinomial", grouped=grouped, alpha=alpha, v=FACTORS)
        lam = 0.1 * largest(state, alpha=alpha, v=FACTORS)
        state.solve(lam, 1e-13, 10_000)
        b0, B = full(state, P)
        assert b0.sum() == pytest.approx(0.0, abs=1e-12)
        assert B[:, [2, 7]].sum(axis=0) == pytest.approx(0.0, abs=1e-7)  # unpenalised
        here = oracle.penalty(B, lam, FACTORS, alpha, grouped)
        for shift in (1e-3, -1e-3):
            for j in range(P):
                moved = B.copy()
                moved[:, j] += shift
                assert oracle.penalty(moved, lam, FACTORS, alpha, grouped) >= here - 1e-8


@pytest.mark.parametrize("grouped", [False, True])
def test_a_class_of_one_member(grouped):
    X, Y, _ = labelled(n=50)
    labels = np.r_[2, np.resize([0, 1, 3], 49)]
    Y = np.eye(4)[labels]
    state, Z = state_of(X, Y, family="multinomial", grouped=grouped)
    top = largest(state)
    for share in (0.5, 0.1, 0.01):
        check(X, Y, share * top, state, Z, {"family": "multinomial", "grouped": grouped})


@pytest.mark.parametrize("classes", [2, 26])
@pytest.mark.parametrize("grouped", [False, True])
def test_two_classes_and_twenty_six(classes, grouped):
    X, Y, _ = labelled(n=150, p=10, classes=classes)
    state, Z = state_of(X, Y, family="multinomial", grouped=grouped)
    top = largest(state)
    for share in (0.5, 0.1):
        check(X, Y, share * top, state, Z, {"family": "multinomial", "grouped": grouped})


@pytest.mark.parametrize("family, grouped", FORMS)
def test_more_columns_than_samples_down_a_path(family, grouped):
    X, Y, _ = (labelled if family == "multinomial" else measured)(n=30, p=80)
    options = {"family": family, "grouped": grouped}
    state, Z = state_of(X, Y, **options)
    top = largest(state)
    for lam in top * np.geomspace(1, 0.03, 12):
        outcome, gap = state.solve(lam, 1e-10, 100_000)
        assert outcome == CONVERGED
        assert oracle.certificate(Z, Y, lam, *full(state, 80), **options) <= 1e-9
    cold, _ = state_of(X, Y, **options)
    cold.solve(lam, 1e-10, 100_000)
    assert cold.loss_value == pytest.approx(state.loss_value, abs=1e-6)


@pytest.mark.parametrize("grouped", [False, True])
def test_duplicated_and_dependent_columns(grouped):
    X, Y, _ = labelled()
    X = np.asfortranarray(np.c_[X, X[:, :3], X[:, 0] - X[:, 1], np.full(N, 2.0)])
    options = {"family": "multinomial", "grouped": grouped}
    state, Z = state_of(X, Y, **options)
    top = largest(state)
    for share in (0.5, 0.05):
        check(X, Y, share * top, state, Z, options)


def test_at_lambda_zero_the_optimum_is_the_unpenalised_one():
    X, Y, _ = measured()
    state, Z = state_of(X, Y, family="multigaussian", grouped=True)
    outcome, _ = state.solve(0.0, 1e-12, 10_000)
    A = np.c_[np.ones(N), Z]
    b0, B = full(state, P)
    assert outcome == CONVERGED
    assert np.c_[b0, B] == pytest.approx(np.linalg.lstsq(A, Y, rcond=None)[0].T, abs=1e-6)
    X, Y, _ = labelled(n=200, p=5)
    state, Z = state_of(X, Y, family="multinomial")
    check(X, Y, 0.0, state, Z, {"family": "multinomial"})


def test_a_budget_is_kept_and_said():
    X, Y, _ = labelled()
    state, _ = state_of(X, Y, family="multinomial")
    outcome, gap = state.solve(1e-3, 1e-12, 2)
    assert outcome != CONVERGED and gap > 1e-12


def test_where_the_corrected_dual_point_leaves_the_domain_u_itself_serves(monkeypatch):
    """Free columns along which next to nothing bends send it far away."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 8))
    y = np.digitize(X[:, 0] + rng.normal(size=60), [-0.5, 0.5])
    asked = []

    def outside(d, lam):
        asked.append(lam)
        return 1e3 * d.u, None

    monkeypatch.setattr(certificate, "dual_point", outside)
    fit = ss.path(X, y, family="multinomial", solver="response_blocks", n_lambdas=10)
    assert len(asked) >= 10 and not fit.status.any() and (fit.gaps <= 1e-7).all()
