"""Dense designs: what is accepted becomes column-major, what is not is refused in one sentence."""


import hypothesis.strategies as st
import numpy as np
import pytest
from cases import every
from hypothesis import given
from hypothesis.extra import numpy as hnp

from sparsesolve.data import nonfinite_error, read_design

A = np.arange(12.0).reshape(4, 3)
MASKED = np.ma.masked_array(A, mask=A == 7)
SMALL = np.array([[0, 1], [1, 0], [1, 1]])


def assert_canonical(matrix):
    n, p = matrix.shape
    assert matrix.dtype in (np.float32, np.float64) and matrix.dtype.isnative
    assert matrix.strides[0] == matrix.itemsize
    assert matrix.strides[1] >= n * matrix.itemsize and matrix.strides[1] % matrix.itemsize == 0
    assert matrix.flags.aligned


@every(
    "X",
    [
        np.asfortranarray(A),
        np.asfortranarray(A.astype(np.float32)),
        np.asfortranarray(A)[:, ::2],  # columns apart
        np.asfortranarray(A)[1:3],
        A.T[:, 1:],
        A[:1],  # one row: its stride means nothing
        A[:1, ::2],
        A.ravel()[:, None],  # one column
        A[:1, :1],
        np.broadcast_to(A.ravel()[:, None], (12, 1)),
        np.frombuffer(A.tobytes()).reshape(3, 4).T,  # read-only
    ],
)
def test_column_major_is_not_copied(X):
    matrix, names = read_design(X)
    assert_canonical(matrix)
    assert np.shares_memory(matrix, X) and names is None
    assert matrix.dtype == X.dtype
    np.testing.assert_array_equal(matrix, X)


def unaligned(array):
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = raw[1:].view(array.dtype).reshape(array.shape[::-1]).T
    view[...] = array
    return view


@every(
    "X, dtype",
    [
        (A, np.float64),
        (A.astype(np.float32), np.float32),
        (A.astype(np.longdouble), np.float64),
        (A > 5, np.float32),
        (A.astype(">f8"), np.float64),
        (A.astype(">f4").T.copy().T, np.float32),
        (np.broadcast_to(A[0], (5, 3)), np.float64),
        (np.lib.stride_tricks.sliding_window_view(A.ravel(), 4), np.float64),  # overlapping
        (unaligned(A), np.float64),
        (A.astype(object), np.float64),
        (tuple(map(tuple, A.astype(int).tolist())), np.float64),
        ([[True, False], [False, True]], np.float32),
        (np.matrix(A), np.float64),
        (np.ma.masked_array(A), np.float64),
        (A.view(type("Sub", (np.ndarray,), {})), np.float64),
        (np.full((1, 1), 3.0), np.float64),
    ],
)
def test_other_layouts_and_types(X, dtype):
    """And any slice of any type: test_any_array. What is no array: test_array.py."""
    before = X.tobytes() if isinstance(X, np.ndarray) else repr(X)
    matrix, _ = read_design(X)
    assert_canonical(matrix)
    assert matrix.dtype == dtype and type(matrix) is np.ndarray
    np.testing.assert_array_equal(matrix, np.asarray(np.asarray(X), dtype=np.float64))
    assert before == (X.tobytes() if isinstance(X, np.ndarray) else repr(X))


def test_a_copy_of_many_blocks():
    X = np.arange(300.0 * 700).reshape(300, 700)
    matrix, _ = read_design(X)
    assert_canonical(matrix)
    np.testing.assert_array_equal(matrix, X)


@given(
    hnp.arrays(
        st.one_of(
            hnp.floating_dtypes(sizes=(16, 32, 64), endianness="?"),
            hnp.integer_dtypes(endianness="?"),
            hnp.unsigned_integer_dtypes(endianness="?"),
            hnp.boolean_dtypes(),
        ),
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=7),
    ).flatmap(lambda a: st.tuples(st.just(a), st.tuples(*map(st.slices, a.shape))))
)
def test_any_array(case):
    X = case[0][case[1]]
    if X.size == 0:
        with pytest.raises(ValueError, match="X has no (rows|columns)"):
            read_design(X)
        return
    before = X.copy()
    matrix, _ = read_design(X)
    assert_canonical(matrix)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(matrix, np.asarray(X, dtype=np.float64))
    np.testing.assert_array_equal(before, X)
    finite = np.isfinite(np.asarray(X, dtype=np.float64)).all()
    assert (nonfinite_error(matrix) is None) == finite


@every(
    "X, error, match",
    [
        (None, TypeError, "X is None"),
        (3.0, ValueError, r"two-dimensional, rows by columns, not of shape \(\)"),
        (A[0], ValueError, r"X is one-dimensional \(3 values\); pass X.reshape\(-1, 1\)"),
        (A.reshape(2, 2, 3), ValueError, r"two-dimensional.*\(2, 2, 3\)"),
        ([], ValueError, "X has no rows"),
        (A[:0], ValueError, r"X has no rows \(shape \(0, 3\)\)"),
        (A[:, :0], ValueError, r"X has no columns \(shape \(4, 0\)\)"),
        ([[], []], ValueError, "X has no columns"),
    ],
)
def test_refused(X, error, match):
    """And what test_array.py refuses, of which None is one."""
    with pytest.raises(error, match=match) as caught:
        read_design(X)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_maps_stay_maps(tmp_path, dtype):
    X = np.memmap(tmp_path / "x", dtype, "w+", shape=(5, 4), order="F", offset=4104)
    X[...] = np.arange(20).reshape(5, 4)
    X.flush()
    opened = np.memmap(tmp_path / "x", dtype, "r", shape=(5, 4), order="F", offset=4104)
    matrix, _ = read_design(opened)
    assert isinstance(matrix, np.memmap) and np.shares_memory(matrix, opened)
    assert type(read_design(np.ascontiguousarray(opened))[0]) is np.ndarray
    for part in (opened[:, :1], opened[:1]):
        assert isinstance(read_design(part)[0], np.memmap)


def test_the_first_entry_that_is_not_finite_is_named():
    X = np.ones((3, 4), order="F")
    assert nonfinite_error(X) is None
    X[2, 1] = np.inf
    X[0, 3] = np.nan
    assert str(nonfinite_error(X)) == (
        "X holds inf at row 2, column 1 (counted from 0); replace it by a finite number"
    )
    X[2, 1] = 0.0
    assert str(nonfinite_error(X, np.array(list("abcd"), object))) == (
        "X holds nan at row 0 of column 'd' (counted from 0); fill it or drop its row"
    )


def test_more_rows_than_32_bits_count_are_refused():
    X = np.broadcast_to(np.float32(1.0), (2**31, 1))  # of one value in memory
    with pytest.raises(ValueError, match="X has 2147483648 rows; in memory .* at most 2147483647"):
        read_design(X)
