"""Platt's sigmoid: a logistic regression on softened targets, finite where classes are apart."""

import numpy as np
import pytest
from scipy.optimize import minimize

pytest.importorskip("sklearn")
from sparsesolve.estimators.margin import held_out, probabilities, sigmoid  # noqa: E402

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=60)
POSITIVE = SCORES + RNG.normal(size=60) > 0


def by_bfgs(scores, positive, w):
    up, down = w[positive].sum(), w[~positive].sum()
    t = np.where(positive, (up + 1) / (up + 2), 1 / (down + 2))

    def loss(v):
        eta = v[0] * scores + v[1]
        return np.sum(w * (np.logaddexp(0, eta) - t * eta))

    return minimize(loss, [0.0, 0.0], tol=1e-12).x


def test_it_is_the_best_sigmoid():
    w = RNG.random(60)
    assert sigmoid(SCORES, POSITIVE, None) == pytest.approx(
        by_bfgs(SCORES, POSITIVE, np.ones(60)), abs=1e-4)  # fmt: skip
    assert sigmoid(SCORES, POSITIVE, w) == pytest.approx(
        by_bfgs(SCORES, POSITIVE, w * 60 / w.sum()), abs=1e-4)  # fmt: skip


def test_separated_classes_have_a_finite_one():
    a, b = sigmoid(SCORES, SCORES > 0, None)
    assert 1.0 < a < 1e3 and np.isfinite(b)


def test_probabilities_of_classes_sum_to_1():
    two = probabilities(np.array([-1.0, 0.0, 2.0]), [(2.0, 0.5)])
    assert two[:, 1] == pytest.approx(1 / (1 + np.exp(-np.array([-1.5, 0.5, 4.5]))))
    several = probabilities(np.array([[1.0, 0.0, -1.0], [-5e3, -5e3, -5e3]]), [(1.0, 0.0)] * 3)
    assert several.sum(axis=1) == pytest.approx(1.0) and several[1] == pytest.approx(1 / 3)
    assert held_out(np.array([[1.0, np.nan], [0.0, 0.0]])).tolist() == [False, True]
