"""PenalizedClassifier: the l1 norm without a penalty, one of several classes, CV."""

import numpy as np
import pytest

from sparsesolve import penalties
from sparsesolve.estimators import (
    PenalizedClassifier,
    SparseLogisticRegression,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 6))
ETA = X @ [0, 0, 0, 2, 2, 2]
TWO = np.where(ETA + RNG.logistic(size=120) > 0, "yes", "no")
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
