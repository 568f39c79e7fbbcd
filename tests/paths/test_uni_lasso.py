"""The univariate-guided lasso against univariate fits without each row, made one by one."""

import warnings

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.paths import uni_lasso_path

RNG = np.random.default_rng(0)
N, P = 60, 8
X = RNG.normal(size=(N, P)) * RNG.uniform(0.5, 3.0, P) + RNG.normal(size=P)
Y = X[:, 0] - X[:, 1] + 0.5 * X[:, 2] + RNG.normal(size=N)
W = RNG.uniform(0.5, 2.0, N)
OFFSET = RNG.normal(size=N)
CLASS = (Y + RNG.normal(size=N) > Y.mean()).astype(int)
COUNTS = RNG.poisson(np.exp(np.clip(0.4 * Y, -2.0, 2.0)))
TIMES = np.column_stack([RNG.exponential(np.exp(-0.5 * Y)), RNG.random(N) < 0.7])


def gaussian(eta):
    """Return the mean and the variance of the responses."""
    return eta, np.ones_like(eta)


def binomial(eta):
    mean = 1.0 / (1.0 + np.exp(-eta))
    return mean, mean * (1.0 - mean)


def poisson(eta):
    return np.exp(eta), np.exp(eta)


def one_by_one(moments, y, w, offset, intercept=True):
    """Return the predictions of each row without it, (n, p), and all univariate fits, (2, p)."""
    Z, lines = np.empty((N, P)), np.zeros((2, P))
    for j in range(P):
        A = np.column_stack([np.ones(N), X[:, j]]) if intercept else X[:, [j]]

        def best(w, A=A):
            b = np.zeros(A.shape[1])
            for _ in range(15):
                mean, variance = moments(offset + A @ b)
                b += np.linalg.solve((A.T * (w * variance)) @ A, A.T @ (w * (y - mean)))
            return b

        lines[1 - intercept :, j] = best(w)
        for i in range(N):
            Z[i, j] = A[i] @ best(np.where(np.arange(N) == i, 0.0, w))
    return Z, lines


def second_stage(Z, lines, y, **options):
    """Return coefficients and intercepts of the lasso without negative coefficients on Z."""
    theta = ss.path(Z, y, lower=0.0, standardize=False, **options)
    return (lines[1][:, None] * theta.coefs.toarray(),
            theta.intercepts + lines[0] @ theta.coefs.toarray())  # fmt: skip


@pytest.mark.parametrize("intercept", [True, False])
def test_squared_error_is_exact(intercept):
    Z, lines = one_by_one(gaussian, Y, W, OFFSET, intercept)
    options = {"weights": W, "offset": OFFSET, "lambdas": [0.5, 0.1, 0.02], "intercept": intercept}
    coefs, intercepts = second_stage(Z, lines, Y, **options)
    fit = uni_lasso_path(X, Y, **options)
    np.testing.assert_allclose(fit.coefs.toarray(), coefs, atol=1e-5)
    np.testing.assert_allclose(fit.intercepts, intercepts, atol=1e-5)
    assert fit.gaps.max() <= 1e-7
    if intercept:
        mean = W @ (Y - OFFSET) / W.sum()
        left = [W @ (Y - OFFSET - eta) ** 2 for eta in (fit.intercepts + X @ fit.coefs).T]
        null = W @ (Y - OFFSET - mean) ** 2
        np.testing.assert_allclose(fit.dev_ratio, 1.0 - np.array(left) / null, atol=1e-12)


@pytest.mark.parametrize("family, moments, y", [("binomial", binomial, CLASS),
                                             ("poisson", poisson, COUNTS)])  # fmt: skip
def test_other_families_are_right_to_first_order(family, moments, y):
    """The approximation errs by far less than what it corrects."""
    zero = np.zeros(N)
    Z, lines = one_by_one(moments, y, W, zero)
    options = {"weights": W, "lambdas": [0.2, 0.05, 0.01]}
    fitted = second_stage(lines[0] + X * lines[1], lines, y, family=family, **options)
    plain = uni_lasso_path(X, y, family=family, loo=False, **options)
    np.testing.assert_allclose(plain.coefs.toarray(), fitted[0], atol=2e-4)
    np.testing.assert_allclose(plain.intercepts, fitted[1], atol=2e-4)
    exact = second_stage(Z, lines, y, family=family, **options)[0]
    found = uni_lasso_path(X, y, family=family, **options).coefs.toarray()
    assert np.abs(found - exact).max() < 0.15 * np.abs(fitted[0] - exact).max()


