"""The elastic net at points where it can be told by hand; its laws are in tests/laws."""

import numpy as np
import pytest

from sparsesolve.penalties import ElasticNet

INF = np.inf


def test_the_lasso_shrinks_towards_zero():
    lasso = ElasticNet(4)
    x = np.array([3.0, -3.0, 0.5, -1.0])
    assert lasso.prox(x, 1.0).tolist() == [2.0, -2.0, 0.0, 0.0]
    assert lasso.value(x, 2.0) == 15.0
    assert lasso.polar(x) == 3.0


def test_ridge_divides():
    ridge = ElasticNet(2, 0.0)
    assert ridge.prox(np.array([3.0, -1.0]), 1.0).tolist() == [1.5, -0.5]
    assert ridge.value(np.array([3.0, -1.0]), 2.0) == 10.0
    assert ridge.conjugate(np.array([3.0, -1.0]), 2.0) == 2.5
    assert ridge.polar(np.array([0.0, 1e-9])) == INF


def test_factors_limits_and_the_unit_of_the_ridge_part():
    net = ElasticNet(3, 0.5, [0.0, 1.0, 2.0], [-INF, -1.0, 0.0], [INF, 0.25, 0.0], ridge_unit=4.0)
    x = np.array([5.0, 5.0, 5.0])
    assert net.prox(x, 1.0).tolist() == [5.0, 0.25, 0.0]
    assert net.value(np.array([7.0, 0.25, 0.0]), 1.0) == 0.5 * 0.25 + 4 * 0.5 * 0.25**2 / 2
    assert net.value(np.array([0.0, 0.5, 0.0]), 1.0) == INF
    assert net.conjugate(np.array([0.0, 2.5, 9.0]), 1.0) == pytest.approx(
        0.25 * 2.0 - 2.0 * 0.25**2 / 2)
    assert net.conjugate(np.array([1e-9, 0.0, 0.0]), 1.0) == INF


def test_the_scale_that_makes_a_dual_point_feasible():
    assert ElasticNet(2).feasible_scale(np.array([4.0, -0.5]), 1.0) == pytest.approx(0.25)
    assert ElasticNet(2).feasible_scale(np.array([0.4, -0.5]), 1.0) == 1.0
    limited = ElasticNet(2, 1.0, None, [-1.0, -1.0], [1.0, 1.0])
    assert limited.feasible_scale(np.array([4.0, -0.5]), 1.0) == 1.0


def test_the_givers_arrays_are_not_kept():
    factors = np.ones(2)
    net = ElasticNet(2, 1.0, factors)
    factors[:] = 9.0
    assert net.value(np.ones(2)) == 2.0
