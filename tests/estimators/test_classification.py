"""Classifiers: labels, weights of classes, probabilities, SparseLogisticRegression."""

import numpy as np
import pytest
from scipy import special
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression

from sparsesolve import estimators as ours
from sparsesolve.estimators import SparseLogisticRegression
from sparsesolve.estimators.classes import Classes

RNG = np.random.default_rng(3)
X = RNG.standard_normal((90, 6))
SICK = np.where(X[:, 0] - X[:, 1] + RNG.logistic(size=90) > 0.4, "sick", "healthy")
W = RNG.uniform(0.2, 2.0, 90)


def test_two_classes():
    """alpha = 1 / (C n); scikit-learn's saga leaves the intercept unpenalised as well."""
    model = SparseLogisticRegression(alpha=0.05).fit(X, SICK, W)
    total = W.sum()
    other = LogisticRegression(l1_ratio=1.0, C=1 / (0.05 * total), solver="saga", tol=1e-10,
                               max_iter=10**5).fit(X, SICK, W)  # fmt: skip
    assert model.classes_.tolist() == ["healthy", "sick"]
    assert model.coef_.shape == (1, 6) and model.coef_ == pytest.approx(other.coef_, abs=1e-5)
    assert model.intercept_ == pytest.approx(other.intercept_, abs=1e-5)
    assert model.predict_proba(X) == pytest.approx(other.predict_proba(X), abs=1e-5)
    assert (model.predict(X) == other.predict(X)).all()
    assert np.log(model.predict_proba(X)) == pytest.approx(model.predict_log_proba(X))


def test_balanced_weights_count_rows():
    counts = np.random.default_rng(5).integers(0, 4, size=len(X)) + 2 * (SICK == "sick")
    made = SparseLogisticRegression(alpha=0.05, class_weight="balanced")
    one = clone(made).fit(np.repeat(X, counts, axis=0), np.repeat(SICK, counts))
    two = clone(made).fit(X, SICK, counts)
    assert two.coef_ == pytest.approx(one.coef_, abs=1e-5) and one.coef_.any()
    assert two.intercept_ == pytest.approx(one.intercept_, abs=1e-5)


def test_a_class_without_weight_counts_for_nothing():
    with pytest.raises(ValueError, match="holds one class only"):
        SparseLogisticRegression().fit(X, SICK, (SICK == "sick") * 1.0)
    three = np.where(np.arange(90) < 5, "new", SICK)
    kept = three != "new"
    model = SparseLogisticRegression().fit(X, three, kept * 1.0)
    fewer = SparseLogisticRegression().fit(X[kept], three[kept])
    assert model.classes_.tolist() == fewer.classes_.tolist() == ["healthy", "sick"]
    assert model.coef_ == pytest.approx(fewer.coef_, abs=1e-6)
    rare = np.where(np.arange(90) < 2, "new", SICK)  # which most bootstrap samples leave out
    bag = BaggingClassifier(SparseLogisticRegression(), n_estimators=12, random_state=0)
    found = bag.fit(X, rare).predict_proba(X)
    assert found.shape == (90, 3) and found.sum(axis=1) == pytest.approx(np.ones(90))
    with pytest.raises(ValueError, match="sample_weight is all zero"):
        SparseLogisticRegression().fit(X, SICK, np.zeros(90))


def test_a_class_weight_without_end_is_named():
    with pytest.raises(ValueError, match="class_weight gives class sick the weight inf"):
        SparseLogisticRegression(class_weight={"sick": np.inf}).fit(X, SICK)


PARTIAL = [ours.OnlineClassifier, ours.ChainClassifier, ours.ChainSVM]


@pytest.mark.parametrize("make", PARTIAL)
def test_all_labels_come_in_any_collection_and_nothing_else(make):
    X, y, lengths = np.eye(4), np.array(["u", "v", "u", "v"]), {"lengths": [2, 2]}
    lengths = lengths if make is not ours.OnlineClassifier else {}
    for classes in ({"v", "u", "w"}, {"w": 0, "v": 1, "u": 2}.keys(), iter("wuv"), list("wuv")):
        model = make().partial_fit(X, y, classes, **lengths)
        assert model.classes_.tolist() == ["u", "v", "w"]
    for classes, sentence in (
        ({"u": 0, "v": 1}, "classes is {'u': 0, 'v': 1}; give a list of all labels"),
        ("uv", "classes is 'uv'; give a list"), (2, "classes is 2; give a list"),
        (["u", 1], r"classes holds labels of several types, \['u', 1\]"),
        ([0.0, 1.0, np.nan], "classes has a missing value .nan. at position 2"),
        (["u", None], "classes has a missing value .None. at position 1"),
        ([["u", "v"]], "classes has shape"), (None, "needed at the first call"),
    ):
        with pytest.raises((TypeError, ValueError), match=sentence):
            make().partial_fit(X, y, classes, **lengths)
    with pytest.raises(ValueError, match="it was .* in the first call"):
        model.partial_fit(X, y, ["u", "v"], **lengths)


def test_weights_of_classes_name_classes_in_partial_fit():
    X, y = np.eye(4), np.array(["u", "v", "u", "v"])
    for given, sentence in (
        ({"w": 2.0}, "class_weight names 'w'; the classes are"),
        ({"u": "a"}, "class_weight.'u'. must be a number"), ([1, 2], "must be a dict"),
    ):
        with pytest.raises((TypeError, ValueError), match=sentence):
            ours.OnlineClassifier(class_weight=given).partial_fit(X, y, ["u", "v"])


