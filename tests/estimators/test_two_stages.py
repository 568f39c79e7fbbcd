"""The adaptive and the relaxed lasso are what the functions of two calls give."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold

import sparsesolve as ss
from sparsesolve.estimators import (
    AdaptiveLasso,
    AdaptiveLassoCV,
    Lasso,
    RelaxedLasso,
    RelaxedLassoCV,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 8))
Y = 2 * X[:, 0] - X[:, 1] + RNG.normal(size=90)
W = RNG.uniform(0.5, 2.0, 90)


@pytest.mark.parametrize("gamma", [0.0, 0.4, 1.0])
def test_the_relaxed_lasso(gamma):
    model = RelaxedLasso(0.3, gamma=gamma).fit(X, Y, sample_weight=W)
    lasso = Lasso(0.3).fit(X, Y, sample_weight=W)
    used = np.flatnonzero(lasso.coef_)
    columns, root = np.column_stack([np.ones(90), X[:, used]]), np.sqrt(W)
    refit = np.linalg.lstsq(columns * root[:, None], Y * root, rcond=None)[0]
    expected = gamma * lasso.coef_[used] + (1 - gamma) * refit[1:]
    np.testing.assert_allclose(model.coef_[used], expected, atol=1e-6)
    assert (np.flatnonzero(model.coef_) == used).all()


def test_gamma_in_a_search():
    search = GridSearchCV(RelaxedLasso(), {"alpha": [0.05, 0.3], "gamma": [0.0, 1.0]}, cv=3)
    assert search.fit(X, Y).best_params_["alpha"] in (0.05, 0.3)
    with pytest.raises(ValueError, match="gamma must be in"):
        RelaxedLasso(gamma=2.0).fit(X, Y)


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_the_cv_form_chooses_as_cv_path(rule):
    folds = list(KFold(5).split(X))
    model = RelaxedLassoCV(gammas=[0.0, 0.5, 1.0], alphas=20, cv=folds, rule=rule).fit(X, Y)
    grid = model.cv_path_.candidates[0].lambdas  # of gamma = 1, which goes to the end
    cv = ss.cv_path(X, Y, lambdas=grid, gammas=[0.0, 0.5, 1.0], folds=folds, standardize=False,
                    tol=1e-10)  # fmt: skip
    losses = [one.fold_scores.mean(axis=0) for one in cv.candidates]
    best = int(np.argmin([loss.min() for loss in losses]))
    assert model.gamma_ == cv.candidates[best].gamma
    if rule == "min":
        assert model.alpha_ == cv.candidates[best].lambdas[losses[best].argmin()]
    assert model.alphas_.shape == (len(model.mse_path_),) and model.mse_path_.shape[1] == 5
    alone = RelaxedLasso(model.alpha_, gamma=model.gamma_).fit(X, Y)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, alone.intercept_, atol=1e-6)


def test_weights_of_rows_count_in_the_cv_form():
    folds = list(KFold(4).split(X))
    twice = RelaxedLassoCV(alphas=8, cv=folds).fit(X, Y, sample_weight=2 * W)
    once = RelaxedLassoCV(alphas=8, cv=folds).fit(X, Y, sample_weight=W)
    np.testing.assert_allclose(twice.coef_, once.coef_, rtol=1e-7)
    assert (once.alpha_, once.gamma_) == (twice.alpha_, twice.gamma_)


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
