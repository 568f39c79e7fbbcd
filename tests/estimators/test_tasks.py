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


def test_a_single_response_is_the_other_estimators_job():
    with pytest.raises(ValueError, match="use LassoCV"):
        ours.MultiTaskLassoCV().fit(X, Y[:, 0])
