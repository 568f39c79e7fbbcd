"""Groups by their largest coefficient, some of them at limits."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.penalties import GroupLinf

FREE = np.full(4, np.inf)


def test_a_conjugate_is_finite_where_rounding_has_the_level():
    """Products that no limit holds back add up to the level but for the last digit."""
    upper, none = np.array([np.inf, np.inf, 0.5, np.inf]), np.zeros(2, dtype=bool)
    omega = GroupLinf(["u", "v", "u", "u"], [1.7, 1.0]).over(4)
    omega = omega.under(1.0, np.ones(2), none, -FREE, upper, 1.0)
    for seed in range(200):
        z = np.abs(np.random.default_rng(seed).standard_normal(4))
        found = omega.conjugate(z, (z[0] + z[3]) / 1.7 + max(z[1] - (z[0] + z[3]) / 1.7, 0.0))
        assert np.isfinite(found) and found <= 0.5 * z.sum()


def test_a_limit_on_one_side_leaves_no_gap_undetermined():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50, 4))
    y = X @ [2, -2, 1, 0.0] + rng.normal(size=50)
    assert (ss.path(X, y, lower=-0.3, penalty=GroupLinf([0, 0, 1, 1])).gaps <= 1e-7).all()


TIED = np.array([0.5, -0.5, 0.2])


def at_a_limit(z):
    """Directions and slopes of a group of three whose first coefficient is at its upper limit."""
    upper = np.array([0.5, np.inf, np.inf])
    omega = GroupLinf([0, 0, 0], [1.0]).over(3)
    held = omega.under(1.0, np.ones(1), np.zeros(1, dtype=bool), np.full(3, -np.inf), upper, 1.0)
    directions, slopes, _ = held.directions(0, TIED, np.array(z), 1.0)
    return directions.T.tolist(), slopes.tolist()


@pytest.mark.parametrize("z, along, slope", [
    ([3.0, -2.0, 0.1], [[0, -1, 0], [0, 0, 1]], [1.0, 0.1]),  # it stays while the other grows
    ([3.0, -0.5, 0.1], [[0, 0, 1]], [0.1]),  # it alone would grow, so the largest stay
    ([0.2, -0.3, 0.1], [[1, -1, 0], [0, 0, 1]], [-0.5, 0.1]),  # they shrink together
])  # fmt: skip
def test_of_the_largest_one_is_at_a_limit(z, along, slope):
    directions, slopes = at_a_limit(z)
    assert directions == along and slopes == pytest.approx(slope)


@pytest.mark.parametrize("upper", [0.2, 0.5])
def test_limits_that_bind_do_not_leave_second_order_steps_without_a_way(upper):
    """62,000 steps it was at 0.5, as each was to move coefficients past their limits."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 150))
    eta = X[:, :6] @ rng.normal(size=6)
    y = np.column_stack([rng.exponential(np.exp(-eta / 2)), rng.random(60) < 0.7])
    options = {"family": "cox", "penalty": GroupLinf(np.arange(150) // 5), "n_lambdas": 20,
               "lambda_min_ratio": 0.02, "stop": None}  # fmt: skip
    free, held = ss.path(X, y, **options), ss.path(X, y, upper=upper, **options)
    assert not held.status.any() and (held.coefs.toarray() == upper).sum() > 20
    assert held.n_iters.sum() <= 3 * free.n_iters.sum()
