"""MultiTaskLasso and its kin against scikit-learn's own."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import linear_model as theirs  # noqa: E402

from sparsesolve import estimators as ours  # noqa: E402

RNG = np.random.default_rng(9)
X = RNG.standard_normal((50, 8))
Y = X[:, :2] @ RNG.standard_normal((2, 3)) + 0.3 * RNG.standard_normal((50, 3))
EXACT = {"tol": 1e-12, "max_iter": 10**6}


def test_scikit_learns_example():
    model = ours.MultiTaskLasso(alpha=0.1).fit([[0, 1], [1, 2], [2, 4]], [[0, 0], [1, 1], [2, 3]])
    assert model.coef_ == pytest.approx(np.array([[0, 0.60809415], [0, 0.94592424]]), abs=1e-6)
    assert model.intercept_ == pytest.approx([-0.41888636, -0.87382323], abs=1e-6)


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"l1_ratio": 0.2}])
def test_one_alpha(options):
    kinds = ["MultiTaskElasticNet" if "l1_ratio" in options else "MultiTaskLasso"] * 2
    model, other = (
        getattr(module, name)(alpha=0.1, **options, **more).fit(X, Y)
        for module, name, more in zip((ours, theirs), kinds, ({}, EXACT), strict=True)
    )
    assert model.coef_ == pytest.approx(other.coef_, abs=1e-5)
    assert model.intercept_ == pytest.approx(other.intercept_, abs=1e-5)
    assert model.predict(X) == pytest.approx(other.predict(X), abs=1e-4)


def test_cross_validation():
    model = ours.MultiTaskLassoCV(alphas=8, cv=3).fit(X, Y)
    other = theirs.MultiTaskLassoCV(alphas=8, cv=3, **EXACT).fit(X, Y)
    assert model.alpha_ == pytest.approx(other.alpha_)
    assert model.mse_path_ == pytest.approx(other.mse_path_, rel=1e-4)
    assert model.coef_ == pytest.approx(other.coef_, abs=1e-4)


def test_a_single_response_is_the_other_estimators_job():
    with pytest.raises(ValueError, match="use LassoCV"):
        ours.MultiTaskLassoCV().fit(X, Y[:, 0])
