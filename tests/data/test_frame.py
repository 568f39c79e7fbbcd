"""Data frames of pandas, polars and pyarrow: values, names, and what is refused by name."""

import datetime

import numpy as np
import pytest

from sparsesolve.data import (
    nonfinite_error,
    read_design,
    read_response,
)

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
A = np.arange(12.0).reshape(4, 3)


def arrow(data):
    return pytest.importorskip("pyarrow").table(data)


def batch(data):
    return pytest.importorskip("pyarrow").record_batch(data)


MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": arrow, "batch": batch}


@pytest.fixture(params=MAKERS)
def frame(request):
    return MAKERS[request.param]


def test_mixed_columns(frame):
    X = frame({"real": [0.5, 1.5], "whole": [2**40, -1], "flag": [True, False]})
    matrix, names = read_design(X)
    assert matrix.dtype == np.float64 and matrix.strides[0] == 8
    np.testing.assert_array_equal(matrix, [[0.5, 2.0**40, 1], [1.5, -1, 0]])
    assert names.tolist() == ["real", "whole", "flag"] and names.dtype == object


def test_single_precision_stays(frame):
    X = frame({"a": np.array([1, 2], np.float32), "b": np.array([3, 4], np.int16)})
    matrix, _ = read_design(X)
    assert matrix.dtype == np.float32
    np.testing.assert_array_equal(matrix, [[1, 3], [2, 4]])


@pytest.mark.parametrize(
    "column, error, match",
    [
        (["red", "blue"], TypeError, "holds.* text.*; encode it as"),
        ([1, None], ValueError, r"missing value at row 1 of column 'c' \(counted|nan"),
        ([datetime.date(2024, 1, 1)] * 2, TypeError, "holds"),
        ([datetime.timedelta(1)] * 2, TypeError, "holds durations"),
        ([[1.0], [2.0]], TypeError, "c"),
    ],
)
def test_refused_columns(frame, column, error, match):
    X = frame({"a": [1.0, 2.0], "c": column})
    if frame is pd.DataFrame and column == [1, None]:  # plain NaN there, found by the first pass
        matrix, names = read_design(X)
        assert "nan at row 1 of column 'c'" in str(nonfinite_error(matrix, names))
        return
    with pytest.raises(error, match=match) as caught:
        read_design(X)
    assert "'c'" in str(caught.value)


def test_frames_without_rows_or_columns(frame):
    with pytest.raises(ValueError, match="X has no (rows|columns)"):
        read_design(frame({"a": np.array([], float)}))
    with pytest.raises(ValueError, match="X has no"):
        read_design(frame({}))


def test_pandas_block_is_not_copied():
    X = pd.DataFrame(A, columns=["a", "b", "c"])
    for dtype in (np.float64, np.float32):
        # pandas keeps a frame of one type as rows of features: its values are column-major
        columns = pd.DataFrame(np.asfortranarray(A.astype(dtype)), columns=X.columns, copy=False)
        matrix, names = read_design(columns)
        assert np.shares_memory(matrix, columns.to_numpy()) and matrix.dtype == dtype
        np.testing.assert_array_equal(matrix, A)
    assert names.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    "columns, expected",
    [
        (range(3), ["0", "1", "2"]),
        (["a", "a", "b"], ["a", "a", "b"]),
        ([("a", 1), ("a", 2), ("b", 1)], ["('a', 1)", "('a', 2)", "('b', 1)"]),
    ],
)
def test_pandas_labels(columns, expected):
    for X in (pd.DataFrame(A), pd.DataFrame(A).astype({0: np.float32})):
        X.columns = columns
        matrix, names = read_design(X)
        assert names.tolist() == expected
        np.testing.assert_array_equal(matrix, A)


@pytest.mark.parametrize("dtype", ["Int64", "Int8", "Float64", "boolean", "int64[pyarrow]"])
def test_pandas_nullable_types(dtype):
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    X = pd.DataFrame({"a": [1.0, 0.5], "b": pd.array([1, 0], dtype=dtype)})
    np.testing.assert_array_equal(read_design(X)[0], [[1, 1], [0.5, 0]])
    X = pd.DataFrame({"a": [1.0, 0.5], "b": pd.array([1, None], dtype=dtype)})
    with pytest.raises(ValueError, match="missing value at row 1 of column 'b'"):
        read_design(X)


