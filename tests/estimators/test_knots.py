"""LassoLars and LassoLarsCV against scikit-learn's own and against the optimality conditions."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import linear_model as theirs  # noqa: E402
from sklearn.datasets import load_diabetes  # noqa: E402
from sklearn.model_selection import ShuffleSplit  # noqa: E402

from sparsesolve import estimators as ours  # noqa: E402

X, Y = load_diabetes(return_X_y=True)
W = np.random.default_rng(1).uniform(size=len(Y))


@pytest.mark.parametrize("options", [
    {}, {"fit_intercept": False}, {"alpha": 0.0}, {"alpha": 100.0},
])  # fmt: skip
def test_the_path_down_to_one_alpha(options):
    options = {"alpha": 0.05, **options}
    model, other = ours.LassoLars(**options).fit(X, Y), theirs.LassoLars(**options).fit(X, Y)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-8, abs=1e-8)
    assert model.intercept_ == pytest.approx(other.intercept_)
    assert model.predict(X) == pytest.approx(other.predict(X))
    if 0.0 < options["alpha"] < 1.0:
        assert model.alphas_ == pytest.approx(other.alphas_, rel=1e-8)
        assert model.coef_path_ == pytest.approx(other.coef_path_, rel=1e-7, abs=1e-7)
    assert model.active_ == np.flatnonzero(model.coef_).tolist()
    assert model.gap_ < 1e-12


@pytest.mark.parametrize("alpha", [0.05, 0.0])
def test_positive_coefficients_minimise(alpha):
    """Theirs, by its own words, do not for a small alpha."""
    model = ours.LassoLars(alpha, positive=True).fit(X, Y)
    assert model.coef_ == pytest.approx(ours.Lasso(alpha, positive=True).fit(X, Y).coef_, abs=1e-3)
    assert model.coef_.min() == 0.0 and model.gap_ < 1e-12


def test_weights_count_rows():
    counts = np.random.default_rng(0).integers(0, 3, size=len(Y))
    model = ours.LassoLars(0.05).fit(X, Y, counts)
    many = ours.LassoLars(0.05).fit(np.repeat(X, counts, axis=0), np.repeat(Y, counts))
    assert model.coef_ == pytest.approx(many.coef_, rel=1e-8, abs=1e-8)
    assert model.dual_gap_ == pytest.approx(many.dual_gap_, abs=1e-8)


def test_steps_that_are_not_enough_end_above_alpha():
    model = ours.LassoLars(0.0, max_iter=3).fit(X, Y)
    assert model.n_iter_ == 3 and model.alphas_[-1] > 0 and len(model.active_) <= 3


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"max_n_alphas": 20},
                                     {"cv": ShuffleSplit(3, train_size=0.5, random_state=0)}])
def test_cross_validation_over_all_knots(options):
    model, other = ours.LassoLarsCV(**options).fit(X, Y), theirs.LassoLarsCV(**options).fit(X, Y)
    assert model.alpha_ == pytest.approx(other.alpha_, rel=1e-8)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-6, abs=1e-6)
    # a knot of ours that theirs holds twice, up to rounding, may shift which ones are kept
    if "max_n_alphas" not in options:
        assert len(model.cv_alphas_) == len(np.unique(other.cv_alphas_.round(9)))
        shared = np.searchsorted(other.cv_alphas_, model.cv_alphas_ * (1 - 1e-9))
        assert model.mse_path_[1:] == pytest.approx(other.mse_path_[shared][1:], rel=1e-6)


def test_weights_in_cross_validation():
    heavy = np.where(np.arange(len(Y)) % 2, 1.0, 0.0)
    folds = [(np.arange(0, 300), np.arange(300, 442)), (np.arange(142, 442), np.arange(0, 142))]
    halves = [(train[1::2] // 2, test[1::2] // 2) for train, test in folds]
    model = ours.LassoLarsCV(cv=folds).fit(X, Y, heavy)
    alone = ours.LassoLarsCV(cv=halves).fit(X[1::2], Y[1::2])
    assert model.alpha_ == pytest.approx(alone.alpha_)
    assert model.mse_path_ == pytest.approx(alone.mse_path_, rel=1e-7)
