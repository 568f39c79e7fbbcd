"""Estimators of structured norms with alpha by cross-validation: names for penalties and paths."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.estimators import FusedLassoCV, PenalizedRegressorCV, SlopeRegressorCV

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 6))
Y = X @ [0, 0, 0, 2, 2, 2] + 0.5 * RNG.standard_normal(60)
FEW = {"alphas": 8, "eps": 0.05, "cv": 3}


@pytest.mark.parametrize("named, penalty", [
    (FusedLassoCV(l1=0.3, **FEW), penalties.TotalVariation(l1=0.3)),
    (SlopeRegressorCV(q=0.2, **FEW), penalties.Slope(q=0.2)),
], ids=["fused", "slope"])  # fmt: skip
def test_a_name_is_short_for_its_penalty(named, penalty):
    other = PenalizedRegressorCV(penalty=penalty, **FEW).fit(X, Y)
    named.fit(X, Y)
    assert named.alpha_ == other.alpha_
    assert (named.coef_ == other.coef_).all() and (named.score_path_ == other.score_path_).all()


def test_the_choice_is_that_of_cv_path():
    model = FusedLassoCV(**FEW).fit(X, Y)
    cv = model.cv_path_
    assert model.alpha_ == cv.lambda_min
    assert model.coef_ == pytest.approx(cv.path.coef(model.alpha_), abs=1e-12)
    assert isinstance(cv, ss.CVPath) and model.dual_gap_ >= 0.0
    sparse = FusedLassoCV(rule="1se", **FEW).fit(X, Y)
    assert sparse.alpha_ == cv.lambda_1se >= model.alpha_
