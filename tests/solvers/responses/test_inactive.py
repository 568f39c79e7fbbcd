"""Features outside the working set of K responses: those beyond their level are not missed."""

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.responses.certificate import InactiveRows

from sparsesolve.penalties import ElasticNet


def standardised(X):
    design = Design(np.asfortranarray(X))
    design.moments(np.full(len(X), 1 / len(X)))
    design.standardise(True, np.ones(X.shape[1]))
    return design


@pytest.mark.parametrize("grouped", [False, True])
def test_those_beyond_their_level_are_found_wherever_the_dual_point_goes(grouped):
    rng = np.random.default_rng(0)
    X, factors = rng.standard_normal((30, 200)), rng.uniform(0.5, 2.0, 200)
    design, net = standardised(X), ElasticNetRows(ElasticNet(200, factors=factors), grouped)
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
