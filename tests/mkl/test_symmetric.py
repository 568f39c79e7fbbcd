"""Products, sums and surveys of symmetric matrices against numpy."""

import numpy as np
import pytest
from cases import every
from sparsesolve.mkl.symmetric import Symmetric


def matrices(n, seed=0):
    rng = np.random.default_rng(seed)
    made = []
    for dtype in (np.float64, np.float32, np.float64):
        A = rng.normal(size=(n, n))
        made.append((A @ A.T).astype(dtype))
    return made


@every("n", [1, 2, 3, 4, 5, 7, 16, 63, 64, 65, 130])
def test_products_sums_and_surveys(n):
    made = matrices(n)
    stack, v = Symmetric(made), np.random.default_rng(1).normal(size=(2, n))
    products = stack.times([2, 0, 1], v)
    for k, m in enumerate([2, 0, 1]):
        exact = v @ made[m].astype(float)
        np.testing.assert_allclose(products[k], exact, atol=1e-5 * np.abs(exact).max())
    total = np.full((n, n), np.nan)
    stack.total([0, 1], [0.5, 2.0], total)
    np.testing.assert_allclose(np.tril(total), np.tril(0.5 * made[0] + 2.0 * made[1]), rtol=1e-6)
    for K, seen in zip(made, stack.survey(), strict=True):
        K = K.astype(float)
        bound = min(np.linalg.norm(K), np.abs(K).sum(axis=1).max())
        exact = [np.abs(K - K.T).max(), bound, np.trace(K), np.diag(K).min(), (K**2).sum()]
        np.testing.assert_allclose(seen, exact, rtol=1e-6, atol=1e-9)
        assert seen[1] >= np.linalg.eigvalsh(K)[-1] * (1 - 1e-12)


def test_only_the_lower_triangle_is_read():
    K = matrices(50)[0]
    lower = np.tril(K) + np.triu(np.full(K.shape, np.nan), 1)
    v = np.ones((1, 50))
    np.testing.assert_allclose(Symmetric([lower]).times([0], v)[0], v @ K, rtol=1e-12)


def test_threads_change_no_bit():
    stack, v = Symmetric(matrices(200)), np.random.default_rng(2).normal(size=(3, 200))
    assert (stack.times([0, 1, 2], v, 1) == stack.times([0, 1, 2], v, 2)).all()
    one, two = np.zeros((200, 200)), np.zeros((200, 200))
    stack.total([0, 1], [1.0, 3.0], one, 1)
    stack.total([0, 1], [1.0, 3.0], two, 2)
    assert (one == two).all() and (stack.survey(1) == stack.survey(2)).all()


def test_rows_may_be_apart_and_asymmetry_is_found():
    wide = np.random.default_rng(3).normal(size=(70, 100))
    K = wide[:, :70]
    seen = Symmetric([K]).survey()[0]
    np.testing.assert_allclose(seen[0], np.abs(K - K.T).max())
    K = K + K.T
    stored = np.empty((70, 90))
    stored[:, :70] = K
    v = np.ones((1, 70))
    np.testing.assert_allclose(Symmetric([stored[:, :70]]).times([0], v)[0], v @ K, rtol=1e-12)


def test_nan_shows_in_the_sum_of_squares():
    K = matrices(80)[0]
    K[70, 3] = np.nan
    assert not np.isfinite(Symmetric([K]).survey()[0, 4])


def test_what_cannot_be_read_in_place_is_refused():
    with pytest.raises(ValueError, match="contiguous rows"):
        Symmetric([np.ones((4, 4))[:, ::2]])
    with pytest.raises(TypeError, match="int64"):
        Symmetric([np.ones((2, 2), dtype=np.int64)])


@every("value", [np.nan, np.inf, -np.inf])
@every("dtype", [np.float64, np.float32])
@every("place", [(0, 0), (0, 1), (1, 0), (3, 44), (44, 3), (20, 19), (19, 20)])
def test_a_value_that_is_not_finite_is_seen_in_either_triangle(value, dtype, place):
    """Whatever instructions the processor has: some of its kernels took 0 times a NaN for 0."""
    K = np.eye(45, dtype=dtype)
    assert np.isfinite(Symmetric([K]).survey()).all()
    K[place] = value
    assert not np.isfinite(Symmetric([K]).survey()[0, 4])
