"""Residuals met along a path: what they say of the current one, seen through groups' bounds.

The class itself has no door to Python; the bounds of columns and of groups are all that use it,
and are exact in what they exclude only if its projections and distances are. Slots run out here.
"""

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design
from sparsesolve.solvers.screening.inactive_groups import InactiveGroups

from sparsesolve.penalties import GroupL2

N, P = 30, 40
SLOTS = 64


def outside(X):
    design = Design(np.asfortranarray(X))
    assert design.moments(np.full(N, 1 / N))
    design.standardise(False, np.ldexp(1.0, np.asarray(design.exponent)))
    omega = GroupL2([j // 2 for j in range(P)], np.ones(P // 2)).over(P)
    return InactiveGroups(design, np.full(N, N**-0.5), omega, 1)


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((N, P))


def polars(X, r):
    z = X.T @ r / np.sqrt(N)
    return np.linalg.norm(z.reshape(-1, 2), axis=1)


def test_what_was_met_before_needs_no_products(X):
    """A residual that is remembered, a multiple of it, and a mixture of two."""
    first, second = np.random.default_rng(1).standard_normal((2, N))
    low = 0.01 * min(polars(X, r).min() for r in (first, second))
    for r in (first, second, 0.5 * first, -2.0 * second, first + 0.3 * second, 1e-3 * first):
        groups, polar = outside(X), polars(X, r)
        assert len(groups.examined(first, low)) == len(groups.examined(second, low)) == P // 2
        lam = polar.max() * (1 + 1e-4)
        assert len(groups.examined(r, lam)) == 0
        lam = np.sort(polar)[-4:-2].mean()
        assert np.isin(np.flatnonzero(polar > lam), groups.examined(r, lam)).all()


def test_more_residuals_than_there_is_room_for(X):
    groups = outside(X)
    rng = np.random.default_rng(2)
    r = rng.standard_normal(N)
    for step in range(3 * SLOTS):
        r = r + 0.05 * rng.standard_normal(N)
        polar = polars(X, r)
        lam = np.sort(polar)[-3] * (1 + 1e-9)
        found = groups.examined(r, lam)
        assert np.isin(np.flatnonzero(polar > lam), found).all(), step


@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_residuals_that_nearly_agree_and_such_as_are_zero(X, size):
    """Two remembered ones in one direction, where the projection on both is singular."""
    groups = outside(X)
    rng = np.random.default_rng(3)
    r = size * rng.standard_normal(N)
    top = polars(X, r).max()
    for k in range(12):
        close = r * (1 + 1e-9 * k) + 1e-12 * size * rng.standard_normal(N)
        polar = polars(X, close)
        found = groups.examined(close, 0.7 * top)
        assert np.isin(np.flatnonzero(polar > 0.7 * top), found).all()
    assert len(groups.examined(np.zeros(N), 0.1 * top)) == 0
    found = groups.examined(r, 0.7 * top)
    assert np.isin(np.flatnonzero(polars(X, r) > 0.7 * top), found).all()
