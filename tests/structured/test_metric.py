"""The metric of chains against the matrix that it stands for, and what its steps minimise."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.structured.metric import LabelMetric

import sparsesolve as ss
from sparsesolve.penalties import ElasticNet, GroupL2
from sparsesolve.structured import state as states
from sparsesolve.structured.problem import over_labels

N, P, K = 30, 6, 3


def made(tied, floor=0.1):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, P)) * (rng.random((N, P)) < 0.6)
    h = rng.random((N, K))
    x = sparse.csr_array(X)
    metric = LabelMetric(P, K, tied)
    metric.refresh(x.indptr.astype(np.longlong), x.indices.astype(np.intc), x.data, h, floor)
    dense = np.stack([X.T @ (h[:, [k]] * X) for k in range(K)])
    return metric, dense + floor * np.max(np.einsum("kjj->kj", dense)) * np.eye(P)


@pytest.mark.parametrize("tied", [False, True])
def test_products_are_those_of_the_dense_matrices(tied):
    metric, dense = made(tied)
    v = np.random.default_rng(1).normal(size=(P, K))
    expected = np.stack([dense[k] @ v[:, k] for k in range(K)], axis=1)
    np.testing.assert_allclose(metric.times(v), expected, atol=1e-12)


def test_without_any_curvature_it_is_the_identity():
    metric = LabelMetric(2, 2, False)
    metric.refresh(np.zeros(2, dtype=np.longlong), np.zeros(1, dtype=np.intc), np.zeros(1),
                   np.ones((1, 2)), 0.1)  # fmt: skip
    np.testing.assert_array_equal(metric.times(np.eye(2)), np.eye(2))


@pytest.mark.parametrize("tied", [False, True])
def test_a_step_lowers_the_model_to_its_minimum(tied):
    """Nine tenths of what many plain proximal gradient steps gain on the same model, at least."""
    metric, dense = made(tied)
    rng = np.random.default_rng(2)
    z, c, lam, L = 5.0 * rng.normal(size=(P, K)), rng.normal(size=(P, K)), 1.5, 2.0
    penalty = ElasticNet(P * K, 0.9)
    if tied:
        penalty = over_labels(GroupL2(np.arange(P) // 2).over(P, None), K, 1.0)

    def model(b):
        d = b - c
        square = sum(d[:, k] @ dense[k] @ d[:, k] for k in range(K))
        return -np.sum(z * d) + 0.5 * L * square + penalty.value(np.ravel(b), lam)

    b, size = c.copy(), L * max(np.linalg.norm(H, 2) for H in dense)
    for _ in range(5000):
        slope = -z + L * np.stack([dense[k] @ (b - c)[:, k] for k in range(K)], axis=1)
        b = penalty.prox(np.ravel(b - slope / size), lam / size).reshape(P, K)
    start, best, found = model(c), model(b), model(metric.step(penalty, z, c, lam, L))
    assert best - 1e-9 <= found <= best + 0.1 * (start - best)


@pytest.mark.parametrize("options", [
    {}, {"alpha": 0.01}, {"groups": [0, 0, 1, 1, 2]}, {"alpha": 0.5, "transitions": "l1"},
    {"groups": [0, 1, 2, 3, 4], "transitions": "group"},
])  # fmt: skip
def test_answers_are_those_without_the_metric(options, monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 5)) * [1, 5, 1, 0.2, 1]
    y = (X[:, 0] + 0.2 * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    fits = []
    for pays in (True, False):
        monkeypatch.setattr(states, "metric_pays", lambda problem, pays=pays: pays)
        fits.append(ss.crf_path(X, y, lengths=[10] * 6, n_lambdas=4, tol=1e-8, **options,
                                lambdas=[0.5, 0.2, 0.05]))  # fmt: skip
    assert max(fit.gaps.max() for fit in fits) <= 1e-8
    np.testing.assert_allclose(fits[0].dev_ratio, fits[1].dev_ratio, atol=1e-5)
    for lam in fits[0].lambdas:
        np.testing.assert_allclose(fits[0].coef(lam), fits[1].coef(lam), atol=2e-3)
