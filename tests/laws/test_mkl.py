"""Laws that tie multiple kernel learning to the other paths, and to itself."""

import mkl_oracle
import numpy as np
import numpy_losses
import pytest

import sparsesolve as ss

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 30)) + rng.normal(size=(60, 1))
SIGNAL = 2 * X[:, 0] - X[:, 4] + 0.5 * X[:, 9] + rng.normal(size=60)
RESPONSES = {
    "gaussian": SIGNAL,
    "binomial": SIGNAL > 0,
    "poisson": rng.poisson(np.exp(SIGNAL / 4)),
    "multinomial": np.digitize(SIGNAL, [-1, 1]),
    "multigaussian": np.column_stack([SIGNAL, X[:, 1] + rng.normal(size=60)]),
}


@pytest.mark.parametrize("family", RESPONSES)
def test_rank_one_kernels_give_the_lasso(family):
    """Of several responses, that whose features are tied."""
    y = RESPONSES[family]
    d = rng.uniform(0.5, 2, 30)
    fit = ss.mkl_path([np.outer(x, x) for x in X.T], y, family=family, kernel_weights=d,
                      tol=1e-11, n_lambdas=25, stop=None)  # fmt: skip
    lasso = ss.path(X, y, family=family, standardize=False, grouped=family == "multinomial",
                    penalty_factor=d, lambdas=fit.lambdas * d.sum() / 30, tol=1e-11)  # fmt: skip
    coefs = lasso.coefs if isinstance(lasso.coefs, list) else [lasso.coefs]
    sizes = np.sqrt(sum(c.toarray() ** 2 for c in coefs))
    np.testing.assert_allclose(fit.kernel_norms, sizes, atol=5e-5 * sizes.max())
    np.testing.assert_allclose(fit.intercepts, lasso.intercepts, atol=2e-4)
    new = rng.normal(size=(5, 30))
    blocks = [np.outer(b, x) for b, x in zip(new.T, X.T, strict=True)]
    np.testing.assert_allclose(fit.predict(blocks), lasso.predict(new), atol=2e-3)


def test_the_lasso_is_met_to_the_last_digits_where_it_is_quadratic():
    fit = ss.mkl_path([np.outer(x, x) for x in X.T], SIGNAL, n_lambdas=25, stop=None)
    lasso = ss.path(X, SIGNAL, standardize=False, lambdas=fit.lambdas, tol=1e-14)
    np.testing.assert_allclose(fit.kernel_norms, np.abs(lasso.coefs.toarray()), atol=1e-8)
    assert fit.n_iters.sum() < 60  # a step or two for each lambda


@pytest.mark.parametrize("family, loss", [("gaussian", numpy_losses.GAUSSIAN),
                                          ("binomial", numpy_losses.BINOMIAL)])  # fmt: skip
def test_block_kernels_give_the_group_lasso(family, loss):
    """Against block coordinate descent on the groups' coefficients."""
    y = RESPONSES[family].astype(float)
    groups = [slice(5 * g, 5 * g + 5) for g in range(6)]
    weights = np.sqrt([5, 1, 2, 5, 3, 5])
    fit = ss.mkl_path([X[:, g] @ X[:, g].T for g in groups], y, family=family,
                      kernel_weights=weights, n_lambdas=10, tol=1e-11, stop=None,
                      lambda_min_ratio=0.05)  # fmt: skip
    for k in (2, 5, 9):
        b, b0 = group_lasso(X, y, groups, weights, fit.lambdas[k], loss)
        sizes = [np.linalg.norm(b[g]) for g in groups]
        np.testing.assert_allclose(fit.kernel_norms[:, k], sizes, atol=1e-4)
        new = rng.normal(size=(4, 30))
        blocks = [new[:, g] @ X[:, g].T for g in groups]
        np.testing.assert_allclose(fit.predict(blocks, s=fit.lambdas[k]), b0 + new @ b, atol=1e-3)


