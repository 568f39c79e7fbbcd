"""The subgradient baseline: it comes down slowly, and says how far it may be."""

import warnings

import numpy as np
import pytest
from states import problem_of

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.solvers.baselines.subgradient import Subgradient

RNG = np.random.default_rng(4)
X = RNG.standard_normal((40, 6))
Y = X[:, :2] @ [2.0, -1.0] + 0.5 * RNG.standard_normal(40)
CASES = {
    "lasso": {},
    "net": {"alpha": 0.5},
    "bare": {"penalty_factor": [1.0, 1.0, 0.0, 1.0, 1.0, np.inf]},
    "limits": {"lower": -0.4, "upper": 0.5},
    "group": {"penalty": penalties.GroupL2([0, 0, 1, 1, 2, 2])},
    "linf": {"penalty": penalties.GroupLinf([0, 1, 0, 1, 2, 2])},
    "binomial": {"family": "binomial"},
}


def fit(solver, case, max_iter=3000, **options):
    y = (Y > 0).astype(float) if case == "binomial" else Y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        return ss.path(X, y, lambdas=[0.3, 0.1], solver=solver, max_iter=max_iter,
                       **CASES[case], **options)


@pytest.mark.parametrize("case", sorted(CASES))
def test_it_comes_close_and_does_not_claim_more(case):
    found, ref = fit("subgradient", case, tol=1e-9), fit("auto", case, tol=1e-12)
    assert found.predict(X) == pytest.approx(ref.predict(X), abs=0.15)
    assert (found.gaps > 1e-9).all()
    assert found.status.all()


def test_coefficients_keep_to_their_limits():
    b = fit("subgradient", "limits").coefs.toarray()
    assert b.min() >= -0.4 and b.max() <= 0.5 and b.max() == 0.5


def test_a_step_is_one_along_minus_the_subgradient_of_the_lasso():
    problem = problem_of(X, Y)
    state = Subgradient(problem, 1)
    state.a, state.delay = 3.0, 5.0
    state.begin(0.2)
    state.step(0.2)  # from zero, where zero is a subgradient of the penalty
    b = state.here.b
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert b == pytest.approx(0.6 * Z.T @ problem.response / 40)
    state.step(0.2)
    z = Z.T @ (problem.response - Z @ b) / 40
    assert state.here.b == pytest.approx(b + 3.0 / 6.0 * (z - 0.2 * np.sign(b)), abs=1e-6)
