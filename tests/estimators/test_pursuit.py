"""OrthogonalMatchingPursuit and its CV form against scikit-learn's own."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import linear_model as theirs  # noqa: E402
from sklearn.datasets import make_regression  # noqa: E402

from sparsesolve import estimators as ours  # noqa: E402

X, Y = make_regression(120, 60, n_informative=6, noise=3.0, bias=7.0, random_state=3)


@pytest.mark.parametrize("options", [
    {}, {"n_nonzero_coefs": 3}, {"tol": 1e5}, {"fit_intercept": False},
    {"n_nonzero_coefs": 2, "tol": 2e4},
])  # fmt: skip
def test_features_are_taken_as_scikit_learn_takes_them(options):
    model = ours.OrthogonalMatchingPursuit(**options).fit(X, Y)
    other = theirs.OrthogonalMatchingPursuit(**options).fit(X, Y)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-9, abs=1e-9)
    assert model.intercept_ == pytest.approx(other.intercept_)
    assert model.n_nonzero_coefs_ == other.n_nonzero_coefs_ and model.gap_ < 1e-12


def test_a_tolerance_that_nothing_or_everything_meets():
    total = float(((Y - Y.mean()) ** 2).sum())
    assert not ours.OrthogonalMatchingPursuit(tol=2 * total).fit(X, Y).coef_.any()
    exact = ours.OrthogonalMatchingPursuit(tol=0.0).fit(X, X[:, 0] - X[:, 1])
    assert np.flatnonzero(exact.coef_).tolist() == [0, 1]
    assert ours.OrthogonalMatchingPursuit(tol=0.0).fit(X, np.ones(120)).coef_.any() == 0


def test_weights_count_rows():
    counts = np.random.default_rng(0).integers(0, 3, size=len(Y))
    twice = np.repeat(X, counts, axis=0), np.repeat(Y, counts)
    for options in ({"n_nonzero_coefs": 4}, {"tol": 1e5}):
        model = ours.OrthogonalMatchingPursuit(**options).fit(X, Y, counts)
        many = ours.OrthogonalMatchingPursuit(**options).fit(*twice)
        assert model.coef_ == pytest.approx(many.coef_, rel=1e-8, abs=1e-9)


def test_columns_of_y_are_fitted_one_by_one():
    model = ours.OrthogonalMatchingPursuit(n_nonzero_coefs=2).fit(X, np.column_stack([Y, X[:, 5]]))
    other = theirs.OrthogonalMatchingPursuit(n_nonzero_coefs=2).fit(X, Y)
    assert model.coef_[0] == pytest.approx(other.coef_, rel=1e-9, abs=1e-9)
    assert model.coef_[1].nonzero()[0].tolist() == [5] and model.n_nonzero_coefs_ == [2, 1]


@pytest.mark.parametrize("options", [{"cv": 4}, {"cv": 3, "max_iter": 4}, {}])
def test_cross_validation_of_the_number(options):
    model = ours.OrthogonalMatchingPursuitCV(**options).fit(X, Y)
    other = theirs.OrthogonalMatchingPursuitCV(**options).fit(X, Y)
    assert model.n_nonzero_coefs_ == other.n_nonzero_coefs_
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-9, abs=1e-9)
    most, folds = options.get("max_iter", 6), options.get("cv", 5)
    assert model.mse_path_.shape == (most, folds)
    assert model.mse_path_.mean(axis=1).argmin() + 1 == model.n_nonzero_coefs_
