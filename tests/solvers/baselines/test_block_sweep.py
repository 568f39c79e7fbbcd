"""Sweeps of block coordinate gradient steps: what one sweep promises."""

import numpy as np
import pytest
from states import problem_of

from sparsesolve.penalties import GroupL2
from sparsesolve.solvers import SOLVERS

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 6))
RESPONSES = {
    "gaussian": X[:, 0] - X[:, 3] + RNG.standard_normal(30),
    "binomial": X[:, 0] + RNG.standard_normal(30) > 0.0,
    "poisson": RNG.poisson(np.exp(0.5 * X[:, 0])),
}


def started(family, solver):
    """A state at its null model, and the lambda from which groups enter."""
    problem = problem_of(X, RESPONSES[family], family, penalty=GroupL2([0, 0, 1, 1, 2, 2]))
    state = SOLVERS[solver].state(problem, 1)
    return state, problem.penalty.levels(state.correlations()).max()


def swept(state, groups, lam):
    """What one sweep makes of copies of the point: b, eta, F(eta), u."""
    b, _, eta, value, u = state.point
    b, eta, u = b.copy(), np.array(eta), np.array(u)
    return b, eta, state.blocks.over(groups, lam, b, eta, value, u, 0.0), u


@pytest.mark.parametrize("solver", ["bcd", "bcd_wright"])
@pytest.mark.parametrize("family", RESPONSES)
def test_a_sweep_lowers_the_objective_and_keeps_its_sums(family, solver):
    state, first = started(family, solver)
    lam = 0.2 * first
    before = state.objective(lam)
    b, eta, value, u = swept(state, [0, 1, 2], lam)
    at = state.at(b, state.point.c)
    assert state.objective(lam, at) < before
    assert value == pytest.approx(at.value, rel=1e-12)
    np.testing.assert_allclose(eta, at.eta, atol=1e-12)
    np.testing.assert_allclose(u, at.u, atol=1e-12)


@pytest.mark.parametrize("family", RESPONSES)
def test_groups_that_are_not_asked_for_and_those_below_lambda_stay(family):
    state, first = started(family, "bcd")
    assert not swept(state, [0, 1, 2], first * (1 + 1e-9))[0].any()
    assert swept(state, [1], 0.1 * first)[0][[0, 1, 4, 5]].tolist() == [0.0] * 4


@pytest.mark.parametrize("family", RESPONSES)
def test_a_solution_is_a_fixed_point(family):
    state, first = started(family, "bcd")
    state.solve(0.3 * first, 1e-14, 10_000)
    b = state.point.b
    assert b.any()
    np.testing.assert_allclose(swept(state, [0, 1, 2], 0.3 * first)[0], b, atol=1e-6)
