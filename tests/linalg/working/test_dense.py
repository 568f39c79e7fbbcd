"""Passes over many dense working columns: threads share them, and change no bit."""

import numpy as np
import pytest

import sparsesolve as ss

WORTH_SHARING = 100_000  # values; see products.pyx
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
    at_once = one.df if penalty is None else one.df_groups  # columns, or rays of groups
    assert not one.status.any() and N * at_once.max() > WORTH_SHARING
    assert np.array_equal(one.coefs.toarray(), three.coefs.toarray())
    assert np.array_equal(one.intercepts, three.intercepts)
    assert np.array_equal(one.gaps, three.gaps)


def test_groups_of_every_size_meet_their_residual():
    """Columns are met eight, five, four, two and one at a time: sizes to 19 leave every rest."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(19), np.arange(1, 20))
    n, p = 70, len(groups)
    X, size = rng.standard_normal((n, p)), np.sqrt(np.arange(1, 20))
    X -= X.mean(axis=0)
    y = X @ (rng.standard_normal(p) * (groups % 2)) + rng.standard_normal(n)
    fit = ss.path(X, y, penalty=ss.penalties.GroupL2(groups), standardize=False, stop=None,
                  n_lambdas=20, lambda_min_ratio=0.01, tol=1e-12)  # fmt: skip
    assert not fit.status.any() and fit.df_groups[-1] > 10
    b, lam = fit.coefs.toarray(), fit.lambdas
    for k in range(20):
        r = y - fit.intercepts[k] - X @ b[:, k]
        for g in range(19):
            z, own = X[:, groups == g].T @ r / n, b[groups == g, k]
            if own.any():
                expected = lam[k] * size[g] * own / np.linalg.norm(own)
                assert z == pytest.approx(expected, abs=2e-5 * lam[k] * size[g])
            else:
                assert np.linalg.norm(z) <= lam[k] * size[g] * (1 + 1e-5)