@pytest.mark.parametrize("X", [{"a": [1.0, 2.0]}, [{"a": 1.0}, {"b": 2.0}]])
def test_dicts_are_no_rows(X):
    for model in (ours.Lasso(), ours.OnlineClassifier(), ours.MKLClassifier(), ours.CoxNet()):
        with pytest.raises(TypeError, match="X holds dicts; encode them as numbers first"):
            model.fit(X, [0, 1])
    with pytest.raises(TypeError, match="X holds dicts"):
        ours.Lasso().fit(np.eye(2), [0, 1]).predict(X)


class Made(Classes, BaseEstimator):
    """A classifier whose linear predictors are its X."""

    def __init__(self, class_weight=None):
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None):
        self.read_ = self._read_classes(y, sample_weight)
        return self

    def decision_function(self, X):
        return np.asarray(X)


def test_class_weights_multiply_sample_weights():
    y, w = ["a", "b", "b", "b"], [1.0, 2.0, 3.0, 4.0]
    for given, wanted in ((None, w), ({"a": 5.0}, [5, 2, 3, 4]), ({"b": 2.0}, [1, 4, 6, 8]),
                          ("balanced", [5, 10 / 9, 5 / 3, 20 / 9])):  # fmt: skip
        found = Made(given).fit(None, y, w).read_[1]
        assert found == pytest.approx(np.array(wanted))
    assert Made("balanced").fit(None, y).read_[1] == pytest.approx(np.array([2, *[2 / 3] * 3]))


def test_balanced_classes_without_weight_or_of_huge_weights():
    assert Made("balanced").fit(None, ["a", "b"], [1e308, 1e308]).read_[1].tolist() == [1e308] * 2
    found = Made("balanced").fit(None, ["a", "b", "c"], [1.0, 0.0, 1.0]).read_[1]
    assert found == pytest.approx(np.array([2 / 3, 0.0, 2 / 3]))


def test_a_class_without_weight_is_as_if_its_rows_were_not_there():
    for y, classes, codes in (
        (["a", "b", "c", "a"], ["b", "c"], [0, 0, 1, 0]),
        (["c", "b", "d", "a"], ["b", "d"], [0, 0, 1, 0]),
    ):
        w = np.isin(y, classes) * 1.0
        model = Made().fit(None, y, w)
        assert model.classes_.tolist() == classes and model._family == "binomial"
        assert model.read_[0][w > 0].tolist() == np.array(codes)[w > 0].tolist()
        assert model.read_[1].tolist() == w.tolist() and set(model.read_[0]) == {0, 1}


@pytest.mark.parametrize("y, w, sentence", [
    (["a", "a"], None, "y holds one class only ('a', where weights are positive); rows of another "
     "class are needed"),
    ([0, 1], [0.0, 2.0], "y holds one class only (1, where weights are positive); rows of another "
     "class are needed"),
    (["a", "b", "b"], [1.0, 0.0, 0.0], "y holds one class only ('a', where weights are positive); "
     "rows of another class are needed"),
])  # fmt: skip
def test_classes_that_cannot_be_told_apart(y, w, sentence):
    with pytest.raises(ValueError) as caught:
        Made().fit(None, y, w)
    assert str(caught.value) == sentence


def test_two_classes_far_out():
    model = Made().fit(None, ["no", "yes"])
    eta = np.array([-800.0, -1.0, 0.0, 1e-300, 800.0])
    assert model.predict(eta).tolist() == ["no", "no", "no", "yes", "yes"]
    p, logs = model.predict_proba(eta), model.predict_log_proba(eta)
    assert p[:, 1] == pytest.approx(1 / (1 + np.exp(-eta.clip(-700))), abs=1e-15)
    assert p.sum(axis=1) == pytest.approx(np.ones(5))
    assert logs[0].tolist() == [0.0, -800.0] and logs[-1].tolist() == [-800.0, 0.0]
    assert np.exp(logs) == pytest.approx(p)


def test_several_classes_far_out():
    model = Made().fit(None, ["x", "y", "z"])
    eta = np.array([[1.0, 3.0, 2.0], [-1e3, 0.0, 1e3], [0.0, 0.0, 0.0]])
    assert model.predict(eta).tolist() == ["y", "z", "x"]
    assert model.predict_proba(eta) == pytest.approx(special.softmax(eta, axis=1))
    assert model.predict_log_proba(eta)[1].tolist() == [-2e3, -1e3, 0.0]


def test_rows_without_weight_are_not_dealt_among_the_few_of_a_class():
    y, w = ["b"] * 2 + ["c"] * 5 + ["a"] * 9, [1.0] * 7 + [0.0] * 9
    for weight in (None, "balanced", {"b": 20.0}):
        codes = Made(weight).fit(None, y, w).read_[0]
        assert codes.tolist() == [0] * 2 + [1] * 14


@pytest.mark.parametrize("missing", [None, np.nan, "NA"])
def test_a_missing_label_is_named_with_its_place(missing):
    """As path names it, in place of what numpy or pandas say of comparisons."""
    y = np.where(np.arange(12) % 2 > 0, "yes", "no").astype(object)
    if missing == "NA":
        pandas = pytest.importorskip("pandas")
        y[3] = pandas.NA
        y = pandas.Series(y, dtype="string")
    else:
        y[3] = missing
    X = np.arange(24.0).reshape(12, 2)
    for model in (ours.SparseLogisticRegression(), ours.SparseLogisticRegressionCV(),
                  ours.MKLClassifier()):
        with pytest.raises(ValueError, match=r"y has a missing value \(.*\) at position 3"):
            model.fit(X, y)
