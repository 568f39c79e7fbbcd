"""Sparse designs: every scipy format becomes canonical CSC, and the user's stays as it was."""

import copy

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sp
from cases import every
from hypothesis import given
from hypothesis.extra import numpy as hnp

from sparsesolve.data import nonfinite_error, read_design

FORMATS = ["csc", "csr", "coo", "bsr", "dia", "lil", "dok"]
A = np.array([[0, 2.0, 0, 0], [1, 0, 0, -3], [0, 0, 0, 4], [5, 6, 0, 0], [0, 0, 0, 7]])


def assert_canonical(matrix, shape):
    assert isinstance(matrix, sp.csc_array) and matrix.shape == shape
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert matrix.data.dtype in (np.float32, np.float64) and matrix.data.dtype.isnative
    assert len(matrix.data) == len(matrix.indices) == matrix.indptr[-1]
    for j in range(shape[1]):
        rows = matrix.indices[matrix.indptr[j] : matrix.indptr[j + 1]]
        assert (np.diff(rows) > 0).all()
    for array in (matrix.data, matrix.indices, matrix.indptr):
        assert array.flags.c_contiguous and array.flags.aligned
    matrix.check_format(full_check=True)


def snapshot(X):
    """Return all that an object holds, flags and cached attributes included."""
    if not hasattr(X, "__dict__"):
        return copy.deepcopy(X)
    return {
        k: (id(v), v.tobytes())
        if isinstance(v, np.ndarray) and v.dtype != object
        else copy.deepcopy(v)
        for k, v in vars(X).items()
    }


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)


@every("dtype", [np.float32, np.float64, np.longdouble, np.int64, np.int8, bool])
@every("kind", ["array", "matrix"])
@every("form", FORMATS)
def test_every_format(form, kind, dtype):
    X = getattr(sp, f"{form}_{kind}")(A.astype(dtype))
    before = snapshot(X)
    matrix, names = read_design(X)
    assert same(before, snapshot(X)) and names is None
    assert_canonical(matrix, A.shape)
    small = dtype in (np.float32, np.int8, bool)
    assert matrix.dtype == (np.float32 if small else np.float64)
    np.testing.assert_array_equal(matrix.toarray(), A.astype(dtype).astype(float))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_canonical_csc_is_not_copied(dtype):
    X = sp.csc_matrix(A.astype(dtype))
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    matrix, _ = read_design(X)
    for ours, theirs in ((matrix.data, X.data), (matrix.indices, X.indices)):
        assert np.shares_memory(ours, theirs)
    assert matrix is not X


def test_int64_indices_share_the_values():
    X = sp.csc_array(A)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(">i8")
    matrix, _ = read_design(X)
    assert_canonical(matrix, A.shape)
    assert np.shares_memory(matrix.data, X.data)


def messy(kind, data=(1.0, 2.0, 4.0, 8.0, 0.0), dtype=float):
    """Return 3 x 3: rows 2, 0, 2, 1 in column 0, an explicit 0 at row 0 of column 2."""
    X = getattr(sp, f"{kind}_array")((3, 3))
    X.data, X.indices = np.array(data, dtype), np.array([2, 0, 2, 1, 0], np.int32)
    X.indptr = np.array([0, 4, 4, 5], np.int32)
    return X


@pytest.mark.parametrize("flags", [None, False, True])
@pytest.mark.parametrize("kind", ["csc", "csr"])
def test_unsorted_and_duplicate_entries(kind, flags):
    X = messy(kind)
    if flags is not None:  # claims that nobody checked
        X.has_sorted_indices = X.has_canonical_format = flags
    before = snapshot(X)
    matrix, _ = read_design(X)
    assert same(before, snapshot(X))
    assert_canonical(matrix, (3, 3))
    expected = np.array([[2.0, 0, 0], [8, 0, 0], [5, 0, 0]])
    np.testing.assert_array_equal(matrix.toarray(), expected if kind == "csc" else expected.T)
    assert matrix.nnz == 4  # the explicit zero stays


def test_duplicates_of_booleans_and_small_integers():
    X = messy("csc", (True,) * 5, bool)
    np.testing.assert_array_equal(read_design(X)[0].toarray()[:, 0], [1, 1, 1])
    X = messy("csc", (100,) * 5, np.int8)  # int8 itself would wrap around
    np.testing.assert_array_equal(read_design(X)[0].toarray()[:, 0], [100, 100, 200])


