"""Dual ascent, ball by ball: what is conserved, one group in closed form, two that overlap.

Latent vectors: stationary for every group, and the group lasso's where groups are disjoint.
"""

import numpy as np
import pytest
from sparsesolve.penalties.prox.group_balls import ascend


def test_one_group_is_done_in_one_sweep():
    v, xi = np.array([3.0, 4.0, 1.0]), np.zeros(2)
    b = v.copy()
    features, start = np.array([0, 1], dtype=np.intc), np.array([0, 2], dtype=np.intc)
    ascend(np.array([1.0]), features, start, xi, b, 1, 0.0)
    assert b == pytest.approx([2.4, 3.2, 1.0]) and xi == pytest.approx([0.6, 0.8])
    assert ascend(np.array([1.0]), features, start, xi, b, 5, 1e-15) <= 1e-15
    ascend(np.array([9.0]), features, start, xi, b, 1, 0.0)
    assert b.tolist() == [0.0, 0.0, 1.0]


def test_residuals_belong_to_vectors_within_their_balls():
    rng = np.random.default_rng(0)
    features, start = np.array([0, 1, 2, 2, 3], dtype=np.intc), np.array([0, 3, 5], dtype=np.intc)
    for sweeps in (1, 3, 500):
        v, xi, radius = rng.standard_normal(4), np.zeros(5), np.array([0.5, 0.7])
        b = v.copy()
        ascend(radius, features, start, xi, b, sweeps, 0.0)
        assert b == pytest.approx(v - np.bincount(features, xi), abs=1e-14)
        lengths = np.sqrt(np.add.reduceat(xi * xi, start[:-1]))
        assert (lengths <= radius * (1 + 1e-14)).all()
        gap = radius @ np.sqrt(np.add.reduceat(b[features] ** 2, start[:-1])) - xi @ b[features]
        assert gap >= -1e-14 and (sweeps < 500 or gap < 1e-13)


MEMBER = np.array([0, 1, 2, 1, 2, 3, 3, 4], dtype=np.intc)
START = np.array([0, 3, 6, 8], dtype=np.intc)
D = np.array([1.0, 1.2, 0.7])


def test_every_group_is_at_its_best():
    rng = np.random.default_rng(0)
    for _ in range(50):
        x, t = 2 * rng.standard_normal(5), rng.random() + 0.05
        v, z = np.zeros(8), x.copy()
        ascend(t * D, MEMBER, START, v, z, 100_000, 1e-16, latent=True)
        assert z == pytest.approx(x - np.bincount(MEMBER, v, minlength=5), abs=1e-12)
        for g in range(3):
            own, left = v[START[g] : START[g + 1]], z[MEMBER[START[g] : START[g + 1]]]
            assert np.linalg.norm(left) <= t * D[g] * (1 + 1e-7)
            assert left @ own == pytest.approx(t * D[g] * np.linalg.norm(own), abs=1e-7)
