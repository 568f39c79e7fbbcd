"""Support vector machines with one kernel against a general solver."""

import mkl_oracle
import numpy as np
import pytest
from scipy.optimize import minimize
from sparsesolve.mkl.smo import solve_machine

_, K, Y = mkl_oracle.problem(7, n=25, M=3)
K = K.sum(axis=0)
y = np.where(Y > 0.5, 1.0, -1.0)
w = np.random.default_rng(0).uniform(0.5, 2, 25) / 25


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_solution(intercept, scale):
    Q = y[:, None] * K * y
    limits = scale * w
    a, moves, left = solve_machine(K, y, limits, np.zeros(25), intercept, 1e-10, 10**6)
    assert left <= 1e-10 and (a >= 0).all() and (a <= limits).all()
    assert abs(a @ y) < 1e-12 or not intercept
    constraints = [{"type": "eq", "fun": lambda x: x @ y, "jac": lambda x: y}] if intercept else []
    found = minimize(lambda x: x @ Q @ x / 2 - x.sum(), np.zeros(25), jac=lambda x: Q @ x - 1,
                     bounds=[(0, limit) for limit in limits], constraints=constraints,
                     method="SLSQP", options={"ftol": 1e-15, "maxiter": 1000})  # fmt: skip
    assert a @ Q @ a / 2 - a.sum() <= found.fun + 1e-8
    again, moves, _ = solve_machine(K, y, limits, a, intercept, 1e-10, 10**6)
    assert moves == 0 and (again == a).all()


def test_a_budget_is_kept():
    _, moves, left = solve_machine(K, y, w, np.zeros(25), True, 1e-12, 0)
    assert moves == 0 and left == np.inf
