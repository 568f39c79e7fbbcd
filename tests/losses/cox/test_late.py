"""The search for the point of contact where some enter late, against a general optimiser and
relative entropies of risk sets."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize
from scipy.special import logsumexp

from sparsesolve.losses import LOSSES
from sparsesolve.losses.cox import late

N = 40
TIES = pytest.mark.parametrize("ties", ["breslow", "efron"])


def draw(seed, strata=1):
    rng = np.random.default_rng(seed)
    start = rng.choice([-np.inf, 0.0, 1.0, 2.0], N)
    stop = np.maximum(start, 0.0) + rng.integers(1, 5, N)
    y = np.column_stack([start, stop, rng.random(N) < 0.6, rng.integers(0, strata, N)])
    w = rng.uniform(0.1, 1.0, N)
    return y, w / w.sum(), rng


def entropies(y, w, eta, other, ties):
    """Sum over the terms of d KL(shares at other, shares at eta)."""
    start, stop, status, stratum = y.T
    dead, total = (status > 0) & (w > 0), 0.0
    for s, t in sorted(set(zip(stratum[dead], stop[dead], strict=True))):
        now = dead & (stratum == s) & (stop == t)
        at_risk = (stratum == s) & (start < t) & (t <= stop) & (w > 0)
        m = now.sum() if ties == "efron" else 1
        for k in range(m):
            factor = np.log(w[at_risk] * np.where(now[at_risk], 1 - k / m, 1.0))
            p, q = (x - logsumexp(x) for x in (factor + eta[at_risk], factor + other[at_risk]))
            total += w[now].sum() / m * (np.exp(q) @ (q - p))
    return total


@TIES
@pytest.mark.parametrize("strata", [1, 3])
@pytest.mark.parametrize("distance", [0.0, 1e-3, 0.5])
def test_the_gap_is_a_sum_of_relative_entropies(ties, strata, distance):
    for seed in range(3):
        y, w, rng = draw(seed, strata)
        w[seed] = 0.0
        loss = LOSSES["cox"](y, w / w.sum(), ties)
        assert loss.sets.late
        other = rng.standard_normal(N)
        eta = other + distance * rng.standard_normal(N)
        expected = entropies(y, w / w.sum(), eta, other, ties)
        found = loss.fenchel_young_at(eta, loss.at(other)[1])
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-13)


@TIES
def test_slopes_between_two_have_the_gap_that_an_optimiser_finds(ties):
    for seed in range(3):
        y, w, rng = draw(seed)
        loss = LOSSES["cox"](y, w, ties)
        eta, one, two = rng.standard_normal((3, N))
        u = 0.3 * loss.at(one)[1] + 0.6 * loss.at(two)[1]

        def above(e, loss=loss, u=u):
            value, slope = loss.at(e)
            return value + u @ e, u - slope

        found = optimize.minimize(above, one, jac=True, method="BFGS", options={"gtol": 1e-10})
        expected = above(eta)[0] - found.fun
        assert loss.fenchel_young_at(eta, u) == pytest.approx(expected, rel=1e-7)


@TIES
@pytest.mark.parametrize("shift", [-700.0, -60.0, -36.0, 30.0, 700.0])
def test_one_far_out_never_has_too_small_a_gap(ties, shift):
    """Its risk, or that of all others, is all but 0, and no second derivative tells the way."""
    y, w, rng = draw(0)
    loss = LOSSES["cox"](y, w, ties)
    other = rng.standard_normal(N)
    u = loss.at(other)[1]
    for j in range(0, N, 3):
        eta = other + shift * np.eye(N)[j]
        expected = entropies(y, w, eta, other, ties)
        assert loss.fenchel_young_at(eta, u) >= expected * (1 - 1e-9)


@TIES
def test_weights_1e11_apart(ties):
    y, w, rng = draw(1)
    w = w * 10.0 ** -rng.uniform(0, 11, N)
    w /= w.sum()
    loss = LOSSES["cox"](y, w, ties)
    other = rng.standard_normal(N)
    eta = other + 0.3 * rng.standard_normal(N)
    found = loss.fenchel_young_at(eta, loss.at(other)[1])
    assert found == pytest.approx(entropies(y, w, eta, other, ties), rel=1e-6)


def test_one_death():
    """Its term alone: who is not at risk then has no slope."""
    y = np.array([[0.0, 2.0, 1, 0], [1.0, 4.0, 0, 0], [-np.inf, 1.5, 0, 0], [3.0, 9.0, 0, 0]])
    w, eta = np.full(4, 0.25), np.array([0.5, -1.0, 3.0, 7.0])
    loss = LOSSES["cox"](y, w)
    u = loss.at(np.zeros(4))[1]
    assert u == pytest.approx([0.125, -0.125, 0.0, 0.0])
    p = np.exp(eta[:2]) / np.exp(eta[:2]).sum()
    assert loss.fenchel_young_at(eta, u) == pytest.approx(-0.25 * np.log(2 * np.sqrt(p[0] * p[1])))


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


@TIES
def test_where_the_slope_is_rounding_the_search_ends(ties):
    """Conjugate gradients on what is left would go on for as many steps as there are samples."""
    rng = np.random.default_rng(3)
    n = 2000
    start = rng.uniform(0.0, 0.5, n)
    y = np.column_stack([start, start + rng.exponential(size=n), rng.random(n) < 0.6, np.zeros(n)])
    loss = LOSSES["cox"](y, np.full(n, 1 / n), ties)
    eta = rng.standard_normal(n)
    products = []

    def product(*args):
        products.append(1)
        return loss.curvature_product(*args)

    counted = SimpleNamespace(at=loss.at, curvature_at=loss.curvature_at,
                              curvature_product=product, saturated=loss.saturated)  # fmt: skip
    for size in (0.0, 1e-14, 1e-9, 1e-3):
        u = loss.at(eta + size * rng.standard_normal(n))[1]
        u *= 1.0 + 1e-12 * rng.standard_normal(n)  # as of a sum in another order
        assert 0.0 <= late.excess(counted, eta, u) <= size**2 + 1e-12
    assert 0 < len(products) < n / 4


def test_bounds_beside_the_domain_are_given_up_soon():
    """Where F* is infinite, or all but, steps become shorter and shorter and lead to nothing."""
    rng = np.random.default_rng(0)
    n = 2000
    x = rng.standard_normal(n)
    stop = rng.exponential(np.exp(-0.5 * x))
    y = np.column_stack([0.5 * stop * rng.random(n), stop, rng.random(n) < 0.5, np.zeros(n)])
    loss = LOSSES["cox"](y, np.full(n, 1.0 / n))
    far, looks = loss.at(8.0 * rng.standard_normal(n))[1], []

    def at(eta):
        looks.append(1)
        return loss.at(eta)

    counted = SimpleNamespace(at=at, curvature_at=loss.curvature_at, saturated=loss.saturated,
                              curvature_product=loss.curvature_product)  # fmt: skip
    assert late.excess(counted, np.zeros(n), far) > 0.1 and len(looks) < 200
