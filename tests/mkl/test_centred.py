"""Constants taken out of kernels that are all but constant."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.mkl.assembly import level
from sparsesolve.mkl.reading import read_kernels


def gaussian(X, width):
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / (2.0 * width**2))


def centred(K):
    C = np.eye(len(K)) - 1.0 / len(K)
    return C @ K @ C


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((50, 2))


def test_only_kernels_that_are_mostly_constant_lose_their_constants(X):
    raw = [gaussian(X, 1.0), gaussian(X, 30.0), np.ones((50, 50)),
           gaussian(X, 300.0).astype(np.float32)]  # fmt: skip
    before = [K.copy() for K in raw]
    read = read_kernels(raw, 1)
    levelled, means = level(read)
    assert list(means) == [1]
    assert all(levelled.items[m] is read.items[m] for m in (0, 2, 3))
    np.testing.assert_allclose(means[1], raw[1].mean(axis=0))
    np.testing.assert_allclose(levelled.items[1], centred(raw[1]), atol=1e-15)
    for K, old in zip(raw, before, strict=True):
        np.testing.assert_array_equal(K, old)


def test_bounds_and_factors_are_those_of_what_is_left(X):
    levelled, _ = level(read_kernels([gaussian(X, 1.0), gaussian(X, 30.0)], 1))
    u = np.random.default_rng(1).standard_normal((3, 50))
    largest = np.linalg.eigvalsh(levelled.items[1])[-1]
    assert largest <= levelled.bounds[1] ** 2 * (1 + 1e-12) <= 50 * largest
    true = np.einsum("qi,ij,qj->", u, levelled.items[1], u)
    off = abs(levelled.near.squares(u)[1] - true)
    assert off <= levelled.near.errors[1] * (u * u).sum() < 1e-3 * true


def test_kernels_without_such_stay_the_same_object(X):
    read = read_kernels([gaussian(X, 1.0)], 1)
    assert level(read) == (read, {})


@pytest.mark.parametrize("seed", [3, 6, 7])
def test_softmax_paths_of_wide_kernels_converge_to_those_of_centred_ones(seed):
    """Sizes are below what rounding tells of them late in these paths, constants included."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((50, 2))
    y = np.digitize(X[:, 0] + 0.3 * rng.standard_normal(50), [-0.5, 0.5])
    raw = [gaussian(X, 30.0), gaussian(X, 300.0)]
    options = {
        "family": "multinomial", "n_lambdas": 20, "lambda_min_ratio": 1e-4, "stop": None,
    }  # fmt: skip
    fit = ss.mkl_path(raw, y, **options)
    other = ss.mkl_path([centred(K) for K in raw], y, **options)
    assert fit.gaps.max() <= 1e-7
    np.testing.assert_allclose(fit.lambdas, other.lambdas, rtol=1e-9)
    found, true = fit.predict(raw), other.predict([centred(K) for K in raw])
    np.testing.assert_allclose(found, true, atol=1e-5)
    # and new samples, whose blocks are as they come
    new = X + 0.1
    blocks = [np.exp(-((new[:, None] - X[None]) ** 2).sum(-1) / (2.0 * w**2)) for w in (30, 300)]
    old = [block - block.mean(axis=1)[:, None] - K.mean(axis=0) + K.mean()
           for block, K in zip(blocks, raw, strict=True)]  # fmt: skip
    np.testing.assert_allclose(fit.predict(blocks), other.predict(old), atol=1e-5)
