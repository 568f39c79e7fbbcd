"""Estimators of amounts, counts and quantiles against scikit-learn's, scores, precision."""

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor
from sklearn.metrics import d2_tweedie_score
from sklearn.model_selection import GridSearchCV, KFold

import sparsesolve as ss
from sparsesolve import estimators as ours
from sparsesolve.estimators import MKLRegressor, MultiTaskLasso, PoissonNet, QuantileRegressor
from sparsesolve.estimators.glm import explained
from sparsesolve.families import read_family

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 8))
Y = X[:, 0] - 2 * X[:, 3] + RNG.normal(size=60)


def test_the_fraction_explained_of_the_mean_is_zero():
    y = np.array([0.0, 1.0, 4.0, 2.0])
    family = read_family("poisson")
    assert explained(family, y, np.full(4, np.log(y.mean())), None) == pytest.approx(0.0)
    with np.errstate(divide="ignore"):
        assert explained(family, y, np.log(y + 1e-12), None) == pytest.approx(1.0)
    weights = np.array([0.0, 1.0, 0.0, 0.0])  # nothing varies among rows that weigh
    assert explained(family, y, np.zeros(4), weights) == 1.0


@pytest.mark.parametrize("model", [
    ours.Lasso(0.1), ours.ElasticNet(0.1), ours.LassoCV(cv=3), ours.MultiTaskElasticNet(0.1),
    ours.LassoLars(0.1), ours.LassoLarsIC(), ours.OrthogonalMatchingPursuit(n_nonzero_coefs=3),
], ids=lambda model: type(model).__name__)  # fmt: skip
def test_coefficients_are_as_precise_as_X_and_the_gap_is_theirs(model):
    """The gap bounds how far the objective of what is returned is from that of a tighter fit."""
    several = "MultiTask" in type(model).__name__
    y = np.column_stack([Y, -Y]) if several else Y
    single = X.astype(np.float32)
    fitted = model.fit(single, y)
    coef, intercept, gap = fitted.coef_, fitted.intercept_, fitted.dual_gap_
    assert coef.dtype == np.float32 and np.asarray(intercept).dtype == np.float32
    exact = model.fit(single.astype(float), y)
    assert exact.coef_.dtype == np.float64

    def objective(b, b0):
        residual = y - single.astype(float) @ b.T.astype(float) - np.float64(b0)
        return 0.5 * (residual**2).sum() / len(y) + fitted._penalty_of(b)

    difference = objective(coef, intercept) - objective(exact.coef_, exact.intercept_)
    assert difference <= gap + 1e-14 and gap < 1e-5


RNG_AMOUNTS = np.random.default_rng(0)
X_AMOUNTS = RNG_AMOUNTS.normal(size=(90, 4))
AMOUNT = RNG_AMOUNTS.gamma(2.0, np.exp(0.5 * X_AMOUNTS[:, 0]))
SOME = AMOUNT * (RNG_AMOUNTS.random(90) < 0.7)
COUNT = RNG_AMOUNTS.poisson(AMOUNT).astype(float)


def test_ridges_are_scikit_learns():
    options = {"max_iter": 10_000, "tol": 1e-10}
    theirs = GammaRegressor(alpha=0.1, **options).fit(X_AMOUNTS, AMOUNT)
    model = ours.GammaNet(0.1, l1_ratio=0).fit(X_AMOUNTS, AMOUNT)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-6)
    assert model.score(X_AMOUNTS, AMOUNT) == pytest.approx(theirs.score(X_AMOUNTS, AMOUNT),
                                                           abs=1e-6)
    theirs = TweedieRegressor(alpha=0.1, power=1.5, link="log", **options).fit(X_AMOUNTS, SOME)
    model = ours.TweedieNet(0.1, l1_ratio=0).fit(X_AMOUNTS, SOME)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-5)
    score = d2_tweedie_score(SOME, model.predict(X_AMOUNTS), power=1.5)
    assert model.score(X_AMOUNTS, SOME) == pytest.approx(score)


@pytest.mark.parametrize("model, words", [
    (ours.TweedieNet(power=2.5), "power must be"),
    (ours.NegativeBinomialNet(theta=0.0), "theta must be"),
    (ours.HuberNet(delta=-1.0), "delta must be"),
])  # fmt: skip
def test_other_parameters_are_refused(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X_AMOUNTS, COUNT)


