"""Class labels: codes and names against numpy's and Python's sorting, and what is refused."""

import datetime
import decimal
import enum

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import every

from sparsesolve.data.labels import array_of_labels, label_array, read_labels

ORDERED = pd.CategoricalDtype(["low", "high", "never"], ordered=True)
UNSORTED = enum.Enum("UNSORTED", "red blue")
WHOLE = [3, 1, 2, 1, 3]


def objects(*items):
    array = np.empty(len(items), object)
    array[:] = items
    return array


@every("y, names", [
    (WHOLE, [1, 2, 3]),
    (tuple(WHOLE), [1, 2, 3]),
    ([float(k) for k in WHOLE], [1.0, 2.0, 3.0]),
    (np.array(WHOLE, np.int8), [1, 2, 3]),
    (np.array(WHOLE).reshape(-1, 1), [1, 2, 3]),
    (pd.Series(WHOLE), [1, 2, 3]),
    (pd.DataFrame({"y": WHOLE}), [1, 2, 3]),
    (pd.Series(WHOLE, dtype="category"), [1, 2, 3]),
    (np.ma.masked_array(WHOLE, mask=False), [1, 2, 3]),
    ([k * 2**62 for k in WHOLE], [2**62, 2**63, 3 * 2**62]),
    ([k + 2**70 for k in WHOLE], [2**70 + 1, 2**70 + 2, 2**70 + 3]),
    ([decimal.Decimal(k) for k in WHOLE], [1.0, 2.0, 3.0]),
    ([f"class {k}" for k in WHOLE], ["class 1", "class 2", "class 3"]),
    (pl.Series([f"c{k}" for k in WHOLE], dtype=pl.Categorical), ["c1", "c2", "c3"]),
    (pl.DataFrame({"y": [f"c{k}" for k in WHOLE]}), ["c1", "c2", "c3"]),
    (np.array([f"c{k}" for k in WHOLE], "S2"), [b"c1", b"c2", b"c3"]),
    (np.array([f"c{k}" for k in WHOLE], np.dtypes.StringDType()), ["c1", "c2", "c3"]),
    (np.array([f"200{k}-01-01" for k in WHOLE], "M8[D]"), [datetime.date(2000 + k, 1, 1)
                                                          for k in (1, 2, 3)]),
    (np.array(WHOLE, "m8[s]"), [datetime.timedelta(seconds=k) for k in (1, 2, 3)]),
    ([datetime.date(2000, 1, k) for k in WHOLE], [datetime.date(2000, 1, k) for k in (1, 2, 3)]),
    (objects(*[(k, "a") for k in WHOLE]), [(1, "a"), (2, "a"), (3, "a")]),
])  # fmt: skip
def test_codes_stand_for_the_labels_in_sorted_order(y, names):
    codes, found = read_labels(y, 5)
    assert codes.tolist() == [2, 0, 1, 0, 2]
    assert np.issubdtype(codes.dtype, np.integer) and codes.shape == (5,)
    assert found.tolist() == names
    assert [type(name) for name in found.tolist()] == [type(name) for name in names]


@every("y, dtype", [
    ([True, False], np.bool_),
    ([np.True_, False], np.bool_),
    (objects(True, False), np.bool_),
    (objects(True, 3), np.int64),
    (objects(2, np.int8(3)), np.int64),
    (objects(2, 3.0), np.float64),
    (objects(2**64, 3), np.object_),
    (np.array([1, 2], np.uint8), np.uint8),
    (["1", "2"], np.dtype("<U1")),
    (np.array(["1", "2"]), np.dtype("<U1")),
    ([b"1", b"2"], np.object_),
    (objects("1", "22"), np.dtype("<U2")),
])  # fmt: skip
def test_names_keep_their_type(y, dtype):
    codes, names = read_labels(y, 2)
    assert names.dtype == dtype and sorted(codes.tolist()) == [0, 1]
    assert [names.tolist()[k] for k in codes] == list(y)


def test_text_among_numbers_is_not_made_of_them():
    assert label_array(["1", 1]).tolist() == ["1", 1]
    assert label_array(("a", b"a")).tolist() == ["a", b"a"]
    assert label_array(np.array(["1", "2"])).dtype == "<U1"
    assert label_array([[1], [2]]).tolist() == [1, 2]
    assert label_array([[1, 2]]).tolist() == [[1, 2]]
    assert label_array(objects()).dtype == object
    assert type(label_array(np.array([[1, 2]]).view(np.matrix))) is np.ndarray


