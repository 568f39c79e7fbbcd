"""The sorted l1 norm: prox by its inclusion and by a quadratic program on few coordinates.

The prox of the k-support norm by the pair of the norm and its dual.
"""

import numpy as np
import pytest
from sparsesolve.penalties.prox.ordered import prox_sorted

from sparsesolve import penalties as P


def test_ties_signs_and_nothing():
    assert prox_sorted(np.array([2.0, -2.0]), 1.0, np.array([1.5, 0.5])).tolist() == [1.0, -1.0]
    assert prox_sorted(np.array([1.0, 0.2]), 1.0, np.array([2.0, 0.0])).tolist() == [0.0, 0.0]
    assert prox_sorted(np.zeros(0), 1.0, np.zeros(0)).shape == (0,)


def _draws(count):
    rng = np.random.default_rng(0)
    for i in range(count):
        p = int(rng.integers(1, 12))
        v = rng.standard_normal(p)
        v = np.round(v) if i % 3 == 0 else v  # ties
        v = v * rng.choice([0, 1], p) if i % 5 == 0 else v
        t = float(rng.uniform(0, 2) * rng.choice([1e-8, 1e-3, 1]))
        yield v, int(rng.integers(1, p + 1)), t


def test_prox_and_rest_are_a_pair_of_the_norm_and_its_dual():
    """b = prox(v) exactly when |v - b|* <= t and (v - b)'b = t |b|."""
    for v, k, t in _draws(500):
        norm = P.KSupport(k)
        b = norm.prox(v, t)
        rest = v - b
        scale = np.abs(v).max(initial=1e-300)
        assert norm.polar(rest) <= t * (1.0 + 1e-12) + 1e-15 * scale
        assert rest @ b == pytest.approx(t * norm.value(b), abs=1e-13 * scale**2 + 1e-12 * t)
