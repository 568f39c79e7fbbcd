"""Chains from a stream: steps against a dense twin, penalties of features that are away."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.losses.chain.log_loss import ChainLog

from sparsesolve.structured.stream import BATCH, BETA, RATE, ChainStream

K, P = 3, 5


def draw(seed, n_sequences=9, length=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_sequences * length, P)) * (rng.random((n_sequences * length, P)) < 0.5)
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    return X, y, [length] * n_sequences


def dense(X, y, lengths, l1, l2, intercept):
    """The same from FTRL-proximal as it is printed, every coefficient at every step."""
    Z = np.c_[X, np.ones(len(X))] if intercept else X
    size = Z.shape[1] * K + K * K + 2 * K
    z, q, count = np.zeros(size), np.zeros(size), 0
    ptr = np.r_[0, np.cumsum(lengths)]

    def now():
        b = np.zeros(size)
        for i in range(size):
            if abs(z[i]) > count * l1:
                b[i] = -(z[i] - np.sign(z[i]) * count * l1)
                b[i] /= (BETA + q[i] ** 0.5) / RATE + count * l2
        return b

    for first in range(0, len(lengths), BATCH):
        cuts = ptr[first : first + BATCH + 1]
        rows, codes, n = Z[cuts[0] : cuts[-1]], y[cuts[0] : cuts[-1]], len(cuts) - 1
        b = now()
        loss = ChainLog(codes, np.full(n, 1 / n), cuts - cuts[0], K)
        S = rows @ b[: Z.shape[1] * K].reshape(-1, K)
        u = loss.at(np.r_[S.ravel(), b[Z.shape[1] * K :]])[1]
        g = -n * np.r_[(rows.T @ u[: S.size].reshape(-1, K)).ravel(), u[S.size :]]
        z += g - (np.sqrt(q + g * g) - np.sqrt(q)) / RATE * b
        q += g * g
        count += n
    return now()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("l1, l2", [(0.0, 0.0), (0.05, 0.01)])
def test_steps_are_those_of_a_dense_twin(l1, l2, intercept):
    X, y, lengths = draw(0)
    stream = ChainStream(np.arange(K), P, intercept, l1, l2)
    stream.learn(sparse.csr_array(X), y, lengths)
    np.testing.assert_allclose(stream.coefficients(), dense(X, y, lengths, l1, l2, intercept),
                               atol=1e-12)  # fmt: skip


def test_the_loss_falls_over_passes_and_the_model_predicts():
    X, y, lengths = draw(1, 40)
    stream = ChainStream(np.arange(K), P, True, 0.0, 0.0)
    losses = [stream.learn(X, y, lengths) for _ in range(5)]
    assert losses[-1] < 0.8 * losses[0]
    fit = stream.fitted(0.0)
    assert fit.score(X, y, lengths) > 0.75 and fit.gaps[0] == np.inf


def test_it_begins_where_it_is_told():
    flat = np.random.default_rng(2).normal(size=(P + 1) * K + K * K + 2 * K)
    stream = ChainStream(np.arange(K), P, True, 0.1, 0.2)
    stream.begin_at(flat, 7)
    np.testing.assert_allclose(stream.coefficients(), flat, atol=1e-12)


def test_other_widths_and_labels_are_refused():
    stream = ChainStream(np.arange(K), P, True, 0.0, 0.0)
    with pytest.raises(ValueError, match="X has 2 columns, but the first batch had 5"):
        stream.learn(np.zeros((4, 2)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="9"):
        stream.learn(np.zeros((4, P)), [0, 1, 0, 9])
