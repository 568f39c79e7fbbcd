"""ISTA, FISTA and SpaRSA: every loss, every penalty, descent, and certificates from the data."""


import numpy as np
import pytest
from scipy import sparse
from states import problem_of

import sparsesolve as ss
from sparsesolve import families, penalties
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
    "gaussian": ("gaussian", SIGNAL + RNG.standard_normal(50)),
    "binomial": ("binomial", BINARY),
    "poisson": ("poisson", COUNTS),
    "cox": ("cox", TIMES),
    "huber": (families.huber(0.5), SIGNAL + RNG.standard_t(2, 50)),
    "squared_hinge": (families.squared_hinge(), 2 * BINARY - 1),
    "gamma": (families.gamma(), np.exp(0.3 * SIGNAL) * RNG.gamma(2.0, 0.5, 50)),
    "probit": (families.probit(), BINARY),
    "tweedie": (families.tweedie(1.5), np.where(COUNTS > 0, COUNTS * 0.7, 0.0)),
}
GROUPS = np.resize([0, 1, 2, 0, 3], 12)
PENALTIES = {
    "lasso": {},
    "net": {"alpha": 0.3, "standardize": False},
    "factors": {"penalty_factor": np.resize([1.0, 0.5, 0.0, 3.0, np.inf], 12)},
    "limits": {"lower": np.resize([-0.1, -np.inf, 0.0], 12), "upper": 0.4},
    "group": {"penalty": penalties.GroupL2(GROUPS, weights=[1.0, 0.0, 2.0, 1.0])},
    "sparse_group": {"penalty": penalties.SparseGroup(GROUPS, 0.4), "alpha": 0.8},
    "group_linf": {"penalty": penalties.GroupLinf(GROUPS), "upper": 0.5},
}
WEIGHTS = RNG.uniform(0.5, 2.0, 50)
WEIGHTS[7] = 0.0
REST = {"weights": WEIGHTS, "offset": 0.3 * RNG.standard_normal(50)}
NAMES = ["fista", "ista", "sparsa"]


@pytest.mark.parametrize("penalty", sorted(PENALTIES))
@pytest.mark.parametrize("family", sorted(Y))
def test_every_loss_under_every_penalty_comes_to_the_same_solutions(family, penalty):
    kind, y = Y[family]
    options = {**REST, **PENALTIES[penalty]}
    tol = 1e-9
    ref = ss.path(X, y, family=kind, n_lambdas=4, lambda_min_ratio=0.03, tol=1e-3 * tol,
                  stop=None, **options)
    for name in ["fista", "sparsa"]:
        for store in (np.asfortranarray, sparse.csc_array):
            fit = ss.path(store(X), y, family=kind, lambdas=ref.lambdas, tol=tol, solver=name,
                          **options)
            assert not fit.status.any(), name
            assert fit.coefs.toarray() == pytest.approx(ref.coefs.toarray(), abs=2e-4)
            assert fit.intercepts == pytest.approx(ref.intercepts, abs=2e-4)
            assert fit.dev_ratio == pytest.approx(ref.dev_ratio, abs=1e-5)


def state_of(name, family="gaussian", solver_penalty="lasso", **options):
    kind, y = Y[family]
    problem = problem_of(X, y, kind, **PENALTIES[solver_penalty], **options)
    return SOLVERS[name].state(problem, 1), problem


@pytest.mark.parametrize("penalty", ["lasso", "factors", "group", "group_linf"])
@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson", "cox"])
@pytest.mark.parametrize("name", ["ista", "fista"])
def test_the_objective_never_rises(name, family, penalty):
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


