"""PenalizedClassifier: the l1 norm without a penalty, one of several classes, CV."""

import numpy as np
import pytest

from sparsesolve import penalties
from sparsesolve.estimators import (
    PenalizedClassifier,
    PenalizedClassifierCV,
    SparseLogisticRegression,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 6))
ETA = X @ [0, 0, 0, 2, 2, 2]
TWO = np.where(ETA + RNG.logistic(size=120) > 0, "yes", "no")
THREE = np.digitize(ETA, [-1.5, 1.5])


def test_without_a_penalty_it_is_the_l1_norm():
    own = PenalizedClassifier(0.03, tol=1e-10).fit(X, TWO)
    other = SparseLogisticRegression(0.03, standardize=False, tol=1e-10).fit(X, TWO)
    assert own.coef_ == pytest.approx(other.coef_, abs=1e-5)
    assert own.classes_.tolist() == ["no", "yes"]


def test_the_solution_is_stationary_under_the_penalty():
    """The negative gradient is in alpha times the subdifferential: polar and inner product."""
    omega = penalties.Slope(q=0.2)
    model = PenalizedClassifier(0.02, penalty=omega, tol=1e-12).fit(X, TWO)
    p = model.predict_proba(X)[:, 1]
    z, b = X.T @ ((TWO == "yes") - p) / len(X), model.coef_[0]
    bound = omega.over(6)
    assert bound.polar(z) <= 0.02 * (1 + 1e-4)
    assert z @ b == pytest.approx(0.02 * bound.value(b), rel=1e-4)


def test_three_classes_have_a_row_of_coefficients_each():
    model = PenalizedClassifier(0.01, penalty=penalties.TotalVariation()).fit(X, THREE)
    assert model.coef_.shape == (3, 6) and model.score(X, THREE) > 0.8
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


def test_cross_validation_chooses_an_alpha_of_the_path():
    model = PenalizedClassifierCV(penalty=penalties.TotalVariation(), alphas=6, eps=0.05, cv=3)
    model.fit(X, TWO)
    again = PenalizedClassifier(model.alpha_, penalty=penalties.TotalVariation()).fit(X, TWO)
    assert model.coef_ == pytest.approx(again.coef_, abs=1e-3)
