"""Every solver and every reduction makes a state that keeps the contract of solvers/state.py."""

import numpy as np
import pytest
from cases import every
from states import problem_of

import sparsesolve as ss
from sparsesolve.penalties.rows import on_rows
from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.choice import REDUCTIONS, choose
from sparsesolve.solvers.reductions.identities import InnerProducts
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LAMBDA, STALLED, Reduced, State

MADE = {"hinge": ss.families.hinge()}
N, P, K = 40, 6, 3
X = np.random.default_rng(0).normal(size=(N, P))
ETA = X[:, 0] - 0.5 * X[:, 1] + 0.3 * np.random.default_rng(1).normal(size=N)
RESPONSES = {
    "gaussian": ETA,
    "binomial": (ETA > 0.0).astype(float),
    "hinge": (ETA > 0.0).astype(float),
    "multigaussian": np.column_stack([ETA, -ETA, X[:, 2]]),
    "multinomial": np.digitize(ETA, [-0.5, 0.5]),
}
PENALTIES = {
    "elastic net": (None, 0.7),
    "ridge": (None, 0.0),
    "groups": (ss.penalties.GroupL2([0, 0, 1, 1, 2, 2]), 1.0),
    "whole vectors": (ss.penalties.Slope().over(P), 1.0),
}
MEMBERS = {name for name in (*vars(State), *State.__annotations__) if name[0] != "_"}


def problem(family, penalty, alpha, X=X, y=None, **options):
    y = RESPONSES[family] if y is None else y
    return problem_of(X, y, MADE.get(family, family), alpha=alpha, penalty=penalty, **options)


CASES = [
    (name, family, kind)
    for family in RESPONSES
    for kind, penalty in PENALTIES.items()
    for name, solver in SOLVERS.items()
    if solver.suits(problem(family, *penalty), None)
    and (family != "hinge" or solver.kinks)  # which `choose` sees to
]


def test_every_solver_is_among_the_cases():
    assert {name for name, _, _ in CASES} == set(SOLVERS)


@every("name, family, kind", CASES)
def test_a_state_answers_the_contract(name, family, kind):
    given = problem(family, *PENALTIES[kind])
    state = SOLVERS[name].state(given, 1)
    assert isinstance(state, State)
    assert {member for member in MEMBERS if hasattr(state, member)} == MEMBERS
    shape = () if family in ("gaussian", "binomial", "hinge") else (K,)

    state.solve(NULL_LAMBDA, 1e-14 * given.null_value, 1000)
    which, values = state.coefficients()
    assert np.abs(values).max(initial=0.0) <= 1e-15, "at NULL_LAMBDA a penalised coefficient is 0"
    z = np.asarray(state.correlations())
    assert z.shape == (P * (K if shape and kind in ("groups", "whole vectors") else 1),)

    largest = np.max(given.penalty.entry_lambdas(z))
    level = 0.3 * largest if np.isfinite(largest) and largest > 0.0 else 0.1
    before, target = state.iterations, 1e-3 * given.null_value
    status, gap = state.solve(level, target, 5000)
    assert status in (CONVERGED, MAX_ITER, STALLED) and gap >= 0.0
    assert (gap <= target) == (status == CONVERGED)
    assert 0 <= state.iterations - before <= 5000
    which, values = state.coefficients()
    assert np.all(np.diff(which) > 0), "features ascend"
    assert np.shape(values) == (*shape, len(which)) and len(which) > 0
    assert np.shape(state.intercept) == shape
    assert state.loss_value < given.null_value


def reducible():
    """A problem that each reduction makes smaller, by the reduction's name."""
    rng = np.random.default_rng(2)
    wide, alike = rng.normal(size=(N, 3 * N)), X.copy()
    alike[:, 4] = X[:, 0] + 1e-7 * rng.normal(size=N)
    free = np.where(np.isin(np.arange(P), [0, 4]), 0.0, 1.0)
    dummies = rng.integers(0, 2, (400, 3)).astype(float)
    return {
        "OneSided": problem("multinomial", None, 1.0, lower=np.where(free, -np.inf, 0.0),
                            penalty_factor=free),
        "EqualRows": problem("binomial", None, 1.0, X=dummies, y=(rng.random(400) < 0.4) * 1.0),
        "Mapped": problem("binomial", ss.penalties.TotalVariation().over(P), 1.0),
        "GroupsOfOne": problem("multigaussian", ss.penalties.GroupL2(np.arange(P)), 1.0),
        "OneResponse": problem("multigaussian", None, 0.9, y=ETA[:, None]),
        "RowSpace": problem("binomial", None, 0.0, X=wide),
        "Collinear": problem("binomial", None, 1.0, X=alike, penalty_factor=free),
    }  # fmt: skip


def objective(given, lam, which, values, intercept):
    """F + lam Omega, less what does not depend on the coefficients."""
    values = np.atleast_2d(values)
    eta = np.stack([given.design.combination(which, np.ascontiguousarray(row)) for row in values])
    b = np.zeros((len(values), given.design.p))
    b[:, which] = values
    penalty = given.penalty
    b = b if given.n_responses else b[0]
    if given.n_responses:
        penalty = on_rows(penalty, given.grouped)
    if given.loss is None:
        return 0.5 * given.weights @ (given.response - eta[0]) ** 2 + penalty.value(b, lam)
    eta = given.offset + eta.reshape(given.offset.shape) + np.expand_dims(intercept, -1)
    return given.loss.at(eta)[0] + penalty.value(b, lam)


@pytest.mark.parametrize(
    "name", [reduction.__name__ for reduction, _ in REDUCTIONS if reduction is not InnerProducts]
)  # of distributed rows
def test_a_reduction_leads_back_to_the_solution_of_the_problem_asked(name):
    """As a first-order solver of the problem itself finds it, within both certificates."""
    given = reducible()[name]
    applies = [reduction for reduction, applies in REDUCTIONS if applies(given, "auto", None)
               and reduction.forward(given, None, 1) is not None]  # fmt: skip
    assert name in [reduction.__name__ for reduction in applies]
    state, other = choose(given, "auto", None, 1), SOLVERS["fista"].state(given, 1)
    assert isinstance(state, Reduced)
    target, found = 1e-6 * given.null_value, []
    state.solve(NULL_LAMBDA, 1e-14 * given.null_value, 1000)
    assert {member for member in MEMBERS if hasattr(state, member)} == MEMBERS
    asked = state.grid_problem or given
    top = np.max(asked.penalty.entry_lambdas(np.asarray(state.correlations())))
    level = 0.2 * top if np.isfinite(top) else 0.1
    for one in (state, other):
        status, gap = one.solve(level, target, 100_000)
        assert status == CONVERGED and gap <= target
        which, values = one.coefficients()
        assert np.all(np.diff(which) > 0) and values.any()
        found.append(objective(given, level, which, values, one.intercept))
    assert abs(found[0] - found[1]) <= 2.0 * target
    best = *state.coefficients(), state.intercept
    state.start_at(*best)
    assert state.solve(level, target, 1000)[0] == CONVERGED
