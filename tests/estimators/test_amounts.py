"""Estimators of amounts, counts, outliers and probits against paths and scikit-learn's."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.linear_model import GammaRegressor, TweedieRegressor  # noqa: E402
from sklearn.metrics import d2_tweedie_score  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve import estimators as ours  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
AMOUNT = RNG.gamma(2.0, np.exp(0.5 * X[:, 0]))
SOME = AMOUNT * (RNG.random(90) < 0.7)
COUNT = RNG.poisson(AMOUNT).astype(float)
Y = X[:, 0] + RNG.standard_t(2, size=90)
TWO = np.where(X[:, 0] + RNG.normal(size=90) > 0, "b", "a")
W = RNG.uniform(0.5, 2.0, 90)
KINDS = [
    ("GammaNet", {}, AMOUNT, ss.families.gamma()),
    ("TweedieNet", {"power": 1.3}, SOME, ss.families.tweedie(1.3)),
    ("NegativeBinomialNet", {"theta": 2.0}, COUNT, ss.families.negative_binomial(2.0)),
    ("HuberNet", {"delta": 0.7}, Y, ss.families.huber(0.7)),
    ("ProbitNet", {}, TWO, ss.families.probit()),
]




def test_ridges_are_scikit_learns():
    options = {"max_iter": 10_000, "tol": 1e-10}
    theirs = GammaRegressor(alpha=0.1, **options).fit(X, AMOUNT)
    model = ours.GammaNet(0.1, l1_ratio=0).fit(X, AMOUNT)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-6)
    assert model.score(X, AMOUNT) == pytest.approx(theirs.score(X, AMOUNT), abs=1e-6)
    theirs = TweedieRegressor(alpha=0.1, power=1.5, link="log", **options).fit(X, SOME)
    model = ours.TweedieNet(0.1, l1_ratio=0).fit(X, SOME)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-5)
    score = d2_tweedie_score(SOME, model.predict(X), power=1.5)
    assert model.score(X, SOME) == pytest.approx(score)


@pytest.mark.parametrize("model, words", [
    (ours.TweedieNet(power=2.5), "power must be"),
    (ours.NegativeBinomialNet(theta=0.0), "theta must be"),
    (ours.HuberNet(delta=-1.0), "delta must be"),
])  # fmt: skip
def test_other_parameters_are_refused(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, COUNT)
