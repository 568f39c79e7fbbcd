"""Concave penalties: scalar proxes by a grid, slopes by differences that fall."""

import pickle

import numpy as np
import pytest

from sparsesolve import penalties as P

CONCAVE = [P.MCP(), P.MCP(1.2), P.SCAD(), P.SCAD(2.1), P.Log(0.5), P.Bridge(0.5), P.Bridge(0.9)]


@pytest.mark.parametrize("penalty", CONCAVE, ids=repr)
def test_the_prox_is_the_global_minimum_of_a_coordinate(penalty):
    u = np.concatenate([[0.0], np.geomspace(1e-6, 12, 200_001)])
    for x in (0.05, 0.5, 0.99, 1.5, 3.0, 9.0):
        for lam in (0.1, 1.0, 2.0):
            cost = 0.5 * (u - x) ** 2 + penalty._phi(u, lam)
            b = penalty.prox([x, -x], lam)
            assert b[1] == -b[0]
            mine = 0.5 * (b[0] - x) ** 2 + penalty.value([b[0]], lam)
            assert mine <= cost.min() + 1e-9


@pytest.mark.parametrize("penalty", CONCAVE, ids=repr)
def test_slopes_are_derivatives_that_fall(penalty):
    x = np.linspace(0.01, 8, 173)
    for lam in (0.3, 2.0):
        rise = (penalty._phi(x + 1e-6, lam) - penalty._phi(x - 1e-6, lam)) / 2e-6
        slope = penalty._slope(x, lam)
        assert slope == pytest.approx(rise, abs=1e-6) and (np.diff(slope) <= 1e-12).all()
        assert penalty._phi(np.zeros(1), lam) == 0.0
    assert repr(pickle.loads(pickle.dumps(penalty))) == repr(penalty)
