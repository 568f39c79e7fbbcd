"""The softmax loss at points where it can be told by hand; its laws are in tests/laws."""

import numpy as np
import pytest
from scipy import special

from sparsesolve.losses import LOSSES


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
    assert loss.curvature_at(eta) == pytest.approx(w * p * (1 - p), rel=1e-12)
    v = rng.standard_normal(eta.shape)
    expected = w * p * (v - (p * v).sum(axis=0))
    assert loss.curvature_product(eta, v) == pytest.approx(expected, abs=1e-16)


def test_two_classes_are_the_logistic_loss():
    y, w, rng = _drawn(2)
    eta = rng.standard_normal((2, len(w)))
    value, u = LOSSES["multinomial"](y, w).at(eta)
    logistic, v = LOSSES["binomial"](y[:, 1], w).at(eta[1] - eta[0])
    assert value == pytest.approx(logistic)
    assert u == pytest.approx(np.array([-v, v]))


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
def test_gaps_of_near_and_of_far_samples_add_up(spread):
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


def test_what_is_no_number_has_no_gap():
    loss = LOSSES["multinomial"](np.eye(3), np.full(3, 1 / 3))
    u = loss.at(np.zeros((3, 3)))[1]
    u[1, 2] = np.nan
    assert loss.fenchel_young_at(np.zeros((3, 3)), u) == np.inf
