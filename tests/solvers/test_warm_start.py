"""A state moved to a start: the same certified solution, fewer steps, and never a worse way."""

import numpy as np
import pytest
import states

import sparsesolve as ss
from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.follow import Start, begin_at, inner, objective
from sparsesolve.solvers.state import CONVERGED, NULL_LAMBDA

RNG = np.random.default_rng(0)
N, P = 60, 12
X = RNG.normal(size=(N, P)) * 10.0 ** RNG.uniform(-2, 2, P) + RNG.normal(size=P)
X[:, 3] = 2.0  # constant
ETA = (X / X.std(axis=0).clip(1e-9))[:, :2] @ [1.0, -1.0]
RESPONSES = {
    "gaussian": 7.0 + ETA + 0.3 * RNG.normal(size=N),
    "binomial": (ETA + RNG.logistic(size=N) > 0.0).astype(float),
    "multigaussian": np.column_stack([ETA, 3.0 - ETA]) + 0.3 * RNG.normal(size=(N, 2)),
}
CASES = [
    ("gaussian", "working_set"), ("gaussian", "sufficient"), ("gaussian", "proximal_newton"),
    ("gaussian", "fista"), ("binomial", "proximal_newton"), ("binomial", "panoc"),
    ("multigaussian", "sufficient"), ("multigaussian", "response_blocks"),
]  # fmt: skip


def problem_of(family, penalty=None):
    return states.problem_of(X, RESPONSES[family], family, alpha=0.9, penalty=penalty)


def solution(family, lam, tol=1e-12, solver="auto"):
    fit = ss.path(X, RESPONSES[family], family=family, alpha=0.9, lambdas=[lam], tol=tol,
                  solver=solver)  # fmt: skip
    return Start(np.asarray(fit.coef(lam)), np.asarray(fit.intercept(lam)))


@pytest.mark.parametrize("family, solver", CASES)
def test_a_state_moved_to_the_solution_is_certified_without_a_step(family, solver):
    problem, lam = problem_of(family), 0.05
    state = SOLVERS[solver].state(problem, 1)
    state.solve(NULL_LAMBDA, 1e-14 * problem.null_value, 1000)
    before, level = state.iterations, problem.inner_lambda(lam)
    assert begin_at(state, problem, solution(family, lam), level)
    outcome, gap = state.solve(level, 1e-8 * problem.null_value, 0)
    assert outcome == CONVERGED and state.iterations == before
    b, intercept = solution(family, lam)
    which, values, found = problem.to_user(*state.coefficients(), state.intercept)
    left = np.zeros_like(b)
    left[..., which] = values
    near = 1e-5 if solver == "panoc" else 1e-7  # which stands a prox step after its start
    np.testing.assert_allclose(left, b, rtol=near, atol=1e-9)
    np.testing.assert_allclose(found, intercept, rtol=near)


@pytest.mark.parametrize("family, solver", CASES)
def test_a_start_worse_than_the_null_model_is_left(family, solver):
    problem, level = problem_of(family), problem_of(family).inner_lambda(0.05)
    state = SOLVERS[solver].state(problem, 1)
    state.solve(NULL_LAMBDA, 1e-14 * problem.null_value, 1000)
    least = objective(problem, level, *state.coefficients(), state.intercept)[0]
    good = solution(family, 0.05)
    far = Start(np.full_like(good.coefs, 50.0), good.intercept)
    assert not begin_at(state, problem, far, level)
    there = objective(problem, level, *state.coefficients(), state.intercept)[0]
    assert abs(there - least) <= 1e-9 * problem.null_value
    assert state.solve(level, 1e-9 * problem.null_value, 100_000)[0] == CONVERGED


def test_the_way_to_inner_units_and_back_is_the_identity():
    for family in RESPONSES:
        problem, start = problem_of(family), solution(family, 0.1)
        which, values, intercept = problem.to_user(*inner(problem, start))
        used = np.atleast_2d(start.coefs).any(axis=0)
        np.testing.assert_array_equal(which, np.flatnonzero(used))
        np.testing.assert_allclose(values, start.coefs[..., which], rtol=1e-14)
        np.testing.assert_allclose(intercept, start.intercept, rtol=1e-12)


def test_limits_hold_for_a_start():
    problem = states.problem_of(X, RESPONSES["gaussian"], lower=0.0, upper=0.5)
    b = np.where(np.arange(P) % 2, -1.0, 2.0)
    which, values, _ = inner(problem, Start(b, np.zeros(())))
    coefs = problem.to_user(which, values, 0.0)[1]
    assert (coefs <= 0.5).all() and (coefs > 0.0).all()
    assert which.tolist() == [j for j in range(0, P, 2)]


def test_groups_start_where_they_are_told():
    penalty = ss.penalties.GroupL2(np.arange(P) // 3)
    kept = {"penalty": penalty, "lambdas": [0.1], "tol": 1e-10}
    cold = ss.path(X, RESPONSES["gaussian"], **kept)
    warm = ss.path(X, RESPONSES["gaussian"], start=cold, **kept)
    assert warm.n_iters[0] == 0 and cold.n_iters[0] > 0
    np.testing.assert_allclose(warm.coef(0.1), cold.coef(0.1), rtol=1e-9)
