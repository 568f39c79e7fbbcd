"""Lasso, ElasticNet and their CV forms against scikit-learn's own."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402
from sklearn import linear_model as theirs  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_diabetes  # noqa: E402

from sparsesolve import estimators as ours  # noqa: E402

X, Y = load_diabetes(return_X_y=True)
W = np.random.default_rng(1).uniform(size=len(Y))
EXACT = {"tol": 1e-12, "max_iter": 10**6}  # of theirs, which stops early else


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


def test_cv_of_other_responses_is_the_other_estimators_job():
    with pytest.raises(ValueError, match="use MultiTaskLassoCV"):
        ours.LassoCV().fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="use LassoCV"):
        ours.MultiTaskLassoCV().fit(X, Y)


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"l1_ratio": 0.2}])
def test_tasks(options):
    name = "MultiTaskElasticNet" if "l1_ratio" in options else "MultiTaskLasso"
    both = np.column_stack([Y, Y[::-1], X[:, 2] - 0.5 * Y])
    model = getattr(ours, name)(alpha=0.1, **options).fit(X, both)
    other = getattr(theirs, name)(alpha=0.1, **options, **EXACT).fit(X, both)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-6, abs=1e-3)
    assert model.intercept_ == pytest.approx(other.intercept_)
    assert model.predict(X) == pytest.approx(other.predict(X), rel=1e-6)


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
