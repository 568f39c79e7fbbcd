"""Least squares: the certificate in the objective's units, and responses fitted one by one."""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sparsesolve import estimators as ours  # noqa: E402

RNG = np.random.default_rng(29)
X = RNG.standard_normal((40, 5))
Y = X @ RNG.standard_normal((5, 3)) + RNG.standard_normal((40, 3))
W = RNG.uniform(0.5, 2.0, 40)
WIDE = np.hstack([X, X[:, :1] + 0.1 * RNG.standard_normal((40, 60))])


@pytest.mark.parametrize("weights", [None, W])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_dual_gap_is_the_gap_times_the_loss_of_the_empty_model(weights, fit_intercept):
    y = Y[:, 0] + 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is to miss its tolerance
        model = ours.Lasso(0.01, fit_intercept=fit_intercept, max_iter=1).fit(WIDE, y, weights)
    w = np.full(40, 1 / 40) if weights is None else weights / weights.sum()
    empty = 0.5 * w @ (y - fit_intercept * (w @ y)) ** 2
    assert model.dual_gap_ == pytest.approx(model.gap_ * empty, rel=1e-9) and model.gap_ > 1e-6
    exact = ours.Lasso(0.01, fit_intercept=fit_intercept, tol=1e-10).fit(WIDE, y, weights)

    def objective(m):
        loss = 0.5 * w @ (y - m.predict(WIDE)) ** 2
        return loss + 0.01 * np.abs(m.coef_).sum()

    assert objective(model) - objective(exact) <= model.dual_gap_ + 1e-12


def test_weights_are_checked():
    for weights, words in ((np.ones(39), "sample_weight has 39"), (-W, "sample_weight holds")):
        with pytest.raises(ValueError, match=words):
            ours.Lasso(0.1).fit(X, Y[:, 0], weights)
