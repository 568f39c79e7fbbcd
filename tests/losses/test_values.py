"""Losses by likelihoods, far out, at the edge of their domain, and as sums of many samples.

Laws of all of them, and their digits against decimals, are in tests/laws.
"""

import numpy as np
import pytest
from scipy import special, stats
from sklearn.metrics import mean_tweedie_deviance

from sparsesolve.losses import LOSSES

INF = np.inf
Y, ETA = np.array([0.0, 0.2, 1.0, 7.0]), np.array([-1.0, 0.5, 0.1, 2.5])
W = np.array([0.4, 0.2, 0.2, 0.2])


def one(name, y, *parameters):
    """The loss of a single sample."""
    return LOSSES[name](np.array([y]), np.ones(1), *parameters)


@pytest.mark.parametrize("name, parameters, log_density", [
    ("gamma", (), lambda y, mean: stats.gamma.logpdf(y, 3.0, scale=mean / 3.0) / 3.0),
    ("poisson", (), lambda y, mean: stats.poisson.logpmf(y, mean)),
    *[("negative_binomial", (theta,), lambda y, mean, theta=theta: stats.nbinom.logpmf(
        y, theta, theta / (theta + mean))) for theta in (0.05, 1.0, 40.0)],
])  # fmt: skip
def test_values_are_those_of_likelihoods(name, parameters, log_density):
    y = np.array([0.3 if name == "gamma" else 0.0, 1.0, 7.0, 2.0])
    y = y if name == "gamma" else y.round()
    loss = LOSSES[name](y, W, *parameters)
    expected = W @ (log_density(y, np.maximum(y, 1e-300)) - log_density(y, np.exp(ETA)))
    assert loss.at(ETA)[0] - loss.saturated == pytest.approx(expected)


@pytest.mark.parametrize("power", [1.01, 1.2, 1.5, 1.9])
def test_twice_the_value_above_saturated_is_the_deviance(power):
    loss = LOSSES["tweedie"](Y, W, power)
    value, u = loss.at(ETA)
    deviance = mean_tweedie_deviance(Y, np.exp(ETA), sample_weight=W, power=power)
    assert 2 * (value - loss.saturated) == pytest.approx(deviance, rel=1e-12)
    assert u == pytest.approx(W * (Y - np.exp(ETA)) * np.exp((1 - power) * ETA))


@pytest.mark.parametrize("name, parameters, other, near", [
    ("negative_binomial", (1e14,), "poisson", 1e-12), ("huber", (1e3,), "gaussian", 1e-12),
    ("tweedie", (1 + 1e-9,), "poisson", 1e-7), ("tweedie", (2 - 1e-9,), "gamma", 1e-7),
])  # fmt: skip
def test_at_the_end_of_a_parameter_it_is_another_loss(name, parameters, other, near):
    loss, limit = LOSSES[name](Y[1:], W[1:], *parameters), LOSSES[other](Y[1:], W[1:])
    (value, u), (least, v) = loss.at(ETA[1:]), limit.at(ETA[1:])
    assert value - loss.saturated == pytest.approx(least - limit.saturated, abs=near)
    assert u == pytest.approx(v, abs=near)


@pytest.mark.parametrize("name, parameters, y, eta, value, u", [
    ("binomial", (), 0.0, 800.0, 800.0, -1.0), ("binomial", (), 1.0, 800.0, 0.0, 0.0),
    ("binomial", (), 0.0, -800.0, 0.0, 0.0), ("binomial", (), 1.0, -800.0, 800.0, 1.0),
    ("cloglog", (), 1.0, 800.0, 0.0, 0.0), ("cloglog", (), 1.0, -800.0, 800.0, 1.0),
    ("cloglog", (), 0.0, 800.0, INF, -INF), ("cloglog", (), 0.0, -800.0, 0.0, 0.0),
    ("gamma", (), 2.0, 800.0, 800.0, -1.0), ("gamma", (), 2.0, -800.0, INF, INF),
    ("negative_binomial", (0.5,), 3.0, 800.0, 400.0 - 3.5 * np.log(0.5), -0.5),
    ("negative_binomial", (40.0,), 3.0, -800.0, 2400.0, 3.0),
    ("poisson", (), 0.0, -800.0, 0.0, 0.0), ("poisson", (), 0.0, 800.0, INF, -INF),
    ("huber", (1.5,), 10.0, 2.0, 1.5 * (8 - 0.75), 1.5), ("huber", (1.5,), 0.0, 0.5, 0.125, -0.5),
    ("squared_hinge", (), 1.0, 1e300, 0.0, 0.0), ("squared_hinge", (), -1.0, 0.5, 1.125, -1.5),
    ("tweedie", (1.5,), 0.0, -1e5, -2.0, 0.0),
])  # fmt: skip
def test_far_out_and_by_hand(name, parameters, y, eta, value, u):
    found, slope = one(name, y, *parameters).at(np.array([eta]))
    assert found == pytest.approx(value, rel=1e-14, abs=1e-300)
    assert slope == pytest.approx([u], rel=1e-14, abs=1e-300)


