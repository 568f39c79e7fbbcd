"""Blocks of groups compared with the oracle's, and largest coefficients that are at limits."""

import group_oracle
import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup

FREE = np.full(4, np.inf)
KINDS = {"l2": GroupL2, "sparse": SparseGroup, "linf": GroupLinf}


@pytest.mark.parametrize("kind", KINDS)
def test_all_three_agree_with_the_oracle_on_hostile_blocks(kind):
    """Limits of 0 and inf, ridge parts, ties, coordinates equal but for the last digit."""
    rng = np.random.default_rng(1)
    for trial in range(240):
        s = int(rng.integers(1, 8))
        more = (0.3,) if kind == "sparse" else ()
        lower, upper = -rng.choice([0, 0.1, np.inf, 1], s), rng.choice([0, 0.1, np.inf, 1], s)
        if trial % 3 == 0:
            lower[:], upper[:] = (0.0, np.inf) if trial % 2 else (-np.inf, np.inf)
        alpha, v, lam = (float(rng.choice(k)) for k in ([1, 0.5, 0], [1, 0.3, 2], [0.05, 0.5, 3]))
        omega = KINDS[kind](["u"] * s, *more).over(s).under(
            alpha, np.array([v]), np.zeros(1, dtype=bool), lower, upper, 1.0)
        l1, main = (0.3, 0.7 * np.sqrt(s)) if kind == "sparse" else (0.0, np.sqrt(s))
        block = group_oracle.Block(
            np.arange(s), alpha * v * l1, alpha * v * main * (kind != "linf"),
            alpha * v * main * (kind == "linf"), (1 - alpha) * v * (l1 + main), lower, upper)
        x = 3 * rng.standard_normal(s)
        if trial % 2:
            x[-1], x[s // 2] = x[0] * (1 + rng.choice([0, 1, -1, 5]) * 2.2e-16), -x[0]
        b = block.prox(lam, 1.0, x)
        assert omega.prox(x, lam) == pytest.approx(b, rel=1e-12, abs=1e-12), trial
        assert omega.value(b, lam) == pytest.approx(block.value(lam, b), rel=1e-13)
        assert omega.polar(x) == pytest.approx(block.polar(x), rel=1e-12), trial
        expected = block.conjugate(lam, x)
        assert omega.conjugate(x, lam) == pytest.approx(expected, rel=1e-11, abs=1e-12), trial


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
