"""The gap of Cox's likelihood against relative entropies of risk sets, and a general optimiser.

For u = -F'(other) it is the sum, over the terms of the likelihood, of d KL(shares at other, shares
at eta): in decimals, so that it is known to the last digit however far risks are apart. Where some
enter late, a search finds the point of contact.
"""

from decimal import Decimal, localcontext
from types import SimpleNamespace

import numpy as np
import pytest
from cases import every
from scipy import optimize

from sparsesolve.losses import LOSSES
from sparsesolve.losses.cox import late

EPSILON = np.finfo(float).eps
TIES = pytest.mark.parametrize("ties", ["breslow", "efron"])


def table(time, died, stratum=None, start=-np.inf):
    n = len(time)
    return np.column_stack([np.broadcast_to(start, n), time, died,
                            np.zeros(n) if stratum is None else stratum])  # fmt: skip


def terms(y, w, ties):
    """Weight d and, by sample, the factor of its risk in each term of the likelihood."""
    start, stop, status, stratum = y.T
    dead = (status > 0) & (w > 0)
    for s, t in sorted(set(zip(stratum[dead], stop[dead], strict=True))):
        now = dead & (stratum == s) & (stop == t)
        at_risk = (stratum == s) & (start < t) & (t <= stop) & (w > 0)
        m = int(now.sum()) if ties == "efron" else 1
        for k in range(m):
            d = sum(map(Decimal, w[now])) / m
            yield d, [Decimal(x) * (1 - Decimal(k) / m if dies else 1) if risky else Decimal(0)
                      for x, dies, risky in zip(w, now, at_risk, strict=True)]  # fmt: skip


def exact(y, w, eta, other, ties):
    """(gap, u): sum of d KL, and -F' at `other`, to the last digit."""
    with localcontext(prec=80, Emin=-(10**9), Emax=10**9):
        risks = [[Decimal(x).exp() for x in xs] for xs in (eta, other)]
        gap, expected = Decimal(0), [Decimal(0)] * len(w)
        for d, factors in terms(y, w, ties):
            here, there = ([f * r for f, r in zip(factors, rs, strict=True)] for rs in risks)
            p, q = ([x / sum(xs) for x in xs] for xs in (here, there))
            gap += sum(d * b * (b / a).ln() for a, b in zip(p, q, strict=True) if b)
            expected = [e + d * b for e, b in zip(expected, q, strict=True)]
        dead = [Decimal(x) if died else Decimal(0) for x, died in zip(w, y[:, 2], strict=True)]
        return gap, [a - b for a, b in zip(dead, expected, strict=True)]


RNG = np.random.default_rng(3)
N = 14
CASES = {  # y and w
    "no ties": (table(np.arange(N) + 1.0, np.arange(N) % 3 < 2), np.full(N, 1 / N)),
    "ties": (table(RNG.integers(1, 5, N), RNG.random(N) < 0.6), RNG.uniform(0.1, 1, N)),
    "strata": (table(RNG.integers(1, 4, N), RNG.random(N) < 0.7, np.arange(N) % 3),
               RNG.uniform(0.1, 1, N)),
    "weights of 0": (table(RNG.integers(1, 5, N), RNG.random(N) < 0.6),
                     np.where(np.arange(N) % 4 == 1, 0.0, 1.0)),
    "weights 1e11 apart": (table(RNG.integers(1, 5, N), RNG.random(N) < 0.6),
                           10.0 ** -RNG.uniform(0, 11, N)),
    "one death": (table(np.arange(N) + 1.0, np.arange(N) == 4), np.full(N, 1 / N)),
    "one death, the last": (table(np.arange(N) + 1.0, np.arange(N) == N - 1), np.full(N, 1 / N)),
    "deaths at the last time": (table(np.minimum(np.arange(N) + 1.0, 9), np.arange(N) > 5),
                                np.full(N, 1 / N)),
    "censored before any death": (table(np.arange(N) + 1.0, np.arange(N) > 5), np.full(N, 1 / N)),
    "entries before any death": (
        table(np.arange(N) + 5.0, np.arange(N) % 2, None, np.arange(N) % 5), np.full(N, 1 / N)),
}  # fmt: skip


