"""Lasso, ElasticNet and their CV forms against scikit-learn's own."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402
from sklearn import linear_model as theirs  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_diabetes, make_regression  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve import estimators as ours  # noqa: E402

X, Y = load_diabetes(return_X_y=True)
W = np.random.default_rng(1).uniform(size=len(Y))
EXACT = {"tol": 1e-12, "max_iter": 10**6}  # of theirs, which stops early else


def test_scikit_learns_examples_of_the_lasso():
    model = ours.Lasso(alpha=0.1).fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    assert model.coef_ == pytest.approx([0.85, 0.0]) and model.intercept_ == pytest.approx(0.15)
    assert repr(model) == "Lasso(alpha=0.1)"
    with_all = ours.Lasso(alpha=0.1, precompute=True, copy_X=False, max_iter=10_000, tol=1e-4,
                          warm_start=True, random_state=0, selection="random")  # fmt: skip
    with_all.fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    assert with_all.coef_ == pytest.approx([0.85, 0.0], abs=1e-3)


def test_scikit_learns_examples_of_the_elastic_net():
    X, y = make_regression(n_features=2, random_state=0)
    model = ours.ElasticNet(random_state=0).fit(X, y)
    assert model.coef_ == pytest.approx([18.83816048, 64.55968825], rel=1e-7)
    assert model.intercept_ == pytest.approx(1.451, abs=1e-3)
    model = ours.ElasticNetCV(cv=5, random_state=0).fit(X, y)
    assert model.alpha_ == pytest.approx(0.199, abs=1e-3)
    assert model.predict([[0, 0]]) == pytest.approx([0.398], abs=1e-3)


def test_scikit_learns_example_of_the_lasso_by_cross_validation():
    X, y = make_regression(noise=4, random_state=0)
    model = ours.LassoCV(cv=5, random_state=0).fit(X, y)
    other = theirs.LassoCV(cv=5, random_state=0, **EXACT).fit(X, y)
    assert model.score(X, y) == pytest.approx(0.9993, abs=1e-4)
    assert model.alpha_ == pytest.approx(other.alpha_)
    assert model.predict(X[:1]) == pytest.approx(other.predict(X[:1]), rel=1e-6)


@pytest.mark.parametrize("options", [
    {}, {"fit_intercept": False}, {"positive": True}, {"l1_ratio": 0.1}, {"alpha": 1e-3},
])  # fmt: skip
@pytest.mark.parametrize("weights", [None, W])
def test_one_alpha(options, weights):
    options = {"alpha": 0.05, **options}
    model = ours.ElasticNet(**options).fit(X, Y, weights)
    other = theirs.ElasticNet(**options, **EXACT).fit(X, Y, weights)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-6, abs=1e-4)
    assert model.intercept_ == pytest.approx(other.intercept_)
    assert model.predict(X) == pytest.approx(other.predict(X))


def test_the_gap_bounds_what_the_objective_can_lose():
    def objective(model):
        residual = Y - model.predict(X)
        return residual @ residual / (2 * len(Y)) + 0.05 * abs(model.coef_).sum()

    exact = ours.Lasso(0.05, tol=1e-14).fit(X, Y)
    with pytest.warns(ss.ConvergenceWarning):
        rough = ours.Lasso(0.05, max_iter=0).fit(X, Y)
    assert 0 < objective(rough) - objective(exact) <= rough.dual_gap_ * (1 + 1e-9)
    assert rough.dual_gap_ == pytest.approx(rough.gap_ * Y.var() / 2)
    assert exact.dual_gap_ <= 1e-14 * Y.var() / 2


def test_sparse_designs_and_sparse_coefficients():
    rare = np.where(X > 0.03, X, 0.0)
    dense, stored = (ours.Lasso(0.1).fit(kind(rare), Y) for kind in (np.array, sparse.csr_array))
    assert stored.coef_ == pytest.approx(dense.coef_, rel=1e-6)
    assert stored.predict(sparse.csr_array(rare)) == pytest.approx(dense.predict(rare))
    assert np.array_equal(stored.sparse_coef_.toarray()[0], stored.coef_)


def test_columns_of_y_are_fitted_each_by_itself():
    both = np.column_stack([Y, -2 * Y + X[:, 0]])
    model = ours.Lasso(0.1).fit(X, both)
    alone = [ours.Lasso(0.1).fit(X, y) for y in both.T]
    assert np.array_equal(model.coef_, [one.coef_ for one in alone])
    assert np.array_equal(model.intercept_, [one.intercept_ for one in alone])
    assert np.array_equal(model.dual_gap_, [one.dual_gap_ for one in alone])
    assert model.predict(X).shape == both.shape
    one = ours.Lasso(0.1).fit(X, Y[:, None])
    assert np.array_equal(one.coef_, alone[0].coef_)


def test_cross_validation_over_both_parameters():
    ratios = [0.1, 0.5, 0.95]
    model = ours.ElasticNetCV(l1_ratio=ratios, alphas=30).fit(X, Y)
    other = theirs.ElasticNetCV(l1_ratio=ratios, alphas=30, **EXACT).fit(X, Y)
    assert (model.alpha_, model.l1_ratio_) == pytest.approx((other.alpha_, other.l1_ratio_))
    assert model.alphas_ == pytest.approx(other.alphas_)
    assert model.mse_path_ == pytest.approx(other.mse_path_, rel=2e-5)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-4, abs=1e-2)
    assert model.cv_path_.alpha == model.l1_ratio_


def test_given_alphas_and_the_rule_of_one_standard_error():
    alphas = [0.01, 1.0, 0.1]
    model = ours.LassoCV(alphas=alphas, rule="1se").fit(X, Y)
    least = theirs.LassoCV(alphas=alphas, **EXACT).fit(X, Y)
    assert model.alphas_.tolist() == [1.0, 0.1, 0.01]
    assert model.mse_path_ == pytest.approx(least.mse_path_, rel=1e-6)
    mean = model.mse_path_.mean(axis=1)
    error = model.mse_path_.std(axis=1, ddof=1) / np.sqrt(5)
    best = mean.argmin()
    assert model.alpha_ == max(np.array([1.0, 0.1, 0.01])[mean <= mean[best] + error[best]])
    assert model.alpha_ > least.alpha_


@pytest.mark.parametrize("model, words", [
    (ours.Lasso(alpha=-1.0), "alpha must be at least 0"),
    (ours.ElasticNet(l1_ratio=1.5), "l1_ratio must be in"),
    (ours.LassoCV(alphas=[-1.0]), r"alphas\[0\] == -1.0, must be >= 0.0."),
    (ours.LassoCV(eps=2.0), "eps must be in"),
    (ours.LassoCV(rule="best"), "rule must be one of 'min', '1se'"),
])  # fmt: skip
def test_bad_parameters_are_refused(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y)


def test_cv_of_several_columns_is_the_other_estimators_job():
    with pytest.raises(ValueError, match="use MultiTaskLassoCV"):
        ours.LassoCV().fit(X, np.column_stack([Y, Y]))


MODELS = [ours.Lasso(0.1), ours.ElasticNet(0.1), ours.MultiTaskLasso(0.1)]


@pytest.mark.parametrize("model", MODELS)
def test_warm_start_begins_at_the_last_fit(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 60))
    y = X[:, :2] @ [[1.0, 2.0], [-1.0, 0.5]] + 0.3 * rng.normal(size=(40, 2))
    y = y if isinstance(model, ours.MultiTaskLasso) else y[:, 0]
    cold = clone(model).fit(X, y)
    warm = clone(model).set_params(warm_start=True).fit(X, y)
    assert warm.n_iter_ == cold.n_iter_ >= 1
    kept = warm.coef_.copy()
    warm.fit(X, y)
    assert warm.n_iter_ == 0 and warm.gap_ <= 1e-10
    np.testing.assert_allclose(warm.coef_, kept, rtol=1e-9)
    near = clone(model).set_params(alpha=0.099).fit(X, y)
    np.testing.assert_allclose(warm.set_params(alpha=0.099).fit(X, y).coef_, near.coef_, atol=1e-5)
    warm.fit(X[:, :30], y)  # of other columns: it starts cold
    np.testing.assert_allclose(
        warm.coef_, clone(near).fit(X[:, :30], y).coef_, rtol=1e-9, atol=1e-12
    )
