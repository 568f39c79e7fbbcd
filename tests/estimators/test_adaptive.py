"""The adaptive estimators are what the functions of two calls give."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.model_selection import KFold  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators import AdaptiveLasso, AdaptiveLassoCV  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 8))
Y = 2 * X[:, 0] - X[:, 1] + RNG.normal(size=90)
W = RNG.uniform(0.5, 2.0, 90)


@pytest.mark.parametrize("standardize", [False, True])
def test_the_adaptive_lasso(standardize):
    model = AdaptiveLasso(0.1, power=2.0, standardize=standardize).fit(X, Y, sample_weight=W)
    folds = list(KFold(5).split(X))
    options = {"standardize": standardize, "weights": W}
    factors = ss.selection.adaptive_factors(X, Y, power=2.0, folds=folds, **options)
    fit = ss.path(X, Y, lambdas=[0.1], penalty_factor=factors, tol=1e-10, **options)
    np.testing.assert_allclose(model.penalty_factor_, factors)
    np.testing.assert_allclose(model.coef_, fit.coef(0.1))
    chosen = AdaptiveLassoCV(alphas=10, cv=folds, standardize=standardize).fit(X, Y)
    assert chosen.alpha_ in chosen.alphas_ and chosen.score_path_.shape == (10, 5)
    assert {0, 1} <= set(np.flatnonzero(chosen.coef_))
