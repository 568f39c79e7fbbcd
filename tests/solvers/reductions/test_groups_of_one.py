"""Groups of one feature are solved for as features, and the answer is that of the groups."""

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(11)
X = RNG.standard_normal((60, 150))
Y = X[:, :6] @ [2.0, -1.0, 1.0, 0.5, -0.5, 1.5] + RNG.standard_normal(60)
WEIGHTS = np.where(np.arange(150) == 4, 0.0, RNG.uniform(0.5, 2.0, 150))
PENALTIES = {
    "l2": ss.penalties.GroupL2(np.arange(150), weights=WEIGHTS),
    "linf": ss.penalties.GroupLinf(np.arange(150)[::-1]),
    "sparse": ss.penalties.SparseGroup(np.arange(150), 0.3),
}


@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson"])
@pytest.mark.parametrize("options", [{}, {"alpha": 0.4, "lower": -0.2, "upper": 0.3}])
def test_solvers_of_groups_find_the_same(name, family, options):
    y = {"gaussian": Y, "binomial": Y > 0, "poisson": np.round(np.exp(Y / 4))}[family]
    named = "working_set" if family == "gaussian" else "proximal_newton"
    shared = {"family": family, "penalty": PENALTIES[name], "tol": 1e-10, "stop": None,
              "n_lambdas": 12, "lambda_min_ratio": 0.05} | options  # fmt: skip
    ours, theirs = ss.path(X, y, **shared), ss.path(X, y, solver=named, **shared)
    assert ours.gaps.max() <= 1e-10
    assert ours.lambdas == pytest.approx(theirs.lambdas, rel=1e-12)
    assert np.abs((ours.coefs - theirs.coefs).toarray()).max() < 1e-3
    assert ours.dev_ratio == pytest.approx(theirs.dev_ratio, abs=1e-5)


@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
@pytest.mark.parametrize("options", [{}, {"alpha": 0.4}, {"standardize": False}])
def test_groups_of_one_feature_of_several_responses_are_grouped_rows(family, options):
    y = np.stack([Y, RNG.standard_normal(60), X[:, 3] - Y], axis=1)
    y = y if family == "multigaussian" else y.argmax(axis=1)
    few = X[:, :40].copy()
    few[:, 7] = 1.0
    penalty = ss.penalties.GroupL2(np.arange(40)[::-1], weights=WEIGHTS[:40])
    shared = {"family": family, "penalty": penalty, "tol": 1e-10, "stop": None, "n_lambdas": 8,
              "lambda_min_ratio": 0.05} | options  # fmt: skip
    ours, theirs = ss.path(few, y, **shared), ss.path(few, y, solver="response_groups", **shared)
    assert ours.gaps.max() <= 1e-10 and ours.df[-1] > 5
    assert ours.lambdas == pytest.approx(theirs.lambdas, rel=1e-10)
    for lam in ours.lambdas:
        assert ours.coef(lam) == pytest.approx(theirs.coef(lam), abs=1e-3)
    assert ours.dev_ratio == pytest.approx(theirs.dev_ratio, abs=1e-5)
