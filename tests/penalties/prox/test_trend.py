"""Trend filtering: the prox by its inclusion, orders by one another, sums taken back."""

import numpy as np
import pytest

from sparsesolve.penalties.prox.trend import (
    adjoint,
    differences,
    polynomials,
    prox_trend,
    solve_adjoint,
)


@pytest.mark.parametrize("q", [1, 2, 3, 4])
def test_prox_by_its_inclusion(q):
    """v - b = D'u with |u| <= t, and u'D b = t |D b|_1: optimal, whatever method found it."""
    rng = np.random.default_rng(q)
    for _ in range(120):
        p = rng.integers(q + 1, 40)
        v = rng.standard_normal(p) * 10.0 ** rng.integers(-3, 4)
        t = np.abs(v).max() * 10.0 ** rng.uniform(-3, 2)
        b = prox_trend(v, t, q)
        u = solve_adjoint(v - b, q)
        size = np.abs(v).max() * (1e-12 + 1e-15 * p**q)
        assert v - b == pytest.approx(adjoint(u, q), abs=size * p)
        assert (np.abs(u) <= t + size * p).all()
        jumps = differences(b, q)
        assert u @ jumps == pytest.approx(t * np.abs(jumps).sum(), abs=size * p * t + size * p)


@pytest.mark.parametrize("q", [1, 2, 3])
def test_differences_and_their_adjoint(q):
    rng = np.random.default_rng(1)
    b, u = rng.standard_normal(20), rng.standard_normal(20 - q)
    assert differences(b, q) @ u == pytest.approx(b @ adjoint(u, q))
    assert solve_adjoint(adjoint(u, q), q) == pytest.approx(u)
    P = polynomials(20, q)
    assert P.T @ P == pytest.approx(np.eye(q)) and np.abs(differences(P.T, q)).max() < 1e-13


def test_long_vectors_keep_their_digits():
    """Optimal to rounding, which differences of order q multiply by 2^q and t."""
    x = np.linspace(0, 1, 1000)
    v = 3 * np.abs(x - 0.4) + np.sin(6 * x) + 0.1 * np.random.default_rng(0).standard_normal(1000)
    b = prox_trend(v, 30.0, 2)
    knots = np.abs(differences(b, 2)) > 1e-12
    u = solve_adjoint(v - b - polynomials(1000, 2) @ (polynomials(1000, 2).T @ (v - b)), 2)
    assert 3 < knots.sum() < 50 and (np.abs(u) <= 30.0 * (1 + 1e-9)).all()
    assert np.abs(u[knots]) == pytest.approx(30.0, rel=1e-9)


def test_ends():
    v = np.array([1.0, 3.0, 2.0])
    assert prox_trend(v, 1.0, 3).tolist() == v.tolist()
    assert prox_trend(v, 0.0, 1).tolist() == v.tolist() and prox_trend(v, 0.0, 1) is not v
    assert prox_trend(v, 1e9, 1) == pytest.approx([2.0, 2.0, 2.0])
    assert prox_trend(v, 1e9, 2) == pytest.approx([1.5, 2.0, 2.5])
    assert prox_trend(np.zeros(0), 1.0, 2).shape == (0,)
