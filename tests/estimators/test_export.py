"""to_sklearn: scikit-learn's own model predicts what ours does, without this package."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402
from sklearn import linear_model  # noqa: E402

from sparsesolve import estimators as ours  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 5))
Y = X[:, 0] - X[:, 2] + RNG.normal(size=80)
AMOUNT = RNG.gamma(2.0, np.exp(X[:, 0]))
COUNT = RNG.poisson(AMOUNT).astype(float)
LABELS = np.array(["a", "b", "c"])[np.digitize(Y, [-1, 1])]


@pytest.mark.parametrize("model, y, kind", [
    (ours.Lasso(0.1), Y, "Lasso"),
    (ours.LassoCV(cv=3), Y, "Lasso"),
    (ours.ElasticNet(0.1, fit_intercept=False), Y, "ElasticNet"),
    (ours.ElasticNet(0.1), np.column_stack([Y, -Y]), "ElasticNet"),
    (ours.MultiTaskElasticNetCV(cv=3), np.column_stack([Y, -Y]), "MultiTaskElasticNet"),
    (ours.LassoLars(0.1), Y, "LassoLars"),
    (ours.Lars(n_nonzero_coefs=2), Y, "Lars"),
    (ours.OrthogonalMatchingPursuit(n_nonzero_coefs=2), Y, "OrthogonalMatchingPursuit"),
    (ours.GroupLasso(0.1, groups=[0, 0, 1, 1, 2]), Y, "LinearRegression"),
    (ours.HuberNet(0.1), Y, "LinearRegression"),
    (ours.PoissonNet(0.1), COUNT, "PoissonRegressor"),
    (ours.PoissonNetCV(cv=3), COUNT, "PoissonRegressor"),
    (ours.NegativeBinomialNet(0.1, theta=2.0), COUNT, "PoissonRegressor"),
    (ours.GammaNet(0.1), AMOUNT, "GammaRegressor"),
    (ours.TweedieNet(0.1, power=1.3), AMOUNT, "TweedieRegressor"),
    (ours.SparseLogisticRegression(0.05), Y > 0, "LogisticRegression"),
    (ours.SparseLogisticRegression(0.05), LABELS, "LogisticRegression"),
    (ours.SparseLogisticRegressionCV(cv=3), LABELS, "LogisticRegression"),
], ids=lambda x: x if isinstance(x, str) else type(x).__name__)  # fmt: skip
def test_predictions_are_the_same(model, y, kind):
    model.fit(X, y)
    theirs = pickle.loads(pickle.dumps(model.to_sklearn()))
    assert type(theirs) is getattr(linear_model, kind)
    for rows in (X[:7], sparse.csr_array(X[:7])):
        if hasattr(model, "predict_proba"):
            np.testing.assert_array_equal(theirs.predict(rows), model.predict(rows))
            np.testing.assert_allclose(theirs.predict_proba(rows), model.predict_proba(rows))
        else:
            np.testing.assert_allclose(theirs.predict(rows), model.predict(rows))
    theirs.coef_[...] = 7.0
    assert not (model.coef_ == 7.0).any()


def test_names_of_columns_go_along():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde"))
    theirs = ours.Lasso(0.1).fit(frame, Y).to_sklearn()
    assert theirs.feature_names_in_.tolist() == list("abcde") and theirs.alpha == 0.1
    with pytest.raises(ValueError, match="feature names"):
        theirs.predict(frame[list("edcba")])


@pytest.mark.parametrize("model, y", [
    (ours.ProbitNet(), Y > 0),
    (ours.CoxNet(), {"time": AMOUNT, "status": Y > -1}),
])  # fmt: skip
def test_what_scikit_learn_has_no_model_of_is_refused(model, y):
    with pytest.raises(TypeError, match="scikit-learn has no model of the kind of"):
        model.fit(X, y).to_sklearn()


def test_what_is_not_fitted_is_refused():
    with pytest.raises(ValueError, match="not fitted"):
        ours.Lasso().to_sklearn()
