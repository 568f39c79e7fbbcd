"""Means and likeliest classes against scipy's distributions, far out too."""

import warnings

import numpy as np
import pytest
from scipy import stats

from sparsesolve.families import links

ETA = np.array([-800.0, -40.0, -3.0, -1e-9, 0.0, 1e-300, 0.5, 4.0, 40.0, 800.0, -np.inf, np.inf])


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("link, mean", [
    (links.expit, stats.logistic.cdf),
    (links.ndtr, stats.norm.cdf),
    (links.one_minus_exp_minus_exp, stats.gumbel_l.cdf),
])  # fmt: skip
def test_probabilities_are_distribution_functions(link, mean):
    with np.errstate(over="ignore"):  # scipy's own
        wanted = mean(ETA)
    assert link(ETA) == pytest.approx(wanted, rel=1e-13, abs=0)
    assert link(ETA).min() == 0.0 and link(ETA).max() == 1.0
    assert link(np.array([-37.0])) > 0.0  # no cancellation
    assert link(ETA.reshape(3, 4)).shape == (3, 4)


def test_real_and_positive_means():
    assert links.identity(ETA) is ETA
    assert links.exp(ETA)[1:8] == pytest.approx([np.e**t for t in ETA[1:8]])
    assert links.exp(ETA)[[0, 9, 10, 11]].tolist() == [0.0, np.inf, 0.0, np.inf]


def test_probabilities_of_several_classes():
    eta = np.random.default_rng(0).standard_normal((4, 3, 5))
    eta[0, :, 0] = [1000.0, 999.0, -1000.0]
    found = links.softmax(eta)
    e = np.exp(eta - eta.max(axis=1, keepdims=True))
    assert found == pytest.approx(e / e.sum(axis=1, keepdims=True), rel=1e-13)
    assert found[0, :, 0] == pytest.approx([1 / (1 + 1 / np.e), 1 / (1 + np.e), 0.0])
    assert links.largest(eta).tolist() == found.argmax(axis=1).tolist()
    assert links.largest(np.zeros((2, 3))).tolist() == [0, 0]  # the first of equals


def test_equal_chances_go_to_the_first_class():
    assert links.above_zero(np.zeros(2)).tolist() == [0, 0]
    assert links.above_zero(np.zeros(2)).dtype == np.intp  # it indexes the classes
    half = links.CLOGLOG_HALF
    assert links.one_minus_exp_minus_exp(np.array([half])) == pytest.approx(0.5, rel=1e-15)
    assert links.above_log_log_two(np.array([half, np.nextafter(half, 0)])).tolist() == [0, 1]