def test_entries_beyond_the_pointers_are_left_out():
    X = sp.csc_array(A)
    X.data, X.indices = np.append(X.data, np.nan), np.append(X.indices, np.int32(99))
    np.testing.assert_array_equal(read_design(X)[0].toarray(), A)


def test_diagonals_outside_the_matrix_are_left_out():
    X = sp.dia_array((np.ones((3, 6)), [0, -7, 9]), shape=(5, 4))
    np.testing.assert_array_equal(read_design(X)[0].toarray(), np.eye(5, 4))


def test_empty_matrix_and_huge_shape():
    matrix, _ = read_design(sp.csr_array((4, 3)))
    assert_canonical(matrix, (4, 3))
    wide = sp.coo_array(([1.0], ([2**31 - 2], [50])), shape=(2**31 - 1, 100))
    matrix, _ = read_design(wide)
    assert matrix.indices.dtype == np.int32 and matrix.indices[0] == 2**31 - 2
    with pytest.raises(ValueError, match="2147483648 rows; a sparse design may have at most"):
        read_design(sp.coo_array((2**31, 2)))


@st.composite
def matrices(draw):
    """Unsorted triplets with duplicates, then any format and type of index."""
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=2, max_side=6))
    count = draw(st.integers(0, 15))
    rows, columns = (
        draw(hnp.arrays(np.int64, count, elements=st.integers(0, side - 1))) for side in shape
    )
    dtype = draw(st.sampled_from([np.float32, np.float64, np.int64, np.uint8, bool]))
    data = draw(hnp.arrays(dtype, count, elements=st.integers(0, 1 if dtype is bool else 9)))
    form = draw(st.sampled_from(["csc", "csr", "coo"]))
    if form == "coo":
        return sp.coo_array((data, (rows, columns)), shape=shape)
    major, minor, size = (columns, rows, shape[1])
    if form == "csr":
        major, minor, size = (rows, columns, shape[0])
    order = np.argsort(major, kind="stable")
    X = getattr(sp, f"{form}_array")(shape, dtype=dtype)
    X.data, X.indices = data[order], minor[order].astype(draw(hnp.integer_dtypes(endianness="?")))
    X.indptr = np.searchsorted(major[order], np.arange(size + 1)).astype(np.int32)
    return X


@given(matrices())
def test_any_matrix(X):
    before = snapshot(X)
    matrix, _ = read_design(X)
    assert same(before, snapshot(X))
    assert_canonical(matrix, X.shape)
    expected = np.zeros(X.shape)
    if X.format == "coo":
        rows, columns = X.row, X.col
    else:
        major = np.repeat(np.arange(len(X.indptr) - 1), np.diff(X.indptr))
        rows, columns = (X.indices, major) if X.format == "csc" else (major, X.indices)
    np.add.at(expected, (rows.astype(int), columns.astype(int)), X.data.astype(float))
    if X.dtype == bool:
        expected = np.minimum(expected, 1)
    np.testing.assert_array_equal(matrix.toarray(), expected)


@pytest.mark.parametrize(
    "X, error, match",
    [
        (sp.coo_array(np.ones(3)), ValueError, r"sparse array of shape \(3,\)"),
        (sp.csc_array((0, 3)), ValueError, "X has no rows"),
        (sp.csr_array((3, 0)), ValueError, "X has no columns"),
        (sp.csc_array(A * 1j), TypeError, r"X.data \(dtype complex128\) holds complex"),
        (messy("csc", list("abcde"), object), TypeError, r"X.data holds text \('a'\) at position"),
    ],
)
def test_refused(X, error, match):
    with pytest.raises(error, match=match):
        read_design(X)


def test_the_first_entry_that_is_not_finite_is_named():
    X = sp.csc_array(A)
    assert nonfinite_error(X) is None
    X[4, 3] = np.nan
    assert "nan at row 4, column 3" in str(nonfinite_error(read_design(X)[0]))
    X[3, 1] = -np.inf
    assert "-inf at row 3, column 1" in str(nonfinite_error(read_design(X)[0]))
