"""Screening: what bounds exclude is excluded rightly, and few products are needed.

What inactive columns add to the gap is what their products say, multiplied or not.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from packed_genotypes import drawn, imputed, packed
from random_sparse import random_csc
from screened import products_along_a_path, standardised
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.genotypes import MixedColumns
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.responses.certificate import InactiveRows
from sparsesolve.solvers.screening.inactive import (
    Inactive,
    farthest,
    group_rates,
    most_entering,
)

import sparsesolve as ss
from sparsesolve.penalties import ElasticNet, GroupL2, GroupLinf, SparseGroup

N, P = 60, 300
RNG = np.random.default_rng(4)
FACTORS = RNG.uniform(0.5, 2.0, P)
LIMITED = {"lower": np.resize([-np.inf, -0.3, 0.0], P), "upper": np.resize([0.2, np.inf], P)}
PENALTIES = {
    "lasso": ElasticNet(P, 1.0, FACTORS),
    "net": ElasticNet(P, 0.5, FACTORS),
    "limits": ElasticNet(P, 1.0, FACTORS, **LIMITED),
}


@pytest.fixture(params=PENALTIES)
def made(request):
    """The columns outside with that penalty, the columns in numpy, and a response."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((N, P))
    X[:, 1:] += 0.8 * X[:, :-1]
    w = rng.uniform(0.5, 1.5, N)
    w /= w.sum()
    net, root_w, (design, Z) = PENALTIES[request.param], np.sqrt(w), standardised(X, w)
    r = root_w * (X[:, :5] @ rng.standard_normal(5))
    return SimpleNamespace(net=net, outside=Inactive(design, root_w, net, 1),
                           A=root_w[:, None] * Z, r=r - root_w * (root_w @ r))  # fmt: skip


def walk(made, steps=80):
    """Residuals that shrink and turn, with steps of all sizes and returns to an old one, and lams
    that some columns exceed."""
    rng, r = np.random.default_rng(1), made.r
    for step in range(steps):
        size = rng.choice([1e-6, 1e-3, 0.05]) * np.linalg.norm(made.r) / np.sqrt(N)
        r = made.r if step % 30 == 29 else 0.97 * r + size * rng.standard_normal(N)
        z = made.A.T @ r
        yield r, z, np.quantile(np.abs(z) / made.net.l1, rng.choice([0.9, 0.98, 1.0]))


def test_every_violator_is_found_and_nothing_else(made):
    seen = 0
    for r, z, lam in walk(made):
        over = np.flatnonzero(np.abs(z) > lam * np.asarray(made.net.l1) * (1 + 1e-9))
        found = np.sort(made.outside.violating(r, lam, P))
        assert np.isin(over, found).all()
        assert (np.abs(z[found]) >= lam * np.asarray(made.net.l1)[found] * (1 - 1e-9)).all()
        seen += len(over)
    assert seen > 300


def test_scales_and_gap_are_those_of_all_products(made):
    """What no bound lets be multiplied has a conjugate of 0 and is feasible."""
    for r, z, lam in walk(made, 40):
        feasible, strict, _ = made.outside.certified(r, lam, 0.0)
        assert feasible == pytest.approx(made.net.feasible_scale(z, lam), rel=1e-9)
        assert strict <= feasible
        for s in (feasible, 0.7 * feasible):
            expected = made.net.conjugate(s * z, lam)
            assert made.outside.certified(r, lam, s)[2] == pytest.approx(expected, abs=1e-9 * lam)


def test_the_strict_scale_ends_where_a_limit_of_0_does_not(made):
    """It is that of the lasso, but that columns shut to one side do not count there."""
    net = made.net
    for r, z, lam in walk(made, 20):
        open_ = np.where(z > 0.0, np.asarray(net.upper) > 0.0, np.asarray(net.lower) < 0.0)
        level = np.where(open_, np.abs(z) / net.l1, 0.0).max()
        expected = min(1.0, lam / level)
        assert made.outside.certified(r, lam, 0.0)[1] == pytest.approx(expected, rel=1e-9)


def test_of_too_many_violators_the_farthest_come(made):
    z = made.A.T @ made.r
    levels = np.abs(z) / np.asarray(made.net.l1)
    lam = np.quantile(levels, 0.5)
    found = made.outside.violating(made.r, lam, 10)
    assert set(found) == set(np.argsort(-levels)[:10])