@every("ties", ["breslow", "efron"])
@every("case", CASES)
@every("size", [0.0, 1.0, 40.0])
@every("distance", [0.0, 1e-6, 1e-2, 2.0, 700.0])
def test_the_gap_is_a_sum_of_relative_entropies(case, ties, size, distance):
    y, w = CASES[case]
    w = w / w.sum()
    rng = np.random.default_rng(1)
    other = size * rng.standard_normal(N)
    eta = other + distance * rng.choice([-1.0, 1.0], N)
    loss = LOSSES["cox"](y, w, ties)
    gap, u = exact(y, w, eta, other, ties)
    found = loss.fenchel_young_at(eta, np.array(u, dtype=float))
    assert found >= 0.0
    # the terms, logarithms of shares of the risk, are summed over samples
    logs = 1 + np.log(N) + np.ptp(eta) + np.abs(eta).max() + np.log(w.max() / w[w > 0].min())
    rounding = Decimal(4 * N * EPSILON * w[y[:, 2] > 0].sum() * logs)
    assert abs(Decimal(found) - gap) <= rounding + gap / 10**12


@TIES
def test_the_edge_of_the_domain_has_a_finite_gap_and_beyond_it_there_is_none(ties):
    """Two at risk, one death of weight 1/2: expected deaths (e, 1/2 - e) for e from 0 to 1/2, and
    the gap is that of a coin."""
    y, w = table([1.0, 2.0], [1, 0]), np.array([0.5, 0.5])
    loss = LOSSES["cox"](y, w, ties)
    p = np.exp([0.3, -1.1]) / np.exp([0.3, -1.1]).sum()
    for e in (0.0, 1e-300, 1e-9, 0.2, 0.5):
        found = loss.fenchel_young_at([0.3, -1.1], [0.5 - e, e - 0.5])
        shares = np.array([2 * e, 1 - 2 * e])
        inside = shares > 0
        expected = 0.5 * np.sum(shares[inside] * np.log(shares[inside] / p[inside]))
        assert found == pytest.approx(expected, rel=1e-14)
    for e in (-1e-9, 0.5 + 1e-9, 2.0):
        assert loss.fenchel_young_at([0.3, -1.1], [0.5 - e, e - 0.5]) == np.inf
    assert loss.fenchel_young_at([0.3, -1.1], [0.1, -0.2]) == np.inf  # of another sum


def test_rounding_of_many_samples_is_no_way_out_of_the_domain():
    """Sums over n samples are off by n eps: the null model was called unsolved from n = 3e5 on."""
    rng = np.random.default_rng(0)
    n = 300_000
    y = np.column_stack([np.full(n, -np.inf), rng.exponential(size=n), np.ones(n), np.zeros(n)])
    loss = LOSSES["cox"](y, np.full(n, 1.0 / n))
    eta = np.zeros(n)
    u = loss.at(eta)[1]
    assert 0.0 <= loss.fenchel_young_at(eta, u) < 1e-10


# Where some enter late


def draw(seed, strata=1, n=40):
    rng = np.random.default_rng(seed)
    start = rng.choice([-np.inf, 0.0, 1.0, 2.0], n)
    stop = np.maximum(start, 0.0) + rng.integers(1, 5, n)
    y = np.column_stack([start, stop, rng.random(n) < 0.6, rng.integers(0, strata, n)])
    w = rng.uniform(0.1, 1.0, n)
    return y, w, rng


ONE_DEATH = np.array([[0.0, 2.0, 1, 0], [1.0, 4.0, 0, 0], [-np.inf, 1.5, 0, 0], [3.0, 9.0, 0, 0]])


@TIES
@pytest.mark.parametrize("strata", [1, 3])
def test_with_late_entries_too_it_is_that_sum(ties, strata):
    """Weights of 0, weights 1e11 apart, and one death, whose term is the only one."""
    for seed in range(3):
        y, w, rng = draw(seed, strata)
        w[seed] = 0.0
        apart = w * 10.0 ** -rng.uniform(0, 11, 40)
        one = ONE_DEATH, np.ones(4), 1e-8
        for given, weights, near in ((y, w, 1e-8), (y, apart, 1e-6), one):
            weights = weights / weights.sum()
            loss = LOSSES["cox"](given, weights, ties)
            assert loss.sets.late == (given is y)
            for distance in (0.0, 1e-3, 0.5):
                other = rng.standard_normal(len(given))
                eta = other + distance * rng.standard_normal(len(given))
                gap, u = exact(given, weights, eta, other, ties)
                found = loss.fenchel_young_at(eta, np.array(u, dtype=float))
                assert found == pytest.approx(float(gap), rel=near, abs=1e-13)


