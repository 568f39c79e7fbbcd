"""Parts of the solvers of K responses, one by one: what they share of the curvature, models and
their sweeps, conjugate gradients, Newton steps by inner products, inactive features."""

from types import SimpleNamespace

import numpy as np
import pytest
from random_sparse import random_csc
from scipy import optimize
from sparsesolve.linalg.design.design import Design
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.responses.certificate import InactiveRows
from sparsesolve.solvers.responses.model import (
    DenseModel,
    ResponseQuadratic,
    SeparateModel,
    SparseModel,
)
from sparsesolve.solvers.responses.response_statistics import GroupedHessian

import sparsesolve as ss
from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.responses.descent import (
    SharedCurvature,
    by_diagonal,
    conjugate_gradients,
)

K, M, LAM = 3, 30, 0.9


class Columns:
    """Columns as rows of an array, taken in by and by."""

    dense = True

    def __init__(self, rows):
        self.all, self.size = rows, 0

    @property
    def rows(self):
        return self.all[: self.size]

    def gram(self, h, first=0):
        return self.rows @ (self.rows[first:] * h).T

    def squares(self, h, first=0):
        return ((self.rows[first:] ** 2) * h).sum(axis=1)


def test_it_follows_columns_and_weights():
    rng = np.random.default_rng(0)
    rows, h = rng.standard_normal((70, 24)), rng.uniform(0.5, 1.5, (2, 24))
    columns = Columns(rows)
    shared = SharedCurvature(columns, h[0])
    for weights, size in ((h[0], 5), (h[0], 20), (h[1], 20), (h[1], 37), (h[1], 70)):
        if weights is not shared.h:
            shared.renew(weights)
        columns.size = size
        Z = rows[:size]
        gram = (Z * weights) @ Z.T
        assert shared.wide == (size > 36)
        assert np.abs(shared.squares - gram.diagonal()).max() <= 1e-12 * gram.max()
        assert np.abs(shared.gram - gram).max() <= 1e-6 * gram.max()
        found, inner = shared.rows()
        assert inner is (not shared.wide)
        of_rows = found if inner else found @ found.T
        assert np.abs(of_rows - gram).max() <= 1e-5 * gram.max()


@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
def test_more_columns_than_samples_at_work(family):
    rng = np.random.default_rng(1)
    n, p, K = 40, 250, 4
    X = rng.standard_normal((n, p))
    Y = X[:, :30] @ rng.standard_normal((30, K)) + rng.standard_normal((n, K))
    y = Y if family == "multigaussian" else Y.argmax(axis=1)
    fit = ss.path(X, y, family=family, standardize=False, lambda_min_ratio=2e-3, n_lambdas=20,
                  stop=None, tol=1e-9)  # fmt: skip
    assert fit.gaps.max() <= 1e-9
    if family == "multigaussian":  # columns themselves are swept over at the end
        assert fit.df.max() > 1.5 * n
        lam = fit.lambdas[-1]
        B = np.asarray(fit.coef(s=lam)).reshape(K, p)
        R = Y - X @ B.T
        Z = X.T @ (R - R.mean(axis=0)) / n
        sizes, norms = np.linalg.norm(Z, axis=1), np.linalg.norm(B, axis=0)
        assert sizes.max() <= lam * (1 + 1e-3)
        inside = norms > 1e-3 * norms.max()
        ahead = lam * (B / np.maximum(norms, 1e-300)).T
        assert np.abs(Z - ahead)[inside].max() <= 1e-3 * lam


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
def test_columns_of_few_values_have_the_path_of_the_dense_design(family, grouped):
    rng = np.random.default_rng(3)
    n, p, K = 150, 600, 3
    X = random_csc((n, p), 0.02, rng)
    Y = X[:, :40] @ rng.standard_normal((40, K)) + 0.3 * rng.standard_normal((n, K))
    options = {"family": family, "n_lambdas": 12, "lambda_min_ratio": 0.05, "stop": None}
    options |= {"alpha": 0.9, "tol": 1e-11, "solver": "response_blocks"}
    options |= {"grouped": True} if grouped and family == "multinomial" else {}
    y = Y if family == "multigaussian" else Y.argmax(axis=1)
    fit = ss.path(X, y, **options)
    dense = ss.path(X.toarray(), y, lambdas=fit.lambdas, **options)
    assert fit.gaps.max() <= 1e-11 and fit.df.max() > 60  # 8 * values < columns at work, squared
    for lam in fit.lambdas[2::3]:
        one, other = (np.asarray(f.predict(X.toarray(), s=lam, kind="link")) for f in (fit, dense))
        assert np.abs(one - other).max() <= 1e-4 * np.abs(other).max()


