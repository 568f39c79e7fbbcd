"""Steps and shrinkage of functions, on any number of threads."""

import mkl_oracle
import numpy as np

from sparsesolve.mkl import shrinkage

_, K, _ = mkl_oracle.problem(6, n=30, M=4)
RNG = np.random.default_rng(0)


def test_a_gradient_step_keeps_values_and_coefficients_together():
    a, u = RNG.normal(size=(4, 30)), RNG.normal(size=30)
    values, products = np.einsum("mij,mj->mi", K, a), K @ u
    coefs, moved = a.copy(), values.copy()
    norms = shrinkage.gradient_step(coefs, moved, u, products, 0.3)
    np.testing.assert_allclose(coefs, a + 0.3 * u)
    np.testing.assert_allclose(moved, np.einsum("mij,mj->mi", K, coefs))
    np.testing.assert_allclose(norms**2, np.einsum("mi,mij,mj->m", coefs, K, coefs))
    shrinkage.shrink(coefs, moved, np.array([0.5, 0.0, 1.0, 0.1]))
    assert not coefs[1].any() and not moved[1].any()
    np.testing.assert_allclose(moved, np.einsum("mij,mj->mi", K, coefs))
    np.testing.assert_allclose(
        shrinkage.inner_products(coefs, moved), np.einsum("mi,mi->m", coefs, moved)
    )


def test_threads_change_no_bit():
    results = []
    for threads in (1, 2):
        rng = np.random.default_rng(1)
        a, values, u, products = (rng.normal(size=s) for s in ((9, 50), (9, 50), 50, (9, 50)))
        norms = shrinkage.gradient_step(a, values, u, products, 0.7, threads)
        shrinkage.shrink(a, values, np.linspace(0, 1, 9), threads)
        results.append((a, values, norms, shrinkage.inner_products(a, values, threads)))
    for one, two in zip(*results, strict=True):
        assert (one == two).all()
