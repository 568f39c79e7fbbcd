"""What is wrong is said in the estimator's own words, and groups know the columns of a frame."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from sparsesolve import estimators as ours
from sparsesolve import path
from sparsesolve.penalties import GroupL2

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 6))
Y = X[:, 0] - X[:, 1] + 0.5 * RNG.normal(size=80)


@pytest.mark.parametrize("model, words", [
    (ours.Lasso(-0.1), "alpha must be at least 0, not -0.1"),
    (ours.Lasso(np.nan), "alpha must be"), (ours.Lasso(np.inf), "alpha must be"),
    (ours.ElasticNet(l1_ratio=2), r"l1_ratio must be in \[0, 1\]"),
    (ours.ElasticNet(l1_ratio=None), "l1_ratio must be a number"),
    (ours.ElasticNetCV(l1_ratio=[0.1, 2]), "l1_ratio must be in"),
    (ours.ElasticNetCV(l1_ratio=[]), "l1_ratio is empty"),
    (ours.ElasticNetCV(l1_ratio="a"), "l1_ratio must be a number"),
    (ours.Lasso(fit_intercept="no"), "fit_intercept must be True or False"),
    (ours.Lasso(positive="yes"), "positive must be True or False"),
    (ours.LassoCV(alphas=[]), "alphas is empty"),
    (ours.LassoCV(alphas=0.1), "alphas must be a count or a list"),
    (ours.LassoCV(alphas=None), "alphas must be a count or a list"),
    (ours.LassoCV(n_jobs=0), "n_jobs must be"),
    (ours.MKLRegressorCV(alphas=0.1), "alphas must be a count or a list"),
    (ours.OrthogonalMatchingPursuit(n_nonzero_coefs=0), "n_nonzero_coefs must be at least 1"),
    (ours.DictionaryLearning(5, alpha=0), "alpha must be greater than 0"),
    (ours.DictionaryLearning(5, l1_ratio=2), "l1_ratio must be"),
])  # fmt: skip
def test_parameters_by_their_names(model, words):
    with pytest.raises((ValueError, TypeError), match=words):
        model.fit(X, Y)


@pytest.mark.parametrize("model", [
    ours.LassoCV(cv=2), ours.LassoLarsCV(cv=2), ours.OrthogonalMatchingPursuitCV(cv=2),
    ours.MKLRegressorCV(cv=2, alphas=3),
])  # fmt: skip
def test_a_fold_without_weight_is_named(model):
    with pytest.raises(ValueError, match="fold 1 leaves no row of positive weight"):
        model.fit(X, Y, sample_weight=np.r_[np.zeros(40), np.ones(40)])


@pytest.mark.parametrize("model", [
    ours.SparseLogisticRegressionCV(cv=KFold(5)), ours.MKLClassifierCV(cv=KFold(5), alphas=3),
])  # fmt: skip
def test_a_fold_without_a_class_names_it(model):
    labels = np.array(list("uvwz"))[np.r_[np.repeat([0, 1, 2], 26), 3, 3]]
    with pytest.raises(ValueError, match="fold 4 leaves no row of class 'z'"):
        model.fit(X, labels)


def test_codes_have_one_column_for_each_atom():
    model = ours.DictionaryLearning(5, alpha=0.1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="X has 4 columns; codes have one for each of the 5"):
        model.inverse_transform(np.ones((2, 4)))


@pytest.mark.parametrize("groups", [{"a": ["c0", "c1"], "b": ["c4"]}, [["c0", "c1"], ["c4"]]])
def test_groups_by_the_names_of_columns(groups):
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(6)])
    expected = path(frame, Y, penalty=GroupL2(groups), standardize=False, lambdas=[0.2], tol=1e-10)
    model = ours.GroupLasso(0.2, groups=groups).fit(frame, Y)
    np.testing.assert_allclose(model.coef_, expected.coefs.toarray()[:, 0], atol=1e-9)
    assert ours.GroupLassoCV(groups=groups, alphas=4).fit(frame, Y).coef_.shape == (6,)
    with pytest.raises(ValueError, match="group 0 names 'other', which is not a column of X"):
        ours.GroupLasso(0.2, groups=[["other"]]).fit(frame, Y)
