"""DistributedDesign answers what a Design of the whole matrix does, however rows are cut."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design

from sparsesolve.data.design import read_block
from sparsesolve.data.row_blocks import tree
from sparsesolve.linalg.design.distributed import DistributedDesign, rows_of

RNG = np.random.default_rng(8)
N, P = 90, 7
X = RNG.standard_normal((N, P)) * [1, 2, 0, 1e3, 1, 1, 1e-3] + [0, 5, 3, -1e3, 1e7, 0, 0]
X[:, 5] *= RNG.random(N) < 0.3
STORAGE = {
    "columns": np.asfortranarray,
    "rows": np.ascontiguousarray,
    "single": lambda A: np.ascontiguousarray(A, dtype=np.float32),
    "csc": sparse.csc_array,
    "csr": sparse.csr_array,
}


def in_blocks(X, ends=(0, 1, 40, 80, N), store=np.asarray):
    blocks = [store(X[i:j]) for i, j in zip(ends[:-1], ends[1:], strict=True)]

    def gather(function, arguments, merge):
        parts = [function(block, *rest) for block, rest in zip(blocks, arguments, strict=True)]
        return parts if merge is None else tree(merge, parts)

    return DistributedDesign([block.shape[0] for block in blocks], X.shape[1], gather, read_block)


def both(X, w, store, centred):
    whole, blocks = Design(read_block(store(X))), in_blocks(X, store=store)
    assert whole.moments(w) and blocks.moments(w)
    with np.errstate(divide="ignore"):
        factor = np.where(np.asarray(whole.spread) > 0, 1 / np.asarray(whole.spread), 0.0)
    whole.standardise(centred, factor)
    blocks.standardise(centred, factor)
    return whole, blocks


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("store", STORAGE.values(), ids=STORAGE)
def test_products_and_moments_are_those_of_the_whole(store, centred):
    w = RNG.uniform(size=N)
    w[10:50] = 0.0  # a whole block of them
    whole, blocks = both(X, w / w.sum(), store, centred)
    # A sum rounds by the size of its terms; one that cancels has no digits relative to itself.
    apart = np.abs(np.subtract(blocks.mean, whole.mean))
    assert (apart <= 1e-14 * np.abs(X).max(axis=0)).all()
    np.testing.assert_allclose(blocks.spread, whole.spread, rtol=1e-9)
    assert blocks.spread[2] == 0.0
    u, which = RNG.standard_normal((2, N)), np.array([6, 3, 4], dtype=np.intc)
    size = 1e-8 * np.abs(X * blocks.frame.factor).max(initial=1)
    for cut in (which, np.arange(P, dtype=np.intc)):
        b = RNG.standard_normal(len(cut))
        np.testing.assert_allclose(
            blocks.combination(cut, b), whole.combination(cut, b), atol=size
        )
        np.testing.assert_allclose(blocks.unpacked(cut), whole.unpacked(cut), atol=size)
        h, Z = RNG.uniform(size=N), whole.unpacked(cut)
        for made in (rows_of(whole, None, None), rows_of(store(X), read_block, blocks.frame)):
            found = made.gram(cut, h)
            np.testing.assert_allclose(found, Z.T @ (h[:, None] * Z), atol=size * N, rtol=1e-9)
    np.testing.assert_allclose(blocks.products(u[0]), whole.products(u[0]), atol=size * N)
    np.testing.assert_allclose(
        blocks.response_products(u), whole.response_products(u), atol=size * N
    )
    assert blocks.combination(which[:0], np.zeros(0)).tolist() == [0.0] * N
    assert blocks.unpacked(which[:0]).shape == (N, 0)


def test_inner_products_of_one_pass_are_about_the_means_and_lose_no_digits():
    """Rows sorted by a column far from 0: the blocks' means lie many spreads apart."""
    far = np.sort(RNG.standard_normal((N, 3)), axis=0) + 1e6
    w, y = np.full(N, 1 / N), RNG.standard_normal(N) + 100
    blocks = in_blocks(far)
    assert blocks.moments(w, y)
    A, c = far - far.mean(axis=0), y - y.mean()
    np.testing.assert_allclose(blocks.gram, A.T @ A / N, rtol=1e-9)
    np.testing.assert_allclose(np.ldexp(blocks.cross, blocks.response_power), A.T @ c / N, 1e-7)
    assert np.ldexp(blocks.response_mean, blocks.response_power) == pytest.approx(y.mean())


@pytest.mark.parametrize("sizes", [(1e200, 1e200), (1e-200, 1.0), (0.0, 1e-200), (1e200, 0.0)])
def test_blocks_of_any_size_are_merged(sizes):
    A = RNG.standard_normal((N, 2)) * np.where(np.arange(N) < 40, *sizes)[:, None]
    blocks = in_blocks(A)
    assert blocks.moments(np.full(N, 1 / N), A[:, 0])
    scale = max(sizes)
    expected = np.cov((A / scale).T, bias=True)
    unit = np.ldexp(1 / scale, blocks.exponent)  # 2**exponent over the size
    np.testing.assert_allclose(blocks.gram * np.outer(unit, unit), expected, rtol=1e-10)
    np.testing.assert_allclose(blocks.spread * unit, np.sqrt(np.diagonal(expected)), rtol=1e-10)


def test_values_that_are_not_finite_are_found_where_weights_are_0():
    A = X.copy()
    A[45, 3] = np.inf
    assert not in_blocks(A).moments(np.eye(1, N)[0])