RNG_COUNTS = np.random.default_rng(8)
X_COUNTS = RNG_COUNTS.standard_normal((80, 5))
EXPOSURE = RNG_COUNTS.uniform(0.5, 4.0, 80)
COUNT_COUNTS = RNG_COUNTS.poisson(EXPOSURE * np.exp(0.4 * X_COUNTS[:, 0] - 0.3 * X_COUNTS[:, 1]))


def test_ridge_is_that_of_scikit_learn():
    rate = COUNT_COUNTS / EXPOSURE
    model = PoissonNet(alpha=0.2, l1_ratio=0.0, tol=1e-12).fit(X_COUNTS, rate, EXPOSURE)
    other = PoissonRegressor(alpha=0.2, tol=1e-10, max_iter=1000).fit(X_COUNTS, rate, EXPOSURE)
    assert model.coef_ == pytest.approx(other.coef_, abs=1e-5)
    assert model.predict(X_COUNTS) == pytest.approx(other.predict(X_COUNTS), rel=1e-5)
    assert model.score(X_COUNTS, rate, EXPOSURE) == pytest.approx(other.score(X_COUNTS, rate,
                                                                              EXPOSURE))


def test_rates_weighted_by_exposure_are_counts_with_an_offset():
    model = PoissonNet(alpha=0.02).fit(X_COUNTS, COUNT_COUNTS / EXPOSURE, EXPOSURE)
    scale = EXPOSURE.sum() / 80  # the loss of a unit of exposure, not of a row
    fit = ss.path(X_COUNTS, COUNT_COUNTS, family="poisson", offset=np.log(EXPOSURE),
                  lambdas=[0.02 * scale],
                  standardize=False, tol=1e-10)  # fmt: skip
    assert model.coef_ == pytest.approx(fit.coef(0.02 * scale), abs=1e-5)


@pytest.mark.parametrize("model", [PoissonNet(), MultiTaskLasso(), MKLRegressor()])
def test_text_is_no_response(model):
    y = np.where(COUNT_COUNTS > 1, "many", "few")
    y = np.column_stack([y, y]) if isinstance(model, MultiTaskLasso) else y
    with pytest.raises(TypeError, match="y .* holds text"):
        model.fit(X_COUNTS, y)


def test_a_score_where_counts_do_not_vary():
    """Nothing is to be explained then: 1 if it is predicted, else 0; in a search no fold fails."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    y = np.r_[np.zeros(5), rng.poisson(3, 15)]
    model = PoissonNet(alpha=0.1).fit(X, y)
    assert model.score(X[:5], y[:5]) == 0.0 and model.score(X[:5], np.full(5, 2.0)) == 0.0
    flat = PoissonNet(alpha=100.0).fit(X, np.full(20, 2.0))
    assert flat.score(X, np.full(20, 2.0)) == 1.0
    search = GridSearchCV(PoissonNet(), {"alpha": [0.01, 0.1, 1.0]}, cv=KFold(4)).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


RNG_QUANTILE = np.random.default_rng(0)
X_QUANTILE = RNG_QUANTILE.normal(size=(90, 5))
Y_QUANTILE = X_QUANTILE[:, 0] + RNG_QUANTILE.standard_t(2, size=90)


def objective(model, q, alpha, s):
    r = Y_QUANTILE - X_QUANTILE @ model.coef_ - model.intercept_
    mean = np.average(np.maximum(q * r, (q - 1) * r), weights=s)
    return mean + alpha * np.abs(model.coef_).sum()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.03, 10.0])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.8])
def test_the_objective_is_that_of_the_linear_programme(q, alpha, intercept):
    options = {"quantile": q, "alpha": alpha, "fit_intercept": intercept}
    s = RNG_QUANTILE.random(90)
    own = QuantileRegressor(**options).fit(X_QUANTILE, Y_QUANTILE, s)
    theirs = linear_model.QuantileRegressor(**options).fit(X_QUANTILE, Y_QUANTILE, s)
    value, other = objective(own, q, alpha, s), objective(theirs, q, alpha, s)
    assert value == pytest.approx(other, rel=1e-8) and own.gap_ <= 1e-9


@pytest.mark.parametrize("q", [0.0, 1.0, -1, None])
def test_quantiles_are_between_0_and_1(q):
    with pytest.raises((ValueError, TypeError), match="quantile must be"):
        QuantileRegressor(quantile=q).fit(X_QUANTILE, Y_QUANTILE)