def problem(rho, grouped, alpha):
    """Correlated columns' inner products (single precision), scales, slopes, a penalty."""
    rng = np.random.default_rng(7)
    Z = rng.standard_normal((60, M)) + rho * rng.standard_normal((60, 1))
    gram = (Z.T @ Z / 60).astype(np.float32)
    scales = np.full(K, 0.7) if grouped else np.array([0.7, 0.2, 1.3])
    return gram, scales, rng.standard_normal((K, M)), ElasticNetRows(ElasticNet(M, alpha), grouped)


def proximal_step(left, scales, net, B, lam=LAM):
    """A proximal gradient step from B, where -gradient is `left`: only the minimum stays."""
    l1, l2 = lam * np.asarray(net.l1), lam * np.asarray(net.l2)
    moved = B + left / scales.max()
    sizes = np.sqrt((moved**2).sum(axis=0)) if net.grouped else np.abs(moved)
    shrunk = np.maximum(1.0 - l1 / scales.max() / np.maximum(sizes, 1e-300), 0.0)
    return moved * shrunk / (1.0 + l2 / scales.max())


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.6])
@pytest.mark.parametrize("rho", [0.0, 3.0])  # with 3 sweeps creep
def test_the_model_is_minimised(rho, grouped, alpha):
    gram, scales, slope, net = problem(rho, grouped, alpha)
    start = 0.1 * np.random.default_rng(1).standard_normal((K, M))
    B, left = start, slope
    for _ in range(60):  # in single precision, so the digits come from starting again
        model = DenseModel(gram, True, gram.diagonal().astype(float), scales, B, left)
        assert 1 <= model.descend(net, LAM, 200, 1e-4) <= 200
        image = (np.asarray(model.B) - B) @ gram.astype(float)
        bend = (scales * ((np.asarray(model.B) - B) * image).sum(axis=1)).sum()
        assert np.abs(model.image - image).max() <= 1e-4 * np.abs(image).max()
        assert model.step_curvature() == pytest.approx(bend, rel=1e-3)
        still = np.abs(model.B - B).max() <= 1e-8
        B, left = np.array(model.B), left - scales[:, None] * image
        if still:
            break
    left = slope - scales[:, None] * ((B - start) @ gram.astype(float))
    assert np.abs(proximal_step(left, scales, net, B) - B).max() <= 1e-6 * np.abs(B).max()
    assert 0 < np.count_nonzero(B) < B.size


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kind, grouped, softmax", [
    (SeparateModel, False, True), (SparseModel, True, True),
    (SparseModel, False, False), (SparseModel, True, False),
], ids=["classes", "grouped classes", "real", "grouped real"])  # fmt: skip
def test_stored_values_are_taken_with_the_curvature_as_it_is(kind, grouped, softmax, intercept):
    rng = np.random.default_rng(4)
    n, w = 80, rng.uniform(0.5, 2.0, 80) / 80
    X, offset = random_csc((n, M), 0.1, rng), 0.1 * rng.standard_normal(M) * intercept
    X.data[X.indptr[0] : X.indptr[1]] *= intercept == 0  # the intercept's is nothing less -1
    X.eliminate_zeros()
    offset[:intercept] = -1.0
    Z = X.toarray() - offset
    A = w * rng.dirichlet(np.ones(K), n).T.copy() if softmax else np.tile(w, (K, 1))
    r = 1.0 / w if softmax else np.zeros(n)
    features = np.arange(M, dtype=np.intc) - intercept
    net = ElasticNetRows(ElasticNet(M, 0.9), grouped).take(features)
    slope, start = rng.standard_normal((K, M)) / 80, 0.1 * rng.standard_normal((K, M))
    slope[:, :1] -= intercept * slope[:, :1].mean()  # as of classes, whose shares sum to 1
    columns, lam = SimpleNamespace(matrix=X, offset=offset), LAM / 80

    def curved(step):
        """Z'F''Z step."""
        image = step @ Z.T
        return (A * (image - r * (A * image).sum(axis=0))) @ Z

    B, left = start, slope
    for _ in range(5):  # in takes_radial_steps, which take up where the last one ended
        model = kind(columns, bool(intercept), A, r, B, left)
        model.descend(net, lam, 2000, 1e-9)
        step = model.solution() - B
        expected = np.vdot(step, curved(step))
        assert model.step_curvature() == pytest.approx(expected, rel=1e-6, abs=1e-12)
        B, left = B + step, left - curved(step)
    assert np.abs(left - (slope - curved(B - start))).max() <= 1e-12
    h = 10.0 * (Z**2).sum(axis=0).max() * w.max()
    assert np.count_nonzero(B) > K
    assert np.abs(proximal_step(left, np.full(K, h), net, B, lam) - B).max() <= 1e-6


def test_a_direction_that_does_not_bend_is_told():
    A = np.diag([1.0, 0.0])
    step, _, flat = conjugate_gradients(lambda x: A @ x, lambda r: r.copy(), np.array([0.0, 2.0]),
                                        0.0, 10)  # fmt: skip
    assert flat and step.tolist() == [0.0, 2.0]


