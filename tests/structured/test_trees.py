"""Trees against the list of all trees of up to five words."""

import itertools

import numpy as np
import pytest
from cases import every

from sparsesolve import structured


def trees(n, single_root):
    """All head vectors (n,) of trees."""
    found = []
    for heads in itertools.product(range(n + 1), repeat=n):
        if single_root and heads.count(0) != 1:
            continue
        ends = []
        for m in range(1, n + 1):
            at, steps = m, 0
            while at and steps <= n:
                at, steps = heads[at - 1], steps + 1
            ends.append(at == 0)
        if all(ends):
            found.append(heads)
    return np.array(found, dtype=int).reshape(-1, n)


TREES = {(n, single): trees(n, single) for n in range(1, 6) for single in (True, False)}


def scores(A, heads):
    return A[heads, np.arange(1, len(A))].sum(axis=1)


def draw(seed, n, scale, holes=0.0):
    rng = np.random.default_rng(seed)
    A = scale * rng.uniform(-1, 1, size=(n + 1, n + 1))
    A[rng.random(A.shape) < holes] = -np.inf
    return A


CASES = [(seed, n, scale, holes, single) for seed in range(8) for n in range(1, 6)
         for scale, holes in ((1.0, 0.0), (150.0, 0.0), (5.0, 0.4))
         for single in (True, False)]  # fmt: skip


@every("seed, n, scale, holes, single", CASES)
def test_trees_are_those_of_enumeration(seed, n, scale, holes, single):
    A, every = draw(seed, n, scale, holes), TREES[n, single]
    all_scores = scores(A, every)
    if all_scores.max(initial=-np.inf) == -np.inf:
        for function in (structured.best_tree, structured.tree_marginals):
            with pytest.raises(ValueError, match="no tree is possible"):
                function(A, single)
        return
    heads, score = structured.best_tree(A, single)
    assert score == pytest.approx(all_scores.max(), rel=1e-12)
    assert heads.tolist() in every.tolist()
    np.testing.assert_allclose(scores(A, heads[None]), score)

    marginals, log_partition = structured.tree_marginals(A, single)
    weights = np.exp(all_scores - all_scores.max())
    assert log_partition == pytest.approx(all_scores.max() + np.log(weights.sum()), rel=1e-12)
    expected = np.zeros_like(A)
    for tree, weight in zip(every, weights / weights.sum(), strict=True):
        expected[tree, np.arange(1, n + 1)] += weight
    np.testing.assert_allclose(marginals, expected, rtol=1e-9, atol=1e-300)


def test_cycles_of_best_heads_at_wide_scores_lose_no_digits():
    """Two words that want each other by 300: the determinant of the Laplacian is 0 in floats."""
    A = np.array([[0.0, -150.0, -151.0], [0.0, 0.0, 150.0], [0.0, 150.0, 0.0]])
    marginals, log_partition = structured.tree_marginals(A)
    assert log_partition == pytest.approx(np.log1p(np.exp(-1.0)), abs=1e-12)
    np.testing.assert_allclose(marginals[0, 1], 1 / (1 + np.exp(-1.0)), rtol=1e-12)


def test_long_sentences_agree_with_laws():
    """Marginals are derivatives of log Z, columns sum to 1, and one word hangs from one root."""
    A = draw(3, 30, 3.0)
    for single in (True, False):
        marginals, log_partition = structured.tree_marginals(A, single)
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0, rtol=1e-10)
        if single:
            assert marginals[0].sum() == pytest.approx(1.0, rel=1e-10)
        for h, m in ((0, 4), (7, 9), (9, 7)):
            up, down = A.copy(), A.copy()
            up[h, m] += 1e-5
            down[h, m] -= 1e-5
            slope = structured.tree_marginals(up, single)[1]
            slope -= structured.tree_marginals(down, single)[1]
            assert slope / 2e-5 == pytest.approx(marginals[h, m], abs=1e-8)
        heads, score = structured.best_tree(A, single)
        assert score <= log_partition
        cold = structured.tree_marginals(1e5 * A, single)[0]  # all weight on the best tree
        assert cold[heads, np.arange(1, 31)].min() > 0.999


def test_one_root_costs_no_digits_however_dear_it_is():
    """Both words want the root by 1e9; one must give way, by the scores between them."""
    A = np.array([[0.0, 1e9, 1e9], [0.0, 0.0, -1e-3], [0.0, -2e-3, 0.0]])
    heads, score = structured.best_tree(A, True)
    assert heads.tolist() == [0, 1] and score == pytest.approx(1e9 - 1e-3, abs=1e-6)
    assert structured.best_tree(A, False)[0].tolist() == [0, 0]
    mu = structured.tree_marginals(A)[0]
    assert mu[0, 1] == pytest.approx(1 / (1 + np.exp(-1e-3)), rel=1e-6)


def test_a_long_chain_of_cycles():
    """Each word prefers the next and the next prefers it, so that mergers nest."""
    n = 60
    A = np.full((n + 1, n + 1), -np.inf)
    for m in range(1, n):
        A[m, m + 1], A[m + 1, m] = 2.0 * m, 2.0 * m + 1
    A[0, 1:] = -1.0
    heads, score = structured.best_tree(A, True)
    best = max(-1.0 + sum(A[k, k + 1] for k in range(r, n)) + sum(A[k + 1, k] for k in range(1, r))
               for r in range(1, n + 1))  # fmt: skip
    assert score == pytest.approx(best)
    assert np.sum(heads == 0) == 1


def test_one_word_and_no_word():
    assert structured.best_tree(np.zeros((1, 1)))[1] == 0.0
    marginals, log_partition = structured.tree_marginals([[0.0, 3.0], [0.0, 0.0]])
    assert marginals.tolist() == [[0.0, 1.0], [0.0, 0.0]] and log_partition == 3.0
    assert structured.tree_marginals(np.zeros((1, 1)))[1] == 0.0


def test_scores_are_left_as_they_were():
    A = draw(0, 4, 1.0)
    kept = A.copy()
    structured.best_tree(A, heads=[0, 1, 1, 1])
    structured.tree_marginals(A)
    np.testing.assert_array_equal(A, kept)


@pytest.mark.parametrize("A, options, sentence", [
    (np.zeros((2, 3)), {}, "A has shape"),
    ([[0.0, np.nan], [0.0, 0.0]], {}, r"A holds nan at \(0, 1\)"),
    ([[0.0, np.inf], [0.0, 0.0]], {}, "A holds inf"),
    (np.zeros((3, 3)), {"heads": [0]}, "heads must be 2"),
    (np.zeros((3, 3)), {"heads": [0, 5]}, "heads must be from 0"),
])  # fmt: skip
def test_faults_are_told(A, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        structured.best_tree(A, **options)
