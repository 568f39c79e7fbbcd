"""Viterbi and marginals against every labelling there is."""

import numpy as np
import pytest
from cases import every
from chain_enumeration import labellings, partition

from sparsesolve import structured


def draw(seed, L, K, scale=1.0, holes=0.0):
    """Scores in which some are -inf, one labelling at least being possible."""
    rng = np.random.default_rng(seed)
    S, T = scale * rng.normal(size=(L, K)), scale * rng.normal(size=(K, K))
    start, stop = scale * rng.normal(size=(2, K))
    gold = rng.integers(K, size=L)
    closed_S, closed_T = rng.random((L, K)) < holes, rng.random((K, K)) < holes
    closed_S[np.arange(L), gold] = False
    closed_T[gold[:-1], gold[1:]] = False
    return np.where(closed_S, -np.inf, S), np.where(closed_T, -np.inf, T), start, stop


CASES = [(seed, L, K, scale, holes) for seed, (L, K) in enumerate(
    [(1, 1), (1, 4), (2, 1), (3, 2), (4, 3), (4, 4)])
    for scale in (1.0, 40.0, 300.0) for holes in (0.0, 0.4)]  # fmt: skip


@every("case", CASES)
def test_viterbi_finds_the_best_of_all_labellings(case):
    S, T, start, stop = draw(*case)
    labels, score = structured.viterbi(S, T, start=start, stop=stop)
    best = max(labellings(S, T, start, stop), key=lambda found: found[1])
    assert tuple(labels) == best[0]
    assert score[0] == pytest.approx(best[1], rel=1e-12, abs=1e-12)


@every("case", CASES)
def test_n_best_are_the_first_of_all_labellings_in_order(case):
    S, T, start, stop = draw(*case)
    paths, scores = structured.viterbi(S, T, start=start, stop=stop, n_best=7)
    every = sorted(labellings(S, T, start, stop), key=lambda found: -found[1])
    every = [found for found in every if found[1] > -np.inf][:7]
    assert [tuple(path) for path in paths[0]] == [labels for labels, _ in every]
    np.testing.assert_allclose(scores[0], [score for _, score in every], rtol=1e-12, atol=1e-12)


@every("case", CASES)
def test_marginals_are_sums_over_all_labellings(case):
    S, T, start, stop = draw(*case)
    nodes, total, pairs = structured.marginals(S, T, start=start, stop=stop, pairs=True)
    log_z, slow_nodes, slow_pairs = partition(S, T, start, stop)
    assert total[0] == pytest.approx(log_z, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(nodes, slow_nodes, atol=1e-12)
    np.testing.assert_allclose(pairs, np.reshape(slow_pairs, pairs.shape), atol=1e-12)


@pytest.mark.parametrize("far", [50.0, 800.0, 1e5])
def test_a_path_that_scaled_numbers_would_lose(far):
    """The only possible labelling goes through transitions far below the best one."""
    S = np.zeros((4, 3))
    S[0, 0], S[3, 2] = far, far
    T = np.array([[0.0, -far, -np.inf], [-np.inf, 0.0, -far], [-np.inf, -np.inf, 0.0]])
    T[0, 0] = -2 * far
    nodes, total, pairs = structured.marginals(S, T, pairs=True)
    log_z, slow_nodes, slow_pairs = partition(S, T)
    assert total[0] == pytest.approx(log_z, rel=1e-13)
    np.testing.assert_allclose(nodes, slow_nodes, atol=1e-11)
    np.testing.assert_allclose(pairs, slow_pairs, atol=1e-11)


def test_faint_in_one_sequence_leaves_the_others_alone():
    """Sums of pairs of a block whose sequences are scaled, in logarithms, and scaled again."""
    from sparsesolve.losses.chain.sequences import Chains

    rng = np.random.default_rng(0)
    S, T = rng.normal(size=(9, 3)), rng.normal(size=(3, 3))
    T[0, 1], T[1, 0] = -2000.0, -3000.0
    S[3:6] = [[0.0, -4000.0, -4000.0], [-8000.0, 0.0, -9000.0], [0.0, -8000.0, -9000.0]]
    ptr = np.array([0, 3, 6, 9])
    w = np.array([0.5, 2.0, 1.0])
    nodes, total, sums = Chains(ptr, 3).marginals(S, T, w)
    slow = np.zeros((3, 3))
    for s in range(3):
        part = S[ptr[s] : ptr[s + 1]]
        log_z, slow_nodes, pairs = partition(part, T)
        assert total[s] == pytest.approx(log_z, rel=1e-12)
        np.testing.assert_allclose(nodes[ptr[s] : ptr[s + 1]], slow_nodes, atol=1e-11)
        slow += w[s] * np.sum(pairs, axis=0)
    np.testing.assert_allclose(sums, slow, atol=1e-11)


def test_a_mask_forbids_what_minus_infinity_forbids():
    S, T, start, stop = draw(3, 4, 3)
    allowed = np.array([[True, False, True], [True, True, False], [False, True, True]])
    masked = structured.viterbi(S, T, allowed=allowed)
    assert masked[0].tolist() == structured.viterbi(S, np.where(allowed, T, -np.inf))[0].tolist()
    nodes = structured.marginals(S, T, allowed=allowed)[0]
    np.testing.assert_allclose(
        nodes, partition(S, np.where(allowed, T, -np.inf))[1], atol=1e-12
    )


def test_sequences_of_a_table_are_those_of_a_list_on_any_number_of_threads():
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 9, size=300)
    S, T = rng.normal(size=(lengths.sum(), 5)), rng.normal(size=(5, 5))
    parts = np.split(S, np.cumsum(lengths)[:-1])
    one = structured.marginals(S, T, lengths=lengths, pairs=True)
    for threads in (2, 3):
        for a, b in zip(one, structured.marginals(S, T, lengths=lengths, pairs=True,
                                                  n_threads=threads), strict=True):  # fmt: skip
            np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one[0], structured.marginals(parts, T)[0])
    apart = np.concatenate([structured.viterbi(part, T)[0] for part in parts])
    for threads in (1, 2):
        labels = structured.viterbi(S, T, lengths=lengths, n_threads=threads)[0]
        np.testing.assert_array_equal(labels, apart)


