"""The terms of a duality gap and how they are put together; that every solver claims the gap of
this formula is in tests/laws/test_gap.py."""

import numpy as np
import pytest
from sparsesolve.solvers.certificate.gap import (
    duality_gap,
    gap_of_terms,
    least_gap,
    ridge_excess,
    scales,
    squares_excess,
    unexplained,
)

from sparsesolve.losses import LOSSES
from sparsesolve.penalties import ElasticNet

INF, NAN = np.inf, np.nan
RNG = np.random.default_rng(0)


def test_terms_add_up_and_the_dual_point_0_is_never_worse():
    assert gap_of_terms(1.0, 2.0, 0.5) == 3.5
    assert gap_of_terms(1.0, 2.0, 0.5, 3.0) == 3.0
    assert gap_of_terms(1.0, -1e-16) == 1.0  # less than 0 is rounding


def test_closed_forms_are_value_and_conjugate_less_the_inner_product():
    y, eta, dual = RNG.standard_normal((3, 20))
    samples = 0.5 * np.sum((y - eta) ** 2) + 0.5 * np.sum(dual**2) - dual @ y + dual @ eta
    assert squares_excess(y - eta, dual) == pytest.approx(samples)
    g, z = RNG.standard_normal((2, 20))
    blocks = 0.5 * 0.3 * np.sum(g**2) + np.sum(z**2) / (2 * 0.3) - z @ g
    assert ridge_excess(g, z, 0.3) == pytest.approx(blocks)
    assert ridge_excess(z / 0.3, z, 0.3) == pytest.approx(0.0, abs=1e-30)


@pytest.mark.parametrize("terms", [(INF, 1.0), (1.0, INF), (NAN, 1.0), (1.0, NAN), (INF, -INF)])
def test_a_dual_point_out_of_the_domain_leaves_the_dual_point_0(terms):
    assert gap_of_terms(*terms, 0.0, 7.0) == 7.0
    assert gap_of_terms(*terms) == INF


def test_without_a_dual_point_the_objective_over_the_least_loss_is_left():
    """missing = inf; z is not asked."""
    loss = LOSSES["gaussian"](np.array([1.0, -1.0]), np.full(2, 0.5))
    b = np.array([0.25])
    eta = np.array([0.25, 0.0])
    value, u = loss.at(eta)
    gap = duality_gap(loss, ElasticNet(1), 2.0, b, eta, value, u, None, INF)
    assert gap == pytest.approx(value + 0.5, rel=1e-15)
    z = np.array([u[0]])
    some = duality_gap(loss, ElasticNet(1), 2.0, b, eta, value, u, z, 0.01)
    none = duality_gap(loss, ElasticNet(1), 2.0, b, eta, value, u, z)
    assert some == pytest.approx(none + 0.01, rel=1e-12)


def test_two_scales_are_tried_where_they_differ():
    z = np.array([3.0, -1.0])
    assert scales(ElasticNet(2), z, 1.5) == pytest.approx([0.5])
    assert scales(ElasticNet(2, 0.5), z, 1.5) == pytest.approx([1.0, 0.25])
    assert scales(ElasticNet(2), z, 4.0) == [1.0]
    tried = []
    loss = LOSSES["gaussian"](np.zeros(2), np.full(2, 0.5))
    found = least_gap(loss, np.zeros(2), np.zeros(2), [0.5, 1.0],
                      lambda s: tried.append(s) or 2.0 - s)  # fmt: skip
    assert tried == [0.5, 1.0] and found == 1.0


def test_what_is_unexplained_is_what_least_squares_would_gain():
    Z, r = RNG.standard_normal((20, 3)), RNG.standard_normal(20)
    Q = np.linalg.qr(Z)[0].T
    left = r - Z @ np.linalg.lstsq(Z, r, rcond=None)[0]
    assert unexplained(Q, r) == pytest.approx(0.5 * (r @ r - left @ left), rel=1e-12)
