"""The compiled core of trees: orders of the root, and what it gives where there is no tree."""

import numpy as np
import pytest
from sparsesolve.structured.tree import TreeSums, best_tree


def test_one_root_costs_no_digits_however_dear_it_is():
    """Both words want the root by 1e9; one must give way, by the scores between them."""
    A = np.array([[0.0, 1e9, 1e9], [0.0, 0.0, -1e-3], [0.0, -2e-3, 0.0]])
    heads, score = best_tree(A, True)
    assert heads.tolist() == [0, 1] and score == pytest.approx(1e9 - 1e-3, abs=1e-6)
    assert best_tree(A, False)[0].tolist() == [0, 0]
    sums = TreeSums(A, True)
    assert sums.marginals[0, 1] == pytest.approx(1 / (1 + np.exp(-1e-3)), rel=1e-6)


def test_no_tree_scores_minus_infinity():
    A = np.full((3, 3), -np.inf)
    A[0, 1] = 0.0
    assert best_tree(A, False)[1] == -np.inf and TreeSums(A, False).log_partition == -np.inf
    A[0, 2] = 0.0  # two words that only the root can hold
    assert best_tree(A, False)[1] == 0.0 and TreeSums(A, False).log_partition == 0.0
    assert best_tree(A, True)[1] == -np.inf and TreeSums(A, True).log_partition == -np.inf


def test_a_long_chain_of_cycles():
    """Each word prefers the next and the next prefers it, so that mergers nest."""
    n = 60
    A = np.full((n + 1, n + 1), -np.inf)
    for m in range(1, n):
        A[m, m + 1], A[m + 1, m] = 2.0 * m, 2.0 * m + 1
    A[0, 1:] = -1.0
    heads, score = best_tree(A, True)
    best = max(-1.0 + sum(A[k, k + 1] for k in range(r, n)) + sum(A[k + 1, k] for k in range(1, r))
               for r in range(1, n + 1))  # fmt: skip
    assert score == pytest.approx(best)
    assert np.sum(heads == 0) == 1
