"""Columns of tables with categories and gaps: what is a number, what a label, what is missing."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from sparsesolve.data import read_mixed_columns


def one(column):
    (read,) = read_mixed_columns({"a": column}).values()
    return read


@pytest.mark.parametrize("column", [[1, 2, 3], [True, False, True], np.array([1, 2], np.int8),
                                    [1.5, None, np.nan], np.array([1, 2.5, None], object)],
                         ids=str)  # fmt: skip
def test_numbers_are_floats_with_nan_where_missing(column):
    read = one(column)
    assert read.dtype == np.float64
    expected = [np.nan if x is None else float(x) for x in column]
    np.testing.assert_array_equal(read, expected)


def test_labels_come_with_none_where_missing_and_the_order_of_a_categorical():
    labels, order = one(["red", None, float("nan"), 3])
    assert labels.tolist() == ["red", None, None, 3] and order is None
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.Categorical([2, None], categories=[5, 2])})
    labels, order = read_mixed_columns(frame)["a"]
    assert labels.tolist() == [2, None] and order == [5, 2]


def test_whole_numbers_in_categories_are_labels_in_whatever_holds_them():
    pandas = pytest.importorskip("pandas")
    column = pandas.Categorical([3, 1, 3, 2], categories=[3, 2, 1])
    for form in (column, pandas.Series(column), pandas.CategoricalIndex(column)):
        labels, order = one(form)
        assert labels.tolist() == [3, 1, 3, 2] and order == [3, 2, 1]


def test_a_dictionary_of_arrow_is_a_column_of_labels():
    arrow = pytest.importorskip("pyarrow")
    first = arrow.array([3, 1, None]).dictionary_encode()
    labels, order = one(first)
    assert labels.tolist() == [3, 1, None] and order == [3, 1]
    table = arrow.table({"a": arrow.chunked_array([first, arrow.array([7]).dictionary_encode()])})
    labels, order = read_mixed_columns(table)["a"]
    assert labels.tolist() == [3, 1, None, 7] and order == [3, 1, 7]
    twice = arrow.DictionaryArray.from_arrays(arrow.array([0, 1, 2]), arrow.array([5, 5, None]))
    labels, order = one(twice)
    assert labels.tolist() == [5, 5, None] and order == [5]
    pandas = pytest.importorskip("pandas")
    kind = pandas.ArrowDtype(arrow.dictionary(arrow.int32(), arrow.int64()))
    labels, order = one(pandas.Series([3, 1, None, 3], dtype=kind))
    assert labels.tolist() == [3, 1, None, 3] and order == [3, 1]


def test_a_column_without_any_value_is_one_of_labels():
    labels, order = one([None, None])
    assert labels.tolist() == [None, None] and order is None


def test_columns_of_arrays_are_named_by_number():
    read = read_mixed_columns(np.eye(2))
    assert {name: column.tolist() for name, column in read.items()} == {
        "x0": [1.0, 0.0], "x1": [0.0, 1.0]}  # fmt: skip


@pytest.mark.parametrize("table, words", [
    ({"a": [1, 2], "b": [1]}, r"have \[1, 2\] rows"),
    ({"a": []}, r"the table has no rows"),
    ({"a": [1.0, np.inf]}, "column 'a' is inf at row 1"),
    ({"a": [None, -np.inf]}, "column 'a' is -inf at row 1"),
    (np.arange(3), "rows by columns"),
    ({}, "no columns"),
    ({"a": 1.0}, r"column 'a' has shape \(\); give one value for each row"),
    ({"a": np.ones((2, 2))}, r"column 'a' has shape \(2, 2\)"),
    ({"a": [[1], [1, 2]]}, "column 'a' is a list of rows of different lengths"),
    ({1: [1, 2], "1": [3, 4]}, "two columns of one name"),
])  # fmt: skip
def test_bad_tables_are_refused(table, words):
    with pytest.raises(ValueError, match=words):
        read_mixed_columns(table)


def test_what_is_no_mixed_table_is_refused():
    with pytest.raises(TypeError, match="column 'day' holds datetime64"):
        read_mixed_columns({"day": np.array(["2020-01-01"], dtype="datetime64[D]")})
    with pytest.raises(TypeError, match="column 'a' is 'abc'; give one value for each row"):
        read_mixed_columns({"a": "abc"})
    with pytest.raises(TypeError, match="sparse matrix, numbers already; pass it as X"):
        read_mixed_columns(sparse.eye_array(3))


def test_what_is_masked_is_missing():
    mask = [False, True, False]
    found = read_mixed_columns({
        "number": np.ma.array([1.0, 999.0, 3.0], mask=mask),
        "flag": np.ma.array([True, True, False], mask=mask),
        "text": np.ma.array(["x", "y", "x"], mask=mask),
    })  # fmt: skip
    np.testing.assert_array_equal(found["number"], [1.0, np.nan, 3.0])
    np.testing.assert_array_equal(found["flag"], [1.0, np.nan, 0.0])
    assert found["text"][0].tolist() == ["x", None, "x"]
    (column,) = read_mixed_columns(np.ma.array([[1], [2], [3]], mask=np.c_[mask])).values()
    np.testing.assert_array_equal(column, [1.0, np.nan, 3.0])


def test_numbers_of_any_type_are_numbers():
    found = read_mixed_columns({"price": [Decimal("1.5"), None, Fraction(1, 4)]})
    np.testing.assert_array_equal(found["price"], [1.5, np.nan, 0.25])
    with pytest.raises(ValueError, match="column 'a' holds a number that no 64-bit float"):
        read_mixed_columns({"a": [10**400, 1]})
