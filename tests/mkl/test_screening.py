"""Bounds are bounds, exact where they must be, and rarely cost a product along a path."""

import mkl_oracle
import numpy as np

from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.screening import MOST, Screening

X, K, _ = mkl_oracle.problem(0, n=30, M=8)
ALL = np.arange(8)


def make(q=1):
    bounds = np.array([np.sqrt(np.linalg.eigvalsh(k)[-1]) for k in K])
    return Screening(Kernels(list(K), bounds), (q, 30))


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
