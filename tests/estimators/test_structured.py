"""Estimators of structured norms: scikit-learn's checks, and what path finds."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.model_selection import KFold  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve import penalties  # noqa: E402
from sparsesolve.estimators import (  # noqa: E402
    FusedLasso,
    FusedLassoCV,
    MCPRegressor,
    MCPRegressorCV,
    PenalizedClassifier,
    PenalizedClassifierCV,
    PenalizedRegressor,
    PenalizedRegressorCV,
    SCADRegressor,
    SCADRegressorCV,
    SlopeRegressor,
    SlopeRegressorCV,
)

RNG = np.random.default_rng(1)
X = RNG.standard_normal((60, 6))
Y = X @ [1.0, 1, 1, 0, 0, 2] + RNG.standard_normal(60)


@pytest.mark.parametrize("model, penalty", [
    (FusedLasso(0.2, l1=0.5), penalties.TotalVariation(l1=0.5)),
    (SlopeRegressor(0.2, q=0.3), penalties.Slope(q=0.3)),
    (PenalizedRegressor(0.2), penalties.L1()),
    (MCPRegressor(0.2, gamma=2.5), penalties.MCP(2.5)),
    (SCADRegressor(0.2, groups=[0, 0, 1, 1, 2, 2]), penalties.SCAD(groups=[0, 0, 1, 1, 2, 2])),
    (PenalizedRegressor(0.2, penalty=penalties.TraceNorm((2, 3))), penalties.TraceNorm((2, 3))),
])  # fmt: skip
def test_what_path_finds(model, penalty):
    fit = ss.path(X, Y, penalty=penalty, lambdas=[0.2], standardize=model.standardize)
    assert model.fit(X, Y).coef_ == pytest.approx(fit.coef(0.2))
    assert model.gap_ <= 1e-7 and model.score(X, Y) > 0.5


@pytest.mark.parametrize("model, penalty", [
    (FusedLassoCV(l1=0.1), penalties.TotalVariation(l1=0.1)),
    (SlopeRegressorCV(kind="oscar", q=0.5), penalties.Slope(kind="oscar", q=0.5)),
    (MCPRegressorCV(), penalties.MCP()),
    (SCADRegressorCV(gamma=3.0), penalties.SCAD(3.0)),
    (PenalizedRegressorCV(), penalties.L1()),
])  # fmt: skip
def test_what_cross_validation_chooses(model, penalty):
    model.set_params(cv=3, alphas=10, eps=0.05).fit(X, Y)
    folds = [(train, test) for train, test in KFold(3).split(X)]
    cv = ss.cv_path(X, Y, penalty=penalty, folds=folds, lambdas=model.alphas_,
                    standardize=model.standardize)  # fmt: skip
    mean = cv.fold_scores.mean(axis=0)  # folds weigh the same, as in scikit-learn
    assert model.alpha_ == pytest.approx(cv.lambdas[mean.argmin()])
    assert model.coef_ == pytest.approx(cv.path.coef(model.alpha_))
    assert model.score_path_.shape == (10, 3)


def test_classes():
    labels = np.where(Y > np.median(Y), "high", "low")
    fused = penalties.TotalVariation()
    fit = ss.path(X, labels, family="binomial", penalty=fused, lambdas=[0.02])
    model = PenalizedClassifier(0.02, penalty=fused).fit(X, labels)
    assert model.coef_[0] == pytest.approx(fit.coef(0.02)) and model.score(X, labels) > 0.7
    chosen = PenalizedClassifierCV(penalty=fused, alphas=5, eps=0.05, cv=3).fit(X, labels)
    assert chosen.alpha_ in chosen.alphas_ and chosen.predict_proba(X).shape == (60, 2)
    three = np.digitize(Y, [-1, 1])
    low = PenalizedClassifier(0.05, penalty=penalties.TraceNorm()).fit(X, three)
    assert low.coef_.shape == (3, 6) and low.gap_ <= 1e-7


def test_degrees_of_freedom_in_criteria_and_latent_coefficients():
    fit = ss.path(X, Y, penalty=penalties.TotalVariation())
    found = ss.criteria(fit, X, Y)
    pieces = 1 + (np.abs(np.diff(fit.coefs.toarray(), axis=0)) > 1e-9).sum(axis=0)
    assert (found["bic"] - found["aic"]) / (np.log(60) - 2) == pytest.approx(pieces + 1.0)
    both = np.column_stack([Y, 2 * Y + 0.1 * RNG.standard_normal(60)])
    low = ss.path(X, both, family="multigaussian", penalty=penalties.TraceNorm(), n_lambdas=5)
    found = ss.criteria(low, X, both)
    assert ((found["bic"] - found["aic"]) / (np.log(120) - 2))[1] == pytest.approx(7 + 2)
    overlapping = penalties.LatentGroupL2([[0, 1, 2], [2, 3], [4, 5]])
    latent = ss.path(X, Y, penalty=overlapping, n_lambdas=5)
    assert sum(latent.latent_coefs) == pytest.approx(latent.coefs.toarray(), abs=1e-9)
    assert fit.latent_coefs is None