@pytest.mark.parametrize("name, parameters, y, ends", [
    ("binomial", (), 0.4, (-0.6, 0.4)), ("gamma", (), 2.0, (-1.0, None)),
    ("negative_binomial", (0.5,), 2.0, (-0.5, 2.0)), ("poisson", (), 2.0, (None, 2.0)),
    ("huber", (1.5,), 0.0, (-1.5, 1.5)), ("squared_hinge", (), 1.0, (0.0, None)),
    ("squared_hinge", (), -1.0, (None, 0.0)),
])  # fmt: skip
def test_the_domain_of_the_conjugate_has_its_ends(name, parameters, y, ends):
    loss = one(name, y, *parameters)
    for end, outside in zip(ends, (-1e-9, 1e-9), strict=True):
        if end is not None:
            assert np.isfinite(loss.fenchel_young_at(np.zeros(1), np.array([end])))
            assert loss.fenchel_young_at(np.zeros(1), np.array([end + outside])) == np.inf
    assert one("poisson", 0.0).fenchel_young_at(np.zeros(1), np.array([1e-300])) == np.inf


@pytest.mark.parametrize("name, parameters, kinks", [
    ("huber", (1.5,), (-1.5, 1.5)), ("squared_hinge", (), (1.0,)),
])  # fmt: skip
def test_curvature_jumps_at_kinks_and_slopes_do_not(name, parameters, kinks):
    for kink in kinks:
        loss = one(name, float(name == "squared_hinge"), *parameters)
        near = [np.array([kink + move]) for move in (-1e-9, 1e-9)]
        assert loss.at(near[0])[1] == pytest.approx(loss.at(near[1])[1], abs=3e-9)
        assert sorted(float(loss.curvature_at(eta)[0]) for eta in near) == [0.0, 1.0]


def test_the_gap_of_a_sample_fitted_to_its_last_digits_has_its_own():
    """1 - s far below the spacing of numbers at 1: KL(s, p) = -a + a log(a / b) + b for small
    a = 1 - s and b = 1 - p, but for terms of their squares."""
    for eta in (26.0, 300.0, 400.0, 599.0, 601.0):
        b = np.exp(-eta)
        for ratio in (0.05, 0.7, 0.75, 1.3, 1.8, 40.0):
            a = ratio * b
            found = one("binomial", 1.0).fenchel_young_at([eta], [a])
            assert found == pytest.approx(b - a + a * np.log(ratio), rel=1e-10, abs=0)


def test_probits_far_out_are_scipys_and_those_of_the_asymptotic_series():
    """Minus (log Phi)'' at -x is 1 - 1/x^2 + 6/x^4 - 50/x^6 + ... for large x."""
    for eta in (-60.0, -37.5, -5.0, 8.0, 36.0):
        value, u = one("probit", 1.0).at(np.array([eta]))
        rounding = 1e-15 * (4 + eta**2)  # of eta^2 / 2 in exp(-eta^2 / 2)
        assert value == pytest.approx(-special.log_ndtr(eta), rel=rounding, abs=0.0)
        ratio = np.sqrt(2 / np.pi) / special.erfcx(-eta / np.sqrt(2))
        assert u == pytest.approx([ratio], rel=rounding, abs=0.0)
    for x in (1e2, 1e4, 1e8, 1e150):
        h = one("probit", 1.0).curvature_at(np.array([-x]))
        assert h == pytest.approx([1 - x**-2 + 6 * x**-4 - 50 * x**-6], rel=1e-12)
    for y in (0.0, 0.3, 1.0):
        for eta in (np.array([-1e200]), np.array([1e200])):
            (value, u), h = one("probit", y).at(eta), one("probit", y).curvature_at(eta)
            assert not np.isnan([value, *u, *h]).any()


@pytest.mark.parametrize("power", [1.1, 1.4, 1.9])
def test_a_slope_next_to_the_least_value_is_found(power):
    """There the slope is a difference, coarser than what can be said of the predictor."""
    for y in (1.0, 0.3, 20.0):
        loss = one("tweedie", y, power)
        for step in np.geomspace(1e-13, 1e-2, 300):
            for eta in (np.log(y) - step, np.log(y) + step):
                u = loss.at(np.array([eta]))[1]
                for off in (0.0, 1e-16, -1e-16, 3e-22):
                    excess = loss.fenchel_young_at(np.array([eta]), u * (1.0 + off) + off)
                    assert excess <= 1e-27 * (1 + y)


# Many samples: sums by halves, blocks of near and of far ones


