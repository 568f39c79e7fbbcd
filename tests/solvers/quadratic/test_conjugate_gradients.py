"""Conjugate gradients: a direction solves the Newton system of the free columns, in no more
products than there are columns."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.working.columns import pack
from sparsesolve.solvers.quadratic.data_active_set import DataActiveSet

from sparsesolve.penalties import ElasticNet

N, P = 30, 6
LAM = 0.1
NETS = {
    "lasso": ElasticNet(P),
    "net": ElasticNet(P, 0.4, np.resize([1.0, 0.5, 2.0], P)),
    "unpenalised": ElasticNet(P, 1.0, np.resize([1.0, 1.0, 0.0], P)),
}
STORES = {"dense": np.asfortranarray, "sparse": sparse.csc_array}


def prepared(store, net, seed=0):
    """The active set at some coefficients of both signs and some of 0, and what it solves."""
    rng = np.random.default_rng(seed)
    A = np.where(rng.random((N, P)) < 0.6, rng.standard_normal((N, P)) + 0.3, 0.0)
    y, b = rng.standard_normal(N), np.resize([0.7, -0.4, 0.0, 1.3], P)
    design, w = Design(store(A)), np.full(N, 1.0 / N)
    design.moments(w)
    design.standardise(True, np.ones(P))
    Z = (A - A.mean(axis=0)) / np.sqrt(N)
    quadratic = DataActiveSet(pack(design, np.sqrt(w), False, n_threads=1))
    quadratic.append(design, net, np.arange(P, dtype=np.intc), b, Z.T @ (y - Z @ b))
    l1, l2 = np.asarray(net.l1), np.asarray(net.l2)
    free = np.flatnonzero((b != 0.0) | (l1 == 0.0))
    slope = (Z.T @ (y - Z @ b) - LAM * (l1 * np.sign(b) + l2 * b))[free]
    return quadratic, free, slope, Z[:, free].T @ Z[:, free] + LAM * np.diag(l2[free])


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", NETS)
def test_a_direction_solves_the_system_of_the_free_columns(store, name):
    quadratic, free, slope, system = prepared(STORES[store], NETS[name])
    found, rhs, step = quadratic.newton_direction(LAM)
    assert list(found) == list(free)
    np.testing.assert_allclose(rhs, slope, atol=1e-14)
    left = slope - system @ step
    scale = np.sqrt(np.diag(system))
    assert np.linalg.norm(left / scale) <= 1e-2 * np.linalg.norm(slope / scale)
    assert 0 < quadratic.passes <= len(free)
