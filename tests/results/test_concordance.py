"""Pairs of samples with a known order of death, one by one and all at once; ranks with ties."""

import numpy as np
import pytest
from sparsesolve.results.concordance import count_pairs

import sparsesolve as ss
from sparsesolve.results.ranks import ranks

N = 60


def naive_pairs(y, eta, w):
    """Every pair of which one died while the other was at risk, or died too."""
    counts = np.zeros(5)
    for i in range(len(y)):
        for j in range(len(y)):
            if y[i, 2] == 0 or y[i, 3] != y[j, 3] or i == j or not y[j, 0] < y[i, 1] <= y[j, 1]:
                continue
            product = w[i] * w[j]
            if y[j, 1] == y[i, 1] and y[j, 2] == 1:
                counts[4 if eta[i] == eta[j] else 3] += product / 2  # met twice
            elif eta[i] == eta[j]:
                counts[2] += product
            else:
                counts[0 if eta[i] > eta[j] else 1] += product
    return counts


def test_pairs_are_counted_as_one_by_one():
    """Late entries, ties, strata and weights, of which some are 0."""
    total = np.zeros(5)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        start = rng.choice([-np.inf, 0.0, 2.0], N)
        stop = np.maximum(start, 0) + rng.integers(1, 12, N)
        y = np.column_stack([start, stop, rng.random(N) < 0.5, rng.integers(0, 4, N)])
        eta, w = rng.integers(0, 15, N).astype(float), rng.integers(0, 3, N).astype(float)
        wanted = naive_pairs(y, eta, w)
        assert count_pairs(y, eta, w).tolist() == wanted.tolist()
        total += wanted
    assert (total > 0).all()


EVER = -np.inf


@pytest.mark.parametrize("rows, eta, counts", [
    ([], [], [0, 0, 0, 0, 0]),
    ([(EVER, 1, 0), (EVER, 2, 1)], [2.0, 1.0], [0, 0, 0, 0, 0]),  # who left first may live on
    ([(EVER, 1, 1), (EVER, 1, 0)], [2.0, 1.0], [1, 0, 0, 0, 0]),  # censored when the other died
    ([(EVER, 1, 1)] * 3, [1.0, 1.0, 2.0], [0, 0, 0, 2, 1]),
    ([(EVER, 2, 1), (2, 3, 0)], [2.0, 1.0], [0, 0, 0, 0, 0]),  # not yet there
    ([(EVER, 2, 1), (1.9, 3, 0)], [2.0, 1.0], [1, 0, 0, 0, 0]),
    ([(EVER, 1, 1), (EVER, 2, 1), (EVER, 3, 1)], [0.0, -0.0, np.inf], [0, 2, 1, 0, 0]),
])  # fmt: skip
def test_pairs_by_hand(rows, eta, counts):
    """Counts for rows (start, stop, status) of one stratum."""
    y = np.column_stack([np.array(rows, dtype=float).reshape(-1, 3), np.zeros(len(rows))])
    assert count_pairs(y, np.array(eta), np.ones(len(y))).tolist() == counts


@pytest.mark.parametrize("size", [1e-8, 1e-12, 1e-16])
def test_who_leaves_leaves_nothing(size):
    """Those who enter late, heavy beside the others, are gone before the first deaths."""
    y = [(0, 1, 1), (0, 2, 1), (0, 3, 1), (5, 7, 0), (5, 8, 0), (5, 9, 0)]
    w = np.array([size, size, size, 0.3, 0.7, 0.1])
    found = count_pairs(np.column_stack([y, np.zeros(6)]), [3.0, 2.0, 1.0, 0.0, 1.5, 2.5], w)
    np.testing.assert_allclose(found, [3.0 * size**2, 0, 0, 0, 0], rtol=1e-14)


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