def test_cox_corrects_most_of_the_optimism():
    """Against the slopes of partial likelihoods without each row."""
    def slope(x, rows):
        """Newton on the partial likelihood of one feature, without ties."""
        order = rows[np.argsort(TIMES[rows, 0])]
        x, dead, b = x[order], TIMES[order, 1] > 0, 0.0
        for _ in range(30):
            e = np.exp(x * b)
            sums = [np.cumsum((e * x**k)[::-1])[::-1] for k in range(3)]
            mean = sums[1] / sums[0]
            b += (x - mean)[dead].sum() / (sums[2] / sums[0] - mean**2)[dead].sum()
        return b

    every, centred = np.arange(N), X - X.mean(axis=0)
    b = np.array([slope(x, every) for x in centred.T])
    Z = np.array([[x[i] * slope(x, np.delete(every, i)) for x in centred.T] for i in range(N)])
    y, lam = (TIMES[:, 0], TIMES[:, 1]), [0.05, 0.01]
    plain = uni_lasso_path(X, y, family="cox", loo=False, lambdas=lam)
    lines = np.array([np.zeros(P), b])
    twin = second_stage(centred * b, lines, y, family="cox", lambdas=lam)[0]
    np.testing.assert_allclose(plain.coefs.toarray(), twin, atol=1e-6)
    exact = second_stage(Z, lines, y, family="cox", lambdas=lam)[0]
    found = uni_lasso_path(X, y, family="cox", lambdas=lam).coefs.toarray()
    assert np.abs(found - exact).max() < 0.3 * np.abs(twin - exact).max()


@pytest.mark.parametrize("family, y", [
    ("gaussian", Y), ("binomial", CLASS), ("poisson", COUNTS), ("huber", Y),
    ("cox", (TIMES[:, 0], TIMES[:, 1])),
])  # fmt: skip
def test_signs_are_those_of_univariate_fits(family, y):
    fit = uni_lasso_path(X, y, family=family)
    for j in range(P):
        alone = ss.path(X[:, [j]], y, family=family, lambdas=[0.0]).coef(0.0)[0]
        assert (fit.coefs.toarray()[j] * alone >= 0.0).all()
    assert fit.df.max() >= 3


def test_rows_of_weight_0_and_sparse_columns():
    w = np.where(np.arange(N) < 12, 0.0, W)
    lam = [0.3, 0.1]
    left = uni_lasso_path(X, Y, weights=w, lambdas=lam).coefs.toarray()
    np.testing.assert_allclose(
        left, uni_lasso_path(X[12:], Y[12:], weights=W[12:], lambdas=lam).coefs.toarray(),
        atol=1e-9)  # fmt: skip
    thin = np.where(np.abs(X) > 1.0, X, 0.0)
    np.testing.assert_allclose(
        uni_lasso_path(sparse.csc_array(thin), Y, lambdas=lam).coefs.toarray(),
        uni_lasso_path(thin, Y, lambdas=lam).coefs.toarray(), atol=1e-12)  # fmt: skip


def test_constant_and_separating_features():
    both = np.column_stack([X, np.full(N, 3.0), CLASS * 2.0 - 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = uni_lasso_path(both, CLASS, family="binomial", lambdas=[0.1, 0.01])
    assert np.isfinite(fit.coefs.toarray()).all()
    assert not fit.coefs.toarray()[P].any() and fit.coefs.toarray()[P + 1].all()


def test_what_takes_a_path_takes_this_one():
    fit = uni_lasso_path(X, Y, n_lambdas=20)
    at = fit.lambdas[np.abs(fit.lambdas - 0.1).argmin()]
    support = fit.nonzero(at)
    A = np.column_stack([np.ones(N), X[:, support]])
    np.testing.assert_allclose(ss.relax(fit, X, Y).coef(at)[support],
                               np.linalg.lstsq(A, Y)[0][1:], atol=1e-4)  # fmt: skip
    mean = np.mean((Y - fit.predict(X, at)) ** 2)
    assert ss.assess(fit, X, Y, at)["mse"] == pytest.approx(mean)
    table = {"a": X[:, 0], "b": X[:, 1], "y": Y}
    named = uni_lasso_path("y ~ a * b", data=table, lambdas=[0.1])
    assert named.feature_names.tolist() == ["a", "b", "a:b"]
    np.testing.assert_allclose(named.predict(table), uni_lasso_path(
        np.column_stack([X[:, 0], X[:, 1], X[:, 0] * X[:, 1]]), Y, lambdas=[0.1]).predict(
        np.column_stack([X[:, 0], X[:, 1], X[:, 0] * X[:, 1]])))  # fmt: skip


def test_refusals():
    for options, said in [
        ({"lower": 0.0}, "sets lower itself"), ({"penalty": ss.penalties.L1()}, "sets penalty"),
        ({"standardize": True}, "sets standardize"), ({"family": "multinomial"}, "one response"),
        ({"family": "hinge"}, "without kinks"), ({"loo": 2}, "loo"),
    ]:  # fmt: skip
        y = CLASS if "family" in options else Y
        with pytest.raises((ValueError, TypeError), match=said):
            uni_lasso_path(X, y, **options)
    with pytest.raises(ValueError, match="leave fit or gammas out"):
        ss.cv_path(X, Y, fit=uni_lasso_path, gammas=[0.0, 1.0])
    with pytest.raises(TypeError, match="nfolds"):
        uni_lasso_path(X, Y, nfolds=3)