def test_a_million_positions_in_one_sequence():
    rng = np.random.default_rng(2)
    S, T = rng.normal(size=(1_000_000, 3)), rng.normal(size=(3, 3))
    nodes, total = structured.marginals(S, T)
    labels, score = structured.viterbi(S, T)
    np.testing.assert_allclose(nodes.sum(axis=1), 1.0, atol=1e-12)
    own = S[np.arange(len(S)), labels].sum() + T[labels[:-1], labels[1:]].sum()
    assert score[0] == pytest.approx(own, rel=1e-10)
    assert total[0] > score[0]


def test_data_are_left_as_they_were():
    S, T, start, stop = draw(4, 3, 2)
    kept = [part.copy() for part in (S, T, start, stop)]
    structured.marginals(S, T, start=start, stop=stop)
    structured.viterbi(S, T, start=start, stop=stop, y=[0, 1, 1])
    for part, before in zip((S, T, start, stop), kept, strict=True):
        np.testing.assert_array_equal(part, before)


@pytest.mark.parametrize(
    "S, T, options, sentence",
    [
        (np.zeros((3, 2)), np.zeros((3, 3)), {}, "T has shape"),
        (np.zeros((3, 2)), np.full((2, 2), -np.inf), {}, "sequence 0 has no possible labelling"),
        (np.full((3, 2), -np.inf), np.zeros((2, 2)), {}, "sequence 0 has no possible labelling"),
        ([[0.0, np.nan]], np.zeros((2, 2)), {}, r"S holds nan at \(0, 1\)"),
        ([[0.0, np.inf]], np.zeros((2, 2)), {}, r"S holds inf at \(0, 1\)"),
        (np.zeros((3, 2)), np.zeros((2, 2)), {"lengths": [1, 1]}, "lengths add up to 2"),
        (np.zeros((3, 2)), np.zeros((2, 2)), {"lengths": [3, 0]}, "lengths holds 0 at"),
        (np.zeros((3, 2)), np.zeros((2, 2)), {"allowed": np.ones((2, 2))}, "allowed must be"),
        (np.zeros((0, 2)), np.zeros((2, 2)), {}, "S has shape"),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_one_sentence(S, T, options, sentence):
    for function in (structured.viterbi, structured.marginals):
        with pytest.raises(ValueError, match=sentence):
            function(S, T, **options)


@pytest.mark.parametrize("size", [10.0**k for k in (0, 3, 8, 14, 15, 16, 100, 300)])
def test_probabilities_sum_to_1_at_every_size_of_scores(size):
    """Scores of 1e14 leave their logarithms few digits, of which one position has others."""
    rng = np.random.default_rng(0)
    for L, K in ((3, 2), (6, 3), (40, 5)):
        S, T = size * rng.normal(size=(L, K)), size * rng.normal(size=(K, K))
        nodes, _, pairs = structured.marginals(S, T, pairs=True)
        np.testing.assert_allclose(nodes.sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_allclose(pairs.sum(axis=(1, 2)), 1.0, atol=1e-12)
        A = size * np.round(rng.normal(size=(L + 1, L + 1)), 1)
        for single in (True, False):
            found, _ = structured.tree_marginals(A, single)
            np.testing.assert_allclose(found[:, 1:].sum(axis=0), 1.0, atol=1e-12)
        if size > 1e10:
            labels, _ = structured.viterbi(S, T)
            assert (nodes.argmax(axis=1) == labels).all()
