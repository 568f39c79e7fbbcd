"""Every registered solver makes a state that keeps the contract of solvers/state.py."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.families import read_family
from sparsesolve.paths.assembly import read_problem
from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LEVEL, STALLED, State

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
MEMBERS = {"solve", "coefficients", "correlations", "iterations", "loss_value", "intercept"}


def problem(family, penalty, alpha):
    return read_problem(
        X, RESPONSES[family], MADE.get(family) or read_family(family), weights=None,
        offset=None,
        penalty_factor=None, lower=None, upper=None, alpha=alpha, intercept=True,
        standardize=True, n_threads=1, penalty=penalty,
    )[0]  # fmt: skip


def test_the_contract_names_what_is_checked_here():
    said = {name for name in (*vars(State), *State.__annotations__) if not name.startswith("_")}
    assert said == MEMBERS


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


@pytest.mark.parametrize("name, family, kind", CASES)
def test_a_state_answers_the_contract(name, family, kind):
    given = problem(family, *PENALTIES[kind])
    state = SOLVERS[name].state(given, 1)
    assert {member for member in MEMBERS if hasattr(state, member)} == MEMBERS
    shape = () if family in ("gaussian", "binomial", "hinge") else (K,)

    state.solve(NULL_LEVEL, 1e-14 * given.null_value, 1000)
    which, values = state.coefficients()
    assert np.abs(values).max(initial=0.0) <= 1e-15, "at NULL_LEVEL a penalised coefficient is 0"
    z = np.asarray(state.correlations())
    assert z.shape == (P * (K if shape and kind in ("groups", "whole vectors") else 1),)

    largest = np.max(given.penalty.entry_levels(z))
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
