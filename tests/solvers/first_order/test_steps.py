"""First-order and Newton steps: descent, invariants, and few of them where few will do."""

import numpy as np
import pytest
from cases import every
from states import problem_of

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.solvers import SOLVERS

RNG = np.random.default_rng(8)
X = RNG.standard_normal((50, 12)) + np.resize([0.0, 1.0, -2.0], 12)
X[:, 1:] += 0.4 * X[:, :-1]
X[RNG.random(X.shape) < 0.3] = 0.0
SIGNAL = 0.8 * X[:, 0] - 0.6 * X[:, 2] + 0.3 * X[:, 5] + 0.5
BINARY = (SIGNAL > RNG.logistic(size=50)).astype(float)
COUNTS = RNG.poisson(np.exp(np.minimum(SIGNAL, 3)))
TIMES = np.column_stack([RNG.exponential(np.exp(-SIGNAL)), RNG.random(50) < 0.7])
Y = {
    "gaussian": ("gaussian", SIGNAL + RNG.standard_normal(50)), "binomial": ("binomial", BINARY),
    "poisson": ("poisson", COUNTS), "cox": ("cox", TIMES),
}
GROUPS = np.resize([0, 1, 2, 0, 3], 12)
PENALTIES = {
    "lasso": {},
    "factors": {"penalty_factor": np.resize([1.0, 0.5, 0.0, 3.0, np.inf], 12)},
    "group": {"penalty": penalties.GroupL2(GROUPS, weights=[1.0, 0.0, 2.0, 1.0])},
    "group_linf": {"penalty": penalties.GroupLinf(GROUPS), "upper": 0.5},
    "sparse_group": {"penalty": penalties.SparseGroup(GROUPS, 0.4), "alpha": 0.9, "lower": -0.5},
}

def state_of(name, family="gaussian", solver_penalty="lasso", **options):
    kind, y = Y[family]
    problem = problem_of(X, y, kind, **PENALTIES[solver_penalty], **options)
    return SOLVERS[name].state(problem, 1), problem


@every("penalty", sorted(PENALTIES))
@every("family", ["gaussian", "binomial", "poisson", "cox"])
@pytest.mark.parametrize("name", ["ista", "fista", "bcd", "bcd_wright", "bcd_plain"])
def test_the_objective_never_rises(name, family, penalty):
    if name.startswith("bcd") and (family == "cox" or "group" not in penalty):
        return
    state, problem = state_of(name, family, penalty)
    for lam in (0.1, 0.003):
        state.begin(lam)
        values = [state.objective(lam)]
        for _ in range(60):
            state.step(lam)
            values.append(state.objective(lam))
        assert (np.diff(values) <= 2e-14 * abs(values[0])).all()
        assert values[-1] < values[0]


@pytest.mark.parametrize("family", ["gaussian", "poisson"])
def test_sparsa_stays_below_the_worst_of_its_last_objectives(family):
    state, _ = state_of("sparsa", family)
    state.begin(0.003)
    values = [state.objective(0.003)]
    for _ in range(60):
        state.step(0.003)
        assert state.objective(0.003) <= max(values[-5:]) + 1e-14
        values.append(state.objective(0.003))
    assert values[-1] < values[0]


@pytest.mark.parametrize("name", ["fista", "ista", "sparsa"])
def test_eta_and_residual_are_those_of_the_coefficients(name):
    """The invariant that certificates rest on, after steps, and steps that were taken back."""
    state, problem = state_of(name, "poisson", "factors")
    state.solve(0.01, 1e-8, 300)
    which, values = state.coefficients()
    eta = problem.offset + state.intercept + problem.design.combination(which, values)
    assert state.point.eta == pytest.approx(eta, abs=1e-12)
    assert state.point.u == pytest.approx(problem.loss.at(eta)[1], abs=1e-12)


def test_steps_of_blocks_too_small_for_the_objective_to_show_still_lead_on():
    """Values of the objective alone leave gaps of 1e-8 or so, the root of their rounding."""
    for name in ("bcd", "bcd_wright", "bcd_plain"):
        for family in ("gaussian", "binomial", "poisson"):
            kind, y = Y[family]
            fit = ss.path(X, y, family=kind, n_lambdas=4, solver=name, lambda_min_ratio=0.05,
                          tol=1e-11, **PENALTIES["group"])  # fmt: skip
            assert fit.gaps.max() <= 1e-11


def test_panoc_takes_fewer_steps_than_fista():
    steps = [ss.path(X, Y["gaussian"][1], n_lambdas=10, tol=1e-6, solver=name).n_iters.sum()
             for name in ("panoc", "fista")]  # fmt: skip
    assert steps[0] < steps[1]
