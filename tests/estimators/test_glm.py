"""The score of estimators with a logarithmic link, and coefficients in single precision."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sparsesolve import estimators as ours  # noqa: E402
from sparsesolve.estimators.glm import explained  # noqa: E402
from sparsesolve.families import read_family  # noqa: E402

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
