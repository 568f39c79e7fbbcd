"""HuberNet: outliers hardly move it, and with a wide square it is least squares."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sparsesolve.estimators import ElasticNet, HuberNet  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
Y = X[:, 0] + 0.1 * RNG.normal(size=90)


def test_outliers_hardly_move_it():
    spoilt = Y.copy()
    spoilt[:5] += 1000.0
    plain, robust = ElasticNet(0.01).fit(X, spoilt), HuberNet(0.01, delta=0.5).fit(X, spoilt)
    assert abs(robust.coef_[0] - 1.0) < 0.1 < abs(plain.coef_[0] - 1.0)


def test_a_wide_square_is_least_squares():
    wide = HuberNet(0.1, delta=1e3, l1_ratio=0.5).fit(X, Y)
    np.testing.assert_allclose(wide.coef_, ElasticNet(0.1).fit(X, Y).coef_, atol=1e-5)
    assert wide.intercept_ == pytest.approx(ElasticNet(0.1).fit(X, Y).intercept_, abs=1e-5)
