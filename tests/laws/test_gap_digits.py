"""A law of every loss: the part of a gap that a sample answers for is never below 0, and as exact
as its data: what is off is what a few units in the last place of eta and u would change.

So a fit that is all but perfect has a gap of its own, however small beside the loss.
"""

from decimal import Decimal

import decimal_losses
import numpy as np
import pytest

from sparsesolve.losses import LOSSES

EPSILON = np.finfo(float).eps
UNITS = 10  # in the last place
ETA = [-40.0, -26.0, -12.0, -5.01, -2.2, -0.7, 0.0, 0.3, 1.9, 4.99, 9.0, 17.0, 33.0, 40.0]
AWAY = [1e-9, -1e-9, 1e-5, 1e-3, -1e-3, 0.1, -0.5, -0.999, 3.0, 1e3]  # from u, as a share of it
Y = {
    "binomial": [0.0, 0.3, 1.0],
    "cloglog": [0.0, 0.3, 1.0],
    "gamma": [1e-9, 1.0, 1e9],
    "gaussian": [0.0, 3.0],
    "huber": [0.0, 1e5],
    "negative_binomial": [0.0, 0.5, 1e6],
    "poisson": [0.0, 0.5, 1e12],
    "probit": [0.0, 0.3, 1.0],
    "squared_epsilon_insensitive": [0.0, 3.0],
    "squared_hinge": [-1.0, 1.0],
    "tweedie": [0.0, 0.5, 1e12],
}
BY_VALUES = {"cloglog", "probit"}  # a difference of values: of these it has the digits
NEAR = {"cloglog": (-40, 5), "probit": (-10, 10), "tweedie": (-26, 26)}  # decimals take their time


@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"cox", "multigaussian", "multinomial"}))
def test_the_gap_of_a_sample_is_as_exact_as_its_data(name):
    assert name in decimal_losses.LOSSES and name in Y, f"add {name!r} to both"
    compared = 0
    for y in Y[name]:
        loss = LOSSES[name](np.array([y]), np.ones(1))
        for eta in ETA:
            slope, bend = -loss.at([eta])[1][0], loss.curvature_at([eta])[0]
            for away in AWAY[::3] if name in NEAR else AWAY:
                v = slope * (1.0 + away)
                found = loss.fenchel_young_at([eta], [-v])
                assert found >= 0.0
                low, high = NEAR.get(name, (-40, 40))
                if name in NEAR and abs(v) * EPSILON > 1e-3 * bend:  # v does not tell the contact
                    continue
                if not low <= eta <= high or found == np.inf:
                    continue
                exact = decimal_losses.gap(name, y, eta, v)
                if exact is None:  # nothing touches there
                    continue
                gap, by_eta, by_v, by_value = exact
                explained = by_eta + by_v + float(gap) + (by_value if name in BY_VALUES else 0.0)
                off = abs(float(Decimal(found) - gap))
                assert off <= UNITS * EPSILON * explained, (y, eta, away, found, float(gap))
                compared += 1
    assert compared > 50


@pytest.mark.parametrize("y", [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.75, 0.25, 0.0)])
@pytest.mark.parametrize("height", [-40.0, -3.0, 0.0, 0.2, 5.0, 26.0, 40.0])
def test_the_gap_of_several_classes_is_as_exact_as_its_data(y, height):
    loss = LOSSES["multinomial"](np.array([y]), np.ones(1))
    eta = np.array([height, 0.1, -2.5])
    u = loss.at(eta)[1]
    for away in AWAY:
        moved = u * (1.0 + away)
        found = loss.fenchel_young_at(eta, moved)
        assert found >= 0.0
        if np.isfinite(found) and (np.array(y) > moved).all():
            gap, by_data = decimal_losses.multinomial_gap(y, eta, moved)
            off = abs(float(Decimal(found) - gap))
            assert off <= UNITS * EPSILON * (by_data + float(gap)), (away, found, float(gap))


@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"cox", "multigaussian", "multinomial"}))
def test_a_sample_of_weight_zero_has_no_slope(name):
    """Its part of the conjugate is finite at u = 0 alone."""
    y = Y[name][-1]
    loss = LOSSES[name](np.array([y, y]), np.array([1.0, 0.0]))
    for small in (1e-300, 1e-9, 0.1):
        for sign in (-1.0, 1.0):
            u = np.array([loss.at(np.ones(2))[1][0], sign * small])
            assert loss.fenchel_young_at(np.ones(2), u) == np.inf