def test_farthest_takes_blocks_up_to_a_number_of_columns_and_all_that_are_unpenalised():
    levels, columns = np.array([3.0, np.inf, 1.0, 2.0, np.inf]), np.array([2, 5, 1, 2, 5])
    assert farthest(levels, columns, 1).tolist() == [1, 4]
    assert farthest(levels, columns, 11).tolist() == [0, 1, 4]
    assert farthest(levels, columns, 100).tolist() == [0, 1, 2, 3, 4]


def test_a_round_lets_in_as_many_as_are_at_work():
    assert most_entering(1000) == 1000
    assert most_entering(0) == most_entering(100) > 100


# Groups

N_GROUPS, P_GROUPS, G = 100, 500, 90
MAKERS = {"l2": GroupL2, "sparse": lambda groups: SparseGroup(groups, 0.4), "linf": GroupLinf}


def problem(kind, limits, shape):
    """A standardised problem with scattered groups of sizes 1 to 12, and its columns."""
    rng, (n, p) = np.random.default_rng(6), shape
    X = rng.standard_normal(shape)
    X[:, 1:] += 0.7 * X[:, :-1]
    w = rng.random(n)
    w /= w.sum()
    design, Z = standardised(X, w)
    shares = rng.random(G) ** 2
    omega = MAKERS[kind](rng.choice(G, p, p=shares / shares.sum())).over(p)
    omega = omega.under(1.0, np.ones(omega.n_groups), np.zeros(omega.n_groups, dtype=bool),
                        np.full(p, limits[0]), np.full(p, limits[1]), 1.0)  # fmt: skip
    y = X[:, :30] @ rng.standard_normal(30) + rng.standard_normal(n)
    made = SimpleNamespace(design=design, penalty=omega, weights=w, response=y - w @ y)
    return made, Z


@pytest.mark.parametrize("limits", [(-np.inf, np.inf), (0.0, np.inf)], ids=["free", "positive"])
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("shape", [(N_GROUPS, P_GROUPS), (256, 4000)], ids=["short", "long"])
def test_no_bound_excludes_a_group_that_violates(kind, limits, shape):
    """Residuals on a walk, at levels that rise and fall: short steps, long ones, and back."""
    made, Z = problem(kind, limits, shape)
    root_w = np.sqrt(made.weights)
    outside = Inactive(made.design, root_w, made.penalty, 1)
    rng = np.random.default_rng(0)
    r, excluded, left = root_w * made.response, 0, 0
    back = r.copy()
    steps = 150 if shape == (N_GROUPS, P_GROUPS) else 50
    for step in range(steps):
        if step % 40 == 39:
            r = back.copy()  # as seen before
        else:
            r = 0.97 * r + rng.choice([1e-6, 1e-3, 0.03]) * rng.standard_normal(shape[0])
        polar = made.penalty.levels(Z.T @ (root_w * r))
        lam = np.quantile(polar, 0.93) * rng.choice([1.0, 1.2])
        before = outside.multiplied
        found = np.unique(np.asarray(made.penalty.of)[outside.violating(r, lam, len(Z.T))])
        violators = np.flatnonzero(polar > lam * (1 + 1e-12))
        assert np.isin(violators, found).all(), step
        excluded += len(Z.T) - (outside.multiplied - before)
        left += len(violators)
    assert left > 0.6 * steps  # the test tells something
    assert excluded > 0.4 * steps * len(Z.T)


@pytest.mark.parametrize("shape", [(N_GROUPS, P_GROUPS), (400, 2600)], ids=["short", "long"])
def test_a_group_of_one_is_screened_as_its_column(shape):
    """The same blocks are found, with the same scales, gap and violators."""
    rng, (n, p) = np.random.default_rng(3), shape
    X, root_w, weights = rng.standard_normal(shape), np.full(n, n**-0.5), rng.uniform(0.5, 2.0, p)
    design, Z = standardised(X, root_w**2)
    columns = Inactive(design, root_w, ElasticNet(p, 1.0, weights), 1)
    groups = Inactive(design, root_w, GroupL2(np.arange(p), weights).over(p), 1)
    A, r = root_w[:, None] * Z, rng.standard_normal(n)
    seen = 0
    for _ in range(40):
        r = 0.97 * r + rng.choice([1e-6, 1e-3, 0.03]) * rng.standard_normal(n)
        lam = np.quantile(np.abs(A.T @ r) / weights, 0.95)
        feasible = columns.certified(r, lam, 0.0)[0]
        found, expected = groups.certified(r, lam, feasible), columns.certified(r, lam, feasible)
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-13)
        violators = np.sort(columns.violating(r, lam, p))
        assert np.sort(groups.violating(r, lam, p)).tolist() == violators.tolist()
        seen += len(violators)
    assert seen > 40 * 0.04 * p


