"""Columns of sizes 1e-3 to 1e3 under norms of whole vectors: rounds of the augmented Lagrangian.

The judge of fused norms is their dual problem, min |R^-T (X'y / n - D'v)|^2 / 2 over |v| <= lam w
with R'R = X'X / n, by scipy's bounded least squares. For all norms a gap is the judge.
"""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.solvers.first_order.augmented_lagrangian import solved

RING = [(j, (j + 1) % 9) for j in range(9)]
WINDOWS = [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8]]
TREE = [list(range(9)), [0, 1, 2, 3], [4, 5, 6, 7, 8], [0, 1]]
NORMS = {
    "fused": P.TotalVariation(l1=0.4),
    "image": P.TotalVariation2D((3, 3)),
    "ring": P.GraphTV(RING),
    "trace": P.TraceNorm((3, 3)),
    "overlap": P.OverlapLinf(WINDOWS),
    "tree": P.TreeLinf(TREE),
    "l1 and trace": P.Sum([P.L1(0.5), P.TraceNorm((3, 3))]),
    "two variations": P.Sum([P.TotalVariation(), P.TotalVariation2D((3, 3))]),
}


def table(seed, family="gaussian"):
    """X (15, 9) whose columns have sizes 1e-3 to 1e3, and y."""
    rng = np.random.default_rng(seed)
    sizes = 10.0 ** rng.integers(-3, 4, size=9)
    Z = rng.normal(size=(15, 9))
    eta = Z[:, 0] - Z[:, 1]
    y = eta + rng.normal(size=15)
    return Z * sizes, rng.poisson(np.exp(0.5 * eta)) if family == "poisson" else y


@pytest.mark.parametrize("family", ["gaussian", "poisson"])
@pytest.mark.parametrize("norm", NORMS)
def test_every_norm_is_solved_in_few_steps(norm, family):
    X, y = table(1, family)
    fit = ss.path(X, y, family=family, penalty=NORMS[norm], n_lambdas=5, lambda_min_ratio=0.05,
                  stop=None, max_iter=1000, standardize=False)  # fmt: skip
    assert len(fit.gaps) == 5
    assert fit.gaps.max() <= 1e-7


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["fused", "ring"])
def test_fused_norms_reach_the_optimum_of_their_dual_problem(kind, seed):
    X, y = table(seed)
    X, y = X - X.mean(axis=0), y - y.mean()
    D = np.eye(9)[[j for _, j in RING]] - np.eye(9)[[i for i, _ in RING]]
    w = np.ones(9)
    if kind == "fused":
        D, w = np.vstack([D[:8], np.eye(9)]), np.r_[np.ones(8), np.full(9, 0.4)]
    lam = 0.02 * np.abs(X.T @ y).max() / 15
    R = np.linalg.qr(X / np.sqrt(15))[1]
    A, c = np.linalg.solve(R.T, D.T), np.linalg.solve(R.T, X.T @ y / 15)
    v = lsq_linear(A, c, (-lam * w, lam * w), method="bvls", tol=1e-15).x
    optimum = y @ y / 30 - np.sum((c - A @ v) ** 2) / 2
    fit = ss.path(X, y, penalty=NORMS[kind], lambdas=[lam], standardize=False, tol=1e-9)
    b = fit.coef(lam)
    value = np.mean((y - X @ b) ** 2) / 2 + lam * w @ np.abs(D @ b)
    assert abs(value - optimum) <= 1e-8 * np.mean(y**2) / 2


def test_a_loss_with_kinks_under_a_sum_begins_without_a_dual_point():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 12))
    y = np.sign(X[:, :4].sum(axis=1) + rng.normal(size=12))
    both = P.Sum([P.TotalVariation(), P.TotalVariation2D((3, 4))])
    fit = ss.path(X, y, family="hinge", penalty=both, lambdas=[0.1, 0.03])
    assert fit.gaps.max() <= 1e-7


def test_a_loss_with_kinks_and_columns_of_all_sizes_ends_in_an_answer():
    X, y = table(1)
    fit = ss.path(X, y, family="quantile", penalty=NORMS["fused"], n_lambdas=5, max_iter=1000,
                  lambda_min_ratio=0.05, stop=None, standardize=False)  # fmt: skip
    assert len(fit.gaps) == 5 and fit.gaps.max() <= 1e-7


def test_curvature_beyond_floats_gives_no_step():
    """GraphTV had it with columns of lengths 1e7 and 1e-5, and raised a ValueError."""
    for beyond in (np.inf, np.nan):
        H = np.array([[1.0, beyond], [beyond, 1.0]])
        assert not solved(H, np.ones(2)).any() and not solved(H, np.ones((2, 3))).any()
