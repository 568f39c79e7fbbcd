"""The homotopy over all columns, its data, and the certificate of its knots."""

import numpy as np
import oracle
import pytest
from random_sparse import random_csc
from scipy import sparse
from sparsesolve.solvers.homotopy.knot_gaps import gaps_at, nonzeros, piece_gaps
from states import problem_of

from sparsesolve.solvers.homotopy import path as homotopy_data
from sparsesolve.solvers.homotopy import path as homotopy_path
from sparsesolve.solvers.homotopy.knot_certificate import Certificate, Rules
from sparsesolve.solvers.homotopy.path import (
    DenseData,
    FollowedPath,
    GramData,
    SparseData,
    first_excess,
)

RNG = np.random.default_rng(0)
X = np.asfortranarray(RNG.standard_normal((40, 150)))
Y = X[:, :20].sum(axis=1) + RNG.standard_normal(40)


def followed(lasso=True, **change):
    problem = problem_of(X, Y, "gaussian")
    rules = {"v": np.ones(150), "ridge": 0.0, "open": np.ones(150, dtype=bool),
             "free": np.empty(0, dtype=np.intc), "lasso": lasso, "positive": False, "last": 0.0,
             "max_features": np.inf, "max_steps": np.inf}
    path = FollowedPath(DenseData(problem, 1), Rules(**{**rules, **change}))
    batches = [path.start, *path.batches()]
    dense = np.zeros((sum(len(batch.lams) for batch in batches), 150))
    start = 0
    for batch in batches:
        np.add.at(dense[start : start + len(batch.lams)], (slice(None), batch.features), batch.B)
        start += len(batch.lams)
    return path, batches, np.concatenate([batch.lams for batch in batches]), dense


@pytest.mark.parametrize("lasso", [True, False])
def test_windows_of_any_size_lead_along_the_same_path(lasso, monkeypatch):
    _, one, lams, B = followed(lasso)
    monkeypatch.setattr(homotopy_path, "FEW_COLUMNS", 0)
    for per_knot, spare, knots in ((0.0, 1, 8), (0.1, 1, 64), (2.0, 32, 16), (1.0, 4, 1)):
        monkeypatch.setattr(homotopy_path, "COLUMNS_PER_KNOT", per_knot)
        monkeypatch.setattr(homotopy_path, "SPARE_COLUMNS", spare)
        monkeypatch.setattr(homotopy_path, "FIRST_KNOTS", knots)
        _, batches, narrow, C = followed(lasso)
        assert narrow == pytest.approx(lams, abs=1e-13)
        assert C == pytest.approx(B, abs=1e-11)
        assert max(batch.gaps.max() for batch in batches) <= 1e-13
        assert sum(batch.n_events.sum() for batch in batches) == sum(
            batch.n_events.sum() for batch in one
        )


def test_reasons():
    assert followed(max_steps=3)[0].why == "max_steps = 3 knots were found"
    assert followed(max_features=2)[0].why.startswith("more than max_features = 2")
    assert followed(last=0.1)[0].why == "lambda_min was reached"
    path, _, lams, _ = followed()
    assert path.why == "lambda = 0 was reached" and lams[-1] == 0.0
    path, *_ = followed(open=np.zeros(150, dtype=bool))
    assert path.why == "every feature is excluded or without a penalty"


# Dense, sparse and Gram data

RNG_DATA = np.random.default_rng(0)
X_DATA = np.where(RNG_DATA.random((30, 12)) < 0.6, 0.0, RNG_DATA.standard_normal((30, 12)) + 1)
Y_DATA, W = RNG_DATA.standard_normal(30), RNG_DATA.uniform(0.5, 2.0, 30)
SOME, U = np.array([1, 5, 7], dtype=np.intc), np.array([2, 3, 2], dtype=np.intc)
B = RNG_DATA.standard_normal((4, 3))


def made(matrix, kind, intercept=True):
    problem = problem_of(matrix, Y_DATA, "gaussian", weights=W, intercept=intercept)
    return kind(problem, 1), problem


