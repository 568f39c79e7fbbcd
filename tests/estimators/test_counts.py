"""PoissonNet against scikit-learn's ridge, and against paths."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.linear_model import PoissonRegressor  # noqa: E402
from sklearn.model_selection import GridSearchCV, KFold  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators import (  # noqa: E402
    MKLRegressor,
    MultiTaskLasso,
    PoissonNet,
)

RNG = np.random.default_rng(8)
X = RNG.standard_normal((80, 5))
EXPOSURE = RNG.uniform(0.5, 4.0, 80)
COUNT = RNG.poisson(EXPOSURE * np.exp(0.4 * X[:, 0] - 0.3 * X[:, 1]))


def test_ridge_is_that_of_scikit_learn():
    rate = COUNT / EXPOSURE
    model = PoissonNet(alpha=0.2, l1_ratio=0.0, tol=1e-12).fit(X, rate, EXPOSURE)
    other = PoissonRegressor(alpha=0.2, tol=1e-10, max_iter=1000).fit(X, rate, EXPOSURE)
    assert model.coef_ == pytest.approx(other.coef_, abs=1e-5)
    assert model.predict(X) == pytest.approx(other.predict(X), rel=1e-5)
    assert model.score(X, rate, EXPOSURE) == pytest.approx(other.score(X, rate, EXPOSURE))


def test_rates_weighted_by_exposure_are_counts_with_an_offset():
    model = PoissonNet(alpha=0.02).fit(X, COUNT / EXPOSURE, EXPOSURE)
    scale = EXPOSURE.sum() / 80  # the loss of a unit of exposure, not of a row
    fit = ss.path(X, COUNT, family="poisson", offset=np.log(EXPOSURE), lambdas=[0.02 * scale],
                  standardize=False, tol=1e-10)  # fmt: skip
    assert model.coef_ == pytest.approx(fit.coef(0.02 * scale), abs=1e-5)



@pytest.mark.parametrize("model", [PoissonNet(), MultiTaskLasso(), MKLRegressor()])
def test_text_is_no_response(model):
    y = np.where(COUNT > 1, "many", "few")
    y = np.column_stack([y, y]) if isinstance(model, MultiTaskLasso) else y
    with pytest.raises(TypeError, match="y .* holds text"):
        model.fit(X, y)


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
