"""Support vector machines against liblinear and libsvm: duals, C by folds, Platt's sigmoid."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn import svm
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, StratifiedKFold

from sparsesolve.estimators import LinearSVC, LinearSVCCV, LinearSVR, LinearSVRCV
from sparsesolve.estimators.margin import held_out, probabilities, sigmoid

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


RNG_SVR = np.random.default_rng(0)
X_SVR = RNG_SVR.normal(size=(80, 4))
Y_SVR = X_SVR[:, 0] + 0.3 * RNG_SVR.normal(size=80)
LOSSES_SVR = ("epsilon_insensitive", "squared_epsilon_insensitive")


def objective_of_svr(model, C, loss, epsilon, s=1.0):
    beyond = np.maximum(np.abs(Y_SVR - X_SVR @ np.ravel(model.coef_) - model.intercept_) - epsilon,
                        0.0)
    beyond = beyond**2 if loss.startswith("squared") else beyond
    return 0.5 * np.sum(np.square(model.coef_)) + C * np.sum(s * beyond)


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
@pytest.mark.parametrize("loss", LOSSES_SVR)
def test_without_an_intercept_it_is_liblinears_objective_of_svr(loss, epsilon):
    options = {"loss": loss, "epsilon": epsilon, "C": 2.0, "fit_intercept": False}
    own = LinearSVR(**options).fit(X_SVR, Y_SVR)
    theirs = svm.LinearSVR(**options, dual=True, tol=1e-7, max_iter=50_000).fit(X_SVR, Y_SVR)
    value, other = (objective_of_svr(model, 2.0, loss, epsilon) for model in (own, theirs))
    assert value <= other * (1 + 1e-9) and value == pytest.approx(other, rel=1e-4)


def test_the_intercept_is_that_of_libsvm_of_svr():
    own = LinearSVR(epsilon=0.2).fit(X_SVR, Y_SVR)
    theirs = svm.SVR(kernel="linear", epsilon=0.2, tol=1e-10).fit(X_SVR, Y_SVR)
    assert own.coef_ == pytest.approx(theirs.coef_[0], abs=1e-5)
    assert own.intercept_ == pytest.approx(theirs.intercept_[0], abs=1e-5)
    assert own.to_sklearn().predict(X_SVR) == pytest.approx(own.predict(X_SVR))


@pytest.mark.parametrize("loss", LOSSES_SVR)
def test_dual_coefficients_make_the_primal_ones_of_svr(loss):
    s = RNG_SVR.random(80) + 0.5
    model = LinearSVR(loss=loss, epsilon=0.2, C=2.0).fit(X_SVR, Y_SVR, s)
    dual, support = model.dual_coef_[0], model.support_
    assert dual @ X_SVR[support] == pytest.approx(model.coef_, abs=1e-4)
    bound = Y_SVR[support] @ dual - 0.2 * np.abs(dual).sum() - 0.5 * model.coef_ @ model.coef_
    if loss.startswith("squared"):
        bound -= np.sum(dual**2 / (4 * 2.0 * s[support]))
    value = objective_of_svr(model, 2.0, loss, 0.2, s)
    assert value - bound == pytest.approx(0.0, abs=1e-4 * value)
    assert len(support) < 80


@pytest.mark.parametrize(("options", "message"), [
    ({"epsilon": -0.1}, "epsilon must be"), ({"C": 0.0}, "C must be"),
    ({"loss": "huber"}, "loss must be"), ({"l1_ratio": -1}, "l1_ratio must be"),
])  # fmt: skip
def test_what_cannot_be_is_refused_of_svr(options, message):
    with pytest.raises(ValueError, match=message):
        LinearSVR(**options).fit(X_SVR, Y_SVR)


def test_l1_selects_features_of_svr():
    model = LinearSVR(l1_ratio=1.0, C=0.1, epsilon=0.1).fit(X_SVR, Y_SVR)
    assert 0 < np.count_nonzero(model.coef_) < 4 and not hasattr(model, "dual_coef_")
    assert (np.abs(Y_SVR - model.predict(X_SVR))[model.support_] >= 0.1).all()


@pytest.mark.parametrize("intercept", [True, False])
def test_squared_errors_of_wide_sparse_data_are_swept_in_the_dual(intercept):
    """Hundreds of Newton steps were made here; liblinear's dual method tells the objective."""
    from scipy import sparse

    rng = np.random.default_rng(7005)
    wide = sparse.random(150, 400, 0.05, format="csr", random_state=7005)
    y = wide @ rng.normal(size=400) + 0.1 * rng.normal(size=150)
    options = {"loss": "squared_epsilon_insensitive", "epsilon": 0.1, "C": 50.0}
    model = LinearSVR(**options, fit_intercept=intercept, tol=1e-12).fit(wide, y)
    assert model.gap_ <= 1e-12
    v = y - wide @ model.coef_ - model.intercept_
    dual = 100.0 * np.sign(v) * np.maximum(np.abs(v) - 0.1, 0.0)  # -F' at the end
    # a gap of 1e-12 leaves v off by 1e-5, and the dual by 100 times that
    assert wide.T @ dual == pytest.approx(model.coef_, abs=5e-3)
    assert not intercept or dual.sum() == pytest.approx(0.0, abs=1e-6 * np.abs(dual).sum())
    if not intercept:
        other = svm.LinearSVR(**options, fit_intercept=False, dual=True, tol=1e-8,
                              max_iter=200_000).fit(wide, y)  # fmt: skip
        assert model.coef_ == pytest.approx(other.coef_, abs=1e-3)


