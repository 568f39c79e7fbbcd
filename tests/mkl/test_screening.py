"""Bounds are bounds, exact where they must be, and rarely cost a product along a path."""

import mkl_oracle
import numpy as np
import pytest

from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.screening import MOST, LowRankCache, Screening, near_factors

X, K, _ = mkl_oracle.problem(0, n=30, M=8)
ALL = np.arange(8)


NOWHERE_NEAR = [None] * 8


def make(q=1, factors=NOWHERE_NEAR):
    bounds = np.array([np.sqrt(np.linalg.eigvalsh(k)[-1]) for k in K])
    return Screening(Kernels(list(K), bounds, LowRankCache(factors, 30)), (q, 30))


def exact(u):
    return np.sqrt(np.einsum("qi,mij,qj->m", u, K, u))


def test_bounds_hold_and_loud_kernels_are_exact():
    rng = np.random.default_rng(1)
    screening, u = make(2), rng.normal(size=(2, 30))
    for k in range(3 * MOST):
        u = u + 0.3 * rng.normal(size=u.shape)
        level = np.full(8, np.median(exact(u)))
        found = screening.sizes(u, ALL, level)
        assert (found >= exact(u) * (1 - 1e-12)).all(), k
        np.testing.assert_allclose(found[found > level], exact(u)[found > level], rtol=1e-9)
        assert ((found > level) == (exact(u) > level)).all()


def test_smooth_curves_need_few_products():
    rng = np.random.default_rng(2)
    a, b, c = rng.normal(size=(3, 1, 30))
    screening = make()
    for t in np.linspace(0, 1, 50):
        u = a + t * b + t * t * c
        screening.sizes(u, ALL, 0.999 * exact(u))
    assert screening.products <= 3 * 8


def test_a_sleeper_learns_when_it_wakes():
    rng = np.random.default_rng(3)
    screening = make()
    level = np.full(8, np.inf)
    level[0] = 0.0
    for _ in range(5):
        screening.sizes(rng.normal(size=(1, 30)), ALL, level)
    assert screening.products == 5
    u = rng.normal(size=(1, 30))
    np.testing.assert_allclose(screening.sizes(u, ALL, np.zeros(8)), exact(u), rtol=1e-9)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_few_rows_exclude_what_they_can(n_threads):
    """Bounds hold with errors as large as are asked for, and what is loud is exact."""
    rng = np.random.default_rng(4)
    traces = np.trace(K, axis1=1, axis2=2)
    factors = near_factors(list(K[:5]), list(1e-2 * traces[:5]), n_threads)
    assert any(factor is not None and len(factor[0]) < 30 for factor in factors)
    for k, factor in enumerate(factors):
        if factor is not None:
            rows, error = factor
            assert np.linalg.norm(K[k] - rows.T @ rows, 2) <= error <= 1e-2 * traces[k]
    screening = make(2, [*factors, None, None, None])
    for _ in range(20):
        u = rng.normal(size=(2, 30))
        level = np.median(exact(u)) * np.ones(8)
        found = screening.sizes(u, ALL, level)
        assert (found >= exact(u) * (1 - 1e-12)).all()
        np.testing.assert_allclose(found[found > level], exact(u)[found > level], rtol=1e-9)
        near = screening.kernels.near
        assert (abs(near.squares(u) - exact(u) ** 2)[near.known]
                <= (near.errors * np.sum(u * u))[near.known]).all()  # fmt: skip


def test_no_kernel_is_near_what_has_full_rank():
    assert near_factors([np.eye(100)], [1e-8], 1) == [None]
    assert near_factors([], [], 1) == []
