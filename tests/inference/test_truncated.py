"""Truncated normals: numbers of 60 digits, integrals, and ends that solve their equation."""

import numpy as np
import pytest
from scipy import integrate, special, stats

from sparsesolve.inference.truncated import (
    Carved,
    Truncated,
    intervals,
    log_mass,
    log_partial,
    p_values,
    pivots,
)


def one(x, lo, hi, v=1.0):
    return Truncated(*(np.array([float(value)]) for value in (x, v, lo, hi)))


@pytest.mark.parametrize("x, lo, hi, tail", [
    (39, 38.9, np.inf, 0.020291280403341163),
    (1000.001, 1000, np.inf, 0.36787888936231332),
    (9.5, 9, 12, 0.0092987975243954742),
])  # fmt: skip
def test_tails_of_sixty_digits(x, lo, hi, tail):
    logit, slope = one(x, lo, hi).logit(np.zeros(1))
    assert special.expit(-logit)[0] == pytest.approx(tail, rel=1e-13)
    assert pivots(one(-x, -hi, -lo), 0.0)[0] == pytest.approx(tail, rel=1e-13)
    ends = [one(x, lo, hi).logit(np.array([step]))[0] for step in (-1e-4, 1e-4)]
    assert (ends[1] - ends[0]) / 2e-4 == pytest.approx(slope, rel=1e-5)


def test_partial_masses_are_integrals():
    rng = np.random.default_rng(0)
    for _ in range(60):
        z, w = rng.normal() * 3, 10 ** rng.uniform(-4, 1.5)
        exact = integrate.quad(lambda u, z=z: np.exp(z * u - u * u / 2), 0, w, epsabs=0,
                               points=[min(w, max(z, 0.0))])[0]  # fmt: skip
        assert np.exp(log_partial(z, w)[0]) == pytest.approx(exact, rel=1e-9)
    assert log_mass([-1.0, 2.0, 3.0], [1.0, np.inf, 3.0]) == pytest.approx(
        [np.log(0.6826894921370859), stats.norm.logsf(2.0), -np.inf])  # fmt: skip


def test_the_whole_line_gives_the_textbook():
    law = one(1.3, -np.inf, np.inf, 4.0)
    assert p_values(law)[0] == pytest.approx(2 * stats.norm.sf(0.65))
    assert np.ravel(intervals(law, 0.9)) == pytest.approx([1.3 - 3.28970725, 1.3 + 3.28970725])


@pytest.mark.parametrize("x, lo", [(1.0, 1 - 1e-4), (1.0, 1 - 1e-7), (2.0, 1.5), (5.0, -1.0)])
def test_ends_solve_their_equation(x, lo):
    law = one(x, lo, 6.0)
    low, high = intervals(law, 0.9)
    assert pivots(law, low)[0] == pytest.approx(0.95, rel=1e-9)
    assert pivots(law, high)[0] == pytest.approx(0.05, rel=1e-9)
    assert (low < high).all()
    if lo == 1 - 1e-4:
        assert low[0] == pytest.approx(-29956.3, rel=1e-4)  # log(20) / 1e-4: true, and long


def carved(x, lo, hi, d, v=1.0):
    return Carved(*(np.array([float(value)]) for value in (x, v, lo, hi, d)))


@pytest.mark.parametrize("theta", [-6.0, -1.0, 0.0, 2.0, 9.0])
@pytest.mark.parametrize("lo, hi, d", [(1.0, np.inf, 0.25), (-0.5, 0.4, 1.0), (2.0, 2.1, 0.05),
                                       (1.0, np.inf, 0.01)])  # fmt: skip
def test_carved_laws_are_integrals(theta, lo, hi, d):
    def density(t):
        left = stats.norm.cdf((hi - t) / np.sqrt(d)) - stats.norm.cdf((lo - t) / np.sqrt(d))
        return stats.norm.pdf(t - theta) * left

    middle = theta + (np.clip(theta, lo, hi) - theta) / (1 + d)
    x = middle + 0.8
    below, above = (integrate.quad(density, *ends, epsabs=0, limit=200)[0]
                    for ends in ((middle - 10, x), (x, middle + 10)))  # fmt: skip
    found = carved(x, lo, hi, d).logit(np.array([theta]))[0][0]
    assert found == pytest.approx(np.log(below / above), rel=1e-6, abs=1e-9)


def test_carved_tails_far_from_x():
    """All of the mass may be far from x: its whole is known, and the part near x is small."""
    for theta in (-30.0, 40.0):
        law = carved(1.5, 1.0, 4.0, 0.25)
        x = np.linspace(-60, 60, 480_001)
        logs = stats.norm.logpdf(x - theta) + log_mass((1.0 - x) / 0.5, (4.0 - x) / 0.5)
        below, above = special.logsumexp(logs[x <= 1.5]), special.logsumexp(logs[x > 1.5])
        found = law.logit(np.array([theta]))[0][0]
        assert found == pytest.approx(below - above, rel=1e-3)
    low, high = intervals(law, 0.9)
    assert pivots(law, low)[0] == pytest.approx(0.95, rel=1e-9)
    assert pivots(law, high)[0] == pytest.approx(0.05, rel=1e-9)