@pytest.mark.parametrize("name", NAMES)
def test_eta_and_residual_are_those_of_the_coefficients(name):
    """The invariant that certificates rest on, after steps, and steps that were taken back."""
    state, problem = state_of(name, "poisson", "factors")
    state.solve(0.01, 1e-8, 300)
    which, values = state.coefficients()
    eta = problem.offset + state.intercept + problem.design.combination(which, values)
    assert state.point.eta == pytest.approx(eta, abs=1e-12)
    assert state.point.u == pytest.approx(problem.loss.at(eta)[1], abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_depends_on_threads_or_on_the_path_before(name):
    y = Y["gaussian"][1]
    one, two = (ss.path(X, y, solver=name, n_lambdas=8, n_threads=k, tol=1e-7,
                        lambda_min_ratio=0.05) for k in (1, 2))
    assert (one.coefs != two.coefs).nnz == 0
    cold = ss.path(X, y, solver=name, lambdas=[one.lambdas[5]], tol=1e-8)
    assert cold.coefs.toarray() == pytest.approx(one.coefs[:, [5]].toarray(), abs=1e-3)


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_no_penalty_at_all(family):
    kind, y = Y[family]
    fit = ss.path(X, y, family=kind, lambdas=[0.1, 0.0], solver="fista", tol=1e-9)
    ref = ss.path(X, y, family=kind, lambdas=[0.1, 0.0], tol=1e-12)
    assert not fit.status.any()
    assert fit.coefs.toarray() == pytest.approx(ref.coefs.toarray(), abs=1e-3)


@pytest.mark.parametrize("name", ["fista", "sparsa"])
def test_a_group_far_larger_than_the_number_of_rows(name):
    """Of which others would need the whole Gram matrix."""
    rng = np.random.default_rng(3)
    wide = rng.standard_normal((15, 800))
    y = wide[:, :50].sum(axis=1) + rng.standard_normal(15)
    penalty = penalties.GroupL2([0] * 790 + [1] * 10)
    fit = ss.path(wide, y, penalty=penalty, n_lambdas=5, lambda_min_ratio=0.3, solver=name)
    assert not fit.status.any()
    assert (fit.df[1:] >= 790).all()


@pytest.mark.parametrize("name", NAMES)
def test_constants_and_copies_and_empty_columns(name):
    odd = np.column_stack([X, X[:, 0], np.full(50, 3.0), np.zeros(50)])
    y, factors = Y["gaussian"][1], np.r_[np.ones(12), 0.0, 0.0, 0.0]
    fit = ss.path(odd, y, solver=name, lambdas=[0.2, 0.05], penalty_factor=factors, tol=1e-8)
    ref = ss.path(odd, y, lambdas=[0.2, 0.05], penalty_factor=factors, tol=1e-12)
    assert not fit.status.any()
    assert fit.predict(odd) == pytest.approx(ref.predict(odd), abs=1e-3)
    assert (fit.coefs.toarray()[13:] == 0).all()


SEVERAL = {
    "classes": ("multinomial", {}),
    "tied": ("multinomial", {"grouped": True, "alpha": 0.8}),
    "reals": ("multigaussian", {"standardize": False}),
    "bare": ("multinomial", {"penalty_factor": np.resize([1.0, 0.0, 2.0, np.inf], 12)}),
    "limits": ("multinomial", {"lower": -0.1, "upper": 0.3, "intercept": False}),
}


@pytest.mark.parametrize("case", sorted(SEVERAL))
@pytest.mark.parametrize("name", ["fista", "sparsa"])
def test_several_responses(name, case):
    family, options = SEVERAL[case]
    scores = X[:, :3] @ [[1.0, -1, 0], [0, 1, -1], [0.5, 0, 0.5]] + RNG.gumbel(size=(50, 3))
    y = scores if family == "multigaussian" else scores.argmax(axis=1)
    options = {**options, "family": family, "weights": WEIGHTS, "offset": 0.1 * scores[::-1]}
    grid = {"n_lambdas": 4, "lambda_min_ratio": 0.1, "stop": None}
    ref = ss.path(X, y, tol=1e-12, **grid, **options)
    for store in (np.asfortranarray, sparse.csc_array):
        fit = ss.path(store(X), y, tol=1e-9, solver=name, **grid, **options)
        assert not fit.status.any()
        assert fit.lambdas == pytest.approx(ref.lambdas)
        assert fit.dev_ratio == pytest.approx(ref.dev_ratio, abs=1e-6)
        for k in range(3):
            assert fit.coefs[k].toarray() == pytest.approx(ref.coefs[k].toarray(), abs=3e-3)


def test_what_only_one_response_can_have_is_refused():
    with pytest.raises(ValueError, match="solver='reweighted' needs family='gaussian'"):
        ss.path(X, np.arange(50) % 3, family="multinomial", solver="reweighted")
