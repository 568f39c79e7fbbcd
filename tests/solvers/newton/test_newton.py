"""Newton's method on working sets: steps, models, dual points, history, and ways of solving."""

import glm_oracle
import numpy as np
import numpy_losses
import pytest
from random_sparse import random_csc
from scipy import sparse
from sparsesolve.linalg.working.columns import pack
from sparsesolve.solvers.newton.local_model import floors
from states import problem_of

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.paths import path as api
from sparsesolve.solvers import SOLVERS, choice
from sparsesolve.solvers.choice import choose
from sparsesolve.solvers.newton import proximal_newton, working_set

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


# Truly sparse designs, where the way of solving changes along the path

LOSSES = {"binomial": numpy_losses.BINOMIAL, "poisson": numpy_losses.POISSON}
DESIGNS = {"few columns": (600, 60, 0.03), "many columns": (100, 1000, 0.04)}


def problem(family, design, seed=0):
    rng = np.random.default_rng(seed)
    n, p, density = DESIGNS[design]
    X = random_csc((n, p), density, rng)
    X.data += 1.0
    signal = X[:, :12] @ rng.standard_normal(12)
    if family == "poisson":
        return X, rng.poisson(np.exp(np.clip(signal, -3, 2))).astype(float)
    return X, (signal + 0.3 * rng.logistic(size=n) > 0).astype(float)


@pytest.fixture
def kinds(monkeypatch):
    """The ways of solving that states used, asked after every lambda."""
    seen, solver = set(), SOLVERS["proximal_newton"]

    class Watched(solver.state):
        def solve(self, lam, target, budget):
            found = super().solve(lam, target, budget)
            seen.add(type(self.quadratic).__name__)
            return found

    monkeypatch.setitem(choice.SOLVERS, "proximal_newton", solver._replace(state=Watched))
    return seen


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("design", sorted(DESIGNS))
@pytest.mark.parametrize("family", sorted(LOSSES))
def test_every_lambda_is_certified_from_the_data(family, design, intercept, standardize, kinds,
                                                 monkeypatch):  # fmt: skip
    monkeypatch.setattr(working_set, "WORKING_ROOM", 10)  # more sparse columns go one by one
    X, y = problem(family, design)
    options = {"intercept": intercept, "standardize": standardize}
    fit = ss.path(X, y, family=family, n_lambdas=25, lambda_min_ratio=0.02, stop=None, tol=1e-7,
                  **options)  # fmt: skip
    assert not fit.status.any() and "DataActiveSet" in kinds
    for k, lam in enumerate(fit.lambdas):
        b = fit.coefs[:, [k]].toarray().ravel()
        found = glm_oracle.certificate(X, y, fit.intercepts[k], b, lam, loss=LOSSES[family],
                                       **options)  # fmt: skip
        assert found <= 3e-7, k


def test_the_way_of_solving_changes_and_nothing_is_lost(kinds):
    """The columns that brought about the change are in the model like all others."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 200))
    y = (X[:, :5].sum(axis=1) > rng.logistic(size=40)) * 1.0
    fit = ss.path(X, y, family="binomial", alpha=0.05, n_lambdas=30, lambda_min_ratio=1e-2,
                  stop=None)  # fmt: skip
    assert kinds == {"DataActiveSet", "GramActiveSet"}
    for k, lam in enumerate(fit.lambdas):
        b = fit.coefs[:, [k]].toarray().ravel()
        found = glm_oracle.certificate(X, y, fit.intercepts[k], b, lam, alpha=0.05,
                                       loss=numpy_losses.BINOMIAL)  # fmt: skip
        assert found <= 3e-7, k


@pytest.mark.parametrize("penalty", [None, ss.penalties.GroupL2(np.arange(400) // 4)],
                         ids=["l1", "groups"])  # fmt: skip
def test_columns_of_cox_are_held_as_dense_where_nothing_else_leads_on(penalty, monkeypatch):
    """The diagonal model of F'' takes few steps at first, and no end of them near saturation."""
    held = []

    def packed(*args, dense, **how):
        held.append(dense)
        return pack(*args, dense=dense, **how)

    monkeypatch.setattr(proximal_newton, "pack", packed)
    rng = np.random.default_rng(0)
    X = random_csc((120, 400), 0.03, rng)
    X.data += 1.0
    times = rng.exponential(np.exp(-(X[:, :12] @ rng.standard_normal(12))))
    y = np.column_stack([times, rng.random(120) < 0.8])
    options = {"family": "cox", "stop": None, "lambda_min_ratio": 0.01, "penalty": penalty,
               "tol": 1e-9}  # fmt: skip
    fit = ss.path(X, y, **options)
    assert not fit.status.any() and held == [True]
    dense = ss.path(X.toarray(), y, **options)
    assert len(held) == 1 and fit.dev_ratio == pytest.approx(dense.dev_ratio, abs=1e-5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", [32, 43, 234, 285, 343])
def test_a_dual_point_at_the_edge_of_its_domain_misses_no_lambda(seed):
    """A sum of u of 1e-7, squared in the model's gap, takes as much of the certificate."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 20))
    y = 2 * X[:, 0] + rng.normal(size=100)
    y[::20] += 100
    assert not ss.path(X, y, family=ss.families.huber(1.0)).status.any()


