"""K responses at single lambdas, by every state: against a slow solver and its own certificate."""

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
from sparsesolve.solvers.responses.newton import ResponseNewton
from sparsesolve.solvers.responses.response_statistics import ResponseSufficientStatistics

import sparsesolve as ss
from sparsesolve.solvers.responses import certificate
from sparsesolve.solvers.responses.blocks import ResponseBlocks

state_of = partial(make_state, ResponseBlocks)
STATES = [(ResponseBlocks, *form) for form in FORMS] + [(ResponseNewton, *form) for form in FORMS]
STATES.append((ResponseSufficientStatistics, "multigaussian", True))
OF_CLASSES = [(kind, grouped) for kind in (ResponseBlocks, ResponseNewton)
              for grouped in (False, True)]  # fmt: skip
EXCLUDED = {
    "low": np.where(np.arange(P) % 5, -np.inf, 0.0),
    "high": np.where(np.arange(P) % 5, np.inf, 0.0),
}


@pytest.mark.parametrize("share", [0.9, 0.05])
@pytest.mark.parametrize("kind, family, grouped, name", [
    *((*state, name) for state in STATES for name in SETTINGS), (*STATES[-1], "excluded"),
])  # fmt: skip
def test_agrees_with_the_slow_solver_and_its_certificate(kind, family, grouped, name, share):
    X, Y, _ = (labelled if family == "multinomial" else measured)()
    options = {"family": family, "grouped": grouped}
    options |= EXCLUDED if name == "excluded" else SETTINGS[name]
    state, Z = make_state(kind, X, Y, **options)
    _, B = check(X, Y, share * largest(state, **options), state, Z, options)
    assert name != "excluded" or not B[:, ::5].any()


@pytest.mark.parametrize("kind", [ResponseBlocks, ResponseNewton])
@pytest.mark.parametrize("extra", [{}, {"alpha": 0.5}, {"v": FACTORS}])
def test_limits_hold_and_the_optimum_is_theirs(kind, extra):
    X, Y, _ = labelled()
    options = {"family": "multinomial", **LIMITS, **extra}
    state, Z = make_state(kind, X, Y, **options)
    _, B = check(X, Y, 0.05 * largest(state, **options), state, Z, options)
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


@pytest.mark.parametrize("kind, grouped", OF_CLASSES)
@pytest.mark.parametrize("classes", [2, 26])
def test_few_and_many_classes_one_of_a_lone_member(classes, kind, grouped):
    X, Y, _ = labelled(n=150, p=10, classes=classes)
    labels = Y.argmax(axis=1)
    labels[labels == classes - 1] = 0
    labels[7] = classes - 1
    Y, options = np.eye(classes)[labels], {"family": "multinomial", "grouped": grouped}
    state, Z = make_state(kind, X, Y, **options)
    top = largest(state)
    for share in (0.5, 0.1):
        check(X, Y, share * top, state, Z, options)


@pytest.mark.parametrize("kind, family, grouped", STATES)
def test_more_columns_than_samples_down_a_path(kind, family, grouped):
    X, Y, _ = (labelled if family == "multinomial" else measured)(n=30, p=80)
    options = {"family": family, "grouped": grouped}
    state, Z = make_state(kind, X, Y, **options)
    grid = largest(state) * np.geomspace(1, 0.03, 12)
    for lam in np.append(grid, [*grid[::-4], grid[-1]]):  # up again, too
        outcome, gap = state.solve(lam, 1e-10, 100_000)
        assert outcome == CONVERGED
        assert oracle.certificate(Z, Y, lam, *full(state, 80), **options) <= 1e-9
    cold, _ = make_state(kind, X, Y, **options)
    cold.solve(lam, 1e-10, 100_000)
    assert cold.loss_value == pytest.approx(state.loss_value, abs=1e-6)


@pytest.mark.parametrize("kind, family, grouped", STATES)
def test_duplicated_dependent_and_constant_columns(kind, family, grouped):
    X, Y, _ = (labelled if family == "multinomial" else measured)()
    X = np.asfortranarray(np.c_[X, X[:, :3], X[:, 0] - X[:, 1], np.full(N, 2.0)])
    options = {"family": family, "grouped": grouped}
    state, Z = make_state(kind, X, Y, **options)
    top = largest(state)
    for share in (0.5, 0.05):
        check(X, Y, share * top, state, Z, options)


@pytest.mark.parametrize("kind", [ResponseBlocks, ResponseSufficientStatistics])
def test_at_lambda_zero_the_optimum_is_the_unpenalised_one(kind):
    X, Y, _ = measured()
    state, Z = make_state(kind, X, Y, family="multigaussian", grouped=True)
    outcome, _ = state.solve(0.0, 1e-12, 10_000)
    A = np.c_[np.ones(N), Z]
    b0, B = full(state, P)
    assert outcome == CONVERGED
    assert np.c_[b0, B] == pytest.approx(np.linalg.lstsq(A, Y, rcond=None)[0].T, abs=1e-6)
    X, Y, _ = labelled(n=200, p=5)
    state, Z = state_of(X, Y, family="multinomial")
    check(X, Y, 0.0, state, Z, {"family": "multinomial"})


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