X_CV, Y_CV = load_iris(return_X_y=True)
CS = [0.01, 0.3, 10.0]


@pytest.mark.parametrize("measure", ["class", "hinge"])
def test_scores_are_those_of_fits_without_the_fold(measure):
    folds = list(StratifiedKFold(3).split(X_CV, Y_CV))
    model = LinearSVCCV(Cs=CS, cv=folds, measure=measure).fit(X_CV, Y_CV)  # whose bias is unique
    assert model.score_path_.shape == (3, 3) and model.Cs_.tolist() == CS
    for f, (train, test) in enumerate(folds):
        for i, C in enumerate(CS):  # lambda is shared: C of fewer rows is larger
            one = LinearSVC(C * 150 / len(train)).fit(X_CV[train], Y_CV[train])
            if measure == "class":
                expected = 1 - one.score(X_CV[test], Y_CV[test])
            else:
                sides = np.where(Y_CV[test][:, None] == np.arange(3), 1, -1)
                expected = np.maximum(0, 1 - sides * one.decision_function(X_CV[test])).mean()
            assert model.score_path_[i, f] == pytest.approx(expected, abs=1e-4)
    best = model.score_path_.mean(axis=1).argmin()
    assert model.C_ == CS[best]
    same = LinearSVC(model.C_).fit(X_CV, Y_CV)
    assert model.coef_ == pytest.approx(same.coef_, abs=1e-4)
    assert model.score(X_CV, Y_CV) > 0.9 and len(model.cv_paths_) == 3


def test_one_standard_error_takes_a_smaller_C():
    wide = LinearSVCCV(Cs=8, rule="1se", cv=4).fit(X_CV, Y_CV)
    assert wide.C_ <= LinearSVCCV(Cs=8, cv=4).fit(X_CV, Y_CV).C_ and len(wide.Cs_) == 8


def test_probabilities_come_from_the_folds():
    model = LinearSVCCV(Cs=CS, probability=True, cv=StratifiedKFold(4)).fit(X_CV, Y_CV)
    P = model.predict_proba(X_CV)
    assert P.sum(axis=1) == pytest.approx(1.0) and (P.argmax(axis=1) == Y_CV).mean() > 0.9
    two = LinearSVCCV(Cs=CS, probability=True).fit(X_CV[:100], Y_CV[:100])
    assert two.predict_proba(X_CV[:100])[:, 1] == pytest.approx(Y_CV[:100], abs=0.3)


