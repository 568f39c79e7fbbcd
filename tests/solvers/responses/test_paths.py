"""Paths of K responses that rounding, rare classes or dependent columns make hard; memory."""

import tracemalloc

import numpy as np
import pytest
import response_oracle as oracle
from response_problems import CONVERGED, FACTORS, P, full, largest, make_state, measured
from scipy import sparse
from sparsesolve.solvers.responses.response_statistics import ResponseSufficientStatistics

import sparsesolve as ss
import sparsesolve.paths.path as path_module
from sparsesolve.solvers.choice import choose


@pytest.mark.parametrize("solver", ["response_newton", "response_blocks"])
def test_classes_so_rare_that_a_multiple_of_the_dual_point_costs_them_much(solver):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20_000, 4)), np.repeat([1, 2, 0], [3, 2, 19_995])
    options = {"n_lambdas": 12, "lambda_min_ratio": 0.01, "tol": 1e-10}
    fit = ss.path(X, y, family="multinomial", solver=solver, **options)
    assert fit.gaps.max() <= 1e-10


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", [2, 6])
def test_unpenalised_columns_that_separate_classes_miss_no_lambda(seed, grouped):
    """The dual point orthogonal to them is outside the domain of F* until u is all but there.

    A linear programme finds that they separate the classes, so that no finite optimum exists.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(26, 8))
    y = (X[:, :4] + rng.gumbel(size=(26, 4))).argmax(axis=1)
    y[:4] = range(4)
    with pytest.warns(ss.ConvergenceWarning, match="No finite coefficients are best"):
        fit = ss.path(X, y, family="multinomial", grouped=grouped, lambdas=[0.1, 0.05], tol=1e-3,
                      penalty_factor=[0] * 6 + [1] * 2, solver="response_newton")  # fmt: skip
    assert (fit.status == ss.Status.UNBOUNDED).all() and fit.gaps.max() <= 1e-3


def test_a_loose_gap_lets_in_hardly_more_coefficients_than_a_tight_one(monkeypatch):
    """Inexact dual points, and lines drawn through two of them, pass thresholds by their error."""
    states = []

    def keep(*given):
        states.append(choose(*given))
        return states[-1]

    monkeypatch.setattr(path_module, "choose", keep)
    rng = np.random.default_rng(41)
    X = rng.normal(size=(48, 4000))
    for j in range(1, 4000):
        X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
    eta = X[:, ::200] @ rng.normal(size=20)
    y = np.digitize(1.5 * eta / eta.std() + rng.normal(size=48), [-1.0, 1.0])
    options = {"family": "multinomial", "solver": "response_newton", "stop": None}
    lambdas = ss.path(X, y, n_lambdas=30, lambda_min_ratio=0.01, **options).lambdas
    at_work = {}
    for tol in (1e-7, 1e-3, 1e-2, 1e-1):
        fit = ss.path(X, y, lambdas=lambdas, tol=tol, **options)
        at_work[tol] = len(states[-1].point.quadratic.members()[0])
        assert fit.gaps.max() <= tol
    assert max(at_work.values()) <= 1.3 * at_work[1e-7]


def test_unpenalised_columns_that_depend_on_each_other():
    X, Y, _ = measured()
    X = np.asfortranarray(np.c_[X, X[:, 2] + X[:, 7]])
    options = {"family": "multigaussian", "grouped": True, "v": np.append(FACTORS, 0.0)}
    state, Z = make_state(ResponseSufficientStatistics, X, Y, **options)
    top = largest(state, **options)
    for share in (0.5, 0.05):
        outcome, gap = state.solve(share * top, 1e-11, 100_000)
        b0, B = full(state, P + 1)
        best, _, _ = oracle.solve(Z, Y, share * top, **options)
        mine = oracle.objective(Z, Y, share * top, b0, B, **options)
        assert outcome == CONVERGED and mine - best <= gap + 1e-12


def test_columns_much_like_their_neighbours_miss_no_lambda():
    """The objective falls for long before the gap does."""
    rng = np.random.default_rng(2)
    X = np.cumsum(rng.normal(size=(60, 300)), axis=1) / 5
    Y = X[:, :3] @ rng.normal(size=(3, 2)) + 0.1 * rng.normal(size=(60, 2))
    options = {"lambda_min_ratio": 1e-3, "n_lambdas": 8, "stop": None, "tol": 1e-4}
    fit = ss.path(X, Y, family="multigaussian", solver="sufficient", **options)
    assert not fit.status.any() and (fit.gaps >= 0.0).all()


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_dummies_without_a_penalty_go_nowhere(seed):
    """With the intercept they depend on each other: along that direction nothing holds them."""
    rng = np.random.default_rng(seed)
    kinds = []
    for count in (5, 100):
        shares = 1.0 / np.arange(1, count + 1)
        kinds.append(rng.choice(count, size=1000, p=shares / shares.sum()))
    X = np.hstack([np.eye(5)[kinds[0]], np.eye(100)[kinds[1]]])
    Y = rng.normal(size=(1000, 3)) + np.outer(kinds[0] == 1, [1, 0, 1])
    Y += np.outer(kinds[1] == 3, [1, -1, 0])
    factors = np.r_[np.zeros(5), np.ones(100)]
    fit = ss.path(X, Y, family="multigaussian", penalty_factor=factors, stop=None)
    assert fit.gaps.max() <= 1e-7 and max(np.abs(b.data).max() for b in fit.coefs) < 100


def gain_along(columns, R, lam):
    """The gain of the last of some columns with penalty lam |b|_1, in long double.

    The others are unpenalised.
    """
    for k in 2 * list(range(columns.shape[1] - 1)):
        q = columns[:, k] / np.sqrt(columns[:, k] @ columns[:, k])
        columns[:, k + 1 :] -= np.outer(q, q @ columns[:, k + 1 :])
        R = R - np.outer(q, q @ R)
    z = columns[:, -1]
    over = np.maximum(np.abs(z @ R) / len(R) - lam, 0.0)
    return (over**2).sum() / (2 * (z @ z) / len(R))


@pytest.mark.parametrize("solver, seed", [("response_newton", 26), ("response_blocks", 0)])
def test_gaps_see_what_rounding_hides_along_a_short_direction(solver, seed):
    """A column differs from the unpenalised ones by far less than its products are known to."""
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(10, 4)) * [0.05, 800.0, 2e4, 1e-8], rng.normal(size=(10, 2))
    fit = ss.path(X, Y, family="multigaussian", penalty=ss.penalties.TrendFilter(2), stop=None,
                  standardize=False, n_lambdas=1, tol=1e-3, solver=solver)  # fmt: skip
    A, R = (M - M.mean(axis=0) for M in (X.astype(np.longdouble), Y.astype(np.longdouble)))
    columns = A @ np.array([[1, 0, 0, 1], [0, 1, 0, -3], [0, 0, 1, 3], [0, 0, 0, 1]]).T
    gain = gain_along(columns, R - A @ fit.coef(fit.lambdas[0]).T, fit.lambdas[0])
    assert gain <= fit.gaps[0] * (R**2).sum() / 20


def test_a_row_that_lambda_does_not_hold_counts_in_the_gap():
    """Though its products are below lambda: its column is nearly that of an unpenalised one."""
    rng = np.random.default_rng(683)
    X, Y = rng.normal(size=(10, 4)) * [6e3, 1.7e-7, 9e4, 1.6e-9], rng.normal(size=(10, 2))
    X[:, 3] += 0.005 * X[:, 0]
    fit = ss.path(X, Y, family="multigaussian", penalty_factor=[0, 0, 0, 1], stop=None, tol=1e-3,
                  standardize=False, n_lambdas=1, solver="sufficient")  # fmt: skip
    A, R = (M - M.mean(axis=0) for M in (X.astype(np.longdouble), Y.astype(np.longdouble)))
    gain = gain_along(A.copy(), R - A @ fit.coef(fit.lambdas[0]).T, 4 * fit.lambdas[0])
    assert 1e-9 < gain / ((R**2).sum() / 20) <= fit.gaps[0]


@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
def test_memory_is_of_the_order_of_x(family):
    """To the end of the path, where thousands of columns of which few are active are at work."""
    rng = np.random.default_rng(14)
    X = np.asfortranarray(rng.normal(size=(40, 8_000)))
    Y = X[:, :10] @ rng.normal(size=(10, 8)) + rng.normal(size=(40, 8))
    y = Y if family == "multigaussian" else Y[:, :4].argmax(axis=1)
    tracemalloc.start()
    fit = ss.path(X, y, family=family, n_lambdas=15, stop=None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not fit.status.any() and peak <= 50 * X.nbytes


def test_words_that_occur_once_and_together_take_no_square_of_memory():
    """8,000 columns that are one: their inner products alone would take 512 MB."""
    rng = np.random.default_rng(0)
    others = sparse.random_array((200, 500), density=0.02, format="csc", rng=rng)
    once = sparse.csc_array((np.ones(8000), (np.full(8000, 7), np.arange(8000))), (200, 8000))
    y = others[:, :5].sum(axis=1) + rng.normal(size=200)
    y[7] += 4.0
    tracemalloc.start()
    fit = ss.path(sparse.hstack([others, once], format="csc"), y, n_lambdas=20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not fit.status.any() and peak <= 20e6