@pytest.mark.parametrize("name, y, eta, value", [
    ("gaussian", 0.1, 0.0, 0.005), ("poisson", 0.0, -8.3, np.exp(-8.3))])
def test_equal_samples_are_not_all_rounded_the_same_way(name, y, eta, value):
    """Steps are judged by small differences of the sum."""
    n = 1 << 16
    loss = LOSSES[name](np.full(n, y), np.full(n, 1.0 / n))
    assert loss.at(np.full(n, eta))[0] == pytest.approx(value, rel=1e-15)


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
    e, a = np.exp(-np.abs(eta.astype(np.longdouble))), a.astype(np.longdouble)
    b = e / (1 + e)
    expected = float(w @ (a * np.log(a / b) + (1 - a) * np.log((1 - a) / (1 - b))))
    assert loss.fenchel_young_at(eta, u) == pytest.approx(expected, rel=2e-10)
    u[301] = 1e-3  # of a sample without weight nothing may be taken
    assert loss.fenchel_young_at(eta, u) == np.inf


# Several classes and several responses


def _drawn(K, n=40, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, K, n)
    labels[:K] = np.arange(K)
    w = rng.uniform(0.5, 1.5, n)
    return np.eye(K)[labels], w / w.sum(), rng


@pytest.mark.parametrize("K", [2, 3, 26, 60])
def test_agrees_with_the_plain_formula(K):
    y, w, rng = _drawn(K, n=300)
    loss = LOSSES["multinomial"](y, w)
    eta = 2 * rng.standard_normal((K, len(w)))
    p = special.softmax(eta, axis=0)
    value, u = loss.at(eta)
    assert value == pytest.approx(-np.sum(w * y.T * special.log_softmax(eta, axis=0)))
    assert u == pytest.approx(w * (y.T - p), abs=1e-17)


def test_far_out_right_answers_cost_nothing_and_wrong_ones_are_linear():
    loss = LOSSES["multinomial"](np.eye(3)[[0, 2]], np.array([0.5, 0.5]))
    eta = np.array([[800.0, 800.0], [-800.0, 0.0], [-5.0, -800.0]])
    assert loss.at(eta)[0] == pytest.approx(800.0)
    assert loss.at(np.eye(3)[:, [0, 2]] * 1e4)[0] == 0.0


def test_a_residual_is_exact_where_the_probability_rounds_to_one():
    loss = LOSSES["multinomial"](np.eye(3)[[0]], np.ones(1))
    u = loss.at(np.array([[50.0], [0.0], [-700.0]]))[1]
    assert u[:2, 0] == pytest.approx(np.exp(-50.0) * np.array([1.0, -1.0]), rel=1e-12)


def test_outside_the_simplex_there_is_no_certificate():
    y, w, rng = _drawn(3)
    loss = LOSSES["multinomial"](y, w)
    eta = rng.standard_normal((3, len(w)))
    negative = w * (3 * y.T - 1)  # sums to 0 over the classes
    assert loss.fenchel_young_at(eta, negative) == np.inf
    assert loss.fenchel_young_at(eta, 0.1 * w * y.T) == np.inf  # does not


@pytest.mark.parametrize("spread", [1e-3, 0.25, 0.34, 2.0])
def test_gaps_of_classes_add_up(spread):
    """Against the formula in twice the digits, of more samples than are met at a time, with ratios
    of shares to probabilities up to about exp(spread) in all blocks but the first; one sample has
    no weight."""
    y, w, rng = _drawn(4, n=400)
    w[141] = 0.0
    eta = 2 * rng.standard_normal((4, 400))
    off = rng.uniform(-spread, spread, size=eta.shape) / 2
    off[:, :128] *= 1e-3
    shares = special.softmax(eta + off, axis=0)
    loss, u = LOSSES["multinomial"](y, w), w * (y.T - shares)
    seen, e = w > 0, np.exp(eta.astype(np.longdouble))
    p, s = (e / e.sum(axis=0))[:, seen], y.T[:, seen] - u[:, seen].astype(np.longdouble) / w[seen]
    expected = np.sum(w[seen] * (s * np.log(s / p) - s + p))
    assert loss.fenchel_young_at(eta, u) == pytest.approx(float(expected), rel=1e-9)
    u[1:3, 141] = 1e-3, -1e-3  # of a sample without weight nothing may be taken
    assert loss.fenchel_young_at(eta, u) == np.inf


@pytest.mark.parametrize("name, y", [("binomial", np.array([0.0, 1.0, 0.0])),
                                     ("multinomial", np.eye(3))])
def test_what_is_no_number_has_no_gap(name, y):
    loss = LOSSES[name](y, np.full(3, 1 / 3))
    u = loss.at(np.zeros(y.T.shape))[1]
    u[..., 2] = np.nan
    assert loss.fenchel_young_at(np.zeros(y.T.shape), u) == np.inf
