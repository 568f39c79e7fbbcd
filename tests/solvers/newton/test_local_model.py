"""LocalModel: the loss at a point, with the gradient and a Hessian that are the loss's own."""

import numpy as np
import pytest
from sparsesolve.solvers.newton.local_model import LocalModel, floors

from sparsesolve.losses import LOSSES

N = 20
RNG = np.random.default_rng(7)
W = RNG.uniform(0.5, 1.5, N)
W[4] = 0.0
W /= W.sum()
OFFSET, IMAGE = 0.3 * RNG.standard_normal(N), 0.5 * RNG.standard_normal(N)
RESPONSES = {
    "gaussian": RNG.standard_normal(N),
    "binomial": (RNG.random(N) < 0.5).astype(float),
    "poisson": RNG.poisson(2.0, N).astype(float),
    "huber": 3.0 * RNG.standard_normal(N),
}


@pytest.fixture(params=RESPONSES)
def loss(request):
    return LOSSES[request.param](RESPONSES[request.param], W)


def model(loss, intercept=0.2):
    return LocalModel(loss, W, OFFSET, intercept, True, True, True)


def test_value_and_gradient_are_those_of_the_loss_at_the_point(loss):
    value, u, _, _ = model(loss).model_at(0.2, IMAGE)
    expected, slope = loss.at(OFFSET + (0.2 + IMAGE))
    assert value == pytest.approx(expected, rel=1e-14)
    assert u == pytest.approx(slope, rel=1e-13)


def test_the_model_has_the_curvature_of_the_loss(loss):
    """s H is F'', where that is not all but 0; H sums to 1, and is 0 for weights of 0 alone."""
    _, _, s, h = model(loss).model_at(-0.1, IMAGE)
    curvature = loss.curvature_at(OFFSET - 0.1 + IMAGE)
    bent = curvature > 0.0
    assert s * h[bent] == pytest.approx(curvature[bent], rel=1e-12)
    assert h.sum() == pytest.approx(1.0, rel=1e-14)
    assert np.array_equal(h > 0.0, W > 0.0)
    flat = ~bent & (W > 0.0)
    assert (s * h[flat] <= 1e-3 * curvature.max()).all()


def test_the_model_meets_the_loss_to_third_order(loss):
    start = model(loss)
    value, u, s, h = start.model_at(0.2, IMAGE)
    d = RNG.standard_normal(N)
    eta = OFFSET + 0.2 + IMAGE
    bent = loss.curvature_at(eta) > 0.0
    d = np.where(bent, d, 0.0)

    def miss(t):
        modelled = value - t * (u @ d) + 0.5 * s * t**2 * (h @ d**2)
        return abs(loss.at(eta + t * d)[0] - modelled)

    assert miss(1e-3) <= 2e-9 * (1.0 + (np.abs(d) ** 3).max())


def test_a_model_forgets_where_it_has_been(loss):
    gone, fresh = model(loss), model(loss)
    gone.model_at(3.0, -2.0 * IMAGE)
    for mine, other in zip(gone.model_at(0.1, IMAGE), fresh.model_at(0.1, IMAGE), strict=True):
        assert np.array_equal(mine, other)


def test_samples_without_curvature_are_given_some():
    """Less than the mean where the loss bends at all, and something where it bends nowhere."""
    even, least = floors(0.25)
    assert 0.0 < least < even < 0.25
    assert all(floor > 0.0 for floor in floors(0.0))
