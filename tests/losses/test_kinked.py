"""Losses with kinks: the best constant, and the Moreau envelope by brute force and in its limits.

Their laws, the formula among them, are in tests/laws.
"""

import numpy as np
import pytest
from sparsesolve.losses.kinked import Envelope

from sparsesolve.losses import KINKED

RNG = np.random.default_rng(0)
N = 40
W = RNG.random(N) / N
W[3] = 0.0
W /= W.sum()
REAL, SIDES = RNG.normal(size=N).round(1), np.where(RNG.random(N) < 0.4, -1.0, 1.0)
ETA = 1.5 * RNG.normal(size=N)
CASES = {
    "hinge": (SIDES, (), lambda y, e: np.maximum(0.0, 1.0 - y * e)),
    "quantile": (REAL, (0.3,), lambda y, e: np.maximum(0.3 * (y - e), -0.7 * (y - e))),
    "epsilon_insensitive": (REAL, (0.2,), lambda y, e: np.maximum(np.abs(y - e) - 0.2, 0.0)),
}


def made(name):
    y, parameters, _ = CASES[name]
    return KINKED[name](y, W, *parameters)


def test_every_loss_with_kinks_is_here():
    assert set(CASES) == set(KINKED)


@pytest.mark.parametrize("name", CASES)
def test_the_best_constant_is_as_good_as_any_kink(name):
    loss = made(name)
    best = loss.at(ETA + loss.best_shift(ETA))[0]
    centre = loss.pieces[0] - ETA
    kinks = [*(centre - loss.width), *(centre + loss.width)]
    assert best <= min(loss.at(ETA + a)[0] for a in kinks) + 1e-15


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_the_best_constant_of_many_samples_is_found_by_selection(name, tied):
    rng = np.random.default_rng(7)
    n = 3000  # far more kinks than are sorted at once
    eta = rng.normal(size=n).round(1 if tied else 12)
    y = np.where(rng.random(n) < 0.3, -1.0, 1.0) if name == "hinge" else eta + rng.normal(size=n)
    y, w = (y if name == "hinge" else y.round(1 if tied else 12)), rng.random(n).round(1)
    loss = KINKED[name](y, w / w.sum(), *CASES[name][1])
    best = loss.at(eta + loss.best_shift(eta))[0]
    kinks = np.unique(np.concatenate([loss.pieces[0] - eta + s * loss.width for s in (-1, 1)]))
    assert best <= min(loss.at(eta + a)[0] for a in kinks) + 1e-14


# The Moreau envelope


def enveloped(name, sigma):
    """The loss, its envelope about multipliers within the slopes, and these."""
    loss = made(name)
    envelope = Envelope(loss, sigma)
    _, low, high = loss.pieces
    m = low + (high - low) * RNG.random(N)
    envelope.about(m, sigma)
    return loss, envelope, m


@pytest.mark.parametrize("sigma", [0.5, 20.0])
@pytest.mark.parametrize("name", CASES)
def test_it_is_the_least_of_the_loss_and_a_square(name, sigma):
    """min over t of f(t) + m (eta - t) + sigma (eta - t)^2 / 2, on a fine grid and at kinks."""
    _, envelope, m = enveloped(name, sigma)
    (y, _, formula), total = CASES[name], 0.0
    for i in range(N):
        t = np.r_[np.linspace(ETA[i] - 6.0, ETA[i] + 6.0, 60_001), y[i] - 0.2, y[i], y[i] + 0.2]
        far = ETA[i] - t
        total += W[i] * (formula(y[i], t) + m[i] * far + sigma * far**2 / 2).min()
    assert envelope.at(ETA)[0] == pytest.approx(total, abs=1e-6 * (1 + sigma))


@pytest.mark.parametrize("name", CASES)
def test_its_slope_is_the_next_multiplier(name):
    _, envelope, _ = enveloped(name, 3.0)
    s = envelope.slopes(ETA)
    np.testing.assert_allclose(envelope.at(ETA)[1], -W * s, rtol=1e-12)
    step = 1e-6
    for i in range(N):
        moved = np.eye(N)[i] * step
        rise = envelope.at(ETA + moved)[0] - envelope.at(ETA - moved)[0]
        assert rise / (2 * step) == pytest.approx(W[i] * s[i], abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_with_sigma_it_comes_to_the_loss_from_below(name):
    loss, envelope, m = enveloped(name, 1.0)
    value, last = loss.at(ETA)[0], -np.inf
    for sigma in (1.0, 10.0, 1e3, 1e6):
        envelope.about(m, sigma)
        here = envelope.at(ETA)[0]
        assert last - 1e-12 <= here <= value + 1e-12
        last = here
    assert last == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_multipliers_stay_within_the_slopes(name):
    loss, envelope, _ = enveloped(name, 50.0)
    _, low, high = loss.pieces
    for _ in range(5):
        s = envelope.slopes(5.0 * RNG.normal(size=N))
        assert (s >= low).all() and (s <= high).all()


@pytest.mark.parametrize("name", CASES)
def test_the_slope_along_a_line_is_that_of_the_gradient(name):
    _, envelope, _ = enveloped(name, 3.0)
    along = RNG.normal(size=N)
    for t in (0.0, 0.7, -2.0):
        u = envelope.at(ETA + t * along)[1]
        assert envelope.slope_along(ETA, along, t) == pytest.approx(-u @ along, rel=1e-12)
