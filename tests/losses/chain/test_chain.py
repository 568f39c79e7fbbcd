"""Chains: the log loss against every labelling and differences; many chains at once."""

import numpy as np
import pytest
from chain_enumeration import labellings, partition
from sparsesolve.losses.chain.log_loss import ChainLog
from sparsesolve.losses.chain.sequences import Chains

PTR, K = np.array([0, 3, 4, 8]), 3
W = np.array([0.5, 0.2, 0.3])
Y = np.array([0, 2, 1, 1, 0, 0, 1, 2])
ALLOWED = np.array([[True, True, True], [False, True, True], [True, True, False]])


def make(w=W, allowed=ALLOWED, threads=1):
    return ChainLog(Y, w, PTR, K, allowed, threads)


def draw(seed, scale=1.0):
    return scale * np.random.default_rng(seed).normal(size=make().n)


def apart(eta):
    n = len(Y) * K
    T = eta[n : n + K * K].reshape(K, K)
    return eta[:n].reshape(-1, K), T, eta[n + K * K : n + K * K + K], eta[n + K * K + K :]


def slow_value(eta, w=W, allowed=ALLOWED):
    S, T, start, stop = apart(eta)
    T, total = np.where(allowed, T, -np.inf), 0.0
    for s in range(len(w)):
        part, y = S[PTR[s] : PTR[s + 1]], tuple(Y[PTR[s] : PTR[s + 1]])
        gold = dict(labellings(part, T, start, stop))[y]
        total += w[s] * (partition(part, T, start, stop)[0] - gold)
    return total


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_value_by_enumeration_and_slope_by_differences(scale):
    loss, eta = make(), draw(0, scale)
    value, u = loss.at(eta)
    assert value == pytest.approx(slow_value(eta), rel=1e-12, abs=1e-14)
    step = 1e-6
    slow = [(loss.at(eta - step * e)[0] - loss.at(eta + step * e)[0]) / (2 * step)
            for e in np.eye(loss.n)]  # fmt: skip
    np.testing.assert_allclose(u, slow, atol=3e-9 * max(scale, 1.0))


def test_a_sequence_of_no_weight_takes_no_part():
    w, eta = np.array([0.6, 0.0, 0.4]), draw(1)
    value, u = make(w).at(eta)
    assert value == pytest.approx(slow_value(eta, w), rel=1e-12)
    assert not u[3 * K : 4 * K].any()


def test_curvature_of_labels_is_their_variance():
    loss, eta = make(), draw(2)
    step, h = 1e-5, make().curvature_at(eta)
    for i in [*range(loss.n - K * K - 2 * K), *range(loss.n - 2 * K, loss.n)]:
        e = np.zeros(loss.n)
        e[i] = step
        bend = (loss.at(eta - e)[1][i] - loss.at(eta + e)[1][i]) / (2 * step)
        assert h[i] == pytest.approx(bend, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("s", [0.0, 0.3, 0.999, 1.0])
def test_fenchel_young_bounds_the_conjugate_along_the_slope(s):
    """F*(-su) is at least what any eta gives, and the bound is (1 - s) F."""
    loss, eta = make(), draw(3)
    value, u = loss.at(eta)
    bound = loss.fenchel_young_at(eta, s * u)
    assert bound == pytest.approx((1 - s) * value, abs=1e-14)
    conjugate = bound - value - s * float(eta @ u)
    for seed in range(200):
        other = draw(seed, [0.3, 1.0, 5.0, 20.0][seed % 4]) + (seed % 3) * eta
        assert conjugate >= -s * float(u @ other) - loss.at(other)[0] - 1e-12


def test_no_multiple_of_the_slope_has_no_bound():
    loss, eta = make(), draw(4)
    u = loss.at(eta)[1]
    u[0] += 0.01
    assert loss.fenchel_young_at(eta, u) == np.inf
    assert loss.fenchel_young_at(eta, -loss.at(eta)[1]) == np.inf
    assert loss.fenchel_young_at(eta, 1.01 * loss.at(eta)[1]) == np.inf


LENGTHS = [3, 1, 7, 2, 5]
SEVERAL = np.r_[0, np.cumsum(LENGTHS)]
LABELS = 4


def scores(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(SEVERAL[-1], LABELS)), rng.normal(size=(LABELS, LABELS))


def test_sequences_do_not_see_each_other():
    S, T = scores(0)
    nodes, total, pairs = Chains(SEVERAL, LABELS).marginals(S, T)
    path, best = Chains(SEVERAL, LABELS).viterbi(S, T)
    summed = np.zeros((LABELS, LABELS))
    for s, (a, b) in enumerate(zip(SEVERAL[:-1], SEVERAL[1:], strict=True)):
        one = Chains(np.array([0, b - a]), LABELS)
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
    S, T = scores(1)
    w = np.arange(1.0, 6.0)
    chains = Chains(SEVERAL, LABELS)
    nodes, _, each = chains.marginals(S, T, None, True)
    sums = chains.marginals(S, T, w)[2]
    at, expected = 0, np.zeros((LABELS, LABELS))
    for s, (a, b) in enumerate(zip(SEVERAL[:-1], SEVERAL[1:], strict=True)):
        own = each[at : at + b - a - 1]
        np.testing.assert_allclose(own.sum(axis=2), nodes[a : b - 1], atol=1e-13)
        np.testing.assert_allclose(own.sum(axis=1), nodes[a + 1 : b], atol=1e-13)
        expected += w[s] * own.sum(axis=0)
        at += b - a - 1
    np.testing.assert_allclose(sums, expected, atol=1e-13)


def test_threads_give_the_same_bits():
    S, T = scores(2)
    chains = Chains(SEVERAL, LABELS)
    for one, two in zip(chains.marginals(S, T), chains.marginals(S, T, n_threads=3), strict=True):
        np.testing.assert_array_equal(one, two)
