"""Laws of every loss against decimals: value, slope and curvature of a sample, and its part of a
gap, which is never below 0: what is off is what a few units in the last place of the data change.

So a fit that is all but perfect has a gap of its own, however small beside the loss.
"""

from decimal import Decimal, localcontext

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


@pytest.mark.parametrize("name", sorted(Y))
def test_value_slope_and_curvature_are_those_of_decimals(name):
    function, _ = decimal_losses.LOSSES[name]
    for y in Y[name]:
        loss, start = LOSSES[name](np.array([y]), np.ones(1)), None
        low, high = NEAR.get(name, (-40, 40))
        for eta in [0.0, *(e for e in ETA if low <= e <= high)]:
            with localcontext(prec=120, Emin=-(10**9), Emax=10**9):
                value, slope, bend = map(float, function(Decimal(y), Decimal(eta)))
            found, u = loss.at([eta])
            if start is None:  # at 0: a constant, which says nothing
                start = found - value if abs(found - value) > 1e-12 else 0.0
            ends = [loss.at([eta + side * 1e-14 * abs(eta)])[1][0] for side in (-1, 1)]
            size = abs(value) + abs(eta * slope) + abs(start) + y * (name == "tweedie")
            assert found - start == pytest.approx(value, rel=0, abs=30 * EPSILON * size)
            near = 30 * EPSILON * (abs(slope) + abs(y)) + abs(ends[1] - ends[0])
            assert -u[0] == pytest.approx(slope, rel=0, abs=near), (y, eta)
            if name != "huber" and not name.startswith("squared"):  # whose curvature jumps
                bent = 1e-9 if name in NEAR else 1e-13
                assert loss.curvature_at([eta])[0] == pytest.approx(bend, rel=bent), (y, eta)


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
