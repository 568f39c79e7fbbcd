"""Block coordinate descent on the model of K responses: its minimum, and what it says is left."""

import numpy as np
import pytest
from random_sparse import random_csc
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.responses.model import DenseModel, SparseModel

from sparsesolve.penalties import ElasticNet

K, M, LAM = 3, 30, 0.9


def problem(rho, grouped, alpha):
    """Correlated columns' inner products (single precision), scales, slopes, a penalty."""
    rng = np.random.default_rng(7)
    Z = rng.standard_normal((60, M)) + rho * rng.standard_normal((60, 1))
    gram = (Z.T @ Z / 60).astype(np.float32)
    scales = np.full(K, 0.7) if grouped else np.array([0.7, 0.2, 1.3])
    return gram, scales, rng.standard_normal((K, M)), ElasticNetRows(ElasticNet(M, alpha), grouped)


def proximal_step(left, scales, net, B):
    """A proximal gradient step from B, where -gradient is `left`: only the minimum stays."""
    l1, l2 = LAM * np.asarray(net.l1), LAM * np.asarray(net.l2)
    moved = B + left / scales.max()
    sizes = np.sqrt((moved**2).sum(axis=0)) if net.grouped else np.abs(moved)
    shrunk = np.maximum(1.0 - l1 / scales.max() / np.maximum(sizes, 1e-300), 0.0)
    return moved * shrunk / (1.0 + l2 / scales.max())


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.6])
@pytest.mark.parametrize("rho", [0.0, 3.0])  # with 3 sweeps alone creep: they are carried on
def test_the_model_is_minimised(rho, grouped, alpha):
    gram, scales, slope, net = problem(rho, grouped, alpha)
    start = 0.1 * np.random.default_rng(1).standard_normal((K, M))
    B, left = start, slope
    for _ in range(5):  # in single precision, so the digits come from starting anew
        model = DenseModel(gram, True, gram.diagonal().astype(float), scales, B, left)
        assert 1 <= model.descend(net, LAM, 200, 1e-4) <= 200
        image = (np.asarray(model.B) - B) @ gram.astype(float)
        bend = (scales * ((np.asarray(model.B) - B) * image).sum(axis=1)).sum()
        assert np.abs(model.image - image).max() <= 1e-4 * np.abs(image).max()
        assert model.bend() == pytest.approx(bend, rel=1e-3)
        B, left = np.array(model.B), left - scales[:, None] * image
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
    assert one.bend() == pytest.approx(other.bend(), rel=1e-3)


@pytest.mark.parametrize("grouped", [False, True])
def test_stored_values_do_as_well_as_inner_products(grouped):
    rng = np.random.default_rng(4)
    X, h = random_csc((80, M), 0.1, rng), rng.uniform(0.5, 2.0, 80) / 80
    offset = rng.standard_normal(M) * 0.1
    offset[:3] = 0.0
    Z = X.toarray() - offset
    slope, scales = rng.standard_normal((K, M)) / 80, np.array([0.8, 0.8, 0.8])
    net = ElasticNetRows(ElasticNet(M, 0.9), grouped)
    gram, start = (Z.T * h) @ Z, 0.1 * rng.standard_normal((K, M))
    squares = gram.diagonal().copy()
    model = SparseModel(X, offset, h, squares, scales, start, slope)
    other = DenseModel(gram.astype(np.float32), True, squares, scales, start, slope)
    for one in (model, other):
        one.descend(net, LAM / 80, 5000, 1e-8)  # long enough to be carried on
    B, step = np.asarray(model.B), np.subtract(model.B, start)
    assert np.count_nonzero(B) > K
    bend = (scales * ((step @ gram) * step).sum(axis=1)).sum()
    assert model.bend() == pytest.approx(bend, rel=1e-9)
    assert np.abs(np.subtract(B, other.B)).max() <= 1e-3 * np.abs(B).max()
    left = slope - scales[:, None] * (step @ gram)  # double precision: the minimum itself
    bound = LAM / 80 * 0.9
    if grouped:
        assert np.linalg.norm(left[:, ~B.any(axis=0)], axis=0).max(initial=0) <= bound * (1 + 1e-3)
    else:
        assert np.abs(left[B == 0.0]).max() <= bound * (1 + 1e-3)
        ahead = bound * np.sign(B) + LAM / 80 * 0.1 * B
        assert np.abs(left - ahead)[B != 0.0].max() <= 1e-3 * bound
