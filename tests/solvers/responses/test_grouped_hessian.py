"""Newton steps on the rows of K responses: the Hessian of order K m written out."""

import numpy as np
import pytest
from scipy import optimize
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.responses.response_statistics import GroupedHessian, ResponseQuadratic

from sparsesolve.penalties import ElasticNet

K, P, LAM = 3, 5, 0.3
RNG = np.random.default_rng(5)
Z, Y = RNG.standard_normal((20, P)), RNG.standard_normal((20, K))
L1, L2 = np.array([1.0, 0.5, 0.0, 2.0, 1.0]), np.array([0.3, 0.0, 0.0, 0.1, 0.2])


def rows():
    net = ElasticNetRows(ElasticNet(P), True).take(np.arange(P, dtype=np.intc))
    np.asarray(net.l1)[:], np.asarray(net.l2)[:] = L1, L2
    return ResponseQuadratic(Z.T @ Z, Y.T @ Z, (Y**2).sum(), net)


def gradient(B):
    """The gradient of the objective at B (K, P), no column of which is 0."""
    sizes = np.sqrt((B**2).sum(axis=0))
    return (B @ Z.T - Y.T) @ Z + LAM * (L1 / sizes + L2) * B


@pytest.mark.parametrize("empty", [None, 3])
def test_a_step_solves_with_the_whole_hessian_on_the_nonzero_rows(empty):
    B = np.linalg.lstsq(Z, Y, rcond=None)[0].T  # near the optimum, so that whole steps descend
    kept = np.arange(P) != empty
    own = np.tile(kept, (K, 1)).ravel()
    hessian = optimize.approx_fprime(B.ravel(), lambda x: gradient(x.reshape(K, P)).ravel(), 1e-7)
    if empty is not None:
        hessian[:, np.tile(~kept, K)] = 0.0
    at = B * kept
    slope = (at @ Z.T - Y.T) @ Z + LAM * (L1 / np.sqrt((B**2).sum(axis=0)) + L2) * at
    expected = at.copy().ravel()
    expected[own] -= np.linalg.solve(hessian[np.ix_(own, own)], slope.ravel()[own])
    moved = GroupedHessian(K, P).stepped(rows(), at, LAM)
    np.testing.assert_allclose(moved, expected.reshape(K, P), rtol=1e-4, atol=1e-5)
    assert np.abs(moved - at).max() > 1e-3
    assert not moved[:, ~kept].any()


def test_a_row_that_would_change_direction_stops_at_zero():
    B = np.linalg.lstsq(Z, Y, rcond=None)[0].T
    B[:, 3] *= -0.5  # its Newton step leads to the other side
    moved = GroupedHessian(K, P).stepped(rows(), B, LAM)
    assert not moved[:, 3].any() and moved[:, :3].any(axis=0).all()
