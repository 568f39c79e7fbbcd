"""Losses with kinks: values written down again, Fenchel-Young, the best constant, the envelope."""

import numpy as np
import pytest

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
def test_value_is_the_formula_and_slope_a_subgradient(name):
    y, _, formula = CASES[name]
    loss = made(name)
    value, u = loss.at(ETA)
    assert value == pytest.approx(W @ formula(y, ETA), rel=1e-13)
    for _ in range(20):
        other = RNG.normal(size=N)
        assert loss.at(other)[0] >= value - u @ (other - ETA) - 1e-13


@pytest.mark.parametrize("name", CASES)
def test_fenchel_young_is_at_least_what_trials_find(name):
    loss = made(name)
    low, high = loss.ends
    for _ in range(10):
        u = low + RNG.random(N) * (high - low)
        found = loss.fenchel_young_at(ETA, u)
        trials = [-loss.at(t)[0] - t @ u for t in RNG.normal(size=(200, N))]
        assert found >= loss.at(ETA)[0] + ETA @ u + max(trials) - 1e-13
    assert loss.fenchel_young_at(ETA, loss.at(ETA)[1]) == pytest.approx(0.0, abs=1e-15)
    assert loss.fenchel_young_at(ETA, high + 0.1 * W) == np.inf


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
