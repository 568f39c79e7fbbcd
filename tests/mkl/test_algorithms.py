"""All algorithms of one problem agree, each by its own certificate."""

import mkl_oracle
import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.mkl.path import ALGORITHMS

X, K, Y = mkl_oracle.problem(5, n=40, M=5)
RESPONSES = {"gaussian": Y, "binomial": Y > 0.5, "multinomial": np.digitize(Y, [0, 1.5])}


def solve(solver, family, norm, tol):
    return ss.mkl_path(K, RESPONSES[family], family=family, norm=norm, solver=solver, tol=tol,
                       n_lambdas=5, lambda_min_ratio=0.1, stop=None, max_iter=5000)  # fmt: skip


@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.parametrize(
    "solver, norm",
    [("proximal", "l1"), ("proximal", "l1_squared"), ("proximal", "elastic"),
     ("block_descent", "l1"), ("block_descent", "elastic"), ("reweighted", "l1"),
     ("reweighted", "lp"), ("alternation", "lp"), ("simple_mkl", "l1_squared")],
)  # fmt: skip
def test_solutions_agree(solver, norm, family):
    fit, best = solve(solver, family, norm, 1e-5), solve("newton", family, norm, 1e-10)
    assert fit.gaps.max() <= 1e-5
    np.testing.assert_allclose(fit.lambdas, best.lambdas)
    scale = best.kernel_norms.max()
    np.testing.assert_allclose(fit.kernel_norms, best.kernel_norms, atol=0.02 * scale)
    np.testing.assert_allclose(fit.predict(K), best.predict(K), atol=0.02 * np.abs(Y).max())


@pytest.mark.parametrize("solver", ALGORITHMS)
def test_what_does_not_suit_is_said(solver):
    norm, family = {"proximal": ("lp", "gaussian"), "block_descent": ("lp", "gaussian"),
                    "reweighted": ("l1", ss.families.hinge()), "alternation": ("l1", "gaussian"),
                    "newton": (ss.mkl.nested([range(5)]), "gaussian"),
                    "simple_mkl": ("lp", "gaussian")}[solver]  # fmt: skip
    with pytest.raises(ValueError, match=f"solver='{solver}' needs .*choose solver='auto'"):
        ss.mkl_path(K, Y > 0.5, family=family, norm=norm, solver=solver)


@pytest.mark.parametrize("solver", ["alternation", "simple_mkl"])
def test_machines_are_certified(solver):
    """The gap of the hinge loss, again from the data: u = y a within its limits."""
    y = np.where(Y > 0.5, 1.0, -1.0)
    fit = ss.mkl_path(K, y, family=ss.families.hinge(), norm="l1_squared", solver=solver, tol=1e-3,
                      lambdas=[1.0, 0.3], max_iter=300)  # fmt: skip
    assert fit.gaps.max() <= 1e-3
    for k, lam in enumerate(fit.lambdas):
        eta = fit.predict(K, s=lam)
        primal = np.maximum(0, 1 - y * eta).mean() + lam * fit.kernel_norms[:, k].sum() ** 2 / 2
        # the dual vector, by its size at the free samples of the largest: u = alpha / sum eta
        alpha = fit.dual_coefs[:, k]
        u = alpha / (np.abs(alpha).max() * 40)
        sizes = np.einsum("i,mij,j->m", u, K, u)
        dual = np.abs(u).sum() - sizes.max() / (2 * lam)
        assert abs(u.sum()) < 1e-9 and dual <= primal + 1e-9
        assert primal - dual <= 2e-3
    labels = ss.mkl_path(K, np.where(y > 0, "b", "a"), family=ss.families.hinge(), norm="lp",
                         lambdas=[0.05], tol=1e-2).predict(K, s=0.05, kind="class")  # fmt: skip
    assert (labels == np.where(y > 0, "b", "a")).mean() > 0.85


def test_reduced_gradients_stay_in_a_corner_of_the_simplex():
    """Two responses that one kernel explains: what rounding leaves of a direction is no way."""
    responses = np.column_stack([Y, Y**2])
    options = {"family": "multigaussian", "norm": "l1_squared", "n_lambdas": 5,
               "lambda_min_ratio": 0.1, "stop": None}  # fmt: skip
    fit = ss.mkl_path(K, responses, solver="simple_mkl", tol=1e-6, max_iter=500, **options)
    best = ss.mkl_path(K, responses, tol=1e-10, **options)
    assert fit.df.min() == 1 and fit.gaps.max() <= 1e-6
    np.testing.assert_allclose(fit.predict(K), best.predict(K), atol=0.02 * np.abs(Y).max())


@pytest.mark.parametrize("seed, norm", [(3, "l1"), (5, "lp"), (7, "l1"), (10, "l1_squared")])
def test_newton_ends_where_most_samples_lie_on_the_arms_of_hubers_loss(seed, norm):
    rng = np.random.default_rng(seed)  # without curvature there a step has no bounds
    X = rng.normal(size=(40, 4))
    grams = [np.exp(-(np.subtract.outer(x, x) ** 2) / 2) for x in X.T]
    y = np.sin(2 * X[:, 0]) + X[:, 1] + rng.standard_t(1, size=40)
    fit = ss.mkl_path(grams, y, family=ss.families.huber(0.7), norm=norm, n_lambdas=6)
    assert fit.gaps.max() <= 1e-7
