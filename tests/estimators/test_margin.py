"""What linear support vector machines share: the level of C, sides of classes, duals, scores."""

import numpy as np
import pytest

from sparsesolve.estimators import LinearSVC
from sparsesolve.estimators.margin import level, total_weight

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4))
TWO = np.where(X[:, 0] + 0.5 * RNG.standard_normal(60) > 0, "up", "down")
THREE = np.digitize(X[:, 0], [-0.5, 0.5])


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_c_multiplies_the_sum_of_losses(loss):
    """The minimum of |b|^2 / 2 + C sum_i loss_i is no higher anywhere around the solution."""
    C = 0.3
    model = LinearSVC(C, loss=loss).fit(X, TWO)
    sides = np.where(TWO == "up", 1.0, -1.0)

    def objective(b, b0):
        missed = np.maximum(1.0 - sides * (X @ b + b0), 0.0)
        return 0.5 * b @ b + C * np.sum(missed if loss == "hinge" else missed**2)

    b, b0 = model.coef_[0], model.intercept_[0]
    least = objective(b, b0)
    for _ in range(50):
        step = 1e-3 * RNG.standard_normal(5)
        assert objective(b + step[:4], b0 + step[4]) >= least * (1.0 - 1e-9)


def test_levels_and_weights():
    assert level(2.0, 10.0, False) == 0.05 and level(2.0, 10.0, True) == 0.025
    assert total_weight(None, 7) == 7.0 and total_weight(np.array([1.0, 2.5]), 2) == 3.5


def test_rows_off_the_margin_are_no_support():
    model = LinearSVC(0.3, loss="hinge").fit(X, TWO)
    sides = np.where(TWO == "up", 1.0, -1.0)
    margin = sides * model.decision_function(X)
    assert set(np.flatnonzero(margin < 1.0 - 1e-6)) <= set(model.support_.tolist())
    assert (margin[model.support_] <= 1.0 + 1e-6).all()


def test_two_classes_have_one_score_and_three_have_three():
    assert LinearSVC().fit(X, TWO).decision_function(X).shape == (60,)
    model = LinearSVC().fit(X, THREE)
    assert model.decision_function(X).shape == (60, 3) and model.coef_.shape == (3, 4)
    one = LinearSVC().fit(X, np.where(THREE == 1, 1, -1))
    assert model.coef_[1] == pytest.approx(one.coef_[0], abs=1e-4)


@pytest.mark.parametrize("tol", [1e-2, 1e-6, 1e-10])
@pytest.mark.parametrize("shape", [(100, 3), (30, 200)])
def test_dual_variables_are_a_dual_point_at_any_tolerance(shape, tol):
    """Repeated rows share a kink, so that theirs are not unique; their gap is what is asked."""
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.normal(size=(shape[0] // 2, shape[1])).round(1), 2, axis=0)
    sides = np.where(rows[:, 0] + 0.5 * np.repeat(rng.normal(size=shape[0] // 2), 2) > 0, 1, -1)
    model = LinearSVC(loss="hinge", tol=tol).fit(rows, sides)
    dual = np.zeros(shape[0])
    dual[model.support_] = model.dual_coef_[0]
    assert abs(dual.sum()) < 1e-10 and (dual * sides >= 0.0).all()
    assert np.abs(dual).max() <= 1.0 + 1e-10
    hinge = np.maximum(0.0, 1.0 - sides * model.decision_function(rows)).sum()
    value = hinge + 0.5 * model.coef_[0] @ model.coef_[0]
    gap = value - (np.abs(dual).sum() - 0.5 * np.sum((rows.T @ dual) ** 2))
    assert -1e-12 * value <= gap <= tol * shape[0] + 1e-12 * value
