"""Laws that every registered loss keeps: derivatives, conjugate, curvature, deviance."""

import numpy as np
import pytest

from sparsesolve.losses import LOSSES

POINTS = 200


def _real(rng):
    return 3 * rng.standard_normal(POINTS)


# One line a loss: how to draw responses y, and how to draw points v of the conjugate's domain.
SAMPLES = {
    "gaussian": (_real, lambda rng, y: _real(rng)),
}


@pytest.fixture(params=sorted(LOSSES))
def case(request):
    """A registered loss with responses, predictors and points of its conjugate's domain."""
    name = request.param
    assert name in SAMPLES, f"add a line for the loss {name!r} to SAMPLES in this file"
    rng = np.random.default_rng(7)
    draw_y, draw_v = SAMPLES[name]
    y = draw_y(rng)
    return LOSSES[name], y, 2 * rng.standard_normal(POINTS), draw_v(rng, y)


def _difference(function, eta, h=1e-4):
    """Fourth-order central differences."""
    near = function(eta + h) - function(eta - h)
    far = function(eta + 2 * h) - function(eta - 2 * h)
    return (8 * near - far) / (12 * h)


def test_gradient_is_the_derivative_of_the_value(case):
    loss, y, eta, _ = case
    numeric = _difference(lambda e: loss.value(y, e), eta)
    assert loss.gradient(y, eta) == pytest.approx(numeric, rel=1e-7, abs=1e-8)


def test_curvature_is_the_derivative_of_the_gradient_and_keeps_its_bound(case):
    loss, y, eta, _ = case
    curvature = loss.curvature(y, eta)
    numeric = _difference(lambda e: loss.gradient(y, e), eta)
    assert curvature == pytest.approx(numeric, rel=1e-7, abs=1e-8)
    assert (curvature >= 0).all()
    assert (curvature <= loss.curvature_bound * (1 + 1e-12)).all()


def test_fenchel_young_holds_and_is_tight_at_the_gradient(case):
    loss, y, eta, v = case
    slack = loss.value(y, eta) + loss.conjugate(y, v) - eta * v
    assert slack.min() >= -1e-12
    u = loss.gradient(y, eta)
    tight = loss.value(y, eta) + loss.conjugate(y, u)
    assert tight == pytest.approx(eta * u, rel=1e-10, abs=1e-10)


def test_value_is_convex_along_chords(case):
    loss, y, eta, _ = case
    other = eta[::-1]
    middle = loss.value(y, (eta + other) / 2)
    assert (middle <= (loss.value(y, eta) + loss.value(y, other)) / 2 + 1e-12).all()


def test_deviance_is_twice_what_the_value_exceeds_its_minimum_by(case):
    """The minimum over eta is -conjugate(y, 0)."""
    loss, y, eta, _ = case
    excess = loss.value(y, eta) + loss.conjugate(y, np.zeros(POINTS))
    assert loss.deviance(y, eta) == pytest.approx(2 * excess, rel=1e-10, abs=1e-12)


def test_response_is_where_the_gradient_vanishes(case):
    """For a mean parameter mu = response(eta), gradient(mu, eta) = 0."""
    loss, _, eta, _ = case
    assert loss.gradient(loss.response(eta), eta) == pytest.approx(np.zeros(POINTS), abs=1e-12)


def test_methods_keep_shape_and_inputs(case):
    loss, y, eta, v = case
    held = y.copy(), eta.copy(), v.copy()
    for method, argument in [("value", eta), ("gradient", eta), ("curvature", eta),
                             ("deviance", eta), ("conjugate", v)]:
        assert getattr(loss, method)(y, argument).shape == eta.shape, method
    for before, after in zip(held, (y, eta, v), strict=True):
        assert (before == after).all()
