"""Passes over many dense working columns: threads share them, and change no bit."""

import numpy as np
import pytest

import sparsesolve as ss

WORTH_THREADS = 250_000  # values; see packed_dense.pyx
N, P = 400, 3000


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
@pytest.mark.parametrize("penalty", [None, ss.penalties.GroupL2(np.arange(P) // 6)],
                         ids=["conjugate gradients", "groups"])  # fmt: skip
def test_threads_change_no_bit(penalty, family):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, P))
    eta = X[:, :50] @ rng.standard_normal(50) + 3.0 * rng.standard_normal(N)
    y = eta if family == "gaussian" else eta > 0.0
    options = {"family": family, "penalty": penalty, "alpha": 0.1, "n_lambdas": 12, "stop": None,
               "lambda_min_ratio": 0.01}  # fmt: skip
    one, three = (ss.path(X, y, **options, n_threads=count) for count in (1, 3))
    assert not one.status.any() and N * one.df.max() > WORTH_THREADS
    assert np.array_equal(one.coefs.toarray(), three.coefs.toarray())
    assert np.array_equal(one.intercepts, three.intercepts)
    assert np.array_equal(one.gaps, three.gaps)
