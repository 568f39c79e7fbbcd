"""Laws of estimators: each is the point of a path, and its CV form chooses as cv_path does."""

import numpy as np
import pytest
from cases import every

pytest.importorskip("sklearn")
from sklearn.model_selection import StratifiedKFold  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve import estimators as ours  # noqa: E402
from sparsesolve import families, penalties  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 6))
Y = X @ [1.0, -1.0, 0, 0, 0, 2.0] + RNG.normal(size=90)
AMOUNT = RNG.gamma(2.0, np.exp(0.5 * X[:, 0]))
SOME = AMOUNT * (RNG.random(90) < 0.7)
COUNT = RNG.poisson(AMOUNT).astype(float)
TWO = np.where(Y + RNG.normal(size=90) > 0, "b", "a")
THREE = np.array(["x", "y", "z"])[np.digitize(Y, [-1, 1])]
TASKS = np.column_stack([Y, X[:, 1] + RNG.normal(size=90)])
TIMES = np.column_stack([np.ceil(6 * RNG.exponential(np.exp(-X[:, 0]))), RNG.random(90) < 0.7])
W = RNG.uniform(0.5, 2.0, 90)
FOLDS = list(StratifiedKFold(3).split(X, TWO))
G, SHARES = ["a", "a", "b", "b", None, "c"], {"a": 0.3, "c": 2.0}
FUSED = penalties.TotalVariation()

# Estimator, its parameters, the response, options of path
KINDS = [
    ("ElasticNet", {"l1_ratio": 0.6}, Y, {"alpha": 0.6}),
    ("MultiTaskElasticNet", {"l1_ratio": 0.6}, TASKS,
     {"alpha": 0.6, "family": "multigaussian", "grouped": True}),
    ("GammaNet", {"l1_ratio": 0.6}, AMOUNT, {"alpha": 0.6, "family": "gamma"}),
    ("TweedieNet", {"power": 1.3}, SOME, {"family": families.tweedie(1.3)}),
    ("NegativeBinomialNet", {"theta": 2.0}, COUNT, {"family": families.negative_binomial(2.0)}),
    ("PoissonNet", {"positive": True}, COUNT, {"family": "poisson", "lower": 0.0}),
    ("HuberNet", {"delta": 0.7}, Y, {"family": families.huber(0.7)}),
    ("QuantileRegressor", {"quantile": 0.3}, Y, {"family": families.quantile(0.3)}),
    ("ProbitNet", {}, TWO, {"family": "probit"}),
    ("SparseLogisticRegression", {}, TWO, {"family": "binomial"}),
    ("SparseLogisticRegression", {"standardize": True}, THREE, {"family": "multinomial"}),
    ("SparseLogisticRegression", {"grouped": True}, THREE,
     {"family": "multinomial", "grouped": True}),
    ("CoxNet", {"ties": "efron"}, TIMES, {"family": families.cox("efron")}),
    ("CoxNet", {}, TIMES, {"family": "cox"}),
    ("GroupLasso", {"groups": G, "standardize": True}, Y, {"penalty": penalties.GroupL2(G)}),
    ("SparseGroupLasso", {"groups": G, "tau": 0.3, "group_weights": SHARES}, Y,
     {"penalty": penalties.SparseGroup(G, 0.3, SHARES)}),
    ("FusedLasso", {"l1": 0.5}, Y, {"penalty": penalties.TotalVariation(l1=0.5)}),
    ("SlopeRegressor", {"kind": "oscar", "q": 0.5}, Y,
     {"penalty": penalties.Slope(kind="oscar", q=0.5)}),
    ("MCPRegressor", {"gamma": 2.5}, Y, {"penalty": penalties.MCP(2.5)}),
    ("SCADRegressor", {"groups": G}, Y, {"penalty": penalties.SCAD(groups=G)}),
    ("PenalizedRegressor", {}, Y, {"penalty": penalties.L1()}),
    ("PenalizedRegressor", {"penalty": penalties.TraceNorm((2, 3))}, Y,
     {"penalty": penalties.TraceNorm((2, 3))}),
    ("PenalizedClassifier", {"penalty": FUSED}, TWO, {"family": "binomial", "penalty": FUSED}),
    ("PenalizedClassifier", {"penalty": penalties.TraceNorm()}, THREE,
     {"family": "multinomial", "penalty": penalties.TraceNorm()}),
]  # fmt: skip
CHOSEN = [kind for kind in KINDS if hasattr(ours, kind[0] + "CV")]


def common(model, options):
    return {"standardize": getattr(model, "standardize", False), "tol": model.tol, **options}


@every("name, parameters, y, options", [pytest.param(*kind, id=kind[0]) for kind in KINDS])
def test_an_estimator_is_a_point_of_a_path(name, parameters, y, options):
    model = getattr(ours, name)(alpha=0.1, **parameters).fit(X, y, sample_weight=W)
    fit = ss.path(X, y, lambdas=[0.1], weights=W, **common(model, options))
    np.testing.assert_allclose(np.ravel(model.coef_), np.ravel(fit.coef(0.1)), atol=1e-12)
    np.testing.assert_allclose(np.ravel(model.intercept_), np.ravel(fit.intercept(0.1)))
    assert model.coef_.any() and 0.0 <= model.gap_ <= model.tol
    if hasattr(model, "classes_"):
        assert (model.predict(X) == fit.predict(X, 0.1, kind="class")).all()
        shares = fit.predict(X, 0.1, kind="response")
        shares = shares if shares.ndim == 2 else np.column_stack([1 - shares, shares])
        np.testing.assert_allclose(model.predict_proba(X), shares, atol=1e-12)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), shares, atol=1e-12)
    else:
        kind = "link" if name == "CoxNet" else "response"
        np.testing.assert_allclose(model.predict(X), fit.predict(X, 0.1, kind=kind))
    if name == "CoxNet":
        assert model.score(X, y, W) == fit.concordance(X, y, 0.1, weights=W) > 0.6


@every("name, parameters, y, options", [pytest.param(*kind, id=kind[0]) for kind in CHOSEN])
def test_the_choice_is_that_of_cv_path(name, parameters, y, options):
    model = getattr(ours, name + "CV")(alphas=6, eps=0.05, cv=FOLDS, **parameters).fit(X, y)
    cv = ss.cv_path(X, y, lambdas=model.alphas_, folds=FOLDS, **common(model, options))
    unit = 0.5 if name == "QuantileRegressor" else 1.0  # the loss itself, not a deviance
    np.testing.assert_allclose(model.score_path_, unit * cv.fold_scores.T, rtol=1e-6)
    assert model.alpha_ == model.alphas_[model.score_path_.mean(axis=1).argmin()]
    alone = getattr(ours, name)(alpha=model.alpha_, **parameters).fit(X, y)
    np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-4)