def test_pandas_objects_and_categories():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Series([1, 2.5], dtype=object)})
    np.testing.assert_array_equal(read_design(X)[0], [[1, 1], [2, 2.5]])
    X["b"] = pd.Series([1, None], dtype=object)
    with pytest.raises(ValueError, match=r"missing value \(None\) at row 1 of column 'b'"):
        read_design(X)
    X["b"] = pd.Series([1, 2]).astype("category")
    with pytest.raises(TypeError, match="column 'b' of X holds categories; encode"):
        read_design(X)
    X["b"] = [1j, 2]
    with pytest.raises(TypeError, match="column 'b' of X .*holds complex numbers"):
        read_design(X)


def test_pandas_sparse_frames():
    pytest.importorskip("scipy", "1.14.1")  # for what pandas does here
    X = pd.DataFrame(np.eye(3)).astype(pd.SparseDtype(np.float64, 0.0))
    matrix, names = read_design(X)
    assert matrix.format == "csc" and names.tolist() == ["0", "1", "2"]
    np.testing.assert_array_equal(matrix.toarray(), np.eye(3))
    X[1] = 2.0  # no longer sparse throughout
    np.testing.assert_array_equal(read_design(X)[0], X.to_numpy())
    ones = pd.DataFrame(np.ones((3, 2))).astype(pd.SparseDtype(np.float64, 1.0))
    np.testing.assert_array_equal(read_design(ones)[0], np.ones((3, 2)))


def test_polars_kinds():
    X = pl.DataFrame({"a": [1.0, 2.0], "b": pl.Series(["x", "y"], dtype=pl.Categorical)})
    with pytest.raises(TypeError, match="column 'b' of X holds categories"):
        read_design(X)
    with pytest.raises(TypeError, match=r"X is a LazyFrame.*pass X.collect\(\)"):
        read_design(X.lazy())
    X = X.with_columns(b=pl.Series([None, 1.5]))
    with pytest.raises(ValueError, match="missing value at row 0 of column 'b'"):
        read_design(X)
    chunked = pl.concat([pl.DataFrame({"a": [1, 2]}), pl.DataFrame({"a": [3]})], rechunk=False)
    np.testing.assert_array_equal(read_design(chunked)[0].ravel(), [1, 2, 3])


def test_a_series_is_no_design_but_a_response():
    for series in (pd.Series([1.0, 2.0]), pl.Series([1.0, 2.0])):
        with pytest.raises(ValueError, match="X is one-dimensional"):
            read_design(series)
        np.testing.assert_array_equal(read_response(series, 2), [1, 2])
    np.testing.assert_array_equal(read_response(pd.DataFrame({"y": [1, 2]}), 2), [1, 2])
    np.testing.assert_array_equal(read_response(pl.DataFrame({"y": [1, 2]}), 2), [1, 2])
    with pytest.raises(ValueError, match="y (has a missing value .*|holds nan) at position 1"):
        read_response(pd.Series([1, None], dtype="Int64"), 2)
    with pytest.raises(ValueError, match="y holds nan at position 1"):
        read_response(pl.Series([1, None]), 2)


def test_a_frame_not_computed_yet():
    class Delayed:
        iloc = columns = dtypes = ()
        shape = ("unknown", 0)

    with pytest.raises(TypeError, match="not computed yet; compute it first"):
        read_design(Delayed())




def test_columns_of_several_numpy_types_are_taken_type_by_type():
    """One by one they took 9 s where 100,000 of them took 0.4 together."""
    rng = np.random.default_rng(0)
    small, real = rng.integers(0, 3, (5, 4)).astype(np.int8), rng.normal(size=(5, 2))
    frame = pd.DataFrame(small, columns=list("abcd"))
    frame.insert(1, "u", real[:, 0])
    frame.insert(4, "flag", real[:, 1] > 0)
    values, names = read_design(frame)
    assert values.dtype == np.float64 and values.flags.f_contiguous and names[1] == "u"
    assert (values == frame.to_numpy(dtype=float)).all()
    values, _ = read_design(frame.astype({"u": np.float32}))
    assert values.dtype == np.float32
