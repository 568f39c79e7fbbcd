"""The squared norm from products is that of the singular value decomposition, never less."""

import numpy as np
import pytest

from sparsesolve.solvers.baselines.bundle import squared_norm


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (40, 5), (5, 40), (60, 50), (50, 60)])
def test_it_is_the_largest_singular_value_squared(shape):
    A = np.random.default_rng(0).normal(size=shape)
    found = squared_norm(lambda w: A @ w, lambda u: A.T @ u, *shape)
    exact = np.linalg.norm(A, 2) ** 2
    assert exact * (1.0 - 1e-13) <= found <= exact * (1.0 + 1e-4)


def test_nothing_has_norm_zero():
    zero = np.zeros((30, 20))
    assert squared_norm(lambda w: zero @ w, lambda u: zero.T @ u, 30, 20) == 0.0
