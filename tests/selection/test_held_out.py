"""Rows held out: labels that folds share out, and deaths that they add."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.families import read_family
from sparsesolve.selection.folds import Fold, Rows
from sparsesolve.selection.measures import read_measure

RNG = np.random.default_rng(13)
N, P = 24, 4
X = RNG.normal(size=(N, P))
ETA = X[:, 0] - 0.5 * X[:, 1]
W = RNG.uniform(0.5, 2.0, N)
LAMBDAS = np.array([0.3, 0.1, 0.02])
DEATHS = np.column_stack([RNG.exponential(size=N), np.arange(N) % 4 > 0])


def rows(family, y, weights=None):
    family = read_family(family)
    return Rows(family, X, family.read(y, N), {"weights": weights, "offset": None})


def test_shares_and_counts_are_no_classes():
    shares = np.linspace(0.1, 0.9, N)
    assert rows("binomial", shares).labels() is None
    counts = np.column_stack([np.full(N, 2), 1 + np.arange(N) % 2])
    of_counts = rows("binomial", counts, W)
    assert of_counts.labels() is None
    assert of_counts.scored == pytest.approx(W * counts.sum(axis=1))
    assert of_counts.weights == pytest.approx(W)
    assert rows("gaussian", ETA).scored.tolist() == [1.0] * N


def test_a_class_of_one_row_gets_advice_that_can_be_followed():
    y = np.where(np.arange(N) == 3, "rare", "usual")
    X = np.random.default_rng(0).normal(size=(N, 2))
    with pytest.raises(ValueError, match="in one row alone.* pairs .train, test. that never hold"):
        ss.cv_path(X, y, family="binomial", n_folds=2, seed=0)
    rest = np.arange(N) != 3
    pairs = [(~rest | (np.arange(N) % 2 == k), np.flatnonzero(rest & (np.arange(N) % 2 != k)))
             for k in range(2)]  # fmt: skip
    assert ss.cv_path(X, y, family="binomial", folds=pairs, n_lambdas=3).lambdas.size


def partial_deviance(which, eta):
    """Twice the negative Breslow partial log-likelihood of some rows, one linear predictor."""
    time, status = DEATHS[which].T
    total = 0.0
    for i in np.flatnonzero(status):
        total -= 2 * W[which][i] * (
            eta[i] - np.log(W[which] @ (np.exp(eta) * (time >= time[i])))
        )  # fmt: skip
    return total


def test_deaths_held_out_count_by_what_they_add():
    some = rows("cox", DEATHS, W)
    fit = ss.path(X, DEATHS, family="cox", weights=W, lambdas=LAMBDAS)
    train = ~np.isin(np.arange(N), [2, 5, 6, 9, 10])  # 9 and 10 are not held out either
    test = np.array([2, 5, 6])
    measure = read_measure("deviance", some.family)
    score, weight = some.score(fit, Fold(train, test), measure, LAMBDAS)
    assert weight == pytest.approx(W[test] @ DEATHS[test, 1])
    kept = np.flatnonzero(train)
    both = np.sort(np.r_[kept, test])
    eta = fit.predict(X, LAMBDAS)
    added = [partial_deviance(both, eta[both, k]) - partial_deviance(kept, eta[kept, k])
             for k in range(3)]  # fmt: skip
    # the deviance is from the saturated model, whose terms are those of untied deaths: 0 here
    assert np.diff(score * weight) == pytest.approx(np.diff(added), rel=1e-9)
