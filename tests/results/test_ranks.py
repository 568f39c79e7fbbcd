"""Ranks of scores, ties by rounding among them."""

import numpy as np

import sparsesolve as ss
from sparsesolve.results.ranks import ranks


def test_scores_that_rounding_parts_are_tied():
    scores = np.array([2.0, np.nextafter(-1.0, 0.0), 0.0, -1.0, 2.0, np.nextafter(2.0, 3.0)])
    rank, least = ranks(scores)
    assert rank.tolist() == [2, 0, 1, 0, 2, 2] and least.tolist() == [-1.0, 0.0, 2.0]
    assert ranks(np.array([1.0, 1.0 + 1e-12]))[0].tolist() == [0, 1]
    assert ranks(np.zeros(3))[0].tolist() == [0, 0, 0] and ranks(np.zeros(0))[0].size == 0
    spread = np.random.default_rng(0).standard_normal(400)
    for far in (1e10, 1e15, 1e300):
        assert len(ranks(np.append(spread, far))[1]) == 401
    assert len(ranks(np.exp(12 * spread))[1]) > 390
    apart = np.array([0, 0, 0, 0.1 + 0.2 - 0.3, 0.1 + 0.2 - 0.3, 1, 2])
    assert ranks(apart)[0].tolist() == [0, 0, 0, 0, 0, 1, 2]
    assert ranks(np.array([1e308, 1.5e308, 1.7e308, -1.7e308]))[0].tolist() == [1, 2, 3, 0]
    ends = np.array([np.inf, -np.inf, 0.0, np.inf])
    assert ranks(ends)[0].tolist() == [2, 0, 1, 2]


def test_the_order_of_rows_and_their_memory_do_not_matter():
    kinds = np.array([[-0.8, 0.46, 0.09], [-0.8, 0.92, 0.87], [0.3, -0.7, 0.21]])
    rng = np.random.default_rng(0)
    for n in (6, 13, 101):
        which = rng.integers(0, 3, size=n)
        X, y = kinds[which], rng.random(n) < 0.3 + 0.2 * which
        fit = ss.path(X, y, family="binomial", alpha=0.5, lambdas=[0.01])
        eta = fit.predict(kinds, s=0.01)[which]
        better = eta[y][:, None] - eta[~y]
        area = ((better > 1e-9).mean() + (better > -1e-9).mean()) / 2
        for rows in (np.arange(n), np.arange(n)[::-1], rng.permutation(n)):
            for matrix in (X[rows], np.asfortranarray(X[rows])):
                curve = ss.roc(fit, matrix, y[rows], 0.01)
                assert len(curve.fpr) == 4 and abs(curve.auc - area) < 1e-12
                assert abs(ss.assess(fit, matrix, y[rows], 0.01)["auc"] - area) < 1e-12
        times = rng.exponential(np.exp(-X[:, 0]))
        cox = ss.path(X, (times, y), family="cox", lambdas=[0.01])
        order = rng.permutation(n)
        one = cox.concordance(X, (times, y), 0.01)
        assert abs(one - cox.concordance(X[order], (times[order], y[order]), 0.01)) < 1e-12
