"""Sweeps over a weighted lasso by inner products: stationary at the end, falling on the way."""

import numpy as np
import pytest
from sparsesolve.solvers.subproblem.weighted_sweeps import weighted_sweeps


def test_it_falls_to_a_stationary_point():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20, 6))
    G, c, t = A.T @ A, A.T @ rng.standard_normal(20), np.array([0.0, 1, 2, 3, 0.5, 1e9])
    b, last = np.zeros(6), np.inf
    for _ in range(200):
        moved = weighted_sweeps(G, c, b, t, 2)
        value = b @ G @ b / 2 - c @ b + t @ np.abs(b)
        assert value <= last + 1e-12
        last = value
    left = c - G @ b
    assert moved <= 1e-12 and b[5] == 0.0
    assert (np.abs(left) <= t + 1e-9).all()
    assert left[b != 0] == pytest.approx((t * np.sign(b))[b != 0], abs=1e-9)
    zero = weighted_sweeps(np.zeros((2, 2)), np.ones(2), np.zeros(2), np.zeros(2), 1)
    assert zero == 0.0