def expected(problem):
    root = np.sqrt(problem.weights)
    A = root[:, None] * problem.design.unpacked(np.arange(12, dtype=np.intc))
    return A, root * problem.response


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", ["kept", "blocks", "sparse", "gram"])
def test_products_and_correlations(form, intercept, monkeypatch):
    if form == "blocks":
        monkeypatch.setattr(homotopy_data, "SMALL_DESIGN", 0)
    matrix = sparse.csc_array(X_DATA) if form == "sparse" else np.asfortranarray(X_DATA)
    data, problem = made(matrix, SparseData if form == "sparse" else DenseData, intercept)
    A, y = expected(problem)
    if form == "gram":
        data = GramData(A.T @ A, A.T @ y, float(y @ y))
    else:
        assert data.rank == 12
    assert data.squares == pytest.approx((A**2).sum(axis=0))
    assert data.response_square == pytest.approx(y @ y)
    inner = data.inner(SOME, U)
    assert inner == pytest.approx(A[:, SOME].T @ A[:, U], abs=1e-12)
    C, squares = data.measure(U, B)
    R = y[:, None] - A[:, U] @ B.T
    assert C == pytest.approx((A.T @ R).T, abs=1e-11)
    assert squares == pytest.approx((R**2).sum(axis=0), rel=1e-10)


def test_the_data_are_chosen_by_how_full_they_are():
    full, problem = made(np.asfortranarray(X_DATA), homotopy_data.homotopy_data)
    assert isinstance(full, DenseData)
    thin = random_csc((30, 12), 0.05, RNG_DATA)
    assert isinstance(made(thin, homotopy_data.homotopy_data)[0], SparseData)


# The certificate

RNG_KNOT = np.random.default_rng(0)
X_KNOT = RNG_KNOT.standard_normal((20, 6))
Y_KNOT = X_KNOT[:, 0] - X_KNOT[:, 1] + RNG_KNOT.standard_normal(20)
PLAIN = {"intercept": False, "standardize": False}


def certificate(ridge=0.0, positive=False, lasso=True):
    data = GramData(X_KNOT.T @ X_KNOT / 20, X_KNOT.T @ Y_KNOT / 20, float(Y_KNOT @ Y_KNOT) / 20)
    none = np.empty(0, dtype=np.intc)
    rules = Rules(np.ones(6), ridge, np.ones(6, dtype=bool), none, lasso, positive, 0.0, 6, 99)
    first, size = float(np.abs(data.cross).max()), np.sqrt(data.squares + ridge)
    return data, Certificate(data, rules, first, size, none, np.empty((0, 0)))


def measured(b, lam, ridge=0.0, **kind):
    data, judge = certificate(ridge, **kind)
    every = np.arange(6, dtype=np.intc)
    C, squares = data.measure(every, b[None, :])
    return judge.batch(np.array([lam]), every, b[None, :], C - ridge * b, squares).gaps[0]


@pytest.mark.parametrize("ridge", [0.0, 0.4])
@pytest.mark.parametrize("positive", [False, True])
def test_it_bounds_the_suboptimality(ridge, positive):
    lam, options = 0.2, {**PLAIN, **({"lower": 0.0} if positive else {})}
    problem = {"lam": lam + ridge, "alpha": lam / (lam + ridge), **options}
    best = oracle.solve(X_KNOT, Y_KNOT, **problem)[1]
    least = oracle.objective(X_KNOT, Y_KNOT, 0.0, best, **problem)
    assert 0.0 <= measured(best, lam, ridge, positive=positive) <= 1e-13
    for seed in range(5):
        b = best + 0.1 * np.random.default_rng(seed).standard_normal(6)
        b = np.maximum(b, 0.0) if positive else b
        lost = oracle.objective(X_KNOT, Y_KNOT, 0.0, b, **problem) - least
        gap = measured(b, lam, ridge, positive=positive)
        assert gap >= lost / (0.5 * Y_KNOT @ Y_KNOT / 20) - 1e-14


def test_of_least_angle_regression_it_is_the_departure():
    data, judge = certificate(lasso=False)
    assert measured(np.zeros(6), judge.first, lasso=False) == 0.0
    assert measured(np.zeros(6), 0.5 * judge.first, lasso=False) == pytest.approx(0.5)


