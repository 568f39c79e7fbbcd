"""All registered solvers of one problem agree, and each one's gap is an upper bound."""

import warnings

import numpy as np
import oracle
import pytest

import sparsesolve as ss
from sparsesolve.solvers import SOLVERS

GRID = np.array([1.0, 0.3, 0.1, 0.02, 0.002])
OPTIONS = {
    "lasso": {},
    "net": {"alpha": 0.4},
    "ridge": {"alpha": 0.0},
    "origin": {"intercept": False, "standardize": False},
    "limits": {"lower": -0.2, "upper": lambda p: np.resize([0.3, np.inf, 1.0], p)},
    "bare": {"penalty_factor": lambda p: np.resize([1.0, 2.0, 0.0, 1.0, 0.5, np.inf], p)},
    "everything": {"alpha": 0.7, "lower": lambda p: np.resize([-np.inf, -0.3], p), "upper": 0.5,
                   "penalty_factor": lambda p: np.resize([1.0, 2.0, 0.0, 1.0], p)},
}
DESIGNS = {
    "tall": lambda rng: rng.standard_normal((60, 10)),
    "wide": lambda rng: rng.standard_normal((20, 60)),
    "correlated": lambda rng: np.cumsum(rng.standard_normal((40, 40)), axis=1),
    "dependent": lambda rng: rng.standard_normal((30, 8)) @ rng.standard_normal((8, 25)),
}


@pytest.fixture(params=sorted(DESIGNS))
def X(request):
    return DESIGNS[request.param](np.random.default_rng(4))


@pytest.fixture(params=sorted(OPTIONS))
def options(request, X):
    made = OPTIONS[request.param].items()
    return {key: value(X.shape[1]) if callable(value) else value for key, value in made}


SPECIAL = {  # solvers of some problems; those of several responses are in solvers/
    "ridge": lambda options: options.get("alpha") == 0.0,
    **dict.fromkeys(
        ("response_blocks", "response_newton", "response_groups"), lambda options: False
    ),
    **{name: lambda options: False for name, solver in SOLVERS.items() if solver.kinks},
    "tangent_newton": lambda options: False,  # penalties without blocks
    **dict.fromkeys(("bcd", "bcd_plain", "bcd_wright"), lambda options: False),  # groups
    "reweighted": lambda options: not {"lower", "upper"} & set(options),
}
NEAR = {  # gaps soon reached
    "ista": 0.03, "fista": 1e-7, "sparsa": 1e-7, "panoc": 1e-7, "reweighted": 1e-4,
    "admm": 1e-7, "linearized_admm": 1e-3,
}  # fmt: skip
NEVER = {"subgradient"}


def solvers(options):
    return [name for name in sorted(SOLVERS) if name not in SPECIAL or SPECIAL[name](options)]


def response(X):
    rng = np.random.default_rng(5)
    return X[:, :4] @ [1.0, -2, 0.5, 1] / X.std() + 0.3 + rng.standard_normal(len(X))


@pytest.fixture
def optimum(X, options):
    """The oracle's (b0, b, objective) for each lambda of the grid, found once a problem."""
    key = X.tobytes(), str(options)
    if key not in SOLVED:
        y = response(X)
        found = [oracle.solve(X, y, lam, **options) for lam in GRID]
        SOLVED[key] = [(b0, b, oracle.objective(X, y, b0, b, lam, **options))
                       for (b0, b), lam in zip(found, GRID, strict=True)]
    return SOLVED[key]


SOLVED = {}


def test_every_solver_reaches_the_same_certified_optimum(X, options, store, optimum):
    y = response(X)
    null = oracle.null_objective(X, y, **options)
    A = X / X.std(axis=0)
    for name in set(solvers(options)) - set(NEAR) - NEVER:
        fit = ss.path(store(X), y, lambdas=GRID, tol=1e-11, solver=name, **options)
        assert not np.any(fit.status), name
        for k, lam in enumerate(GRID):
            b0, b = fit.intercepts[k], fit.coefs[:, [k]].toarray().ravel()
            assert oracle.certificate(X, y, b0, b, lam, **options) <= 1.01e-11 + 1e-13, name
            # equal objectives make the fitted values equal, whatever the coefficients are
            apart = X @ (b - optimum[k][1]) + (b0 - optimum[k][0])
            assert np.mean(apart ** 2) <= 2 * 1.1e-11 * null + 1e-20 * np.mean(A ** 2), name


@pytest.mark.parametrize("budget", [1, 2, 4, 30])
def test_gaps_bound_the_suboptimality_of_unfinished_solutions(X, options, budget, optimum):
    """Stopped anywhere by max_iter, the reported gap still bounds what is lost."""
    y = response(X)
    null = oracle.null_objective(X, y, **options)
    for name in solvers(options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ss.ConvergenceWarning)
            fit = ss.path(X, y, lambdas=GRID, tol=1e-9, solver=name, max_iter=budget, **options)
        for k, lam in enumerate(GRID):
            b0, b = fit.intercepts[k], fit.coefs[:, [k]].toarray().ravel()
            lost = (oracle.objective(X, y, b0, b, lam, **options) - optimum[k][2]) / null
            assert lost <= fit.gaps[k] + 1e-13, name
            assert (fit.status[k] == 0) == (fit.gaps[k] <= 1e-9), name
