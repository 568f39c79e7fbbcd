"""OnlineClassifier and OnlineRegressor: clocks, calls, weights of classes, early stopping."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.estimators import OnlineClassifier, OnlineRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5000, 8))
Y = X[:, 0] - X[:, 1] + RNG.logistic(size=5000)
LABELS = np.where(Y > 0, "yes", "no")


@pytest.mark.parametrize("step", ["auto", 0.5])
def test_any_split_into_calls_gives_the_same(step):
    options = {"alpha": 0.01, "step": step, "class_weight": "balanced"}
    once = OnlineClassifier(**options).partial_fit(X, LABELS, classes=["yes", "no"])
    often = OnlineClassifier(**options)
    for first in range(0, 5000, 640):
        rows = slice(first, first + 640)
        often.partial_fit(sparse.csr_array(X[rows]), LABELS[rows], classes=["no", "yes"])
    np.testing.assert_array_equal(often.coef_, once.coef_)
    assert often.t_ == once.t_ and often.n_iter_ == 8
    assert list(often.classes_) == ["no", "yes"]


def test_the_clock_goes_on_and_fit_begins_again():
    model = OnlineRegressor(step=0.1).partial_fit(X[:100], Y[:100])
    assert model.t_ == 101.0
    assert model.partial_fit(X[:50], Y[:50], sample_weight=np.full(50, 2.0)).t_ == 201.0
    assert model.fit(X[:100], Y[:100]).t_ == 501.0  # five passes
    known = ss.online(X[:100], Y[:100], lam=1e-4, step=0.1)
    model = OnlineRegressor(step=0.1, shuffle=False, max_iter=1).fit(X[:100], Y[:100])
    np.testing.assert_array_equal(model.coef_, known.coef())
    assert model.intercept_ == known.intercept


def test_balanced_classes_are_weighed_by_the_rows_so_far():
    y = np.array([0, 0, 1, 0])
    model = OnlineClassifier(class_weight="balanced")
    model.classes_ = np.array([0, 1])
    expected = [1 / 2, 2 / 4, 3 / 2, 4 / 6]
    np.testing.assert_allclose(model._balanced(y, None), expected)
    by_hand = OnlineClassifier(class_weight={0: 2.0, 1: 0.5}, step=1.0)
    by_hand.partial_fit(X[:50], LABELS[:50] == "yes", classes=[0, 1])
    w = np.where(LABELS[:50] == "yes", 0.5, 2.0)
    known = OnlineClassifier(step=1.0)
    known.partial_fit(X[:50], LABELS[:50] == "yes", classes=[0, 1], sample_weight=w)
    np.testing.assert_array_equal(by_hand.coef_, known.coef_)


def test_early_stopping_ends_before_the_last_pass():
    model = OnlineClassifier(alpha=0.01, early_stopping=True, max_iter=100, tol=1e-3)
    model.fit(X, LABELS)
    assert model.n_iter_ < 20 and model.score(X, LABELS) > 0.7
    assert model.online_fit_.n_rows == 4500 * model.n_iter_


def test_many_coefficients_come_sparse():
    rows = sparse.csr_array(([1.0, 2.0], ([0, 1], [5, 2_000_000])), shape=(2, 2_000_001))
    model = OnlineRegressor(step=0.1).fit(rows, [1.0, 2.0])
    assert sparse.issparse(model.coef_) and model.coef_.nnz == 2


@pytest.mark.parametrize("loss", ["huber", "poisson"])
def test_losses_of_the_regressor(loss):
    y = np.exp(0.3 * X[:, 0]).round() if loss == "poisson" else Y
    model = OnlineRegressor(alpha=0.01, loss=loss).fit(X, y)
    assert model.score(X, y) > 0.1 and model.predict(X).shape == (5000,)


def test_hinge_and_classes_by_rows():
    model = OnlineClassifier(alpha=0.01, loss="hinge").fit(X, LABELS)
    assert model.score(X, LABELS) > 0.7
    assert not hasattr(model, "predict_proba") and not hasattr(model, "predict_log_proba")
    three = np.digitize(Y, [-1.0, 1.0])
    model = OnlineClassifier(alpha=0.02, grouped=True).fit(X, three)
    assert model.coef_.shape == (3, 8) and not model.coef_[:, 2:].any()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize(
    "model, call, match",
    [
        (OnlineClassifier(), lambda m: m.partial_fit(X, LABELS), "at the first call"),
        (OnlineClassifier(), lambda m: m.partial_fit(X, LABELS, classes=["a", "b"]), "none of"),
        (OnlineClassifier(loss="hinge"), lambda m: m.fit(X, np.arange(5000) % 3), "two classes"),
        (OnlineClassifier(loss="square"), lambda m: m.fit(X, LABELS), "loss must be"),
        (OnlineClassifier(class_weight="even"), lambda m: m.fit(X, LABELS), "class_weight"),
        (OnlineRegressor(max_iter=0), lambda m: m.fit(X, Y), "max_iter must be"),
        (OnlineRegressor(early_stopping=True), lambda m: m.fit(X[:1], Y[:1]), "more than 1 rows"),
    ],
)
def test_what_is_wrong_is_said(model, call, match):
    with pytest.raises(ValueError, match=match):
        call(model)


def test_other_classes_later():
    model = OnlineClassifier().partial_fit(X, LABELS, classes=["no", "yes"])
    with pytest.raises(ValueError, match="in the first call"):
        model.partial_fit(X, LABELS, classes=["no", "maybe"])
