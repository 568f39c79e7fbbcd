"""What K responses share of the curvature, and paths with more columns at work than samples."""

import numpy as np
import pytest
from random_sparse import random_csc
from sparsesolve.solvers.responses.descent import SharedCurvature

import sparsesolve as ss


class Columns:
    """Columns as rows of an array, taken in by and by."""

    dense = True

    def __init__(self, rows):
        self.all, self.size = rows, 0

    @property
    def rows(self):
        return self.all[: self.size]

    def gram(self, h, first=0):
        return self.rows @ (self.rows[first:] * h).T

    def squares(self, h, first=0):
        return ((self.rows[first:] ** 2) * h).sum(axis=1)


def test_it_follows_columns_and_weights():
    rng = np.random.default_rng(0)
    rows, h = rng.standard_normal((70, 24)), rng.uniform(0.5, 1.5, (2, 24))
    columns = Columns(rows)
    shared = SharedCurvature(columns, h[0])
    for weights, size in ((h[0], 5), (h[0], 20), (h[1], 20), (h[1], 37), (h[1], 70)):
        if weights is not shared.h:
            shared.renew(weights)
        columns.size = size
        Z = rows[:size]
        gram = (Z * weights) @ Z.T
        assert shared.wide == (size > 36)
        assert np.abs(shared.squares - gram.diagonal()).max() <= 1e-12 * gram.max()
        assert np.abs(shared.gram - gram).max() <= 1e-6 * gram.max()
        found, inner = shared.rows()
        assert inner is (not shared.wide)
        of_rows = found if inner else found @ found.T
        assert np.abs(of_rows - gram).max() <= 1e-5 * gram.max()


@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
def test_more_columns_than_samples_at_work(family):
    rng = np.random.default_rng(1)
    n, p, K = 40, 250, 4
    X = rng.standard_normal((n, p))
    Y = X[:, :30] @ rng.standard_normal((30, K)) + rng.standard_normal((n, K))
    y = Y if family == "multigaussian" else Y.argmax(axis=1)
    fit = ss.path(X, y, family=family, standardize=False, lambda_min_ratio=2e-3, n_lambdas=20,
                  stop=None, tol=1e-9)  # fmt: skip
    assert fit.gaps.max() <= 1e-9
    if family == "multigaussian":  # columns themselves are swept over at the end
        assert fit.df.max() > 1.5 * n
        lam = fit.lambdas[-1]
        B = np.asarray(fit.coef(s=lam)).reshape(K, p)
        R = Y - X @ B.T
        Z = X.T @ (R - R.mean(axis=0)) / n
        sizes, norms = np.linalg.norm(Z, axis=1), np.linalg.norm(B, axis=0)
        assert sizes.max() <= lam * (1 + 1e-3)
        inside = norms > 1e-3 * norms.max()
        ahead = lam * (B / np.maximum(norms, 1e-300)).T
        assert np.abs(Z - ahead)[inside].max() <= 1e-3 * lam


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
def test_columns_of_few_values_have_the_path_of_the_dense_design(family, grouped):
    rng = np.random.default_rng(3)
    n, p, K = 150, 600, 3
    X = random_csc((n, p), 0.02, rng)
    Y = X[:, :40] @ rng.standard_normal((40, K)) + 0.3 * rng.standard_normal((n, K))
    options = {"family": family, "n_lambdas": 12, "lambda_min_ratio": 0.05, "stop": None}
    options |= {"alpha": 0.9, "tol": 1e-11, "solver": "response_blocks"}
    options |= {"grouped": True} if grouped and family == "multinomial" else {}
    y = Y if family == "multigaussian" else Y.argmax(axis=1)
    fit = ss.path(X, y, **options)
    dense = ss.path(X.toarray(), y, lambdas=fit.lambdas, **options)
    assert fit.gaps.max() <= 1e-11 and fit.df.max() > 60  # 8 * values < columns at work, squared
    for lam in fit.lambdas[2::3]:
        one, other = (np.asarray(f.predict(X.toarray(), s=lam, kind="link")) for f in (fit, dense))
        assert np.abs(one - other).max() <= 1e-4 * np.abs(other).max()
