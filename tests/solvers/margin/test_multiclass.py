"""Crammer and Singer's machine: certificates recomputed, and a row's problem by a slow twin."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sparsesolve.solvers.margin.multiclass import crammer_singer, sweep

from sparsesolve.solvers.margin import multiclass
from sparsesolve.solvers.state import CONVERGED, MAX_ITER

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 6)) + 2.0
LABELS = np.r_[0, 1, 2, RNG.integers(3, size=47)]
W = RNG.random(50) / 25


def check(data, labels, weights, lam, found):
    """The gap of W and alpha, from nothing but them and the data."""
    coef, alpha, gap, *_ = found
    n = len(labels)
    cap = np.zeros(alpha.shape)
    cap[np.arange(n), labels] = weights
    assert (alpha <= cap + 1e-15).all() and np.abs(alpha.sum(axis=1)).max() < 1e-14
    eta = data @ coef
    wrong = 1 + eta - eta[np.arange(n), labels][:, None]
    wrong[np.arange(n), labels] = 0
    primal = weights @ wrong.max(axis=1) + 0.5 * lam * np.sum(coef**2)
    z = data.T @ alpha
    dual = -np.sum(alpha * (1 - np.eye(alpha.shape[1])[labels])) - np.sum(z**2) / (2 * lam)
    assert -1e-13 <= primal - dual <= gap + 1e-13


@pytest.mark.parametrize("lam", [1.0, 0.05, 0.002])
@pytest.mark.parametrize("small", [True, False])
def test_the_gap_is_of_what_is_returned(monkeypatch, small, lam):
    monkeypatch.setattr(multiclass, "MOST_BUNDLE_COEFFICIENTS", 1000 if small else 0)
    weights = W / W.sum()
    for limit in (1, 7, 3000):
        found = crammer_singer(X, LABELS, weights, lam, 1e-5, limit, 3)
        check(X, LABELS, weights, lam, found)
        assert found[3] == (CONVERGED if found[2] <= 1e-5 else MAX_ITER) and found[4] <= limit
    assert found[3] == CONVERGED or not small
    again = crammer_singer(sparse.csr_array(X), LABELS, weights, lam, 1e-5, 3000, 3)
    assert again[2] == found[2]


def test_empty_rows_and_weights_of_nothing():
    data, weights = X.copy(), W.copy()
    data[:5], weights[5:10] = 0.0, 0.0
    weights /= weights.sum()
    found = crammer_singer(data, LABELS, weights, 0.1, 1e-8, 3000, 3)
    check(data, LABELS, weights, 0.1, found)
    assert found[3] == CONVERGED and not found[1][5:10].any()


@pytest.mark.parametrize("seed", range(8))
def test_one_row_is_solved_exactly(seed):
    rng = np.random.default_rng(seed)
    K, x, lam, u = int(rng.integers(2, 7)), rng.normal(size=3), 0.3, 0.2
    coef, label = rng.normal(size=(3, K)), int(rng.integers(K))
    alpha, before = np.zeros((1, K)), coef.copy()
    sweep(np.array([0, 3], dtype=np.intc), np.arange(3, dtype=np.intc), x, np.array([label]),
          np.array([u]), np.array([x @ x]), np.zeros(1, dtype=np.intc), lam, coef, alpha)
    e, cap = 1.0 - np.eye(K)[label], u * np.eye(K)[label]
    assert coef == pytest.approx(before + np.outer(x, alpha[0]) / lam)

    def value(a):
        return 0.5 * lam * np.sum((before + np.outer(x, a) / lam) ** 2) + e @ a

    found = minimize(value, np.zeros(K), method="SLSQP", bounds=[(None, c) for c in cap],
                     constraints={"type": "eq", "fun": np.sum}, options={"ftol": 1e-15})
    assert abs(alpha[0].sum()) < 1e-14 and (alpha[0] <= cap + 1e-15).all()
    assert value(alpha[0]) <= found.fun + 1e-9
