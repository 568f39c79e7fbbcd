"""Berhu: worked numbers, prox on a grid, paths certified and as the lasso where delta is large."""

import pickle

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(2)
X = RNG.standard_normal((60, 8))
Y = X[:, :3] @ [3.0, -1.0, 0.5] + RNG.standard_normal(60)


def slopes_of_berhu(b, delta):
    """The ends of the subdifferential at b."""
    slope = np.where(np.abs(b) <= delta, np.sign(b), b / delta)
    return np.where(b == 0.0, -1.0, slope), np.where(b == 0.0, 1.0, slope)


def slopes_of_exclusive(b, groups):
    """The optimality conditions of sum_g |b_g|_1^2 / 2."""
    size = np.bincount(groups, np.abs(b))[groups]
    sign = np.sign(b)
    return size * np.where(b == 0.0, -1.0, sign), size * np.where(b == 0.0, 1.0, sign)


@pytest.mark.parametrize("alpha", [1.0, 0.6])
@pytest.mark.parametrize("family", ["gaussian", "binomial", "multinomial"])
@pytest.mark.parametrize("kind", ["berhu", "exclusive", "mixed"])
def test_other_features_may_have_no_penalty(kind, family, alpha):
    """Beside a penalty that is no norm; the conditions of the optimum, in numpy alone."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 8))
    eta, groups = 2.0 * X[:, 0] + X[:, 3] - X[:, 5], np.array([0, 0, 0, 1, 1, 1])
    y = {"gaussian": eta + rng.normal(size=90), "binomial": (eta + rng.logistic(size=90) > 0) * 1,
         "multinomial": np.digitize(eta + 2 * rng.normal(size=90), [-1.0, 1.0])}[family]
    parts = {"berhu": {(0, 1): None, range(2, 8): P.Berhu(0.3)},
             "exclusive": {(0, 1): None, range(2, 8): P.ExclusiveLasso(groups)},
             "mixed": {(0, 1): None, (2, 3): P.L1(), range(4, 8): P.Berhu(0.3)}}[kind]
    penalty, lam = P.Separate(parts), 0.05
    fit = ss.path(X, y, family=family, penalty=penalty, alpha=alpha, standardize=False,
                  lambdas=[4 * lam, lam], tol=1e-10)  # fmt: skip
    assert fit.gaps.max() <= 1e-10
    if family == "multinomial":
        B = np.stack([c[:, [1]].toarray()[:, 0] for c in fit.coefs])
        eta = X @ B.T + fit.intercepts[:, 1] if fit.intercepts.shape[0] == 3 else (
            X @ B.T + fit.intercepts[1])  # fmt: skip
        share = np.exp(eta - eta.max(axis=1, keepdims=True))
        pull = (np.eye(3)[y] - share / share.sum(axis=1, keepdims=True)).T @ X / 90
    else:
        B, eta = fit.coef(lam)[None], X @ fit.coef(lam) + fit.intercepts[1]
        mean = eta if family == "gaussian" else 1.0 / (1.0 + np.exp(-eta))
        pull = ((y - mean) @ X / 90)[None]
    for b, z in zip(B, pull, strict=True):
        z = z - lam * (1.0 - alpha) * b
        assert np.abs(z[:2]).max() < 1e-5 and (np.abs(b[:2]) > 0.01).all()
        low, high = np.sign(b), np.sign(b)
        low, high = np.where(b == 0.0, -1.0, low), np.where(b == 0.0, 1.0, high)
        if kind == "exclusive":
            low[2:], high[2:] = slopes_of_exclusive(b[2:], groups)
        else:
            first = 2 if kind == "berhu" else 4
            low[first:], high[first:] = slopes_of_berhu(b[first:], 0.3)
        level = lam * alpha
        assert (z[2:] >= level * low[2:] - 1e-5).all() and (z[2:] <= level * high[2:] + 1e-5).all()
    if alpha < 1.0:
        return
    # online, with the certificate of the batch problem, and pickled in between
    online = ss.online(X, y, family=family, penalty=penalty, alpha=alpha, lam=lam, method="fobos",
                       passes=5)  # fmt: skip
    found = pickle.loads(pickle.dumps(online)).certify(X, y)
    assert 0.0 <= found.relative_gap < 0.4


def test_parts_that_are_no_norms_have_limits():
    mixed = P.Separate({range(4): P.L1(), range(4, 8): P.Berhu()})
    with pytest.raises(TypeError, match="Separate is no norm, as every term of a sum must be"):
        ss.path(X, Y, penalty=P.Sum([mixed, P.TotalVariation()]))
    with pytest.raises(TypeError, match="MCP is not convex"):
        ss.path(X, Y, penalty=P.Separate({range(4): P.MCP(), range(4, 8): P.Berhu()}))
    iterative = P.Sum([P.L1(), P.TraceNorm((2, 2))])
    with pytest.raises(TypeError, match="the prox of Sum is iterative"):
        ss.path(X, Y, penalty=P.Separate({range(4): iterative, range(4, 8): P.Berhu()}))
