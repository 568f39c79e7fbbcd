"""Anderson extrapolation of sweeps, against the fixed point that they go to."""

import numpy as np
import pytest
from sparsesolve.solvers.quadratic.block_descent import Anderson

SWEEPS = 5  # points that are combined


def iterates(A, c, start, count):
    points = [start]
    for _ in range(count - 1):
        points.append(A @ points[-1] + c)
    return points


@pytest.mark.parametrize("seed", range(5))
def test_slow_directions_are_seen_through(seed):
    """Four steps see through three slow directions once the fast ones have died down."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    A = Q * np.append([0.9, 0.6, 0.3], rng.uniform(0.0, 0.01, 9)) @ Q.T
    c, Z = rng.standard_normal(12), rng.standard_normal((20, 12))
    fixed = np.linalg.solve(np.eye(12) - A, c)
    points = iterates(A, c, rng.standard_normal(12), SWEEPS + 3)[3:]
    b, image, sizes = Anderson().extrapolated(points, [Z @ b for b in points])
    assert np.linalg.norm(b - fixed) < 1e-3 * np.linalg.norm(points[-1] - fixed)
    np.testing.assert_allclose(image, Z @ b, rtol=1e-9, atol=1e-9 * sizes)
    assert sizes >= 1.0


@pytest.mark.parametrize("seed", range(5))
def test_no_weights_of_sum_one_cancel_steps_better(seed):
    rng = np.random.default_rng(seed)
    points = list(rng.standard_normal((SWEEPS, 7)).cumsum(axis=0))
    steps = np.diff(points, axis=0)
    # the weights as 1/4 plus a vector whose entries sum to 0, in a basis of those
    basis = np.linalg.svd(np.ones((1, len(steps))))[2][1:].T
    along = np.linalg.lstsq(steps.T @ basis, -steps.mean(axis=0), rcond=None)[0]
    weights = 1 / len(steps) + basis @ along
    b, _, sizes = Anderson().extrapolated(points, points)
    np.testing.assert_allclose(b, weights @ points[1:], rtol=1e-7)
    np.testing.assert_allclose(sizes, np.abs(weights).sum(), rtol=1e-7)


def test_points_that_stand_still_stay():
    points = [np.array([1.0, -2.0])] * SWEEPS
    b, image, _ = Anderson().extrapolated(points, points)
    np.testing.assert_allclose(b, points[0], rtol=1e-15)
    np.testing.assert_allclose(image, points[0], rtol=1e-15)
