"""Kernels however they are stored, against dense matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from sparsesolve.mkl.kernels import BLOCK, Kernels, LowRank, Rows
from sparsesolve.mkl.screening import LowRankCache

N = BLOCK + 44  # rows that are made come in two blocks
RNG = np.random.default_rng(8)


def gram(rank):
    Z = RNG.normal(size=(N, rank))
    return Z @ Z.T


Z = RNG.normal(size=(N, 3))
SPARSE = sparse.random_array((N, N), density=0.01, rng=1)
DENSE = [gram(5), Z @ Z.T, (SPARSE @ SPARSE.T).toarray(), gram(7), gram(2), Z[:, :2] @ Z[:, :2].T]
ITEMS = [
    DENSE[0],
    LowRank(Z),
    sparse.csr_array(SPARSE @ SPARSE.T),
    Rows(lambda begin, end: DENSE[3][begin:end], N, np.diagonal(DENSE[3])),
    DENSE[4].astype(np.float32),
    LowRank(np.asfortranarray(Z[:, :2]).astype(np.float32)),
]
CLOSE = {"rtol": 1e-5, "atol": 1e-3}  # two of them are of single precision


def kernels(items=ITEMS, n_threads=1):
    cache = LowRankCache([None] * len(items), N)
    return Kernels(items, np.full(len(items), 1e3), cache, None, n_threads)


@pytest.mark.parametrize("which", [[], [0], [1], [2, 0], [4, 0], [5, 4, 3, 2, 1, 0], [3, 3]])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_products_sums_and_sizes(which, n_threads):
    K, v = kernels(n_threads=n_threads), RNG.normal(size=(2, N))
    wanted = [v @ DENSE[m] for m in which]
    products = K.times(which, v)
    assert products.shape == (len(which), 2, N)
    for ours, theirs in zip(products, wanted, strict=True):
        assert_allclose(ours, theirs, **CLOSE)
    sizes = [np.sqrt(sum(row @ DENSE[m] @ row for row in v)) for m in which]
    assert K.sizes(which, v) == pytest.approx(np.array(sizes), rel=1e-5)
    scale = np.linspace(0.5, -2.0, len(which))
    out = np.full((N, N), np.nan)
    K.total(which, scale, out)
    total = sum((c * DENSE[m] for c, m in zip(scale, which, strict=True)), np.zeros((N, N)))
    assert_allclose(np.tril(out), np.tril(total), **CLOSE)


def test_sizes_are_never_nan():
    """Rounding may leave u'K u below 0 where K u is nearly 0."""
    v = np.array([[1.0, -1.0]])
    K = np.array([[1.0, 1.0 + 1e-15], [1.0 + 1e-15, 1.0]])
    of_rounding = Kernels([K], np.full(1, 2.0), LowRankCache([None], 2))
    assert of_rounding.times([0], v)[0, 0] @ v[0] < 0.0 == of_rounding.sizes([0], v)[0]


def test_rows_are_made_in_double_precision():
    whole = Rows(lambda begin, end: np.eye(BLOCK, dtype=int)[begin:end], BLOCK, np.ones(BLOCK))
    ((begin, end, rows),) = whole.blocks()
    assert (begin, end) == (0, BLOCK) and rows.dtype == np.float64
