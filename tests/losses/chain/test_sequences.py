"""Many chains at once: the same sums and decodings as one after another."""

import numpy as np
from sparsesolve.losses.chain.sequences import Chains

LENGTHS = [3, 1, 7, 2, 5]
PTR = np.r_[0, np.cumsum(LENGTHS)]
K = 4


def draw(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(PTR[-1], K)), rng.normal(size=(K, K))


def test_sequences_do_not_see_each_other():
    S, T = draw(0)
    nodes, total, pairs = Chains(PTR, K).marginals(S, T)
    path, best = Chains(PTR, K).viterbi(S, T)
    summed = np.zeros((K, K))
    for s, (a, b) in enumerate(zip(PTR[:-1], PTR[1:], strict=True)):
        one = Chains(np.array([0, b - a]), K)
        part = np.ascontiguousarray(S[a:b])
        mu, log_z, own = one.marginals(part, T)
        np.testing.assert_array_equal(nodes[a:b], mu)
        assert total[s] == log_z[0]
        summed += own
        labels, score = one.viterbi(part, T)
        np.testing.assert_array_equal(path[a:b], labels)
        assert best[s] == score[0]
    np.testing.assert_allclose(pairs, summed, rtol=1e-13)


def test_pairs_are_consistent_with_nodes_and_with_their_sums():
    S, T = draw(1)
    w = np.arange(1.0, 6.0)
    chains = Chains(PTR, K)
    nodes, _, each = chains.marginals(S, T, None, True)
    sums = chains.marginals(S, T, w)[2]
    at, expected = 0, np.zeros((K, K))
    for s, (a, b) in enumerate(zip(PTR[:-1], PTR[1:], strict=True)):
        own = each[at : at + b - a - 1]
        np.testing.assert_allclose(own.sum(axis=2), nodes[a : b - 1], atol=1e-13)
        np.testing.assert_allclose(own.sum(axis=1), nodes[a + 1 : b], atol=1e-13)
        expected += w[s] * own.sum(axis=0)
        at += b - a - 1
    np.testing.assert_allclose(sums, expected, atol=1e-13)


def test_threads_give_the_same_bits():
    S, T = draw(2)
    chains = Chains(PTR, K)
    for one, two in zip(chains.marginals(S, T), chains.marginals(S, T, n_threads=3), strict=True):
        np.testing.assert_array_equal(one, two)
