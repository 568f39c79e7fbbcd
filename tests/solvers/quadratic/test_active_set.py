"""Active set: from any start, over columns or their inner products, a gap of at most the target;
no step raises the objective, and what is claimed of an unfinished solution holds."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.solvers.quadratic.active_columns import GramActiveSet
from sparsesolve.solvers.quadratic.sufficient_statistics import InnerModel
from states import problem_of

from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.newton import working_set

N, P = 30, 12
NETS = {
    "lasso": ElasticNet(P),
    "net": ElasticNet(P, 0.4, np.resize([1.0, 0.5, 2.0], P)),
    "limits": ElasticNet(P, 1.0, None, np.resize([-0.1, -np.inf, 0.0], P), np.full(P, 0.3)),
    "unpenalised": ElasticNet(P, 1.0, np.resize([1.0, 1.0, 0.0], P)),
}


@pytest.fixture(params=NETS)
def net(request):
    return NETS[request.param]


def columns(dependent=False):
    rng = np.random.default_rng(5)
    A = rng.standard_normal((N, P)) + rng.standard_normal((N, 1))
    if dependent:
        A[:, 4] = A[:, 0] - A[:, 1]
        A[:, 7] = 0.0
    return A, A[:, :4] @ rng.standard_normal(4) + rng.standard_normal(N)


def objective(A, y, net, lam, b):
    return 0.5 * np.sum((y - A @ b) ** 2) + net.value(b, lam)


def least(A, y, net, lam):
    """By coordinate descent, each step the prox of one coefficient, to the last digit."""
    b, squares = np.zeros(P), np.sum(A**2, axis=0)
    for _ in range(20_000):
        before = b.copy()
        for j in np.flatnonzero(squares):
            pull = A[:, j] @ (y - A @ b) + squares[j] * b[j]
            size = max(abs(pull) - lam * net.l1[j], 0.0) / (squares[j] + lam * net.l2[j])
            b[j] = min(max(np.sign(pull) * size, net.lower[j]), net.upper[j])
        if np.abs(b - before).max() <= 1e-14:
            break
    return objective(A, y, net, lam, b)


def solved(model, lam, budget=1000, target=1e-12):
    outcome, gap = model.solve(lam, target, budget)
    b = np.zeros(P)
    which, values = model.coefficients()
    b[which] = values
    return outcome, gap, b


@pytest.mark.parametrize("dependent", [False, True])
def test_inner_products_alone_lead_to_the_minimum_from_any_start(net, dependent):
    A, y = columns(dependent)
    rng, model = np.random.default_rng(0), InnerModel(A.T @ A, net)
    for lam in (20.0, 3.0, 0.2):
        best = least(A, y, net, lam)
        for _ in range(3):
            start = np.clip(rng.standard_normal(P), net.lower, net.upper)
            start[7] = 0.0
            e = y - A @ start
            model.set_gradient(start, A.T @ e, e)
            assert type(model.quadratic) is GramActiveSet
            assert model.loss_value == pytest.approx(e @ e / 2)
            assert model.correlations() == pytest.approx(A.T @ e)
            outcome, gap, b = solved(model, lam)
            assert outcome == 0 and gap <= 1e-12
            assert objective(A, y, net, lam, b) - best <= 1e-11 * (1.0 + best)


def test_steps_lower_the_objective_and_their_gap_bounds_what_is_left(net):
    A, y = columns()
    lam = 1.0
    best, values = least(A, y, net, lam), []
    for budget in range(1, 9):
        model = InnerModel(A.T @ A, net)
        model.set_gradient(np.zeros(P), A.T @ y, y)
        outcome, gap, b = solved(model, lam, budget)
        values.append(objective(A, y, net, lam, b))
        assert values[-1] - best <= gap + 1e-12
        assert (gap <= 1e-12) == (outcome == 0)
        found, primal = model.quadratic.certified(lam)
        assert found == pytest.approx(gap, abs=1e-12)
        assert primal == pytest.approx(values[-1], rel=1e-12)
    assert (np.diff(values) <= 1e-12 * values[0]).all()


def test_columns_and_their_inner_products_lead_to_the_same_minimum(monkeypatch):
    """Also with more nonzero coefficients than rows; sparse columns beyond the room for inner
    products go one by one."""
    monkeypatch.setattr(working_set, "WORKING_ROOM", 10)
    rng, p = np.random.default_rng(2), 300
    A = np.where(rng.random((N, p)) < 0.05, rng.standard_normal((N, p)), 0.0)
    y, net = A[:, :20].sum(axis=1), ElasticNet(p, 0.1)
    found = {}
    for store in (sparse.csc_array, np.asfortranarray):
        made = problem_of(store(A), y, alpha=0.1, intercept=False, standardize=False)
        state = SOLVERS["working_set"].state(made, 1)
        for lam in (0.1, 0.01):
            outcome, gap = state.solve(lam, 1e-13, 10_000)
            assert outcome == 0 and gap <= 1e-13
        b = np.zeros(p)
        which, values = state.coefficients()
        b[which] = values
        found[type(state.quadratic).__name__] = 0.5 * np.mean((y - A @ b) ** 2) + net.value(b, lam)
    assert set(found) == {"DataActiveSet", "GramActiveSet"}
    assert found["DataActiveSet"] == pytest.approx(found["GramActiveSet"], abs=3e-13)
