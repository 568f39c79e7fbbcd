"""Groups by their largest coefficient: numbers worked out by hand."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.penalties import GroupLinf

FREE = np.full(4, np.inf)
B = np.array([2.0, -1.0, 3.0, -6.0])


def penalty(weights=(1.0, 2.0), lower=-FREE, upper=FREE, alpha=1.0):
    omega = GroupLinf(["u", "v", "u", "u"], list(weights)).over(4)
    return omega.under(alpha, np.ones(2), np.zeros(2, dtype=bool), lower, upper, 1.0)


def test_a_group_without_a_weight_is_left_alone():
    assert penalty((0.0, 1.0)).prox(B, 2.0).tolist() == [2, 0, 3, -6]
    assert penalty((0.0, 1.0)).polar(B) == np.inf


def test_limits_let_a_large_one_stay_where_it_is():
    """Those that a limit stops below the cap are not cut."""
    upper = np.array([np.inf, np.inf, 0.5, np.inf])
    omega = penalty(upper=upper)
    assert omega.prox(np.array([2.0, 0.0, 9.0, 3.0]), 1.0).tolist() == [2, 0, 0.5, 2]
    assert omega.prox(np.array([2.0, 0.0, 9.0, 3.0]), 3.0).tolist() == [1, 0, 0.5, 1]
    # cap below the limit: it takes its part of what is cut, so the cap stops at the limit
    assert omega.prox(np.array([2.0, 0.0, 9.0, 3.0]), 5.0).tolist() == [0.5, 0, 0.5, 0.5]
    assert omega.polar(np.array([2.0, 0.0, 9.0, 3.0])) == 14


def test_conjugate_with_limits_is_what_the_shortest_ways_take_over():
    upper = np.array([np.inf, np.inf, 0.5, np.inf])
    z = np.array([2.0, 0.0, 9.0, 3.0])
    assert penalty(upper=upper).conjugate(z, 14.0) == 0
    assert penalty(upper=upper).conjugate(z, 10.0) == pytest.approx(4 * 0.5, rel=1e-15)
    assert penalty(upper=upper).conjugate(z, 4.999) == np.inf


@pytest.mark.parametrize("digits", [0, 1, -1, 3, -20])
def test_coefficients_that_are_equal_but_for_their_last_digits(digits):
    """What is nearer than rounding is no step; the search for the cap once ended there."""
    near = 0.07 * (1 + digits * np.finfo(float).eps)
    x = np.array([0.07, 1.6, near, 2.2])
    omega = GroupLinf([0, 0, 0, 0], [1.0]).over(4)
    limited = omega.under(1.0, np.ones(1), np.zeros(1, dtype=bool), np.zeros(4), FREE, 1.0)
    cut = [0.07, 1.4, 0.07, 1.4]
    assert limited.prox(x, 1.0) == pytest.approx(cut, rel=1e-14)
    assert omega.prox(x, 1.0) == pytest.approx(cut, rel=1e-14)


def test_a_conjugate_is_finite_where_rounding_has_the_level():
    """Products that no limit holds back add up to the level but for the last digit."""
    omega = penalty((1.7, 1.0), upper=np.array([np.inf, np.inf, 0.5, np.inf]))
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


def test_of_the_largest_those_at_a_limit_stay_while_the_others_grow():
    directions, slopes = at_a_limit([3.0, -2.0, 0.1])
    assert directions == [[0, -1, 0], [0, 0, 1]] and slopes == pytest.approx([1.0, 0.1])


def test_where_those_at_a_limit_alone_would_grow_the_largest_stay():
    directions, slopes = at_a_limit([3.0, -0.5, 0.1])
    assert directions == [[0, 0, 1]] and slopes == pytest.approx([0.1])


def test_the_largest_shrink_together_limits_or_not():
    directions, slopes = at_a_limit([0.2, -0.3, 0.1])
    assert directions == [[1, -1, 0], [0, 0, 1]] and slopes == pytest.approx([-0.5, 0.1])


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
