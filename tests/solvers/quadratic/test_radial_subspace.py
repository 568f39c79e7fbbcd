"""Lengths of groups brought to their best together, and the gap that this leaves."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, SparseGroup


def data(n, p, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 1:] += X[:, :-1]
    signal = X[:, : p // 4] @ rng.standard_normal(p // 4)
    return X, signal + signal.std() * rng.standard_normal(n) / 2


def slopes(X, y, fit, k, groups):
    """The loss's gradient over the penalty's of each group at work, along its ray and across."""
    b = fit.coefs.toarray()[:, k]
    r = y - fit.intercepts[k] - X @ b
    along, across = [], []
    for g in np.unique(groups):
        mine = groups == g
        length = np.linalg.norm(b[mine])
        if length > 0.0:
            z = X[:, mine].T @ r / len(y) / (fit.lambdas[k] * np.sqrt(mine.sum()))
            along.append(z @ b[mine] / length)
            across.append(np.linalg.norm(z - along[-1] * b[mine] / length))
    return np.array(along), np.array(across)


def test_lengths_are_right_before_directions_are():
    X, y = data(60, 200)
    groups = np.arange(200) // 5
    fit = ss.path(X, y, penalty=GroupL2(groups), standardize=False, tol=1e-5, n_lambdas=20,
                  lambda_min_ratio=0.02, stop=None)  # fmt: skip
    met = [slopes(X, y, fit, k, groups) for k in range(1, 20)]
    along = max(np.abs(a - 1.0).max() for a, _ in met)
    across = max(a.max() for _, a in met)
    assert along < 1e-4 and along < 0.1 * across


# by the columns themselves, or where there are fewer of them than of rows by their inner products
@pytest.mark.parametrize("family, n, p", [("gaussian", 80, 300), ("binomial", 80, 300),
                                          ("binomial", 400, 60)])  # fmt: skip
def test_they_spare_sweeps(family, n, p):
    """An l1 norm of almost no weight keeps them from it: Omega is then more than lengths."""
    X, y = data(n, p)
    groups, given = np.arange(p) // 5, {"family": family, "stop": None, "lambda_min_ratio": 0.02}
    y = y if family == "gaussian" else y > 0.0
    fit = ss.path(X, y, penalty=GroupL2(groups), **given)
    other = ss.path(X, y, penalty=SparseGroup(groups, 1e-9), lambdas=fit.lambdas, **given)
    assert fit.n_iters.sum() < 0.6 * other.n_iters.sum()
    assert not fit.status.any() and not other.status.any()


@pytest.mark.parametrize("alpha", [1.0, 0.7])
@pytest.mark.parametrize("n, p", [(60, 200), (300, 60)])
def test_with_groups_that_nothing_penalises(n, p, alpha):
    """Their columns are free in all directions; two of them are one."""
    X, y = data(n, p)
    X[:, 3] = X[:, 2]
    groups = np.arange(p) // 5
    free = np.ones(p // 5)
    free[[0, 4]] = 0.0
    given = {"penalty": GroupL2(groups), "penalty_factor": free, "alpha": alpha, "stop": None,
             "n_lambdas": 30, "lambda_min_ratio": 0.02}  # fmt: skip
    fit, tight = ss.path(X, y, **given, tol=1e-6), ss.path(X, y, **given, tol=1e-11)
    assert not fit.status.any() and not tight.status.any()
    b = tight.coefs.toarray()
    r = y[:, None] - tight.predict(X)
    assert np.abs((X - X.mean(axis=0))[:, groups == 0].T @ r).max() < 1e-6 * n
    assert (b[groups == 4] != 0.0).all()
    loss = [0.5 * np.mean((y[:, None] - f.predict(X)) ** 2, axis=0) for f in (fit, tight)]
    assert loss[0] == pytest.approx(loss[1], abs=2e-3 * y.var())


def test_more_rays_than_rows():
    """Groups of one in which more are at work than there are rows."""
    X, y = data(20, 400)
    given = {"stop": None, "alpha": 0.5}
    fit = ss.path(X, y, penalty=GroupL2(np.arange(400)), lambda_min_ratio=1e-3, **given)
    lasso = ss.path(X, y, lambdas=fit.lambdas, tol=1e-12, **given)
    assert not fit.status.any() and fit.df.max() > 20
    np.testing.assert_allclose(fit.predict(X), lasso.predict(X), atol=1e-2 * y.std())


def test_groups_that_leave_end_at_zero():
    """Down the path some groups go back to zero, and lengths are never negative there."""
    X, y = data(60, 200, seed=5)
    groups = np.arange(200) // 5
    fit = ss.path(X, y, penalty=GroupL2(groups), standardize=False, stop=None,
                  lambda_min_ratio=1e-3)  # fmt: skip
    at_work = fit.coefs.toarray().reshape(40, 5, -1).any(axis=1).T
    assert (at_work[:-1] & ~at_work[1:]).any()
    for k in range(1, 100):
        along, _ = slopes(X, y, fit, k, groups)
        assert np.abs(along - 1.0).max() < 1e-2
