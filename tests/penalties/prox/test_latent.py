"""Latent vectors: stationary for every group, and the group lasso's where groups are disjoint."""

import numpy as np
import pytest
from sparsesolve.penalties.prox.group_balls import latent_vectors

MEMBER = np.array([0, 1, 2, 1, 2, 3, 3, 4], dtype=np.intc)
START = np.array([0, 3, 6, 8], dtype=np.intc)
D = np.array([1.0, 1.2, 0.7])


def test_every_group_is_at_its_best():
    rng = np.random.default_rng(0)
    for _ in range(50):
        x, t = 2 * rng.standard_normal(5), rng.random() + 0.05
        v = latent_vectors(x, t, D, MEMBER, START, np.zeros(8), 1e-16, 100_000)
        z = x - np.bincount(MEMBER, v, minlength=5)
        for g in range(3):
            own, left = v[START[g] : START[g + 1]], z[MEMBER[START[g] : START[g + 1]]]
            assert np.linalg.norm(left) <= t * D[g] * (1 + 1e-7)
            assert left @ own == pytest.approx(t * D[g] * np.linalg.norm(own), abs=1e-7)


def test_disjoint_groups_take_one_sweep():
    x, member = np.array([3.0, 4.0, 0.5]), np.arange(3, dtype=np.intc)
    start = np.array([0, 2, 3], dtype=np.intc)
    v = latent_vectors(x, 1.0, np.ones(2), member, start, np.zeros(3), 0.0, 1)
    assert v == pytest.approx([2.4, 3.2, 0.0])
