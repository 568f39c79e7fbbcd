"""Steps of the proximal Newton method: the objective never rises, and the model stands at the
coefficients after every step, cut short or not."""

import numpy as np
import pytest
from states import problem_of

import sparsesolve as ss
from sparsesolve.solvers import SOLVERS

N, P = 60, 20
RNG = np.random.default_rng(3)
X = RNG.standard_normal((N, P))
ETA = 1.5 * X[:, 0] - X[:, 3] + 0.5 * RNG.standard_normal(N)
Y = {"binomial": (ETA > 0.0).astype(float), "poisson": RNG.poisson(np.exp(ETA)).astype(float)}
TERMS = {"binomial": lambda eta, y: np.logaddexp(0.0, eta) - y * eta,
         "poisson": lambda eta, y: np.exp(eta) - y * eta}  # fmt: skip
PENALTIES = {"lasso": {}, "limits": {"lower": -0.2, "upper": 0.4},
             "groups": {"penalty": ss.penalties.GroupL2(np.arange(P) // 4)}}  # fmt: skip


@pytest.mark.parametrize("family", Y)
@pytest.mark.parametrize("kind", PENALTIES)
@pytest.mark.parametrize("lam", [0.02, 0.001])
def test_no_step_raises_the_objective(family, kind, lam):
    made = problem_of(X, Y[family], family, standardize=False, **PENALTIES[kind])
    state = SOLVERS["proximal_newton"].state(made, 1)
    values, constants = [], []
    for _ in range(30):
        which, b = state.coefficients()
        eta = state.intercept + made.design.combination(which, b)
        beta = np.zeros(P)
        beta[which] = b
        F = np.mean(TERMS[family](eta, Y[family]))
        constants.append(F - state.loss_value)
        values.append(F + made.penalty.value(beta, lam))
        state.solve(lam, 1e-10, 1)
    assert np.ptp(constants) <= 1e-12
    rounding = 1e-14 * np.max(np.abs([values, constants]))
    assert (np.diff(values) <= rounding).all() and values[-1] < values[0]
