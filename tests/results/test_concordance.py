"""Pairs of samples whose order of death is known, counted one by one and all at once."""

import numpy as np
import pytest
from sparsesolve.results.concordance import count_pairs

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
    ([(EVER, 1, 1)], [0.0], [0, 0, 0, 0, 0]),
    ([(EVER, 1, 1), (EVER, 2, 0)], [2.0, 1.0], [1, 0, 0, 0, 0]),
    ([(EVER, 1, 1), (EVER, 2, 0)], [1.0, 2.0], [0, 1, 0, 0, 0]),
    ([(EVER, 1, 1), (EVER, 2, 0)], [1.0, 1.0], [0, 0, 1, 0, 0]),
    ([(EVER, 1, 0), (EVER, 2, 1)], [2.0, 1.0], [0, 0, 0, 0, 0]),  # who left first may live on
    ([(EVER, 1, 1), (EVER, 1, 0)], [2.0, 1.0], [1, 0, 0, 0, 0]),  # censored when the other died
    ([(EVER, 1, 1), (EVER, 1, 1)], [2.0, 1.0], [0, 0, 0, 1, 0]),
    ([(EVER, 1, 1), (EVER, 1, 1)], [1.0, 1.0], [0, 0, 0, 0, 1]),
    ([(EVER, 1, 1)] * 3, [1.0, 1.0, 2.0], [0, 0, 0, 2, 1]),
    ([(EVER, 2, 1), (2, 3, 0)], [2.0, 1.0], [0, 0, 0, 0, 0]),  # not yet there
    ([(EVER, 2, 1), (1.9, 3, 0)], [2.0, 1.0], [1, 0, 0, 0, 0]),
    ([(EVER, 1, 0), (EVER, 2, 0)], [2.0, 1.0], [0, 0, 0, 0, 0]),
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
