"""Cooperative learning: optimality conditions of its own problem, and its limits rho = 0 and 1."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.paths import cooperative_path

RNG = np.random.default_rng(0)
N, SIZES = 70, (12, 9, 7)
SHARED = RNG.normal(size=(N, 2))
PARTS = [np.hstack([SHARED + RNG.normal(size=(N, 2)), RNG.normal(size=(N, size - 2))])
         for size in SIZES]  # fmt: skip
X = np.hstack(PARTS) * RNG.uniform(0.5, 3.0, sum(SIZES)) + RNG.normal(size=sum(SIZES))
Y = SHARED.sum(axis=1) * 2.0 + RNG.normal(size=N) + 1.0
W = RNG.uniform(0.5, 2.0, N)
OFFSET = RNG.normal(size=N)
VIEWS = np.repeat(["u", "v", "z"], SIZES)
TWO = np.flatnonzero(VIEWS != "z")


def slope(fit, lam, rho, views, X, w, y):
    """Return minus the gradient of the smooth part by standardised coefficients, and these."""
    w = w / w.sum()
    Z = X - w @ X
    s = np.sqrt(w @ Z**2)
    b = fit.coef(lam)
    etas = {v: Z[:, views == v] @ b[views == v] for v in dict.fromkeys(views)}
    rest = y - w @ y - sum(etas.values())
    grad = Z.T @ (w * rest)
    for u in etas:
        for v in etas:
            if u != v:
                grad[views == u] -= rho * Z[:, views == u].T @ (w * (etas[u] - etas[v]))
    return grad / s, b * s


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("views", [VIEWS, np.where(VIEWS == "z", "v", VIEWS)])
def test_the_optimality_conditions_hold(rho, views):
    lam = [0.5, 0.1, 0.02]
    fit = cooperative_path(X, Y, views, rho=rho, weights=W, offset=OFFSET, lambdas=lam, tol=1e-12)
    np.testing.assert_allclose(fit.lambdas, lam)
    w = W / W.sum()
    for s in lam:
        grad, b = slope(fit, s, rho, views, X, W, Y - OFFSET)
        assert np.abs(grad).max() <= s * (1.0 + 1e-5)
        np.testing.assert_allclose(grad[b != 0.0], s * np.sign(b[b != 0.0]), rtol=1e-4)
        assert fit.intercept(s) == pytest.approx(w @ (Y - OFFSET - X @ fit.coef(s)))
    assert fit.gaps.max() <= 1e-12 and 0 < fit.df[0] < fit.df[-1]


def test_without_disagreement_it_is_the_lasso():
    fit = cooperative_path(X, Y, VIEWS, rho=0.0, weights=W)
    lasso = ss.path(X, Y, weights=W)
    np.testing.assert_allclose(fit.lambdas, lasso.lambdas)
    np.testing.assert_allclose(fit.coefs.toarray(), lasso.coefs.toarray(), atol=1e-6)
    np.testing.assert_allclose(fit.dev_ratio, lasso.dev_ratio, atol=1e-9)
    assert fit.null_deviance == pytest.approx(lasso.null_deviance)


def test_with_rho_1_two_views_are_separate_lassos_of_half_the_response():
    lam = [0.4, 0.1, 0.03]
    fit = cooperative_path(X[:, TWO], Y, VIEWS[TWO], rho=1.0, lambdas=lam, tol=1e-12)
    for view in ("u", "v"):
        alone = ss.path(X[:, VIEWS == view], Y / 2.0, lambdas=np.array(lam) / 2.0, tol=1e-12)
        np.testing.assert_allclose(fit.coefs.toarray()[VIEWS[TWO] == view],
                                   alone.coefs.toarray(), atol=1e-6)  # fmt: skip


def test_views_agree_more_under_a_larger_rho():
    def distance(rho):
        fit = cooperative_path(X[:, TWO], Y, VIEWS[TWO], rho=rho, lambdas=[0.05])
        eta = [X[:, VIEWS == v] @ fit.coef(0.05)[VIEWS[TWO] == v] for v in ("u", "v")]
        return np.var(eta[0] - eta[1])

    found = [distance(rho) for rho in (0.0, 0.2, 1.0, 5.0)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize("options", [
    {}, {"standardize": False}, {"intercept": False}, {"alpha": 0.5},
    {"penalty_factor": np.where(np.arange(sum(SIZES)) < 2, 0.0, 1.0)}, {"exclude": [0, 15]},
])  # fmt: skip
def test_options_are_those_of_path(options):
    """With rho = 0 by the same code, whose rows are then those of X alone."""
    lam = [0.3, 0.05]
    fit = cooperative_path(X, Y, VIEWS, rho=0.0, lambdas=lam, tol=1e-12, **options)
    twin = ss.path(X, Y, lambdas=lam, tol=1e-12, **options)
    np.testing.assert_allclose(fit.coefs.toarray(), twin.coefs.toarray(), atol=1e-6)
    np.testing.assert_allclose(fit.intercepts, twin.intercepts, atol=1e-6)
    thin = sparse.csc_array(np.where(np.abs(X) > 1.0, X, 0.0))
    np.testing.assert_allclose(
        cooperative_path(thin, Y, VIEWS, lambdas=lam, **options).coefs.toarray(),
        cooperative_path(thin.toarray(), Y, VIEWS, lambdas=lam, **options).coefs.toarray(),
        atol=1e-12)  # fmt: skip


def test_refusals():
    for views, options, said in [
        (None, {}, "views is missing"), (["u"] * sum(SIZES), {}, "one view"),
        ([[0, 1], [2, 3]], {}, "column 4 is in no view"), (VIEWS[1:], {}, "27 labels"),
        (VIEWS, {"family": "binomial"}, "squared error"), (VIEWS, {"rho": -1.0}, "rho"),
        (VIEWS, {"lower": 0.0}, "sets lower"),
    ]:  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=said):
            cooperative_path(X, Y, views, **options)
