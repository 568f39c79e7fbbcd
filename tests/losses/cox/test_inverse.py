"""The gap of Cox's likelihood where nobody enters late, against relative entropies of risk sets.

For u = -F'(other) it is the sum, over the terms of the likelihood, of d KL(shares at other, shares
at eta): in decimals, so that it is known to the last digit however far risks are apart.
"""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from cases import every
from scipy import optimize

from sparsesolve.losses import LOSSES

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
def test_slopes_between_two_are_inverted_by_no_formula(ties):
    """A mixture of slopes is the slope at a place that no formula gives: an optimiser finds it."""
    y, w = CASES["ties"]
    w = w / w.sum()
    loss = LOSSES["cox"](y, w, ties)
    rng = np.random.default_rng(4)
    eta, one, two = rng.standard_normal((3, N))
    u = 0.3 * loss.at(one)[1] + 0.6 * loss.at(two)[1]

    def above(e):
        value, slope = loss.at(e)
        return value + u @ e, u - slope

    found = optimize.minimize(above, one, jac=True, method="BFGS", options={"gtol": 1e-11})
    expected = above(eta)[0] - found.fun
    assert loss.fenchel_young_at(eta, u) == pytest.approx(expected, rel=1e-9)


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


def test_what_nobody_can_expect_is_outside_the_domain():
    """Of samples of weight 0, and of those who leave before any death."""
    y = table([0.5, 1.0, 2.0, 3.0], [0, 1, 0, 1])
    loss = LOSSES["cox"](y, np.array([0.3, 0.3, 0.0, 0.4]))
    u = loss.at(np.zeros(4))[1]
    assert loss.fenchel_young_at(np.ones(4), u) == pytest.approx(0.0, abs=1e-15)
    for i in (0, 2):
        for small in (-1e-3, 1e-3):
            moved = u + small * (np.eye(4)[i] - np.eye(4)[1])
            assert loss.fenchel_young_at(np.ones(4), moved) == np.inf


def test_rounding_of_many_samples_is_no_way_out_of_the_domain():
    """Sums over n samples are off by n eps: the null model was called unsolved from n = 3e5 on."""
    rng = np.random.default_rng(0)
    n = 300_000
    y = np.column_stack([np.full(n, -np.inf), rng.exponential(size=n), np.ones(n), np.zeros(n)])
    loss = LOSSES["cox"](y, np.full(n, 1.0 / n))
    eta = np.zeros(n)
    u = loss.at(eta)[1]
    assert 0.0 <= loss.fenchel_young_at(eta, u) < 1e-10