@pytest.mark.parametrize("maker", [GroupL2, GroupLinf])
@pytest.mark.parametrize("stored", ["dense", "sparse"])
def test_rates_are_between_the_largest_singular_value_and_the_trace(maker, stored):
    rng, groups = np.random.default_rng(0), np.random.default_rng(3).choice(20, 90)
    X = rng.standard_normal((60, 90))
    X[:, 1:] += 0.9 * X[:, :-1]
    if stored == "sparse":
        X = random_csc((60, 90), 0.1, rng)
        X.indices = X.indices.astype(np.intc)
    design, Z = standardised(X, np.full(60, 1 / 60))
    weights = dict(enumerate(rng.uniform(0.5, 2.0, 20))) | {4: 0.0}
    penalty = maker(groups, weights).over(90)
    rate = group_rates(design, np.full(60, 60**-0.5), penalty, 1)
    for g in range(penalty.n_groups):
        columns = np.asarray(penalty.member)[penalty.start[g]:penalty.start[g + 1]]
        own, reach = Z[:, columns] / 60**0.5, len(columns) ** 0.5 if maker is GroupLinf else 1.0
        scaled = rate[g] * penalty.weight[g] / reach
        assert scaled >= np.linalg.norm(own, 2) * (1 - 1e-12) * (penalty.weight[g] > 0.0)
        assert rate[g] == 0.0 or penalty.weight[g] > 0.0
        assert scaled <= np.linalg.norm(own) * (1 + 1e-11)


# Features of several responses, where every candidate is multiplied

N_BALLS, P_BALLS = 30, 400


@pytest.fixture(params=[False, True], ids=["largest", "together"])
def problem_of_safe_balls(request):
    X = np.random.default_rng(0).standard_normal((N_BALLS, P_BALLS))
    design, Z = standardised(X, np.full(N_BALLS, 1 / N_BALLS), scaled=False)
    net = ElasticNetRows(ElasticNet(P_BALLS), request.param)
    return InactiveRows(design, net, 2, 1), Z, request.param


def sizes(Z, u, together):
    C = u @ Z
    return np.linalg.norm(C, axis=0) if together else abs(C).max(axis=0)


def seen(outside, size):
    """How many were multiplied, which is told by their sizes."""
    return np.isclose(outside.size, size, rtol=1e-12, atol=0.0).sum()


def test_a_residual_that_gets_shorter_wakes_hardly_any(problem_of_safe_balls):
    """By its own length it goes a long way; beside the last one, scaled, it does not move."""
    outside, Z, together = problem_of_safe_balls
    rng = np.random.default_rng(1)
    u = rng.standard_normal((2, N_BALLS))
    lam = 1.1 * sizes(Z, u, together).max()
    outside.examine(u, lam)
    candidates = 0
    for _ in range(50):
        u = 0.9 * u + 1e-4 * np.abs(u).max() * rng.standard_normal(u.shape)
        lam *= 0.9
        size = sizes(Z, u, together)
        which, _, _ = outside.examine(u, lam)
        assert np.array_equal(which, np.flatnonzero(size > lam))
        candidates += seen(outside, size)
    assert candidates < 50  # of 20,000


@pytest.mark.parametrize(
    "factors",
    [[1e-12] * 12, [1e12] * 12, [-1.0] * 5, [0.0, 1.0, 1.0], [1.0, -0.3, 2.0, -1e-9, 1e9]],
    ids=["tiny", "huge", "turned", "zero", "to and fro"],
)
def test_none_is_missed_whatever_the_residual_does(problem_of_safe_balls, factors):
    outside, Z, together = problem_of_safe_balls
    rng = np.random.default_rng(2)
    u = rng.standard_normal((2, N_BALLS))
    for factor in (1.0, *factors):
        u = factor * u + 0.05 * np.abs(factor * u).max() * rng.standard_normal(u.shape)
        size = sizes(Z, u, together)
        for share in (0.9, 0.5, 0.99):
            which, _, _ = outside.examine(u, share * size.max())
            assert np.array_equal(which, np.flatnonzero(size > share * size.max()))


# Whole paths, on long, short and sparse columns