# Sums over knots

RNG_SUMS = np.random.default_rng(0)
C, LAMS = RNG_SUMS.standard_normal((7, 9)), np.linspace(1.0, 0.1, 7)
V = np.array([1.0, 2, 0, 1, 0.5, 1, np.inf, 1, 3])


@pytest.mark.parametrize("positive", [False, True])
def test_the_first_excess_and_all_of_that_knot(positive):
    size, slack = (C if positive else np.abs(C)), np.full(9, 1e-3)
    which = np.array([0, 1, 3, 8], dtype=np.intc)
    for scale in (0.1, 0.5, 1.0, 100.0):
        over = size[:, which] > scale * LAMS[:, None] * V[which] + 1e-3
        rows = np.flatnonzero(over.any(axis=1))
        knot, columns = first_excess(C, scale * LAMS, which, V, slack, positive)
        assert knot == (rows[0] if len(rows) else 7)
        assert columns.tolist() == (which[over[rows[0]]].tolist() if len(rows) else [])


def test_gaps_and_nonzeros():
    features, v = np.array([8, 0, 2, 0], dtype=np.intc), np.where(np.isinf(V), 1.0, V)
    B = RNG_SUMS.standard_normal((7, 4)) * (RNG_SUMS.random((7, 4)) > 0.5)
    squares, most = RNG_SUMS.uniform(1, 2, 7), RNG_SUMS.uniform(0.0, 2.0, 7)
    s = np.minimum(1.0, LAMS / most)
    expected = 0.5 * (1 - s) ** 2 * (squares + 0.3 * B**2 @ v[features])
    blocks = LAMS * (np.abs(B) @ v[features])
    blocks -= s * (C[:, features] * B * (v[features] > 0)).sum(axis=1)
    found = gaps_at(LAMS, features, B, C, squares, most, v, 0.3)
    assert found == pytest.approx(expected + np.maximum(blocks, 0.0))
    order, unit = np.argsort(features, kind="stable"), np.array([2.0, 1, 1, 0.5])
    which, values, sizes = nonzeros(B, order, features, unit)
    assert sizes.tolist() == np.count_nonzero(B, axis=1).tolist()
    ends = np.cumsum(sizes)
    for k in range(7):
        part = slice(ends[k] - sizes[k], ends[k])
        kept = order[B[k, order] != 0.0]
        assert which[part].tolist() == features[kept].tolist()
        assert values[part].tolist() == (B[k] * unit)[kept].tolist()


@pytest.mark.parametrize("ends", ["exact", "turns", "moved"])
def test_gaps_of_pieces_are_the_largest_between_their_ends(ends):
    """Equal to those of a grid; no less where a coefficient changes its sign, or where rounding
    has moved the ends, so that the largest gap is not half way."""
    v, K = np.array([1.0, 2.0, 0.0, 0.5]), 6
    for seed in range(20):
        rng = np.random.default_rng(seed)
        lams = np.sort(rng.uniform(0.1, 1.0, K))[::-1].copy()
        B = rng.uniform(0.5, 1.0, (K, 4)) * (rng.random((K, 4)) < 0.6)
        B *= rng.choice([-1.0, 1.0], (1 if ends == "exact" else K, 4))
        inside = (B == 0.0) | (ends == "moved")
        C = lams[:, None] * v * np.where(inside, rng.uniform(-1, 1, (K, 4)), np.sign(B))
        found = piece_gaps(lams, np.arange(4, dtype=np.intc), B, C, v)
        assert found[0] == 0.0
        for k in range(1, K):
            t = np.linspace(0.0, 1.0, 2001)[:, None]
            lam, b, c = ((1 - t) * x[k - 1] + t * x[k] for x in (lams, B, C))
            most = (lam * v * np.abs(b) - c * b)[:, v > 0.0].sum(axis=1).max()
            assert found[k] >= most - 1e-12
            assert ends != "exact" or found[k] == pytest.approx(most, abs=1e-12)
