"""Block coordinate descent on the model of K responses: its minimum, and what it says is left."""

from types import SimpleNamespace

import numpy as np
import pytest
from random_sparse import random_csc
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.responses.model import DenseModel, SeparateModel, SparseModel

from sparsesolve.penalties import ElasticNet

K, M, LAM = 3, 30, 0.9


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


@pytest.mark.parametrize("grouped", [False, True])
def test_columns_do_as_well_as_their_inner_products(grouped):
    rng = np.random.default_rng(3)
    Z = rng.standard_normal((20, M)) / np.sqrt(20)
    slope, scales = rng.standard_normal((K, M)), np.full(K, 0.8)
    net = ElasticNetRows(ElasticNet(M, 0.9), grouped)
    columns, products = Z.T.astype(np.float32).copy(), (Z.T @ Z).astype(np.float32)
    squares, start = (Z**2).sum(axis=0), np.zeros((K, M))
    models = [
        DenseModel(rows, inner, squares, scales, start, slope)
        for rows, inner in ((columns, False), (products, True))
    ]
    for model in models:
        model.descend(net, LAM / 3, 5000, 1e-6)
    one, other = models
    assert np.count_nonzero(one.B) > K
    assert np.abs(np.subtract(one.B, other.B)).max() <= 1e-3 * np.abs(one.B).max()
    assert one.step_curvature() == pytest.approx(other.step_curvature(), rel=1e-3)


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
