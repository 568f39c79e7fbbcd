"""Calibration against bins made by hand."""

import numpy as np
import pytest
from assessed_fits import BINOMIAL, KIND, MULTINOMIAL, NEW, SICK, W, X

import sparsesolve as ss
from sparsesolve import families


def test_calibration_bins():
    found = ss.calibration(BINOMIAL, X[NEW], SICK[NEW], s=0.05, n_bins=4, weights=W)
    p = BINOMIAL.predict(X[NEW], s=0.05, kind="response")
    order = np.argsort(p)
    for k, rows in enumerate(np.array_split(order, 4)):
        assert found.weights[k] == pytest.approx(W[rows].sum())
        assert found.predicted[k] == pytest.approx(np.average(p[rows], weights=W[rows]))
        sick = SICK[NEW][rows] == "sick"
        assert found.observed[k] == pytest.approx(np.average(sick, weights=W[rows]))
    other = ss.calibration(BINOMIAL, X[NEW], SICK[NEW], s=0.05, n_bins=4, target="healthy")
    both = ss.calibration(BINOMIAL, X[NEW], SICK[NEW], s=0.05, n_bins=4)
    assert other.observed == pytest.approx(1 - both.observed[::-1])
    third = ss.calibration(MULTINOMIAL, X[NEW], KIND[NEW], s=0.05, n_bins=1, target="c")
    assert third.observed == pytest.approx([(KIND[NEW] == "c").mean()])


@pytest.mark.parametrize("ask, words", [
    (lambda: ss.calibration(BINOMIAL, X[NEW], SICK[NEW]), "at one lambda; give s"),
    (lambda: ss.calibration(MULTINOMIAL, X[NEW], KIND[NEW], 0.1), "target is missing"),
    (lambda: ss.calibration(BINOMIAL, X[NEW], SICK[NEW], 0.1, target="x"), "is none of"),
    (lambda: ss.calibration(ss.path(X, SICK, family=families.squared_hinge()), X, SICK, 0.1),
     "no probabilities"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()