def group_lasso(X, y, groups, weights, lam, loss, sweeps=3000):
    b, b0 = np.zeros(X.shape[1]), 0.0
    curved = 1.0 if loss is numpy_losses.GAUSSIAN else 0.25
    steps = [len(y) / (curved * np.linalg.eigvalsh(X[:, g].T @ X[:, g])[-1]) for g in groups]
    for _ in range(sweeps):
        before = b.copy()
        for g, d, step in zip(groups, weights, steps, strict=True):
            z = b[g] - step * X[:, g].T @ loss.slope(y, b0 + X @ b) / len(y)
            b[g] = z * max(0.0, 1 - step * lam * d / np.linalg.norm(z))
        b0 -= loss.slope(y, b0 + X @ b).mean() / curved
        if np.abs(b - before).max() < 1e-13:
            break
    return b, b0


@pytest.mark.parametrize("norm", ["l1", "l1_squared", "lp", "elastic"])
def test_threads_change_no_bit(norm):
    _, K, y = mkl_oracle.problem(0, n=60, M=6)
    one, two = (ss.mkl_path(K, y, norm=norm, n_lambdas=3, n_threads=t) for t in (1, 2))
    assert (one.kernel_norms == two.kernel_norms).all()
    assert (one.dual_coefs == two.dual_coefs).all()


@pytest.mark.parametrize("norm", ["l1", "l1_squared", "lp", "elastic"])
def test_permuted_kernels_permute_the_weights(norm):
    _, K, y = mkl_oracle.problem(1)
    order = rng.permutation(6)
    fit = ss.mkl_path(K, y, norm=norm, n_lambdas=10, tol=1e-10)
    mixed = ss.mkl_path(K[order], y, norm=norm, lambdas=fit.lambdas, tol=1e-10)
    np.testing.assert_allclose(mixed.kernel_norms, fit.kernel_norms[order], atol=1e-4)


@pytest.mark.parametrize("norm", ["l1", "l1_squared", "lp", "elastic"])
def test_warm_starts_change_nothing(norm):
    _, K, y = mkl_oracle.problem(2)
    fit = ss.mkl_path(K, y, norm=norm, n_lambdas=10, tol=1e-11)
    cold = ss.mkl_path(K, y, norm=norm, lambdas=fit.lambdas[-1:], tol=1e-11)
    np.testing.assert_allclose(cold.kernel_norms[:, 0], fit.kernel_norms[:, -1], atol=1e-4)


def test_the_squared_norm_has_the_same_solutions_at_other_lambdas():
    """lam sum n, with n at lam of the squared norm, is the lambda of the norm itself."""
    _, K, y = mkl_oracle.problem(3)
    squared = ss.mkl_path(K, y, norm="l1_squared", n_lambdas=12, tol=1e-12, stop=None)
    lambdas = squared.lambdas * squared.kernel_norms.sum(axis=0)
    plain = ss.mkl_path(K, y, lambdas=lambdas, tol=1e-12)
    order = np.argsort(-lambdas)
    np.testing.assert_allclose(plain.kernel_norms, squared.kernel_norms[:, order], atol=2e-4)


def test_the_sum_of_all_kernels_is_the_limit_of_large_p():
    """One kernel with the squared norm is ridge regression with it."""
    _, K, y = mkl_oracle.problem(4)
    lam = 1e-2
    many = ss.mkl_path(K, y, norm=ss.mkl.lp(1e6), lambdas=[lam], tol=1e-12)
    one = ss.mkl_path([K.sum(axis=0)], y, norm="l1_squared", lambdas=[lam], tol=1e-12)
    a = np.linalg.solve(K.sum(axis=0) + lam * len(y) * np.eye(40), np.column_stack([y, y * 0 + 1]))
    b0 = a[:, 0].sum() / a[:, 1].sum()
    exact = b0 + K.sum(axis=0) @ (a[:, 0] - b0 * a[:, 1])
    np.testing.assert_allclose(one.predict([K.sum(axis=0)], s=lam), exact, atol=1e-6)
    np.testing.assert_allclose(many.predict(K, s=lam), exact, atol=1e-3)
