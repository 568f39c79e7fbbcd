"""The Newton step by a factor of the whole Hessian, against one that is written out."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design import Design
from sparsesolve.losses.multinomial import Multinomial
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.response_descent import ResponseDescent
from sparsesolve.solvers.response_whole_step import whole_step

from sparsesolve.penalties import ElasticNet

N, P, K, LAM = 40, 6, 3, 0.05


@pytest.mark.parametrize("storage", [np.asfortranarray, sparse.csc_array])
@pytest.mark.parametrize("grouped", [False, True])
def test_it_solves_the_newton_system(storage, grouped):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, P)) * (
        rng.random((N, P)) < 0.1 if storage is sparse.csc_array else 1
    )
    X[0] = 1.0
    w, design = np.full(N, 1 / N), Design(storage(X))
    design.moments(w)
    design.standardise(False, np.ones(P))
    loss = Multinomial(np.eye(K)[rng.integers(K, size=N)], w)
    net = ElasticNetRows(ElasticNet(P, alpha=0.7), grouped)
    descent = ResponseDescent(design, net, loss, np.zeros((K, N)))
    descent.enter(np.arange(P, dtype=np.intc))
    descent.B[:] = rng.standard_normal((K, P))
    descent.B[:, 2] = 0.0
    descent.refresh()
    mask, rest = net.at_work(descent.B, descent.g, LAM)
    places = np.flatnonzero(mask.any(axis=0)).astype(np.intc)
    assert places.tolist() == [0, 1, 3, 4, 5]
    step = whole_step(descent, LAM, places, mask, rest)

    prob = np.exp(descent.eta) / np.exp(descent.eta).sum(axis=0)
    H = np.zeros((K, P, K, P))
    for k in range(K):
        for m in range(K):
            bend = w * prob[k] * ((k == m) - prob[m])
            H[k, :, m] = X.T @ (bend[:, None] * X) + (k == m) * np.diag(LAM * np.asarray(net.l2))
    for j in places if grouped else ():
        size = np.linalg.norm(descent.B[:, j])
        unit = descent.B[:, j] / size
        H[:, j, :, j] += LAM * net.l1[j] / size * (np.eye(K) - np.outer(unit, unit))
    H, inside = H.reshape(K * P, K * P), np.flatnonzero(mask)
    expected = np.zeros(K * P)
    expected[inside] = np.linalg.solve(H[np.ix_(inside, inside)], rest.ravel()[inside])
    assert step == pytest.approx(expected.reshape(K, P), rel=1e-6, abs=1e-9)
