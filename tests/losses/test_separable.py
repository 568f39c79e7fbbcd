"""Sums over samples: the default height above a line, rows in parts, weights of 0."""

import numpy as np
import pytest

from sparsesolve.losses import LOSSES

RNG = np.random.default_rng(22)
N = 700  # more than two blocks of samples
ETA = 2.0 * RNG.standard_normal(N)
KINDS = {
    "gaussian": (RNG.standard_normal(N), {}),
    "huber": (3.0 * RNG.standard_normal(N), {"delta": 0.7}),
    "binomial": (RNG.integers(0, 2, N).astype(float), {}),
    "poisson": (RNG.poisson(1.5, N).astype(float), {}),
    "gamma": (RNG.gamma(2.0, size=N), {}), "probit": (RNG.integers(0, 2, N).astype(float), {}),
}  # fmt: skip


def made(kind, weights=None):
    y, parameters = KINDS[kind]
    w = np.full(N, 1.0 / N) if weights is None else weights
    return LOSSES[kind](y, w, **parameters)


@pytest.mark.parametrize("kind", KINDS)
def test_the_gap_is_the_height_above_the_line_of_another_point(kind):
    """With u = -F'(eta'), the Fenchel-Young gap is F(eta) - F(eta') - F'(eta')'(eta - eta')."""
    loss, other = made(kind), ETA + 0.5 * RNG.standard_normal(N)
    value, _ = loss.at(ETA)
    below, u = loss.at(other)
    height = value - below + u @ (ETA - other)
    assert loss.fenchel_young_at(ETA, u) == pytest.approx(height, abs=1e-9)
    assert loss.fenchel_young_at(ETA, loss.at(ETA)[1]) == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_the_curvature_is_the_slope_of_the_gradient(kind):
    loss, h, v = made(kind), 1e-5, RNG.standard_normal(N)
    rise = (loss.at(ETA - h * v)[1] - loss.at(ETA + h * v)[1]) / (2 * h)
    kink = 0.7 if kind == "huber" else np.inf
    smooth = np.abs(np.abs(KINDS[kind][0] - ETA) - kink) > 1e-3
    assert loss.curvature_product(ETA, v)[smooth] == pytest.approx(rise[smooth], abs=1e-9)
    assert loss.curvature_product(ETA, v) == pytest.approx(loss.curvature_at(ETA) * v)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_of_weight_0_take_no_part(kind):
    w = np.r_[np.zeros(10), np.full(N - 10, 1.0 / (N - 10))]
    far = np.r_[np.full(10, 30.0), ETA[10:]]
    loss = made(kind, w)
    value, u = loss.at(far)
    assert value == loss.at(ETA)[0] and not u[:10].any()
    assert np.isfinite(loss.saturated) and loss.saturated <= value


@pytest.mark.parametrize("kind", KINDS)
def test_slopes_stay_between_their_ends(kind):
    loss = made(kind)
    low, high = loss.ends
    for scale in (1.0, 10.0):
        u = loss.at(scale * ETA)[1]
        assert (u >= low - 1e-15).all() and (u <= high + 1e-15).all()


def test_equal_terms_are_summed_to_the_last_digits():
    """Sums by halves: the rounding of n equal terms does not grow like n."""
    n = 1 << 16
    loss = LOSSES["gaussian"](np.full(n, 0.1), np.full(n, 1.0 / n))
    assert loss.at(np.zeros(n))[0] == pytest.approx(0.005, rel=4e-16)
