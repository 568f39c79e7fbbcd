"""Lars and LarsCV against scikit-learn's, and against the paths of this package."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import linear_model  # noqa: E402
from sklearn.datasets import load_diabetes  # noqa: E402
from sklearn.metrics import mean_squared_error  # noqa: E402
from sklearn.model_selection import KFold  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve import estimators as ours  # noqa: E402

X, Y = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("options", [
    {}, {"n_nonzero_coefs": 4}, {"fit_intercept": False, "n_nonzero_coefs": 6},
])  # fmt: skip
def test_steps_are_those_of_scikit_learn(options):
    model, theirs = ours.Lars(**options).fit(X, Y), linear_model.Lars(**options).fit(X, Y)
    np.testing.assert_allclose(model.coef_path_, theirs.coef_path_, atol=1e-8)
    np.testing.assert_allclose(model.alphas_, theirs.alphas_, atol=1e-10)
    np.testing.assert_allclose(model.predict(X), theirs.predict(X))
    assert sorted(theirs.active_) == model.active_


def test_folds_are_scored_along_their_own_paths():
    """At alpha = 0 they are least squares; at the choice, what Lars of each fold predicts."""
    model = ours.LarsCV(cv=5).fit(X, Y)
    folds = list(KFold(5).split(X))
    squares = [mean_squared_error(Y[test], linear_model.LinearRegression().fit(X[train], Y[train])
                                  .predict(X[test])) for train, test in folds]  # fmt: skip
    assert model.cv_alphas_[0] == 0.0
    np.testing.assert_allclose(model.mse_path_[0], squares)
    place = model.mse_path_.mean(axis=1).argmin()
    assert model.alpha_ == model.cv_alphas_[place]
    train, test = folds[2]
    path = ss.lars_path(X[train], Y[train], method="lar", standardize=False)
    chosen = mean_squared_error(Y[test], path.predict(X[test], model.alpha_))
    assert model.mse_path_[place, 2] == pytest.approx(chosen)
    whole = ss.lars_path(X, Y, method="lar", standardize=False)
    np.testing.assert_allclose(model.coef_, whole.coef(model.alpha_))


def test_weights_are_those_of_the_path():
    weights = np.linspace(0.5, 2.0, len(Y))
    model = ours.Lars(n_nonzero_coefs=3).fit(X, Y, sample_weight=weights)
    fit = ss.lars_path(X, Y, method="lar", weights=weights, standardize=False, max_steps=3)
    np.testing.assert_array_equal(model.coef_, fit.coef(fit.lambdas[-1]))


def test_several_responses_are_fitted_one_by_one():
    model = ours.Lars(n_nonzero_coefs=2).fit(X, np.column_stack([Y, -Y]))
    np.testing.assert_allclose(model.coef_[0], -model.coef_[1])
    assert model.coef_.shape == (2, 10) and len(model.alphas_) == 2
