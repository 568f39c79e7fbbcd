"""LinearSVC against liblinear and libsvm: objectives, support, weights, classes, refusals."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402
from sklearn import svm  # noqa: E402
from sklearn.datasets import load_iris  # noqa: E402

from sparsesolve.estimators import LinearSVC  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
Y = np.where(X[:, 0] + 0.7 * RNG.normal(size=90) > 0.3, "b", "a")
SIDES = np.where(Y == "b", 1.0, -1.0)
IRIS = load_iris(return_X_y=True)
LOSSES = {
    "hinge": lambda m: np.maximum(0, 1 - m), "squared_hinge": lambda m: np.maximum(0, 1 - m) ** 2,
}  # fmt: skip


def objective(model, C, loss, s=1.0, l1=False):
    """scikit-learn's, of two classes."""
    b = model.coef_[0]
    margins = SIDES * (X @ b + model.intercept_)
    return (np.abs(b).sum() if l1 else 0.5 * b @ b) + C * np.sum(s * LOSSES[loss](margins))


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_without_an_intercept_it_is_liblinears_objective(loss, C):
    own = LinearSVC(C, loss=loss, fit_intercept=False).fit(X, Y)
    theirs = svm.LinearSVC(C=C, loss=loss, dual=True, fit_intercept=False, tol=1e-6,
                           max_iter=50_000, random_state=0).fit(X, Y)  # fmt: skip
    value, other = objective(own, C, loss), objective(theirs, C, loss)
    assert value <= other + 1e-9 * other and value == pytest.approx(other, rel=1e-4)
    assert 0.0 <= own.gap_ <= 1e-10


@pytest.mark.parametrize("C", [0.1, 5.0])
def test_the_intercept_is_that_of_libsvm(C):
    own = LinearSVC(C, loss="hinge").fit(X, Y)
    theirs = svm.SVC(C=C, kernel="linear", tol=1e-10).fit(X, Y)
    assert objective(own, C, "hinge") <= objective(theirs, C, "hinge") * (1 + 1e-9)
    assert own.coef_ == pytest.approx(theirs.coef_, abs=1e-5)
    assert own.intercept_ == pytest.approx(theirs.intercept_, abs=1e-5)
    assert own.support_.tolist() == sorted(theirs.support_.tolist())
    assert own.dual_coef_.sum() == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("loss", LOSSES)
def test_dual_coefficients_make_the_primal_ones(loss, store):
    C, s = 2.0, RNG.random(90) + 0.5
    model = LinearSVC(C, loss=loss).fit(store(X), Y, sample_weight=s)
    dual = model.dual_coef_[0]
    assert dual @ X[model.support_] == pytest.approx(model.coef_[0], abs=1e-6)
    assert (np.sign(dual) == SIDES[model.support_]).all()
    if loss == "hinge":
        assert (np.abs(dual) <= C * s[model.support_] * (1 + 1e-9)).all()
        bound = np.abs(dual).sum() - 0.5 * model.coef_[0] @ model.coef_[0]
    else:
        bound = np.sum(np.abs(dual) - dual**2 / (4 * C * s[model.support_]))
        bound -= 0.5 * model.coef_[0] @ model.coef_[0]
    value = objective(model, C, loss, s)
    assert -1e-6 * value <= value - bound <= 1e-6 * value


def test_l1_selects_features():
    model = LinearSVC(0.1, l1_ratio=1.0).fit(X, Y)
    options = {"dual": False, "fit_intercept": False, "tol": 1e-8}
    theirs = svm.LinearSVC(C=0.1, penalty="l1", **options).fit(X, Y)
    own = LinearSVC(0.1, l1_ratio=1.0, fit_intercept=False).fit(X, Y)
    assert objective(own, 0.1, "squared_hinge", l1=True) == pytest.approx(
        objective(theirs, 0.1, "squared_hinge", l1=True), rel=1e-6)  # fmt: skip
    assert np.count_nonzero(model.coef_) < 4 and not hasattr(model, "dual_coef_")
    assert set(np.flatnonzero(SIDES * model.decision_function(X) < 0.999)) <= set(model.support_)


