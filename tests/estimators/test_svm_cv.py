"""C by cross-validation: the grid, the scores of folds, the choice."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.datasets import load_iris  # noqa: E402
from sklearn.model_selection import KFold, StratifiedKFold  # noqa: E402

from sparsesolve.estimators import LinearSVC, LinearSVCCV, LinearSVR, LinearSVRCV  # noqa: E402

X, Y = load_iris(return_X_y=True)
CS = [0.01, 0.3, 10.0]


@pytest.mark.parametrize("measure", ["class", "hinge"])
def test_scores_are_those_of_fits_without_the_fold(measure):
    folds = list(StratifiedKFold(3).split(X, Y))
    model = LinearSVCCV(Cs=CS, cv=folds, measure=measure).fit(X, Y)  # whose bias is unique
    assert model.score_path_.shape == (3, 3) and model.Cs_.tolist() == CS
    for f, (train, test) in enumerate(folds):
        for i, C in enumerate(CS):  # lambda is shared: C of fewer rows is larger
            one = LinearSVC(C * 150 / len(train)).fit(X[train], Y[train])
            if measure == "class":
                expected = 1 - one.score(X[test], Y[test])
            else:
                sides = np.where(Y[test][:, None] == np.arange(3), 1, -1)
                expected = np.maximum(0, 1 - sides * one.decision_function(X[test])).mean()
            assert model.score_path_[i, f] == pytest.approx(expected, abs=1e-4)
    best = model.score_path_.mean(axis=1).argmin()
    assert model.C_ == CS[best]
    same = LinearSVC(model.C_).fit(X, Y)
    assert model.coef_ == pytest.approx(same.coef_, abs=1e-4)
    assert model.score(X, Y) > 0.9 and len(model.cv_paths_) == 3


def test_one_standard_error_takes_a_smaller_C():
    wide = LinearSVCCV(Cs=8, rule="1se", cv=4).fit(X, Y)
    assert wide.C_ <= LinearSVCCV(Cs=8, cv=4).fit(X, Y).C_ and len(wide.Cs_) == 8


def test_probabilities_come_from_the_folds():
    model = LinearSVCCV(Cs=CS, probability=True, cv=StratifiedKFold(4)).fit(X, Y)
    P = model.predict_proba(X)
    assert P.sum(axis=1) == pytest.approx(1.0) and (P.argmax(axis=1) == Y).mean() > 0.9
    two = LinearSVCCV(Cs=CS, probability=True).fit(X[:100], Y[:100])
    assert two.predict_proba(X[:100])[:, 1] == pytest.approx(Y[:100], abs=0.3)


def test_regression():
    y = X[:, 3]
    model = LinearSVRCV(Cs=[1e-4, 1.0], cv=KFold(3), epsilon=0.1).fit(X[:, :3], y)
    assert model.C_ == 1.0 and model.score_path_.shape == (2, 3)
    again = LinearSVR(C=1.0, epsilon=0.1).fit(X[:, :3], y)
    assert model.coef_ == pytest.approx(again.coef_, abs=1e-5)
    assert model.score_path_[1].mean() < model.score_path_[0].mean()


@pytest.mark.parametrize(("options", "message"), [
    ({"Cs": []}, "Cs must be a count or a list"), ({"Cs": 0}, "Cs must be"),
    ({"Cs": [1.0, -1.0]}, "Cs must be"), ({"measure": "auc"}, "measure must be"),
    ({"rule": "max"}, "rule must be"),
])  # fmt: skip
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LinearSVCCV(**options).fit(X, Y)
