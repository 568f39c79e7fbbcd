"""QuantileRegressor against scikit-learn's, which solves a linear programme."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import linear_model  # noqa: E402

from sparsesolve.estimators import QuantileRegressor  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 5))
Y = X[:, 0] + RNG.standard_t(2, size=90)


def objective(model, q, alpha, s):
    r = Y - X @ model.coef_ - model.intercept_
    mean = np.average(np.maximum(q * r, (q - 1) * r), weights=s)
    return mean + alpha * np.abs(model.coef_).sum()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.03, 10.0])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.8])
def test_the_objective_is_that_of_the_linear_programme(q, alpha, intercept):
    options, s = {"quantile": q, "alpha": alpha, "fit_intercept": intercept}, RNG.random(90)
    own = QuantileRegressor(**options).fit(X, Y, s)
    theirs = linear_model.QuantileRegressor(**options).fit(X, Y, s)
    value, other = objective(own, q, alpha, s), objective(theirs, q, alpha, s)
    assert value == pytest.approx(other, rel=1e-8) and own.gap_ <= 1e-9



@pytest.mark.parametrize("q", [0.0, 1.0, -1, None])
def test_quantiles_are_between_0_and_1(q):
    with pytest.raises((ValueError, TypeError), match="quantile must be"):
        QuantileRegressor(quantile=q).fit(X, Y)