def test_class_weights_multiply_sample_weights():
    s = RNG.random(90)
    given = LinearSVC(loss="hinge", class_weight={"a": 3.0, "b": 0.5}).fit(X, Y, s)
    same = LinearSVC(loss="hinge").fit(X, Y, s * np.where(Y == "a", 3.0, 0.5))
    assert given.coef_ == pytest.approx(same.coef_)
    balanced = LinearSVC(loss="hinge", class_weight="balanced").fit(X, Y)
    theirs = svm.SVC(kernel="linear", class_weight="balanced", tol=1e-10).fit(X, Y)
    assert balanced.coef_ == pytest.approx(theirs.coef_, abs=1e-5)


def test_several_classes_are_each_against_the_others():
    data, y = IRIS
    model = LinearSVC(loss="hinge").fit(data, y)
    for k in range(3):
        one = LinearSVC(loss="hinge").fit(data, y == k)
        assert model.coef_[k] == pytest.approx(one.coef_[0]) and model.coef_.shape == (3, 4)
    assert model.dual_coef_ @ data[model.support_] == pytest.approx(model.coef_, abs=1e-6)
    assert model.to_sklearn().predict(data).tolist() == model.predict(data).tolist()


@pytest.mark.parametrize("intercept", [False, True])
def test_crammer_and_singer_jointly(intercept):
    data, y = IRIS
    options = {"multi_class": "crammer_singer", "C": 1.0, "fit_intercept": intercept}
    own = LinearSVC(**options).fit(data, y)
    theirs = svm.LinearSVC(**options, tol=1e-5, max_iter=20_000, random_state=0).fit(data, y)

    def value(model):
        eta = model.decision_function(data)
        wrong = 1 + eta - eta[np.arange(150), y][:, None]
        wrong[np.arange(150), y] = 0
        size = np.sum(model.coef_**2) + np.sum(np.square(model.intercept_))
        return 0.5 * size + wrong.max(axis=1).sum()

    assert value(own) <= value(theirs) * (1 + 1e-6)
    assert value(own) == pytest.approx(value(theirs), rel=1e-3) and own.gap_ <= 1e-6
    assert own.dual_coef_ @ data[own.support_] == pytest.approx(own.coef_, abs=1e-8)
    two = LinearSVC(**options).fit(data[:100], y[:100])
    assert two.coef_.shape == (1, 4) and two.decision_function(data[:100]).shape == (100,)
    assert two.score(data[:100], y[:100]) == 1.0


def test_probabilities_are_of_rows_held_out():
    model = LinearSVC(loss="hinge", probability=True).fit(X, Y)
    P = model.predict_proba(X)
    assert P.shape == (90, 2) and P.sum(axis=1) == pytest.approx(1.0)
    order = np.argsort(model.decision_function(X))
    assert (np.diff(P[order, 1]) >= 0.0).all() and model.sigmoids_.shape == (1, 2)
    assert np.exp(model.predict_log_proba(X)) == pytest.approx(P)
    data, y = IRIS
    several = LinearSVC(probability=True).fit(data, y).predict_proba(data)
    assert several.sum(axis=1) == pytest.approx(1.0) and (several.argmax(axis=1) == y).mean() > 0.9
    assert not hasattr(LinearSVC().fit(X, Y), "predict_proba")


@pytest.mark.parametrize(("options", "y", "message"), [
    ({"C": 0.0}, Y, "C must be"), ({"C": -1.0}, Y, "C must be"), ({"loss": "log"}, Y, "loss must"),
    ({"multi_class": "all"}, Y, "multi_class must"), ({"l1_ratio": 2.0}, Y, "l1_ratio must"),
    ({"multi_class": "crammer_singer", "l1_ratio": 1.0}, Y, "has the l2 penalty"),
    ({"multi_class": "crammer_singer", "probability": True}, Y, "multi_class='ovr'"),
    ({"probability": True}, ["c", *Y[1:]], "class 'c' has one row only"),
    ({}, ["a"] * 90, "one class"),
    ({"class_weight": {"a": -1.0}}, Y, "class a the weight -1"),
    ({"class_weight": {"a": 0.0}}, Y, "one class only"),
])  # fmt: skip
def test_what_cannot_be_is_refused(options, y, message):
    with pytest.raises(ValueError, match=message):
        LinearSVC(**options).fit(X, y)


def test_a_machine_that_stops_early_says_so():
    data, y = IRIS
    with pytest.warns(UserWarning, match="gap is"):
        model = LinearSVC(multi_class="crammer_singer", max_iter=2).fit(data, y)
    assert model.gap_ > 1e-6
    with pytest.raises(TypeError, match="scikit-learn's penalty is l1_ratio here"):
        LinearSVC(penalty="l1")
