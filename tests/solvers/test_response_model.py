"""Block coordinate descent on the model of K responses: its minimum, and what it says is left."""

import numpy as np
import pytest
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.response_model import descend

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
    B, R = start.copy(), slope.copy()
    sweeps = descend(gram, scales, B, R, net, LAM, 5000, 1e-14)
    assert 1 < sweeps < 5000
    left = slope - scales[:, None] * ((B - start) @ gram.astype(float))
    assert np.abs(R - left).max() <= 1e-11 * np.abs(slope).max()
    assert np.abs(proximal_step(left, scales, net, B) - B).max() <= 1e-6 * np.abs(B).max()
    assert 0 < np.count_nonzero(B) < B.size