@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("rho", [0.5, 0.95])
def test_every_long_column_stays_below_lambda(rho, single):
    """X is multiplied in full 16 to 22 times for 30 lambdas."""
    rng, n, p = np.random.default_rng(1), 400, 4000
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32 if single else float)
    y = X[:, :40].astype(float) @ rng.standard_normal(40) + 5 * rng.standard_normal(n)
    y, w = (y - y.mean()) / y.std(), np.full(n, 1 / n)
    assert products_along_a_path(*standardised(X, w), y, w, 0.01, 30) < 24 * p


@pytest.mark.parametrize(
    ("n", "density", "full", "share"),
    [
        (200, 0.003, False, 0.13),
        (200, 0.003, True, 0.8),
        (200, 0.03, False, 0.8),
        (200, 0.03, True, 0.8),
        (2000, 0.005, False, 0.6),  # few values of many rows: asleep by entries
    ],
)
def test_every_short_or_sparse_column_stays_below_lambda(n, density, full, share):
    rng, p = np.random.default_rng(2), 3000
    X = random_csc((n, p), density, rng)
    X.data -= 0.5
    X.indices = X.indices.astype(np.intc)
    dense = X.toarray()
    y = dense @ (rng.standard_normal(p) * (rng.random(p) < 0.02)) + 0.1 * rng.standard_normal(n)
    y, w = y - y.mean(), np.full(n, 1 / n)
    columns = standardised(dense if full else X, w, scaled=False)
    assert products_along_a_path(*columns, y, w, 0.02, 25) < share * 25 * p


# Genotypes by near products

N_BITS, P_BITS = 301, 2500


@pytest.fixture(scope="module")
def study():
    """Genotypes with neighbours alike, and a response of 30 of them with heavy tails."""
    rng = np.random.default_rng(5)
    G = drawn(N_BITS, P_BITS, seed=5, missing=0.01)
    alike = rng.random((N_BITS, P_BITS // 2)) < 0.9
    G[:, 1::2] = np.where(alike, G[:, ::2], G[:, 1::2])
    y = imputed(G, np.ones(N_BITS))[0][:, ::83][:, :30] @ rng.standard_normal(30)
    return G, y + 2 * rng.standard_t(2, N_BITS)


@pytest.mark.parametrize("kind", ["equal", "uneven", "some"])
def test_every_column_stays_below_lambda(study, kind):
    """By products of numpy with all columns; few exact ones were taken on the way."""
    G, y = study
    at = np.arange(N_BITS)
    w = {"equal": np.ones(N_BITS), "uneven": 0.5 + at / N_BITS, "some": at % 5 > 0}[kind]
    w = w / w.sum()
    design = Design(packed(G))
    design.moments(w)
    spread = np.asarray(design.spread)
    design.standardise(True, 1 / spread)
    X, mean = imputed(G, w)
    Z, y = (X - mean) / spread, y - w @ y
    # some 80 times as many without
    assert products_along_a_path(design, Z, y, w, 0.1, 20) < P_BITS


@pytest.mark.parametrize("family", ["gaussian", "binomial", "cox"])
@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_paths_are_those_of_the_imputed_matrix(study, family, alpha):
    G, y = study
    rng = np.random.default_rng(1)
    y = {"gaussian": y, "binomial": (y > np.median(y)) + 0.0,
         "cox": np.c_[rng.exponential(np.exp(-y / 9)), rng.random(N_BITS) < 0.8]}[family]
    bits = MixedColumns([packed(G)])
    options = {"family": family, "alpha": alpha, "n_lambdas": 12, "lambda_min_ratio": 0.2,
               "tol": 1e-13}  # fmt: skip
    fit = ss.path(bits, y, **options)
    other = ss.path(imputed(G, np.ones(N_BITS))[0], y, lambdas=fit.lambdas, **{
        name: value for name, value in options.items() if "lambda" not in name})
    assert fit.coefs.toarray() == pytest.approx(other.coefs.toarray(), abs=1e-5)


def test_groups_are_screened_by_their_norms(study):
    G, y = study
    bits = MixedColumns([packed(G)])
    options = {"penalty": GroupL2(np.arange(P_BITS) // 5), "tol": 1e-12}
    fit = ss.path(bits, y, n_lambdas=10, lambda_min_ratio=0.3, **options)
    other = ss.path(imputed(G, np.ones(N_BITS))[0], y, lambdas=fit.lambdas, **options)
    assert fit.coefs.toarray() == pytest.approx(other.coefs.toarray(), abs=1e-4)