def test_separable_classes_without_penalty():
    """Where all curvature vanishes the least that a model holds must not outweigh it.

    With a floor of 1e-6 of a sample's weight the gap fell as 1/step, and 1e5 steps missed it.
    """
    rng = np.random.default_rng(33)
    X = rng.normal(size=(60, 25))
    y = (rng.random(60) < 1 / (1 + np.exp(-X[:, :5].sum(axis=1)))).astype(int)
    selected = ss.path(X, y, family="binomial", n_lambdas=20).nonzero()
    support = next(columns for columns in selected if len(columns) == 20)
    free = np.zeros(20)
    fit = ss.path(X[:, support], y, family="binomial", penalty_factor=free, lambdas=[0.0])
    assert fit.gaps[0] <= 1e-7


def test_separable_classes_reach_a_gap_far_below_the_others(monkeypatch):
    """The null model of free columns is asked for 1e-14: 1e5 steps at a floor of 1e-6."""
    states = []
    monkeypatch.setattr(api, "choose", lambda *a: states.append(choose(*a)) or states[-1])
    X = np.random.default_rng(0).standard_normal((60, 20))
    options = {"family": "binomial", "penalty_factor": np.zeros(20), "lambdas": [1.0]}
    fit = ss.path(X, X[:, 0] + X[:, 1] > 0, **options)
    assert fit.gaps[0] <= 1e-13 and states[0].iterations < 500


def test_samples_without_curvature_are_given_some():
    """Less than the mean where the loss bends at all, and something where it bends nowhere."""
    even, least = floors(0.25)
    assert 0.0 < least < even < 0.25
    assert all(floor > 0.0 for floor in floors(0.0))


# The dual point to which the model of a step leads

LOSSES_PREDICTED = {
    "binomial": ("binomial", numpy_losses.BINOMIAL),
    "poisson": ("poisson", numpy_losses.POISSON),
    "gamma": (families.gamma(), numpy_losses.GAMMA),
    "probit": (families.probit(), numpy_losses.PROBIT),
}
LOOSE, FINE = 1e-8, 4e-9  # of these alone the first may end by what a model foretells


def _problem(name, n=80, p=40):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, p))
    X[:, 1:] += 0.5 * X[:, :-1]
    signal = X[:, :6] @ np.array([1.0, -0.8, 0.0, 0.5, 0.0, -0.4])
    y = {"poisson": rng.poisson(np.exp(signal / 2)),
         "gamma": np.exp(signal / 2) * rng.gamma(2.0, 0.5, n)}  # fmt: skip
    return X, y.get(name, (signal > rng.logistic(size=n)) * 1.0)


def _path(X, y, family, tol, **options):
    return ss.path(X, y, family=family, tol=tol, stop=None, solver="proximal_newton", n_lambdas=30,
                   lambda_min_ratio=0.02, **options)  # fmt: skip


@pytest.mark.parametrize("name", sorted(LOSSES_PREDICTED))
def test_a_gap_of_second_order_takes_fewer_steps(name):
    X, y = _problem(name)
    family, _ = LOSSES_PREDICTED[name]
    loose, fine = (_path(X, y, family, tol) for tol in (LOOSE, FINE))
    assert not loose.status.any() and not fine.status.any()
    assert loose.n_iters.sum() < 0.9 * fine.n_iters.sum()


# The dual point of a loss

