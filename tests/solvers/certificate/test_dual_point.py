"""Dual points orthogonal to what nothing holds back."""

import numpy as np
import pytest

from sparsesolve.losses import LOSSES
from sparsesolve.solvers.certificate.dual_point import clear, projected

RNG = np.random.default_rng(2)
ETA, Y = RNG.standard_normal(30), RNG.random(30).round()
COLUMNS = np.column_stack([np.ones(30), RNG.standard_normal((30, 3))])


@pytest.fixture(params=["gaussian", "binomial", "poisson"])
def loss(request):
    return LOSSES[request.param](Y, np.full(30, 1 / 30))


def test_the_dual_point_is_orthogonal_and_a_newton_step_away(loss):
    eta = 0.2 * ETA
    u = loss.at(eta)[1]
    dual, missing = clear(loss, eta, u, COLUMNS)
    assert missing < 1e-20
    assert COLUMNS.T @ dual == pytest.approx(np.zeros(4), abs=1e-14)
    H = loss.curvature_at(eta)
    step = np.linalg.solve(COLUMNS.T @ (H[:, None] * COLUMNS), COLUMNS.T @ u)
    assert dual == pytest.approx(u - H * (COLUMNS @ step), abs=1e-14)


def test_dependent_columns_and_columns_of_zeros_do_no_harm(loss):
    u = loss.at(ETA)[1]
    more = np.column_stack([COLUMNS, COLUMNS[:, 1] - COLUMNS[:, 2], np.zeros(30)])
    dual, missing = clear(loss, ETA, u, more)
    assert missing < 1e-15
    assert dual == pytest.approx(clear(loss, ETA, u, COLUMNS)[0], abs=1e-13)


def test_where_no_curvature_is_left_the_point_is_projected():
    """On slopes within their ends: no other such point is nearer, in lengths of intervals."""
    loss = LOSSES["huber"](Y, np.full(30, 1 / 30), delta=0.1)
    eta = Y + 50.0 * (1.0 + COLUMNS[:, 1] ** 2)
    assert clear(loss, eta, loss.at(eta)[1], COLUMNS)[1] <= 1e-12
    low, high = -RNG.random(30), RNG.random(30)
    low[:5], high[5:10] = 0.0, 0.0
    high[10:12] = low[10:12] = 0.0
    points = low + (high - low) * RNG.normal(0.5, 2.0, size=(20, 30))
    found = [projected(u, low, high, COLUMNS, 1.0) for u in points]
    length = np.where(high > low, high - low, 1.0)
    for u, (x, missing) in zip(points, found, strict=True):
        assert missing <= 1e-13 and (low <= x).all() and (x <= high).all()
        assert all((u - x) / length @ (other - x) <= 1e-9 for other, _ in found)


def test_several_responses_are_cleared_together():
    """Their curvature ties them: orthogonal in every response, at a feasible point."""
    shares = np.eye(3)[RNG.integers(3, size=30)]
    loss, eta = LOSSES["multinomial"](shares, np.full(30, 1 / 30)), RNG.standard_normal((3, 30))
    u = loss.at(eta)[1]
    dual, missing = clear(loss, eta, u, COLUMNS)
    assert missing == 0.0
    assert dual @ COLUMNS == pytest.approx(np.zeros((3, 4)), abs=1e-14)
    assert dual.sum(axis=0) == pytest.approx(np.zeros(30), abs=1e-14)  # as u's does


def test_a_column_may_be_free_for_some_responses_alone():
    shares, free = np.eye(3)[RNG.integers(3, size=30)], np.ones((3, 4), dtype=bool)
    free[1:, 2] = False  # of one alone the others would tell the rest: they sum to 0
    loss, eta = LOSSES["multinomial"](shares, np.full(30, 1 / 30)), RNG.standard_normal((3, 30))
    u = loss.at(eta)[1]
    dual, missing = clear(loss, eta, u, COLUMNS, free)
    left = dual @ COLUMNS
    assert missing == 0.0
    assert left[free] == pytest.approx(np.zeros(10), abs=1e-14)
    assert np.abs(left[1:, 2]).min() > 1e-6


def test_what_rounding_hides_along_nearly_dependent_columns_is_counted():
    """Two columns that differ by little, and a slope along the difference that is left."""
    loss = LOSSES["gaussian"](Y, np.full(30, 1 / 30))
    twins = np.column_stack([COLUMNS, COLUMNS[:, 1] + 1e-8 * RNG.standard_normal(30)])
    gained = clear(loss, ETA, loss.at(ETA)[1], twins)[1]
    difference = twins[:, 4] - twins[:, 1]
    dual = clear(loss, ETA, loss.at(ETA)[1], twins)[0]
    assert gained >= 0.5 * (difference @ dual) ** 2 / (difference @ difference / 30)


@pytest.mark.parametrize("name, y", [("gaussian", Y), ("multinomial", np.eye(2)[Y.astype(int)])])
def test_columns_beyond_floats_leave_no_certificate(name, y):
    loss = LOSSES[name](y, np.full(30, 1 / 30))
    eta = ETA if name == "gaussian" else np.stack([ETA, -ETA])
    assert clear(loss, eta, loss.at(eta)[1], 1e160 * COLUMNS)[1] == np.inf


@pytest.mark.parametrize("name", ["binomial", "poisson", "squared_hinge", "cloglog", "gamma"])
def test_samples_that_would_leave_the_range_of_slopes_come_to_its_end(name):
    """A column is not 0 for two responses alone, which pull it one way with different weight."""
    y = np.ones(30)
    y[:2] = -1.0 if name == "squared_hinge" else 1.0 if name == "gamma" else 0.0
    loss = LOSSES[name](y, np.full(30, 1 / 30))
    eta, column = np.full(30, 0.3), np.zeros(30)
    eta[:2], column[:2] = (-0.5 if name == "squared_hinge" else -9.0), (1.0, 0.6)
    u = loss.at(eta)[1]
    dual, missing = clear(loss, eta, u, column[:, None])
    assert missing < 1e-10 and abs(column @ dual) <= 1e-12
    assert loss.fenchel_young_at(eta, dual) < np.inf


@pytest.mark.parametrize("options", [{"delta": 1e4}, {"delta": 1e3}])
def test_a_loss_without_ends_near_by_keeps_its_newton_step(options):
    """Responses far beyond 1,000: 700 was once taken for the end of all predictors."""
    y = 2000.0 + 1000.0 * RNG.standard_normal(30)
    loss = LOSSES["huber"](y, np.full(30, 1 / 30), **options)
    eta = y - 300.0 * RNG.standard_normal(30)
    dual, missing = clear(loss, eta, loss.at(eta)[1], COLUMNS)
    assert missing < 1e-9 and loss.fenchel_young_at(eta, dual) < np.inf