def test_regression():
    y = X_CV[:, 3]
    model = LinearSVRCV(Cs=[1e-4, 1.0], cv=KFold(3), epsilon=0.1).fit(X_CV[:, :3], y)
    assert model.C_ == 1.0 and model.score_path_.shape == (2, 3)
    again = LinearSVR(C=1.0, epsilon=0.1).fit(X_CV[:, :3], y)
    assert model.coef_ == pytest.approx(again.coef_, abs=1e-5)
    assert model.score_path_[1].mean() < model.score_path_[0].mean()


@pytest.mark.parametrize(("options", "message"), [
    ({"Cs": []}, "Cs must be a count or a list"), ({"Cs": 0}, "Cs must be"),
    ({"Cs": [1.0, -1.0]}, "Cs must be"), ({"measure": "auc"}, "measure must be"),
    ({"rule": "max"}, "rule must be"),
])  # fmt: skip
def test_what_cannot_be_is_refused_of_cv(options, message):
    with pytest.raises(ValueError, match=message):
        LinearSVCCV(**options).fit(X_CV, Y_CV)


@pytest.mark.parametrize("tol", [1e-2, 1e-6, 1e-10])
@pytest.mark.parametrize("shape", [(100, 3), (30, 200)])
def test_dual_variables_are_a_dual_point_at_any_tolerance(shape, tol):
    """Repeated rows share a kink, so that theirs are not unique; their gap is what is asked."""
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.normal(size=(shape[0] // 2, shape[1])).round(1), 2, axis=0)
    sides = np.where(rows[:, 0] + 0.5 * np.repeat(rng.normal(size=shape[0] // 2), 2) > 0, 1, -1)
    model = LinearSVC(loss="hinge", tol=tol).fit(rows, sides)
    dual = np.zeros(shape[0])
    dual[model.support_] = model.dual_coef_[0]
    assert abs(dual.sum()) < 1e-10 and (dual * sides >= 0.0).all()
    assert np.abs(dual).max() <= 1.0 + 1e-10
    hinge = np.maximum(0.0, 1.0 - sides * model.decision_function(rows)).sum()
    value = hinge + 0.5 * model.coef_[0] @ model.coef_[0]
    gap = value - (np.abs(dual).sum() - 0.5 * np.sum((rows.T @ dual) ** 2))
    assert -1e-12 * value <= gap <= tol * shape[0] + 1e-12 * value


RNG_PLATT = np.random.default_rng(0)
SCORES = RNG_PLATT.normal(size=60)
POSITIVE = SCORES + RNG_PLATT.normal(size=60) > 0


def by_bfgs(scores, positive, w):
    up, down = w[positive].sum(), w[~positive].sum()
    t = np.where(positive, (up + 1) / (up + 2), 1 / (down + 2))

    def loss(v):
        eta = v[0] * scores + v[1]
        return np.sum(w * (np.logaddexp(0, eta) - t * eta))

    return minimize(loss, [0.0, 0.0], tol=1e-12).x


def test_it_is_the_best_sigmoid():
    w = RNG_PLATT.random(60)
    assert sigmoid(SCORES, POSITIVE, None) == pytest.approx(
        by_bfgs(SCORES, POSITIVE, np.ones(60)), abs=1e-4)  # fmt: skip
    assert sigmoid(SCORES, POSITIVE, w) == pytest.approx(
        by_bfgs(SCORES, POSITIVE, w * 60 / w.sum()), abs=1e-4)  # fmt: skip


def test_separated_classes_have_a_finite_one():
    a, b = sigmoid(SCORES, SCORES > 0, None)
    assert 1.0 < a < 1e3 and np.isfinite(b)


def test_probabilities_of_classes_sum_to_1():
    two = probabilities(np.array([-1.0, 0.0, 2.0]), [(2.0, 0.5)])
    assert two[:, 1] == pytest.approx(1 / (1 + np.exp(-np.array([-1.5, 0.5, 4.5]))))
    several = probabilities(np.array([[1.0, 0.0, -1.0], [-5e3, -5e3, -5e3]]), [(1.0, 0.0)] * 3)
    assert several.sum(axis=1) == pytest.approx(1.0) and several[1] == pytest.approx(1 / 3)
    assert held_out(np.array([[1.0, np.nan], [0.0, 0.0]])).tolist() == [False, True]