RNG_DUAL = np.random.default_rng(11)
X_DUAL = RNG_DUAL.standard_normal((50, 10))
X_DUAL[:, 1:] += 0.4 * X_DUAL[:, :-1]
ETA_DUAL = X_DUAL[:, 0] - X_DUAL[:, 3] + 0.5 * RNG_DUAL.standard_normal(50)
WEIGHTS = RNG_DUAL.uniform(0.5, 2.0, 50)
WEIGHTS[5] = 0.0
RESPONSES = {
    "gaussian": ETA_DUAL,
    "binomial": (ETA_DUAL > 0.0).astype(float),
    "poisson": RNG_DUAL.poisson(np.exp(ETA_DUAL / 2)).astype(float),
}
FREE = [2, 6]
PENALTIES_DUAL = {
    "columns": {"penalty_factor": np.where(np.isin(np.arange(10), FREE), 0.0, 1.0)},
    "groups": {"penalty": ss.penalties.GroupL2(np.arange(10) // 2)},
    "origin": {"intercept": False},
}


@pytest.fixture(params=RESPONSES)
def family(request):
    return request.param


def state_of(family, kind):
    made = problem_of(X_DUAL, RESPONSES[family], family, weights=WEIGHTS, **PENALTIES_DUAL[kind])
    return SOLVERS["proximal_newton"].state(made, 1), made


@pytest.mark.parametrize("kind", PENALTIES_DUAL)
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


# The extrapolation of the last two solutions

@pytest.fixture
def state(monkeypatch):
    """A sparse design whose columns are read one by one: its path starts by extrapolation."""
    rng = np.random.default_rng(1)
    A = sparse.random_array((4000, 600), density=0.01, rng=rng, data_sampler=rng.standard_normal)
    made = problem_of(sparse.csc_array(A), A @ np.ones(600), intercept=False, standardize=False)
    monkeypatch.setattr(working_set, "WORKING_ROOM", 10)  # more sparse columns go one by one
    return SOLVERS["working_set"].state(made, 1)


def iterations(state, lams):
    """Newton steps and sweeps at each of these lambdas."""
    counts = [state.iterations]
    for lam in lams:
        outcome, gap = state.solve(lam, 1e-12, 1000)
        assert outcome == 0 and gap <= 1e-12
        counts.append(state.iterations)
    return np.diff(counts)


def test_no_step_is_left_where_signs_stay(state):
    """Nearly all columns are active: the third of three lambdas is on the line of two."""
    lam = 1e-5 * np.array([3.0, 2.0, 1.0])
    counts = iterations(state, lam)
    assert len(state.coefficients()[0]) > 0.9 * 600
    assert counts[0] > 0 and counts[1] > 0 and counts[2] == 0


def test_a_start_elsewhere_leaves_no_history(state):
    iterations(state, 1e-5 * np.array([3.0, 2.0]))
    state.start_at(np.arange(600), np.zeros(600), 0.0)
    assert iterations(state, [1e-5])[0] > 0


# Which columns are at work, and how they are held

def columns_and_response(n, p, density):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    X[rng.random((n, p)) >= density] = 0.0
    y = X[:, :50].sum(axis=1) + rng.standard_normal(n)
    return (sparse.csc_array(X) if density < 1.0 else np.asfortranarray(X)), y


CASES = {
    "products": (columns_and_response(200, 30, 1.0), 1.0, 0.1),
    "products of sparse columns": (columns_and_response(1500, 100, 0.1), 1.0, 0.05),
    "many sparse columns": (columns_and_response(1500, 3000, 0.01), 1.0, 0.05),
    "columns under a ridge": (columns_and_response(40, 600, 1.0), 0.05, 0.01),
}


@pytest.mark.parametrize("way", CASES)
def test_the_way_is_told_by_alpha_and_storage(way, states):
    (X, y), alpha, least = CASES[way]
    fit = ss.path(X, y, alpha=alpha, solver="working_set", n_lambdas=20, lambda_min_ratio=least,
                  stop=None, tol=1e-9)  # fmt: skip
    assert type(states[-1].quadratic).__name__ == (
        "GramActiveSet" if way.startswith("products") else "DataActiveSet")
    assert not fit.status.any()


def correlated(n, p, rho, seed, true=30):
    """Columns of an autoregressive process, and a response of signal to noise ratio 1.7."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    y = X[:, rng.choice(p, true, replace=False)] @ rng.standard_normal(true)
    return X, y + y.std() / 1.7 * rng.standard_normal(n)


PROBLEMS = {
    "wide": (300, 8000, 0.99, {}),
    "uncorrelated": (400, 3000, 0.0, {}),
    "some ridge": (200, 4000, 0.9, {"alpha": 0.3}),
    "binomial": (150, 4000, 0.9, {"family": "binomial"}),
    "groups": (150, 2000, 0.9, {"penalty": ss.penalties.GroupL2(np.arange(2000) // 4)}),
}


def drawn(name, seed):
    """Return X, y and the options of a problem."""
    n, p, rho, options = PROBLEMS[name]
    X, y = correlated(n, p, rho, seed)
    return X, y > 0 if "family" in options else y, options


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_loose_tolerance_takes_no_more_working_columns(states, name):
    (X, y, options), sizes = drawn(name, 3), []
    for tol in (1e-7, 1e-4, 1e-3, 1e-2):
        fit = ss.path(X, y, tol=tol, stop=None, **options)
        assert fit.gaps.max() <= tol
        sizes.append(len(states[-1].quadratic.members()[0]))
    assert max(sizes) <= 1.25 * sizes[0], sizes


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_far_start_takes_few_more_working_columns_than_a_path(states, name):
    (X, y, options), sizes = drawn(name, 4), []
    first = ss.path(X, y, n_lambdas=1, **options).lambdas[0]
    for grid in (first * np.geomspace(1, 0.02, 50), [0.02 * first]):
        fit = ss.path(X, y, lambdas=grid, stop=None, **options)
        assert fit.gaps.max() <= 1e-7
        sizes.append(len(states[-1].quadratic.members()[0]))
    assert sizes[1] <= 1.5 * sizes[0], sizes