def test_the_diagonal_preconditions_rows_along_their_directions_and_across():
    rng = np.random.default_rng(6)
    ridge, bent, x = rng.uniform(size=4), rng.uniform(size=4), rng.standard_normal((3, 4))
    unit = rng.standard_normal((3, 4))
    unit /= np.sqrt((unit**2).sum(axis=0))
    alike = np.tile(rng.uniform(1, 2, 4), (3, 1))  # the inverse, where responses are alike
    out = by_diagonal(alike, unit, ridge, bent)(x)
    across = out - unit * (unit * out).sum(axis=0)
    assert out * (alike + ridge) + across * bent == pytest.approx(x)
    apply = by_diagonal(rng.uniform(1, 2, (3, 4)), unit, ridge, bent)
    M = np.array([apply(e.reshape(3, 4)).ravel() for e in np.eye(12)])
    assert pytest.approx(M.T) == M
    assert np.linalg.eigvalsh(M).min() > 0


# Newton steps by inner products

P = 5
Z, Y = (np.random.default_rng(size).standard_normal((20, size)) for size in (P, K))
L1, L2 = np.array([1.0, 0.5, 0.0, 2.0, 1.0]), np.array([0.3, 0.0, 0.0, 0.1, 0.2])


def quadratic():
    net = ElasticNetRows(ElasticNet(P), True).take(np.arange(P, dtype=np.intc))
    np.asarray(net.l1)[:], np.asarray(net.l2)[:] = L1, L2
    return ResponseQuadratic(Z.T @ Z, Y.T @ Z, (Y**2).sum(), net)


def gradient(B):
    """The gradient of the objective at B (K, P), no column of which is 0."""
    sizes = np.sqrt((B**2).sum(axis=0))
    return (B @ Z.T - Y.T) @ Z + 0.3 * (L1 / sizes + L2) * B


@pytest.mark.parametrize("empty", [None, 3])
def test_a_step_solves_with_the_whole_hessian_on_the_nonzero_rows(empty):
    B = np.linalg.lstsq(Z, Y, rcond=None)[0].T  # near the optimum, so that whole steps descend
    kept = np.arange(P) != empty
    own = np.tile(kept, (K, 1)).ravel()
    hessian = optimize.approx_fprime(B.ravel(), lambda x: gradient(x.reshape(K, P)).ravel(), 1e-7)
    if empty is not None:
        hessian[:, np.tile(~kept, K)] = 0.0
    at = B * kept
    slope = (at @ Z.T - Y.T) @ Z + 0.3 * (L1 / np.sqrt((B**2).sum(axis=0)) + L2) * at
    expected = at.copy().ravel()
    expected[own] -= np.linalg.solve(hessian[np.ix_(own, own)], slope.ravel()[own])
    moved = GroupedHessian(K, P).stepped(quadratic(), at, 0.3)
    np.testing.assert_allclose(moved, expected.reshape(K, P), rtol=1e-4, atol=1e-5)
    assert np.abs(moved - at).max() > 1e-3
    assert not moved[:, ~kept].any()


def test_a_row_that_would_change_direction_stops_at_zero():
    B = np.linalg.lstsq(Z, Y, rcond=None)[0].T
    B[:, 3] *= -0.5  # its Newton step leads to the other side
    moved = GroupedHessian(K, P).stepped(quadratic(), B, 0.3)
    assert not moved[:, 3].any() and moved[:, :3].any(axis=0).all()


@pytest.mark.parametrize("grouped", [False, True])
def test_those_beyond_their_level_are_found_wherever_the_dual_point_goes(grouped):
    rng = np.random.default_rng(0)
    X, factors = rng.standard_normal((30, 200)), rng.uniform(0.5, 2.0, 200)
    design = Design(np.asfortranarray(X))
    design.moments(np.full(len(X), 1 / len(X)))
    design.standardise(True, np.ones(X.shape[1]))
    net = ElasticNetRows(ElasticNet(200, factors=factors), grouped)
    outside, gone, multiplied = InactiveRows(design, net, 3, 1), np.array([3, 7]), 0
    outside.leave(gone)
    u = rng.standard_normal((3, 30))
    for lam in np.geomspace(40.0, 4.0, 40):
        u = 0.97 * u + 0.02 * rng.standard_normal(u.shape)
        C = u @ (X - X.mean(axis=0))
        sizes = np.sqrt((C**2).sum(axis=0)) if grouped else abs(C).max(axis=0)
        which, products, found = outside.examine(u, lam)
        assert np.array_equal(which, np.setdiff1d(np.flatnonzero(sizes > lam * factors), gone))
        assert products == pytest.approx(C[:, which], abs=1e-12)
        assert found == pytest.approx(sizes[which])
        multiplied += np.isclose(outside.size, sizes, rtol=1e-13).sum()
    assert multiplied < 0.5 * 40 * 200  # the bounds do spare products
    assert np.isin(outside.near(4.0, 4.0), np.flatnonzero(outside.size > 4.0 * factors)).all()
