"""Small problems of K responses, the settings in which their solvers are tried, and checks."""

import numpy as np
import pytest
import response_oracle as oracle
from sparsesolve.linalg.design.design import Design

from sparsesolve.losses import LOSSES
from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.problem.problem import Problem
from sparsesolve.solvers.problem.standardisation import null_model

CONVERGED = 0

N, P, K = 40, 12, 4


def labelled(n=N, p=P, classes=K, seed=0):
    """Correlated columns, one of them 0 in half the rows, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 1:] += 0.5 * X[:, :-1]
    X[: n // 2, p // 2] = 0.0
    scores = 1.5 * X[:, : min(p, 4)] @ rng.standard_normal((min(p, 4), classes))
    labels = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    labels[:classes] = np.arange(classes)
    return X, np.eye(classes)[labels], rng


def measured(n=N, p=P, responses=K, seed=0):
    """The same columns with real responses."""
    X, _, rng = labelled(n, p, responses, seed)
    signal = X[:, :3] @ rng.standard_normal((3, responses))
    return X, signal + rng.standard_normal((n, responses)), rng


def make_state(solver, X, Y, *, family, grouped=False, alpha=1.0, w=None, v=None, offset=None,
               intercept=True, low=None, high=None):  # fmt: skip
    """The state of a solver (problem, n_threads), and its design in numpy."""
    w = np.full(len(Y), 1 / len(Y)) if w is None else w
    design = Design(X)
    assert design.moments(w)
    spread = np.asarray(design.spread)
    factor = 1 / np.where(spread > 0, spread, np.inf)
    design.standardise(intercept, factor)
    offset = np.zeros((Y.shape[1], len(Y))) if offset is None else offset
    loss = LOSSES[family](Y, w)
    null, null_value = null_model(loss, offset, intercept)
    problem = Problem(
        design=design, weights=w, loss=loss, penalty=ElasticNet(design.p, alpha, v, low, high),
        grouped=grouped, intercept=intercept, offset=offset, null_intercept=null,
        null_value=null_value, response=None, unit=0, factor=factor,
        shift=None, low=None, high=None, mean=0.0, exponent=0,
    )  # fmt: skip
    unpacked = design.unpacked(np.arange(design.p, dtype=np.intc))
    return solver(problem, 1), np.ascontiguousarray(unpacked)


def largest(state, *, alpha=1.0, v=None, **_):
    """The least lambda with nothing in the model, from the state's own null model."""
    state.solve(1e20, 1e-14, 1000)
    scores = state.correlations()
    v = np.ones(len(scores)) if v is None else v
    return (scores[v > 0] / v[v > 0]).max() / alpha


def check(X, Y, lam, state, Z, options):
    """Solve to 1e-11 and compare; the state's gap bounds what the oracle finds below it."""
    outcome, gap = state.solve(lam, 1e-11, 100_000)
    assert outcome == CONVERGED and gap <= 1e-11
    b0, B = full(state, Z.shape[1])
    best, _, _ = oracle.solve(Z, Y, lam, **options)
    mine = oracle.objective(Z, Y, lam, b0, B, **options)
    assert mine == pytest.approx(best, abs=1e-9)
    assert mine - best <= gap + 1e-13
    if "low" not in options:  # of which the oracle's certificate knows nothing
        assert -1e-13 <= oracle.certificate(Z, Y, lam, b0, B, **options) <= 1e-9
    return b0, B


def full(state, p):
    """Intercepts (K,) and all coefficients (K, p)."""
    which, values = state.coefficients()
    B = np.zeros((len(values), p))
    B[:, which] = values
    return state.intercept, B


FACTORS = np.resize([1.0, 0.5, 2.0], P)
FACTORS[[2, 7]] = 0.0
SETTINGS = {
    "plain": {},
    "weights": {"w": np.arange(N) % 5 / (np.arange(N) % 5).sum()},
    "offset": {"offset": np.sin(np.arange(K * N)).reshape(K, N)},
    "factors": {"v": FACTORS},
    "mixed": {"alpha": 0.5},
    "nearly ridge": {"alpha": 0.05},
    "no intercept": {"intercept": False},
    "no intercept, factors, mixed": {"intercept": False, "v": FACTORS, "alpha": 0.7},
}
LIMITS = {
    "low": np.resize([-0.1, -np.inf, -0.3], P),
    "high": np.resize([0.05, 0.2, np.inf, 0.0], P),
}
FORMS = [("multinomial", False), ("multinomial", True), ("multigaussian", True)]
