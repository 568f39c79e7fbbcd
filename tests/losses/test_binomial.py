"""The logistic loss at points where it can be told by hand; its laws are in tests/laws."""

import math

import numpy as np
import pytest

from sparsesolve.losses import LOSSES


def test_values_by_hand():
    loss = LOSSES["binomial"](np.array([0.0, 1.0, 0.25]), np.full(3, 1 / 3))
    value, u = loss.at(np.zeros(3))
    assert value == pytest.approx(np.log(2))
    assert u == pytest.approx(np.array([-0.5, 0.5, -0.25]) / 3)
    assert loss.curvature_at(np.zeros(3)) == pytest.approx(np.full(3, 1 / 12))
    entropy = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))
    assert loss.saturated == pytest.approx(entropy / 3)


def test_far_out_losses_are_linear_and_right_answers_cost_nothing():
    loss = LOSSES["binomial"](np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    assert loss.at(np.array([800.0, 800.0]))[0] == 400.0
    assert 0.0 <= loss.at(np.array([-800.0, 800.0]))[0] < 1e-300


def test_vectorised_functions_are_those_of_the_library():
    """Values to a few units in the last place, from the centre to where probabilities round."""
    for eta in np.r_[np.linspace(-40, 40, 801), -200.0, 200.0, -690.0, 690.0]:
        e = math.exp(-abs(eta))
        small = e / (1 + e)  # the probability of the side that eta is not on
        for y in (0.0, 0.3, 1.0):
            loss = LOSSES["binomial"](np.array([y]), np.ones(1))
            value, u = loss.at(np.array([eta]))
            other = 1 - y if eta > 0 else y
            assert value == pytest.approx(math.log1p(e) + other * abs(eta), rel=4e-15, abs=1e-300)
            signed = small - other if eta > 0 else other - small
            assert u[0] == pytest.approx(signed, rel=1e-14, abs=2e-16 if y == 0.3 else 1e-305)
            expected = e / (1 + e) ** 2
            assert loss.curvature_at([eta])[0] == pytest.approx(expected, rel=1e-14)


def test_the_gap_of_a_sample_is_its_divergence():
    """KL(s, p) with s = y - u, against the formula."""
    p, s = 1 / (1 + np.exp(-0.7)), np.array([0.0, 1e-9, 0.2, 0.66, 1.0])
    for share in s:
        terms = [a * np.log(a / b) for a, b in [(share, p), (1 - share, 1 - p)] if a > 0]
        for y in (0.0, 0.4, 1.0):
            loss = LOSSES["binomial"](np.array([y]), np.ones(1))
            found = loss.fenchel_young_at([0.7], [y - share])
            assert found == pytest.approx(sum(terms), rel=1e-12)
            assert loss.fenchel_young_at([0.7], [y - 1.001]) == np.inf
            assert loss.fenchel_young_at([0.7], [y + 0.001]) == np.inf


def test_the_gap_of_a_sample_fitted_to_its_last_digits_has_its_own():
    """1 - s far below the spacing of numbers at 1: KL(s, p) = -a + a log(a / b) + b for small
    a = 1 - s and b = 1 - p, but for terms of their squares."""
    loss = LOSSES["binomial"](np.ones(1), np.ones(1))
    for eta in (26.0, 300.0, 400.0, 599.0, 601.0):
        b = np.exp(-eta)
        for ratio in (0.05, 0.7, 0.75, 1.3, 1.8, 40.0):
            a = ratio * b
            expected = b - a + a * np.log(ratio)
            assert loss.fenchel_young_at([eta], [a]) == pytest.approx(expected, rel=1e-10, abs=0)


def _divergences(eta, a):
    """KL of the shares a of the outcome that eta makes less likely, in twice the digits."""
    e = np.exp(-np.abs(np.asarray(eta, dtype=np.longdouble)))
    b, a = e / (1 + e), np.asarray(a, dtype=np.longdouble)
    return a * np.log(a / b) + (1 - a) * np.log((1 - a) / (1 - b))


@pytest.mark.parametrize("spread", [1e-3, 0.3, 0.36, 2.0])
def test_gaps_of_near_and_of_far_samples_add_up(spread):
    """More samples than are met at a time, with ratios of shares to probabilities up to
    exp(spread) in the second block and near 1 in the others; one of no weight is among them."""
    rng = np.random.default_rng(3)
    n = 700
    eta, w = rng.uniform(-6, 6, size=n), rng.uniform(0.5, 2.0, size=n)
    w[301] = 0.0
    w /= w.sum()
    e = np.exp(-np.abs(eta))
    off = rng.uniform(-spread, spread, size=n)
    off[:256] *= 1e-3
    off[512:] *= 1e-3
    a = np.minimum(e / (1 + e) * np.exp(off), 0.9)
    a[299] = e[299] / (1 + e[299]) * np.sqrt(2.0)  # where near ends
    y = (rng.random(n) < 0.5).astype(float)
    s = np.where(eta > 0, 1 - a, a)
    loss, u = LOSSES["binomial"](y, w), w * (y - s)
    expected = float(w @ _divergences(eta, a))
    assert loss.fenchel_young_at(eta, u) == pytest.approx(expected, rel=2e-10)
    u[301] = 1e-3  # of a sample without weight nothing may be taken
    assert loss.fenchel_young_at(eta, u) == np.inf


def test_the_gap_of_near_samples_has_all_digits():
    """Down to the square of rounding, where logarithms would leave nothing."""
    eta, ratio = np.linspace(-8, 8, 300), 1 + 1e-9
    e = np.exp(-np.abs(eta))
    b, y, w = e / (1 + e), np.where(eta > 0, 1.0, 0.0), np.full(300, 1 / 300)
    u = np.where(eta > 0, 1.0, -1.0) * w * b * ratio  # y - s, exact where a share is small
    expected = w @ (0.5 * b * 1e-18 * (1 + b / (1 - b)))  # the square's term of the series
    assert LOSSES["binomial"](y, w).fenchel_young_at(eta, u) == pytest.approx(expected, rel=1e-5)


def test_what_is_no_number_has_no_gap():
    loss = LOSSES["binomial"](np.array([0.0, 1.0]), np.array([0.5, 0.5]))
    assert loss.fenchel_young_at(np.zeros(2), [-0.2, np.nan]) == np.inf
