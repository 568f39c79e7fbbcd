"""Block coordinate descent of Tseng and Yun: it descends, and ends where the other solvers do."""

import numpy as np
import pytest
from scipy import sparse
from states import problem_of

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup
from sparsesolve.solvers import SOLVERS

SEARCHES = ["bcd", "bcd_wright", "bcd_plain"]
GROUPS = [2, 0, 1, None, 0, 1, 1, 2, 0, 3, "x", 1, 3, 3]
PENALTIES = {
    "l2": GroupL2(GROUPS),
    "linf": GroupLinf(GROUPS),
    "sparse": SparseGroup(GROUPS, 0.4, [1.0, 0.5, 2.0, 1.0, 0.0]),
    "bare": GroupL2(GROUPS, [1.0, 0.0, 2.0, np.inf, 1.0]),
}
FAMILIES = {
    "gaussian": lambda eta, rng: eta + rng.normal(size=len(eta)),
    "binomial": lambda eta, rng: eta + rng.logistic(size=len(eta)) > 0,
    "poisson": lambda eta, rng: rng.poisson(np.exp(0.4 * eta)),
}


def data(family, n=60):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(n, len(GROUPS)))
    X[:, 1:] += 0.6 * X[:, :-1]
    return X, FAMILIES[family](X[:, 0] - X[:, 1] + 0.5 * X[:, 4], rng)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("penalty", sorted(PENALTIES))
@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("store", [np.asfortranarray, sparse.csc_array])
def test_the_solution_is_that_of_other_solvers(family, penalty, search, store):
    X, y = data(family)
    options = {"family": family, "penalty": PENALTIES[penalty], "weights": np.arange(1, 61) % 3}
    best = ss.path(store(X), y, **options, n_lambdas=4, lambda_min_ratio=0.05, tol=1e-12)
    fit = ss.path(store(X), y, **options, lambdas=best.lambdas, tol=1e-6, solver=search)
    assert fit.gaps.max() <= 1e-6
    assert fit.dev_ratio == pytest.approx(best.dev_ratio, abs=1e-4)
    assert np.abs((fit.coefs - best.coefs).toarray()).max() < 5e-3


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("penalty", sorted(PENALTIES))
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_steps_too_small_for_the_objective_to_show_still_lead_on(family, penalty, search):
    """Values of the objective alone leave gaps of 1e-8 or so, the root of their rounding."""
    X, y = data(family)
    fit = ss.path(X, y, family=family, penalty=PENALTIES[penalty], n_lambdas=4, solver=search,
                  lambda_min_ratio=0.05, tol=1e-11)  # fmt: skip
    assert fit.gaps.max() <= 1e-11


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_the_objective_never_rises(family, search):
    X, y = data(family)
    problem = problem_of(X, y, family, lower=-0.5, alpha=0.9, penalty=PENALTIES["sparse"])
    state = SOLVERS[search].state(problem, 1)
    lam, last = 0.05 * problem.penalty.levels(state.correlations()).max(), np.inf
    for _ in range(30):
        value = state.objective(lam)
        assert value <= last * (1 + 1e-12)
        last = value
        state.step(lam)
    state.solve(lam, 1e-9 * problem.null_value, 10_000)
    assert state.objective(lam) <= last * (1 + 1e-12)


def test_limits_hold_and_other_penalties_are_refused():
    X, y = data("gaussian")
    fit = ss.path(X, y, penalty=PENALTIES["l2"], lower=0, upper=0.2, solver="bcd", n_lambdas=5)
    assert fit.gaps.max() <= 1e-7 and 0 <= fit.coefs.min() <= fit.coefs.max() <= 0.2
    with pytest.raises(ValueError, match="needs a penalty on groups"):
        ss.path(X, y, solver="bcd")
