"""LossDual: the dual point is in the domain of F*, and orthogonal to the intercept and to
what nothing penalises, or what a step on these may still gain is counted."""

import numpy as np
import pytest
from states import problem_of

import sparsesolve as ss
from sparsesolve.solvers import SOLVERS

N, P = 50, 10
RNG = np.random.default_rng(11)
X = RNG.standard_normal((N, P))
X[:, 1:] += 0.4 * X[:, :-1]
ETA = X[:, 0] - X[:, 3] + 0.5 * RNG.standard_normal(N)
WEIGHTS = RNG.uniform(0.5, 2.0, N)
WEIGHTS[5] = 0.0
RESPONSES = {
    "gaussian": ETA,
    "binomial": (ETA > 0.0).astype(float),
    "poisson": RNG.poisson(np.exp(ETA / 2)).astype(float),
}
FREE = [2, 6]
PENALTIES = {
    "columns": {"penalty_factor": np.where(np.isin(np.arange(P), FREE), 0.0, 1.0)},
    "groups": {"penalty": ss.penalties.GroupL2(np.arange(P) // 2)},
    "origin": {"intercept": False},
}


@pytest.fixture(params=RESPONSES)
def family(request):
    return request.param


def state_of(family, kind):
    made = problem_of(X, RESPONSES[family], family, weights=WEIGHTS, **PENALTIES[kind])
    return SOLVERS["proximal_newton"].state(made, 1), made


@pytest.mark.parametrize("kind", PENALTIES)
@pytest.mark.parametrize("tol", [1e-3, 1e-7, 1e-12])
def test_the_dual_point_certifies(family, kind, tol):
    """Also that foretold by a model, which a loose tolerance ends with."""
    state, made = state_of(family, kind)
    state.solve(1e20, 1e-14 * made.null_value, 1000)
    largest = np.max(made.penalty.entry_lambdas(np.asarray(state.correlations())))
    loss = state.model.loss
    for share in (0.6, 0.3, 0.1):
        outcome, gap = state.solve(share * largest, tol * made.null_value, 1000)
        assert outcome == 0 and gap <= tol * made.null_value
        dual = np.array(state.dual)
        assert (dual[WEIGHTS == 0.0] == 0.0).all() and 0.0 <= state.loss_dual.missing <= gap
        which, values = state.coefficients()
        eta = made.offset if made.offset is not None else 0.0
        eta = eta + state.intercept + made.design.combination(which, values)
        assert np.isfinite(loss.fenchel_young_at(eta, dual))
        size = np.abs(dual).sum()
        if kind != "origin":
            assert abs(dual.sum()) <= 1e-10 * size
        if kind == "columns":
            products = made.design.products(dual, 1)[FREE]
            assert np.abs(products).max() <= 1e-10 * size
