"""Lars, LassoLars, orthogonal pursuit and their CV forms against scikit-learn's own."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as theirs
from sklearn.datasets import load_diabetes, make_regression
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import KFold, ShuffleSplit

import sparsesolve as ss
from sparsesolve import estimators as ours

X, Y = load_diabetes(return_X_y=True)


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


@pytest.mark.parametrize("options", [
    {}, {"n_nonzero_coefs": 4}, {"fit_intercept": False, "n_nonzero_coefs": 6},
])  # fmt: skip
def test_steps_are_those_of_scikit_learn(options):
    model, other = ours.Lars(**options).fit(X, Y), theirs.Lars(**options).fit(X, Y)
    np.testing.assert_allclose(model.coef_path_, other.coef_path_, atol=1e-8)
    np.testing.assert_allclose(model.alphas_, other.alphas_, atol=1e-10)
    np.testing.assert_allclose(model.predict(X), other.predict(X))
    assert sorted(other.active_) == model.active_


def test_folds_are_scored_along_their_own_paths():
    """At alpha = 0 they are least squares; at the choice, what Lars of each fold predicts."""
    model = ours.LarsCV(cv=5).fit(X, Y)
    folds = list(KFold(5).split(X))
    squares = [mean_squared_error(Y[test], theirs.LinearRegression().fit(X[train], Y[train])
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


def test_weights_of_lars_are_those_of_the_path():
    weights = np.linspace(0.5, 2.0, len(Y))
    model = ours.Lars(n_nonzero_coefs=3).fit(X, Y, sample_weight=weights)
    fit = ss.lars_path(X, Y, method="lar", weights=weights, standardize=False, max_steps=3)
    np.testing.assert_array_equal(model.coef_, fit.coef(fit.lambdas[-1]))


def test_several_responses_of_lars():
    model = ours.Lars(n_nonzero_coefs=2).fit(X, np.column_stack([Y, -Y]))
    np.testing.assert_allclose(model.coef_[0], -model.coef_[1])
    assert model.coef_.shape == (2, 10) and len(model.alphas_) == 2


@pytest.mark.parametrize("criterion", ["aic", "bic"])
@pytest.mark.parametrize("options", [
    {}, {"positive": True}, {"fit_intercept": False}, {"noise_variance": 3000.0},
])  # fmt: skip
def test_the_choice_is_that_of_scikit_learn(criterion, options):
    model = ours.LassoLarsIC(criterion, **options).fit(X, Y)
    other = theirs.LassoLarsIC(criterion, **options).fit(X, Y)
    assert model.noise_variance_ == pytest.approx(other.noise_variance_)
    if "positive" in options:  # whose path scikit-learn leaves where a feature would leave
        assert model.coef_.min() >= 0.0
        assert model.criterion_.min() <= other.criterion_.min() + 1e-6
        return
    assert model.alpha_ == pytest.approx(other.alpha_, rel=1e-6)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-6)
    np.testing.assert_allclose(model.criterion_, other.criterion_)


def test_a_sparse_design():
    S = sparse.csr_array(np.where(abs(X) > 0.03, X, 0.0))
    np.testing.assert_allclose(
        ours.LassoLarsIC().fit(S, Y).coef_, ours.LassoLarsIC().fit(S.toarray(), Y).coef_
    )


def test_more_features_than_rows_need_a_noise_variance():
    few, y = X[:10], Y[:10]
    with pytest.raises(ValueError, match="n_samples = 10 .* no residual .* give noise_variance"):
        ours.LassoLarsIC().fit(few, y)
    assert ours.LassoLarsIC(noise_variance=2000.0).fit(few, y).noise_variance_ == 2000.0


@pytest.mark.parametrize("options, words", [
    ({"criterion": "ebic"}, "criterion must be one of 'aic', 'bic'"),
    ({"noise_variance": 0.0}, "noise_variance must be greater than 0"),
])  # fmt: skip
def test_other_parameters_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        ours.LassoLarsIC(**options).fit(X, Y)


X_PURSUIT, Y_PURSUIT = make_regression(120, 60, n_informative=6, noise=3.0, bias=7.0,
                                       random_state=3)


@pytest.mark.parametrize("options", [
    {}, {"n_nonzero_coefs": 3}, {"tol": 1e5}, {"fit_intercept": False},
    {"n_nonzero_coefs": 2, "tol": 2e4},
])  # fmt: skip
def test_features_are_taken_as_scikit_learn_takes_them(options):
    model = ours.OrthogonalMatchingPursuit(**options).fit(X_PURSUIT, Y_PURSUIT)
    other = theirs.OrthogonalMatchingPursuit(**options).fit(X_PURSUIT, Y_PURSUIT)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-9, abs=1e-9)
    assert model.intercept_ == pytest.approx(other.intercept_)
    assert model.n_nonzero_coefs_ == other.n_nonzero_coefs_ and model.gap_ < 1e-12


def test_a_tolerance_that_nothing_or_everything_meets():
    total = float(((Y_PURSUIT - Y_PURSUIT.mean()) ** 2).sum())
    assert not ours.OrthogonalMatchingPursuit(tol=2 * total).fit(X_PURSUIT, Y_PURSUIT).coef_.any()
    exact = ours.OrthogonalMatchingPursuit(tol=0.0).fit(X_PURSUIT, X_PURSUIT[:, 0] - X_PURSUIT[:,
                                                                                               1])
    assert np.flatnonzero(exact.coef_).tolist() == [0, 1]
    assert ours.OrthogonalMatchingPursuit(tol=0.0).fit(X_PURSUIT, np.ones(120)).coef_.any() == 0


def test_weights_count_rows_of_pursuit():
    counts = np.random.default_rng(0).integers(0, 3, size=len(Y_PURSUIT))
    twice = np.repeat(X_PURSUIT, counts, axis=0), np.repeat(Y_PURSUIT, counts)
    for options in ({"n_nonzero_coefs": 4}, {"tol": 1e5}):
        model = ours.OrthogonalMatchingPursuit(**options).fit(X_PURSUIT, Y_PURSUIT, counts)
        many = ours.OrthogonalMatchingPursuit(**options).fit(*twice)
        assert model.coef_ == pytest.approx(many.coef_, rel=1e-8, abs=1e-9)


def test_columns_of_y_are_fitted_one_by_one():
    two = np.column_stack([Y_PURSUIT, X_PURSUIT[:, 5]])
    model = ours.OrthogonalMatchingPursuit(n_nonzero_coefs=2).fit(X_PURSUIT, two)
    other = theirs.OrthogonalMatchingPursuit(n_nonzero_coefs=2).fit(X_PURSUIT, Y_PURSUIT)
    assert model.coef_[0] == pytest.approx(other.coef_, rel=1e-9, abs=1e-9)
    assert model.coef_[1].nonzero()[0].tolist() == [5] and model.n_nonzero_coefs_ == [2, 1]


@pytest.mark.parametrize("options", [{"cv": 4}, {"cv": 3, "max_iter": 4}, {}])
def test_cross_validation_of_the_number(options):
    model = ours.OrthogonalMatchingPursuitCV(**options).fit(X_PURSUIT, Y_PURSUIT)
    other = theirs.OrthogonalMatchingPursuitCV(**options).fit(X_PURSUIT, Y_PURSUIT)
    assert model.n_nonzero_coefs_ == other.n_nonzero_coefs_
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-9, abs=1e-9)
    most, folds = options.get("max_iter", 6), options.get("cv", 5)
    assert model.mse_path_.shape == (most, folds)
    assert model.mse_path_.mean(axis=1).argmin() + 1 == model.n_nonzero_coefs_
