"""Concave penalties: scalar proxes by a grid, slopes by differences, worked numbers, refusals.

Bridge: near lam |b|^q, a jump of the prox, the l1 norm as q goes to 1.

Log: concave, its tangent the reweighted l1 norm, its prox a root of a quadratic.

MCP: the firm threshold between soft and hard thresholding, and no bias beyond gamma lam.
"""

import pickle

import numpy as np
import pytest

from sparsesolve import penalties as P
from sparsesolve.penalties import MCP, Bridge, Log

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


def test_worked_numbers_and_groups():
    assert P.MCP(2.0).value([1.0, 9.0], 1.0) == 0.75 + 1.0
    assert P.SCAD(3.0).value([0.5, 9.0], 1.0) == 0.5 + 2.0
    assert P.MCP().polar([0.5, -2.0]) == 2.0 and P.Log(0.5).polar([0.5, -2.0]) == 1.0
    pair = P.MCP(2.0, groups=[[0, 1]], weights=[1.0])
    assert pair.value([3.0, 4.0], 1.0) == 1.0
    assert pair.prox([3.0, 4.0], 1.0) == pytest.approx([3.0, 4.0])
    assert pair.prox([0.6, 0.8], 1.0).tolist() == [0.0, 0.0]
    assert P.MCP(weights=[1.0, 0.0]).prox([0.5, 0.5], 1.0).tolist() == [0.0, 0.5]


@pytest.mark.parametrize("make, sentence", [
    (lambda: P.MCP(1.0), "gamma must be above 1"), (lambda: P.SCAD(2.0), "gamma must be above 2"),
    (lambda: P.Bridge(1.0), "q must be above 0 and below 1"),
    (lambda: P.Log(0.0), "epsilon must be above 0"),
    (lambda: P.MCP(weights=[-1.0, 1.0]).value([1.0, 1.0]), "weights has -1.0 at 0"),
    (lambda: P.MCP(weights=[1.0]).value([1.0, 1.0]), r"weights has shape \(1,\)"),
])  # fmt: skip
def test_what_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize("q", [0.3, 0.5, 0.9])
def test_the_value_is_that_power_of_large_coefficients(q):
    b = np.array([4.0, -9.0])
    assert Bridge(q).value(b, 2.0) == pytest.approx(2.0 * np.sum(np.abs(b) ** q), rel=0.15)
    assert Bridge(q).value([0.0], 2.0) == 0.0


def test_the_tangent_is_a_weighted_l1_norm_above_it():
    """Weights are lam / (epsilon + |b|), as in Candes, Wakin and Boyd's iteration."""
    penalty, at, lam = Log(0.5), 1.3, 2.0
    weight = lam / (0.5 + at)
    other = np.linspace(0.0, 9.0, 91)
    tangent = penalty.value([at], lam) + weight * (other - at)
    own = np.array([penalty.value([x], lam) for x in other])
    assert (own <= tangent + 1e-12).all()
    assert penalty.value([at], lam) == pytest.approx(lam * np.log1p(at / 0.5))


X = np.linspace(-6.0, 6.0, 241)


def test_large_coefficients_are_not_shrunk_and_cost_the_same():
    penalty = MCP(3.0)
    assert penalty.prox([4.0, -7.0], 1.0).tolist() == [4.0, -7.0]
    assert penalty.value([3.0], 1.0) == penalty.value([1e6], 1.0) == pytest.approx(1.5)


def test_a_large_gamma_is_the_l1_norm_and_a_small_one_hard_thresholding():
    soft = np.sign(X) * np.maximum(np.abs(X) - 1.0, 0.0)
    assert MCP(1e9).prox(X, 1.0) == pytest.approx(soft, abs=1e-6)
    away = np.abs(np.abs(X) - 1.0) > 1e-3
    hard = np.where(np.abs(X) > 1.0, X, 0.0)
    assert MCP(1.0 + 1e-9).prox(X, 1.0)[away] == pytest.approx(hard[away], abs=1e-6)
