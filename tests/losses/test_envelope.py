"""The Moreau envelope: its two definitions by brute force, its slope, its limits in sigma."""

import numpy as np
import pytest
from sparsesolve.losses.envelope import Envelope

from sparsesolve.losses import KINKED

RNG = np.random.default_rng(5)
N = 12
W = RNG.random(N)
W /= W.sum()
Y = {"hinge": np.where(RNG.random(N) < 0.5, -1.0, 1.0), "quantile": RNG.normal(size=N),
     "epsilon_insensitive": RNG.normal(size=N)}  # fmt: skip
PARAMETERS = {"hinge": (), "quantile": (0.2,), "epsilon_insensitive": (0.3,)}
ETA = 2.0 * RNG.normal(size=N)


def made(name, sigma):
    """The loss, its envelope about multipliers within the slopes, and these."""
    loss = KINKED[name](Y[name], W, *PARAMETERS[name])
    envelope = Envelope(loss, sigma)
    _, low, high = loss.pieces
    m = low + (high - low) * RNG.random(N)
    envelope.about(m, sigma)
    return loss, envelope, m


def formula(name, y, points):
    """The loss of one sample of weight 1, written down again."""
    r = y - points
    if name == "hinge":
        return np.maximum(0.0, 1.0 - y * points)
    if name == "quantile":
        return np.maximum(0.2 * r, -0.8 * r)
    return np.maximum(np.abs(r) - 0.3, 0.0)


@pytest.mark.parametrize("sigma", [0.5, 20.0])
@pytest.mark.parametrize("name", KINKED)
def test_it_is_the_least_of_the_loss_and_a_square(name, sigma):
    """min over t of f(t) + m (eta - t) + sigma (eta - t)^2 / 2, on a fine grid and at kinks."""
    _, envelope, m = made(name, sigma)
    total = 0.0
    for i in range(N):
        y = Y[name][i]
        t = np.r_[np.linspace(ETA[i] - 6.0, ETA[i] + 6.0, 240_001), y - 0.3, y, y + 0.3]
        far = ETA[i] - t
        total += W[i] * (formula(name, y, t) + m[i] * far + sigma * far**2 / 2).min()
    assert envelope.at(ETA)[0] == pytest.approx(total, abs=1e-7 * (1 + sigma))


@pytest.mark.parametrize("name", KINKED)
def test_its_slope_is_the_next_multiplier(name):
    _, envelope, _ = made(name, 3.0)
    s = envelope.slopes(ETA)
    np.testing.assert_allclose(envelope.at(ETA)[1], -W * s, rtol=1e-12)
    step = 1e-6
    for i in range(N):
        moved = np.eye(N)[i] * step
        rise = envelope.at(ETA + moved)[0] - envelope.at(ETA - moved)[0]
        assert rise / (2 * step) == pytest.approx(W[i] * s[i], abs=1e-6)


@pytest.mark.parametrize("name", KINKED)
def test_with_sigma_it_comes_to_the_loss_from_below(name):
    loss, envelope, m = made(name, 1.0)
    value, last = loss.at(ETA)[0], -np.inf
    for sigma in (1.0, 10.0, 1e3, 1e6):
        envelope.about(m, sigma)
        here = envelope.at(ETA)[0]
        assert last - 1e-12 <= here <= value + 1e-12
        last = here
    assert last == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("name", KINKED)
def test_multipliers_stay_within_the_slopes(name):
    loss, envelope, _ = made(name, 50.0)
    _, low, high = loss.pieces
    for _ in range(5):
        s = envelope.slopes(5.0 * RNG.normal(size=N))
        assert (s >= low).all() and (s <= high).all()


@pytest.mark.parametrize("name", KINKED)
def test_the_slope_along_a_line_is_that_of_the_gradient(name):
    _, envelope, _ = made(name, 3.0)
    along = RNG.normal(size=N)
    for t in (0.0, 0.7, -2.0):
        u = envelope.at(ETA + t * along)[1]
        assert envelope.slope_along(ETA, along, t) == pytest.approx(-u @ along, rel=1e-12)