@pytest.mark.parametrize("y", [
    pd.Series(["high", "low", "high"], dtype=ORDERED),
    pd.Categorical(["high", "low", "high"], dtype=ORDERED),
    pd.CategoricalIndex(["high", "low", "high"], dtype=ORDERED),
    pd.DataFrame({"y": pd.Series(["high", "low", "high"], dtype=ORDERED)}),
    pl.Series(["high", "low", "high"], dtype=pl.Enum(["low", "high", "never"])),
    pl.DataFrame({"y": pl.Series(["high", "low", "high"], dtype=pl.Enum(["low", "high"]))}),
])  # fmt: skip
def test_an_ordered_category_keeps_its_order_without_the_unused(y):
    codes, names = read_labels(y, 3)
    assert codes.tolist() == [1, 0, 1] and names.tolist() == ["low", "high"]
    with pytest.raises(ValueError, match="^y has 3 values but X has 4 rows; give one value per"):
        read_labels(y, 4)


def test_an_unordered_category_is_sorted():
    y = pd.Categorical(["b", "a", "b"], categories=["b", "z", "a"])
    codes, names = read_labels(y, 3)
    assert codes.tolist() == [1, 0, 1] and names.tolist() == ["a", "b"]


def test_whole_numbers_beyond_64_bits_are_told_apart():
    """numpy reads such a list as floats, in which neighbours beyond 2^53 are one number."""
    y = [2**63 + 2, 17, 2**63 + 4]
    codes, names = read_labels(y, 3)
    assert codes.tolist() == [1, 0, 2] and names.tolist() == [17, 2**63 + 2, 2**63 + 4]
    assert array_of_labels(y).tolist() == y
    codes, names = read_labels(np.array(y, np.uint64), 3)
    assert codes.tolist() == [1, 0, 2] and names.dtype == np.uint64


def test_labels_as_an_array():
    assert array_of_labels(["a", "bc"]).dtype == "<U2"
    assert array_of_labels([1, True]).dtype == np.int64
    for labels in (["a", 1], [1.5, 2], [(1, 2), (3, 4)], [None]):
        array = array_of_labels(labels)
        assert array.dtype == object and array.shape == (len(labels),)
        assert array.tolist() == labels


@every("y, error, sentence", [
    (3, ValueError, "y is a single value; give one label per row"),
    (np.eye(3), ValueError, "y is an array of shape (3, 3); give one label per row"),
    ([1, 2], ValueError, "y has 2 values but X has 3 rows; give one value per row"),
    ([0, np.inf, np.nan], ValueError,
     "y holds inf at position 1 (counted from 0); drop that row or replace the value"),
    ([0, 1, 0.5], ValueError,
     "y holds 0.5 at position 2 (counted from 0); labels that are numbers must be whole"),
    (objects(0, 1.5, 2), ValueError,
     "y holds 1.5 at position 1 (counted from 0); labels that are numbers must be whole"),
    (np.array(["2000", "NaT", "NaT"], "M8[Y]"), ValueError,
     "y has a missing value (NaT) at position 1 (counted from 0); fill it or drop its row"),
    (np.array([1, 2, "NaT"], "m8[s]"), ValueError,
     "y has a missing value (NaT) at position 2 (counted from 0); fill it or drop its row"),
    (["a", None, None], ValueError,
     "y has a missing value (None) at position 1 (counted from 0); fill it or drop its row"),
    (objects("a", "b", pd.NA), ValueError,
     "y has a missing value (<NA>) at position 2 (counted from 0); fill it or drop its row"),
    (objects(datetime.date(2000, 1, 1), pd.NaT, "b"), ValueError,
     "y has a missing value (NaT) at position 1 (counted from 0); fill it or drop its row"),
    (objects("a", 2.0, np.nan), ValueError,
     "y has a missing value (nan) at position 2 (counted from 0); fill it or drop its row"),
    (pd.Series(["low", "high", None], dtype=ORDERED), ValueError, "y has a missing value (no "
     "category) at position 2 (counted from 0); fill it or drop its row"),
    (["a", "b", 3], TypeError, "y mixes labels of type str ('a' at position 0) and int (3 at "
     "position 2); give all labels one type"),
    ([UNSORTED.red, UNSORTED.blue, UNSORTED.red], TypeError, "y holds labels of type UNSORTED, "
     "which cannot be sorted; give text or whole numbers instead"),
    (objects([1], [2], [1]), TypeError, "y holds labels of type list, which cannot be sorted; "
     "give text or whole numbers instead"),
    (np.ma.masked_equal([0, 1, 2], 1), ValueError, "y is a masked array with a masked entry at "
     "position 1 (counted from 0); fill the masked entries or drop their rows"),
    ("abc", TypeError, "y is 'abc'; pass an array of numbers"),
])  # fmt: skip
def test_the_rest_is_refused_by_a_sentence(y, error, sentence):
    with pytest.raises(error) as caught:
        read_labels(y, 3)
    assert str(caught.value) == sentence


def test_complex_numbers_and_records_are_no_labels():
    with pytest.raises(TypeError, match="^y .dtype complex128. holds complex numbers"):
        read_labels([1j, 2, 3], 3)
    with pytest.raises(TypeError, match="holds records with named fields"):
        read_labels(np.zeros(3, [("a", float), ("b", float)]), 3)
