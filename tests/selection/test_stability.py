"""Stability selection: counts over halves of the rows."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.results import StabilityPath
from sparsesolve.selection.folds import read_folds

RNG = np.random.default_rng(81)
N, P = 80, 25
X = RNG.standard_normal((N, P))
ETA = 1.5 * X[:, 0] - X[:, 1]
Y = ETA + RNG.standard_normal(N)


def test_counts_are_those_of_paths_of_the_halves():
    found = ss.stability_path(X, Y, n_pairs=4, n_lambdas=12, seed=3)
    halves, _ = read_folds(None, N, n_folds=2, repeats=4, seed=3)
    assert found.n_halves == len(halves) == 8 and len(found.lambdas) == 12
    assert found.lambdas[-1] == pytest.approx(0.1 * found.lambdas[0])
    there = np.array([
        ss.path(X[half.train], Y[half.train], lambdas=found.lambdas).coefs.toarray() != 0
        for half in halves
    ])  # fmt: skip
    assert found.frequencies.toarray() == pytest.approx(there.mean(axis=0))
    reached = np.logical_or.accumulate(there, axis=2).mean(axis=0)
    for k, lam in enumerate(found.lambdas):
        assert found.reached(lam) == pytest.approx(reached[:, k])
    assert found.reached() == pytest.approx(reached[:, -1])
    assert np.array_equal(found.stable(0.5), np.flatnonzero(reached[:, -1] >= 0.5))
    q = reached[:, 5].sum()
    assert found.error_bound(0.75, s=found.lambdas[5]) == pytest.approx(q**2 / (0.5 * P))


def test_signal_is_stable_and_noise_is_not():
    found = ss.stability_path(X, Y, n_pairs=15, lambda_min_ratio=0.3, seed=0)
    assert found.stable(0.8).tolist() == [0, 1]
    assert found.error_bound(0.8) < 1.0 and "2 of 25 features" in repr(found)


@pytest.mark.parametrize("family, y", [
    ("binomial", ETA + RNG.logistic(size=N) > 0),
    ("cox", np.column_stack([RNG.exponential(np.exp(-ETA)), RNG.random(N) < 0.6])),
    ("multinomial", (X[:, :3] + RNG.gumbel(size=(N, 3))).argmax(axis=1)),
])  # fmt: skip
def test_families(family, y):
    found = ss.stability_path(X, y, family=family, n_pairs=3, n_lambdas=4, seed=1)
    assert found.frequencies.shape == (P, 4) and found.frequencies.max() <= 1.0
    again = ss.stability_path(X, y, family=family, n_pairs=3, lambdas=found.lambdas, seed=1)
    assert np.array_equal(again.frequencies.toarray(), found.frequencies.toarray())


def test_paths_that_end_early_count_as_far_as_they_go():
    found = ss.stability_path(X, Y, n_pairs=3, n_lambdas=10, seed=0, dfmax=2)
    assert found.frequencies[:, [-1]].sum() == 0 and found.reached().sum() > 2


@pytest.mark.parametrize("ask, words", [
    (lambda found: found.stable(0.0), "threshold must be in"),
    (lambda found: found.error_bound(0.5), "threshold must be in"),
    (lambda found: found.stable(s=100.0), "beyond the first lambda"),
    (lambda found: ss.stability_path(X, Y, n_pairs=0), "n_pairs must be at least 1"),
    (lambda found: ss.stability_path(X, np.arange(N) == 0, family="binomial"),
     "half [01] leaves no row of class True"),
])  # fmt: skip
def test_bad_input_is_refused(ask, words):
    found = ss.stability_path(X, Y, n_pairs=1, n_lambdas=3, seed=0)
    with pytest.raises(ValueError, match=words):
        ask(found)


@pytest.mark.parametrize("rows, given, words", [
    (1, {}, "X has 1 row; stability_path draws halves"),
    (20, {"lambdas": []}, "^lambdas is empty"),
])  # fmt: skip
def test_what_leaves_no_halves_or_lambdas_is_refused(rows, given, words):
    X = np.random.default_rng(0).normal(size=(rows, 3))
    with pytest.raises(ValueError, match=words):
        ss.stability_path(X, X[:, 0], **given)


@pytest.mark.parametrize("threshold, none, unimodal, concave", [
    (0.6, 4.5, 2.37, 0.869), (0.75, 1.8, 0.918, 0.223), (0.9, 1.125, 0.388, 0.058),
])  # fmt: skip
def test_sharper_bounds_are_those_of_stabs(threshold, none, unimodal, concave):
    """p = 1000, q = 30 and 50 pairs; R's stabs 0.6 looks for r-concave laws on a grid."""
    shares = np.zeros((1000, 1))
    shares[:60] = 0.5
    path = StabilityPath(np.array([1.0]), sparse.csc_array(shares), sparse.csc_array(shares), 100)
    assert path.error_bound(threshold) == pytest.approx(none)
    assert path.error_bound(threshold, assume="unimodal") == pytest.approx(unimodal, rel=2e-3)
    assert path.error_bound(threshold, assume="r-concave") == pytest.approx(concave, rel=2e-2)


def test_sharper_bounds_have_their_premises():
    shares = np.full((10, 1), 0.8)
    path = StabilityPath(np.array([1.0]), sparse.csc_array(shares), sparse.csc_array(shares), 100)
    with pytest.raises(ValueError, match="select at most 0.577 of the features, not 0.8"):
        path.error_bound(0.9, assume="unimodal")
    with pytest.raises(ValueError, match="'unimodal'"):
        path.error_bound(0.9, assume="smooth")