@TIES
@pytest.mark.parametrize("late_entries", [False, True])
def test_slopes_between_two_have_the_gap_that_an_optimiser_finds(ties, late_entries):
    """A mixture of slopes is the slope at a place that no formula gives."""
    y, w, rng = (*CASES["ties"], np.random.default_rng(4)) if not late_entries else draw(0)
    loss = LOSSES["cox"](y, w / w.sum(), ties)
    eta, one, two = rng.standard_normal((3, len(y)))
    u = 0.3 * loss.at(one)[1] + 0.6 * loss.at(two)[1]

    def above(e):
        value, slope = loss.at(e)
        return value + u @ e, u - slope

    found = optimize.minimize(above, one, jac=True, method="BFGS", options={"gtol": 1e-11})
    assert loss.fenchel_young_at(eta, u) == pytest.approx(above(eta)[0] - found.fun, rel=1e-7)


@TIES
@pytest.mark.parametrize("shift", [-700.0, -60.0, -36.0, 30.0, 700.0])
def test_one_far_out_never_has_too_small_a_gap(ties, shift):
    """Its risk, or that of all others, is all but 0, and no second derivative tells the way."""
    y, w, rng = draw(0)
    w /= w.sum()
    loss = LOSSES["cox"](y, w, ties)
    other = rng.standard_normal(len(y))
    for j in range(0, len(y), 6):
        eta = other + shift * np.eye(len(y))[j]
        gap, u = exact(y, w, eta, other, ties)
        found = loss.fenchel_young_at(eta, np.array(u, dtype=float))
        assert found >= float(gap) * (1 - 1e-9)


def test_what_nobody_can_expect_is_outside_the_domain():
    """Of samples of weight 0, of those never at risk at a death, and less than nothing."""
    y = np.array([[0.0, 3.0, 1, 0], [2.0, 5.0, 1, 0], [4.0, 6.0, 1, 0], [1.0, 4.0, 0, 0],
                  [6.5, 7.0, 0, 0], [-np.inf, 0.5, 0, 0], [0.0, 9.0, 0, 0]])  # fmt: skip
    w = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]) / 6
    loss = LOSSES["cox"](y, w)
    assert loss.sets.late
    eta = np.linspace(-1.0, 1.0, 7)
    u = loss.at(0.5 * eta)[1]
    assert 0.0 < loss.fenchel_young_at(eta, u) < 1.0
    for i in (4, 5, 6):
        for small in (-1e-3, 1e-3):
            moved = u + small * (np.eye(7)[i] - np.eye(7)[0])
            assert loss.fenchel_young_at(eta, moved) == np.inf
    assert loss.fenchel_young_at(eta, u + 1.0 * (np.eye(7)[3] - np.eye(7)[0])) == np.inf


class Counted(SimpleNamespace):
    """A loss that counts calls of its methods."""

    def __init__(self, loss):
        self.calls = {}
        for name in ("at", "curvature_at", "curvature_product"):
            setattr(self, name, self._counting(name, getattr(loss, name)))
        self.saturated = loss.saturated

    def _counting(self, name, method):
        def call(*given):
            self.calls[name] = self.calls.get(name, 0) + 1
            return method(*given)

        return call


def test_the_search_ends_where_the_slope_is_rounding_and_beside_the_domain():
    """Conjugate gradients on rounding would go on for as many steps as there are samples; where F*
    is infinite, or all but, steps become shorter and shorter and lead to nothing."""
    rng = np.random.default_rng(3)
    n = 2000
    start, died = rng.uniform(0.0, 0.5, n), rng.random(n) < 0.6
    y = np.column_stack([start, start + rng.exponential(size=n), died, np.zeros(n)])
    loss, eta = LOSSES["cox"](y, np.full(n, 1 / n), "efron"), rng.standard_normal(n)
    counted = Counted(loss)
    for size in (0.0, 1e-14, 1e-9, 1e-3):
        u = loss.at(eta + size * rng.standard_normal(n))[1]
        u *= 1.0 + 1e-12 * rng.standard_normal(n)  # as of a sum in another order
        assert 0.0 <= late.excess(counted, eta, u) <= size**2 + 1e-12
    assert 0 < counted.calls["curvature_product"] < n / 4
    far, counted = loss.at(8.0 * rng.standard_normal(n))[1], Counted(loss)
    assert late.excess(counted, np.zeros(n), far) > 0.1 and counted.calls["at"] < 200
