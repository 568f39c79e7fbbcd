"""Products with a dense triangular factor, and solutions, where it stands among vectors."""

import numpy as np
import pytest

from sparsesolve.losses import LOSSES

RNG = np.random.default_rng(3)
N = 12


def cox():
    """A Cox loss some samples of which take part in no risk set, its curvature, and the root."""
    stop = RNG.integers(1, 5, N).astype(float)
    status = (RNG.random(N) < 0.7).astype(float)
    status[[0, 1]] = 1.0
    y = np.column_stack([np.full(N, -np.inf), stop, status, np.zeros(N)])
    w = np.full(N, 1 / N)
    return y, w


def test_products_and_solutions_are_those_of_the_second_derivative():
    y, w = cox()
    loss = LOSSES["cox"](y, w)
    eta = RNG.normal(size=N)
    H = np.array([loss.curvature_product(eta, e) for e in np.eye(N)])
    floor = 1e-3
    root = loss.root_at(eta, floor, dense=True)
    L_t = np.array([root.product(e) for e in np.eye(N)]).T
    back = np.array([root.solution(e) for e in np.eye(N)]).T
    back_t = np.array([root.solution(e, transposed=True) for e in np.eye(N)]).T
    assert back_t.T == pytest.approx(back, abs=1e-9)
    assert back @ L_t.T == pytest.approx(np.eye(N), abs=1e-8)
    extra = L_t.T @ L_t - H
    apart = np.diagonal(H) > 0.0  # who is never at risk is left alone: ones on their diagonal
    floored = np.diagonal(extra)[apart]
    assert extra - np.diag(np.diagonal(extra)) == pytest.approx(np.zeros((N, N)), abs=1e-10)
    assert (-1e-12 <= floored).all() and (floored <= floor * w[apart] + 1e-12).all()
