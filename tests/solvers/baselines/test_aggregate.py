"""The aggregate plane: the step is the best, and the bound that of a convex combination."""

import numpy as np
import pytest

from sparsesolve.solvers.baselines.bundle import Aggregate


@pytest.mark.parametrize("seed", range(20))
def test_a_step_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    lam = 10.0 ** rng.uniform(-2, 1)
    model, last = Aggregate(3, lam), -np.inf
    for _ in range(6):
        old, a, b = (model.a, model.b), rng.normal(size=3), rng.normal()
        model.add(a, b)
        assert model.lower >= last - 1e-14 * abs(last)
        if last > -np.inf:
            shares = np.linspace(0.0, 1.0, 2001)
            planes = old[0] + shares[:, None] * (a - old[0])
            tried = old[1] + shares * (b - old[1]) - (planes**2).sum(axis=1) / (2 * lam)
            assert model.lower >= tried.max() - 1e-12 * np.abs(tried).max()
        last = model.lower


def test_a_repeated_plane_of_larger_value_replaces_the_old():
    model, a = Aggregate(2, 1.0), np.ones(2)
    model.add(a, 0.0)
    model.add(a, 2.0)
    assert model.b == 2.0 and model.share == 1.0
    model.add(a, 1.0)
    assert model.b == 2.0 and model.share == 0.0
