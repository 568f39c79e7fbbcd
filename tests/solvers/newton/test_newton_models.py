"""The model of a Newton step by inner products: minima of what it stands for."""

import numpy as np
import pytest
import states
from sparsesolve.solvers.quadratic.sufficient_statistics import InnerModel

from sparsesolve.penalties import GroupL2

RNG = np.random.default_rng(6)
WIDE = RNG.normal(size=(4, 9))
WIDE[3] = WIDE[0] - WIDE[2]  # of rank 3
WIDE[:, 7] = 0.0


def problem_of(p, penalty):
    """Any with p columns and this penalty."""
    X, y = RNG.normal(size=(12, p)), RNG.normal(size=12)
    return states.problem_of(X, y, penalty=penalty, intercept=False, standardize=False)


def assert_least(b, rows, e, start, in_groups, lam):
    """The minimum of |e - A (b - start)|^2 / 2 and the penalty, by its subgradient."""
    pull = rows.T @ (e - rows @ (b - start))
    for part, weight in [(np.arange(3) + 3 * g, np.sqrt(3)) for g in range(3)] if in_groups else [
        ([j], 1.0) for j in range(9)
    ]:  # fmt: skip
        size = np.linalg.norm(b[part])
        if size > 0.0:
            assert pull[part] == pytest.approx(lam * weight * b[part] / size, abs=1e-4)
        else:
            assert np.linalg.norm(pull[part]) <= lam * weight + 1e-4


def solved(model, lam):
    assert model.solve(lam, 1e-11, 10000)[0] == 0
    b = np.zeros(9)
    which, values = model.coefficients()
    b[which] = values
    return b


@pytest.mark.parametrize("penalty", [None, GroupL2([0, 0, 0, 1, 1, 1, 2, 2, 2])])
@pytest.mark.parametrize("n", [4, 20])
def test_models_go_on_from_a_start(n, penalty):
    """Though columns depend on one another and one is 0."""
    rows = WIDE if n == 4 else RNG.normal(size=(n, 9)) * (np.arange(9) != 7)
    start, e, of = RNG.normal(size=9), RNG.normal(size=n), problem_of(9, penalty).penalty
    start[7] = 0.0
    model = InnerModel(rows.T @ rows, of)
    for lam in (0.5, 0.1):
        model.set_gradient(start, rows.T @ e, e)
        assert_least(solved(model, lam), rows, e, start, penalty is not None, lam)


def test_a_model_by_inner_products_knows_what_is_left_of_its_response():
    rows, start, e = RNG.normal(size=(6, 4)), RNG.normal(size=4), RNG.normal(size=6)
    model = InnerModel(rows.T @ rows, problem_of(4, None).penalty)
    model.set_gradient(start, rows.T @ e, e)
    assert model.loss_value == pytest.approx(e @ e / 2)
    assert model.correlations() == pytest.approx(rows.T @ e)
