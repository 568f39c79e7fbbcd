"""Factors and limits of single features in estimators: those of path, also by name."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import sparsesolve as ss

E = ss.estimators
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(80, 5)), columns=list("abcde"))
ETA = X.to_numpy() @ [1.0, -0.8, 0.3, 0.0, 0.2]
Y = ETA + 0.3 * RNG.normal(size=80)
TIMES = np.column_stack([RNG.exponential(np.exp(-ETA)), RNG.random(80) < 0.8])
RESPONSES = {
    "ElasticNet": (Y, "gaussian"), "Lasso": (Y, "gaussian"),
    "SparseLogisticRegression": (np.where(Y > 0.0, "b", "a"), "binomial"),
    "ProbitNet": (Y > 0.0, "probit()"), "PoissonNet": (RNG.poisson(np.exp(ETA)), "poisson"),
    "GammaNet": (np.exp(Y), "gamma()"), "HuberNet": (Y, "huber(1.0)"), "CoxNet": (TIMES, "cox"),
    "TweedieNet": (np.exp(Y), "tweedie(1.5)"),
    "NegativeBinomialNet": (RNG.poisson(np.exp(ETA)), "negative_binomial(1.0)"),
}  # fmt: skip
GIVEN = [
    {"penalty_factor": {"a": 0, "b": 3.0}}, {"penalty_factor": [1, 2, 3, 4, 5.0]},
    {"lower": {"b": -0.1}, "upper": 0.25}, {"exclude": ["a", 3]},
    {"upper": pd.Series(0.1, index=list("edcba")), "penalty_factor": {0: np.inf}},
]  # fmt: skip


@pytest.mark.parametrize("given", GIVEN, ids=str)
@pytest.mark.parametrize("name", RESPONSES)
def test_they_are_those_of_path(name, given):
    y, family = RESPONSES[name]
    model = getattr(E, name)(0.05, **({} if name == "Lasso" else {"l1_ratio": 0.9}), **given)
    model = clone(model).fit(X, y)
    fit = ss.path(X, y, family=family, alpha=1.0 if name == "Lasso" else 0.9, lambdas=[0.05],
                  standardize=False, tol=1e-10, **given)  # fmt: skip
    np.testing.assert_allclose(np.ravel(model.coef_), fit.coef(0.05), atol=1e-6)
    plain = getattr(E, name)(0.05, **({} if name == "Lasso" else {"l1_ratio": 0.9})).fit(X, y)
    assert np.abs(np.ravel(plain.coef_) - np.ravel(model.coef_)).max() > 1e-3


@pytest.mark.parametrize("name", ["ElasticNetCV", "SparseLogisticRegressionCV", "CoxNetCV"])
def test_cross_validation_keeps_them(name):
    y, family = RESPONSES[name.removesuffix("CV")]
    given = {"penalty_factor": {"a": 0}, "upper": {"c": 0.05}, "exclude": ["e"]}
    model = getattr(E, name)(alphas=6, cv=3, **given).fit(X, y)
    assert np.ravel(model.coef_)[4] == 0.0 and np.ravel(model.coef_)[2] <= 0.05
    for path in [model.cv_path_.path]:
        assert (path.coefs.toarray()[0] != 0.0).all()  # never penalised


def test_single_precision_keeps_limits():
    model = E.Lasso(0.01, upper=0.1).fit(X.to_numpy(dtype=np.float32), Y.astype(np.float32))
    assert model.coef_.max() <= 0.1 and model.dual_gap_ < 1e-8


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match="positive=True is lower=0; leave one of them out"):
        E.Lasso(0.1, positive=True, lower=-1.0).fit(X, Y)
    with pytest.raises(ValueError, match="'z'"):
        E.Lasso(0.1, penalty_factor={"z": 0.0}).fit(X, Y)
    with pytest.raises(TypeError, match="in other estimators glmnet's lower_limits is lower;"):
        E.MultiTaskLasso(lower_limits=0)
