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


def test_equal_terms_are_summed_to_the_last_digits():
    """Sums by halves: the rounding of n equal terms does not grow like n."""
    n = 1 << 16
    loss = LOSSES["gaussian"](np.full(n, 0.1), np.full(n, 1.0 / n))
    assert loss.at(np.zeros(n))[0] == pytest.approx(0.005, rel=4e-16)
