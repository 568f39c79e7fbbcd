"""Rows in blocks: which arrays are taken so, how they are cut, and how parts are merged."""

import importlib
import operator

import numpy as np
import pytest

from sparsesolve.data.row_blocks import (
    TALL,
    is_dask,
    is_large_by_rows,
    row_blocks,
    slice_rows,
    tree,
)
from sparsesolve.solvers.suitability import MOST_GRAM_COLUMNS

module = importlib.import_module("sparsesolve.data.row_blocks")  # a function has its name


@pytest.fixture
def small_is_large(monkeypatch):
    """Arrays of a few kilobytes stand for those of which a copy is to be avoided."""
    monkeypatch.setattr(module, "LARGE_BYTES", 8 * 3 * 3 * TALL)
    monkeypatch.setattr(module, "SLICE_BYTES", 8 * 3 * 4)


def test_an_array_that_has_no_graph_is_not_of_dask():
    """xarray's have the method, which says None where nothing is delayed."""
    class Labelled:
        def __dask_graph__(self):
            return None

    assert not is_dask(Labelled())


def tall(rows=3, columns=3, dtype=float, order="C"):
    return np.zeros((rows * TALL, columns), dtype, order)


@pytest.mark.parametrize("made, wanted", [
    (lambda: tall(), True),
    (lambda: tall(rows=6, dtype=np.float32), True),
    (lambda: tall(dtype=np.float32), False),  # half as large
    (lambda: tall(order="F"), False),
    (lambda: tall(rows=6)[::2], False),
    (lambda: tall(dtype=np.int64), False),
    (lambda: tall(rows=9, columns=1), False),
    (lambda: tall(columns=4), False),  # not tall
    (lambda: tall().view(np.matrix), False),
    (lambda: tall().ravel(), False),
    (lambda: tall().tolist(), False),
])  # fmt: skip
def test_which_arrays_are_not_copied(small_is_large, made, wanted):
    assert is_large_by_rows(made()) == wanted


def test_so_many_columns_have_no_gram_matrix(small_is_large, monkeypatch):
    monkeypatch.setattr(module, "MOST_GRAM_COLUMNS", 3)
    assert is_large_by_rows(tall()) and not is_large_by_rows(tall(rows=5, columns=4))
    assert MOST_GRAM_COLUMNS > 3


def test_as_it_is_no_small_array_is_large():
    assert not is_large_by_rows(np.zeros((1000, 2)))


def total(block, scale):
    """What is asked of a block: the sum of its columns, times a number."""
    return scale * block.sum(axis=0)


@pytest.mark.parametrize("n", [1, 3, 4, 5, 8, 11])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_slices_are_views_of_a_few_rows(small_is_large, n, n_threads):
    X = np.arange(3.0 * n).reshape(n, 3)
    call = slice_rows(X, n_threads, None).gather
    blocks = call.blocks
    assert [len(block) for block in blocks] == [4] * (n // 4) + [n % 4] * (n % 4 > 0)
    assert all(np.shares_memory(block, X) for block in blocks)
    scales = [(float(k),) for k in range(len(blocks))]
    parts = call(total, scales, None)
    wanted = [k * block.sum(axis=0) for k, block in enumerate(blocks)]
    assert [part.tolist() for part in parts] == [part.tolist() for part in wanted]
    assert call(total, scales, operator.add).tolist() == sum(wanted).tolist()


def test_an_error_of_a_block_is_raised(small_is_large):
    call = slice_rows(np.zeros((9, 3)), 2, None).gather
    with pytest.raises(ZeroDivisionError):
        call(lambda block: 1 / 0, [()] * 3, None)


def test_wide_rows_are_cut_one_by_one(small_is_large):
    blocks = slice_rows(np.zeros((3, 50)), 1, None).gather.blocks
    assert [len(block) for block in blocks] == [1, 1, 1]


@pytest.mark.parametrize("count, wanted", [
    (1, "0"), (2, "(0 1)"), (3, "((0 1) 2)"), (4, "((0 1) (2 3))"), (5, "(((0 1) (2 3)) 4)"),
    (7, "(((0 1) (2 3)) ((4 5) 6))"),
])  # fmt: skip
def test_parts_are_merged_in_pairs_in_their_order(count, wanted):
    assert tree(lambda a, b: f"({a} {b})", [str(k) for k in range(count)]) == wanted


def test_dask_arrays_are_blocks_of_rows_with_all_columns():
    array = pytest.importorskip("dask.array")
    X = np.arange(20.0).reshape(5, 4)
    lazy = array.from_array(X, chunks=((2, 0, 3), (1, 3)))
    assert is_dask(lazy) and not is_dask(X)
    sizes, blocks = row_blocks(lazy)
    assert sizes == [2, 3] and all(type(size) is int for size in sizes)
    assert [block.compute().tolist() for block in blocks] == [X[:2].tolist(), X[2:].tolist()]


@pytest.mark.parametrize("made, error, sentence", [
    (lambda da: da.zeros(4), ValueError,
     "X must be two-dimensional, rows by columns, not of shape (4,)"),
    (lambda da: da.zeros((0, 3)), ValueError,
     "X has no rows (shape (0, 3)); at least one is needed"),
    (lambda da: da.zeros((3, 0)), ValueError,
     "X has no columns (shape (3, 0)); at least one is needed"),
    (lambda da: da.zeros((3, 2))[da.zeros(3) == 0], ValueError,
     "X has chunks of unknown sizes; call X.compute_chunk_sizes() before"),
    (lambda da: da.zeros((3, 2), dtype=complex), TypeError, "X (dtype complex128) holds complex "
     "numbers, and only real ones can be fitted; pass their real and imaginary parts as separate "
     "columns"),
    (lambda da: da.from_array(np.array([[None]]), chunks=1), TypeError,
     "X (dtype object) holds values that are not numbers"),
])  # fmt: skip
def test_dask_arrays_that_are_refused(made, error, sentence):
    with pytest.raises(error) as caught:
        row_blocks(made(pytest.importorskip("dask.array")))
    assert str(caught.value) == sentence


def test_a_dask_collection_that_is_no_array():
    class Frame:
        __dask_graph__ = None

    with pytest.raises(TypeError) as caught:
        row_blocks(Frame())
    assert str(caught.value) == (
        "X is a dask Frame, which is not an array; pass X.to_dask_array(lengths=True)"
    )
