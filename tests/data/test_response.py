"""Responses of every family: what each kind of y is read as, and what is said of the rest."""

import pickle

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import every
from hypothesis import given

from sparsesolve.data import (
    read_amounts,
    read_binary,
    read_classes,
    read_positive,
    read_real,
    read_sides,
)

NAN, INF = np.nan, np.inf


@every(
    "y, values, names",
    [
        ([0, 1, 1], [0, 1, 1], [0, 1]),
        ([True, False, True], [1, 0, 1], [False, True]),
        (np.array([True, False, True], object), [1, 0, 1], [False, True]),
        (np.array([[0], [1], [1]]), [0, 1, 1], [0, 1]),
        ([-1, 1, -1], [0, 1, 0], [-1, 1]),
        ([2, 1, 1], [1, 0, 0], [1, 2]),
        (["yes", "no", "no"], [1, 0, 0], ["no", "yes"]),
        (pd.Series(["b", "a", "b"], dtype="string"), [1, 0, 1], ["a", "b"]),
        (pd.Series([True, False, True], dtype="boolean"), [1, 0, 1], [False, True]),
        (pa.array(["b", "a", "b"]), [1, 0, 1], ["a", "b"]),
        ([0.2, 0.7, 0.2], [0.2, 0.7, 0.2], None),
        ([0, 0.5, 1], [0, 0.5, 1], None),
    ],
)  # fmt: skip
def test_two_classes(y, values, names):
    read = read_binary(y, 3)
    assert read.values.dtype == np.float64 and read.counts is None
    assert read.values.tolist() == values
    if names is not None:
        assert read.class_names.tolist() == names
        assert [type(x) for x in read.class_names.tolist()] == [type(x) for x in names]
    if read.class_names is not None:
        sides = read_sides(y, 3)
        assert sides.values.tolist() == [2 * v - 1 for v in values]
        assert sides.class_names.tolist() == read.class_names.tolist()
        pickle.loads(pickle.dumps(read))


@pytest.mark.parametrize("table", [
    [[1, 2], [3, 0], [0, 0]],
    np.array([[1, 2], [3, 0], [0, 0]], np.uint8),
    pd.DataFrame({"dead": [1, 3, 0], "alive": [2, 0, 0]}),
    pa.table({"dead": [1, 3, 0], "alive": [2, 0, 0]}),
    pl.DataFrame({"dead": [1, 3, 0], "alive": [2, 0, 0]}),
])  # fmt: skip
def test_two_columns_are_failures_and_successes(table):
    read = read_binary(table, 3)
    assert read.values[:2].tolist() == [2 / 3, 0.0] and np.isfinite(read.values).all()
    assert read.counts.tolist() == [3.0, 3.0, 0.0]
    if not isinstance(table, (list, np.ndarray)):
        assert read.class_names.tolist() == ["dead", "alive"]


def test_nothing_of_the_users_is_changed_or_shared():
    for y, f in [(np.array([0.0, 1.0]), read_binary), (np.eye(2), read_binary),
                 (np.eye(2), read_classes), (np.ones(2), read_amounts)]:  # fmt: skip
        before = y.copy()
        read = f(y, 2)
        assert read.values.flags.writeable and not np.shares_memory(read.values, y)
        read.values[:] = 7.0
        assert np.array_equal(y, before)


@pytest.mark.parametrize("y, names", [
    (["c", "a", "b", "a"], ["a", "b", "c"]),
    ([7, 0, 2, 0], [0, 2, 7]),
    (pd.Series(["c", "a", "b", "a"], dtype="category"), ["a", "b", "c"]),
])  # fmt: skip
def test_several_classes(y, names):
    read = read_classes(y, 4)
    assert read.class_names.tolist() == names and read.counts is None
    assert read.values.tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert read.values.T.flags.c_contiguous


def test_a_table_of_classes_is_one_hot_shares_or_counts():
    assert read_classes(np.eye(3), 3).counts is None
    assert read_classes([[0.25, 0.75], [0.5, 0.5]], 2).values.tolist() == [
        [0.25, 0.75], [0.5, 0.5]]  # fmt: skip
    read = read_classes(pd.DataFrame([[1, 0, 3], [0, 1, 1]], columns=[1, 2, 5]), 2)
    assert read.values.tolist() == [[0.25, 0, 0.75], [0, 0.5, 0.5]]
    assert read.counts.tolist() == [4.0, 2.0] and read.class_names.tolist() == [1, 2, 5]
    assert read.values.T.flags.c_contiguous


@given(st.lists(st.integers(0, 3), min_size=2, max_size=12).filter(lambda y: len(set(y)) > 1))
def test_codes_lead_back_to_the_labels(y):
    for labels in (y, [f"class {k}" for k in y], [float(k) for k in y]):
        read = read_classes(labels, len(y))
        assert (read.values.sum(axis=1) == 1.0).all()
        assert read.class_names[read.values.argmax(axis=1)].tolist() == labels
        assert sorted(read.class_names) == list(read.class_names)


BOTH = (read_binary, read_sides, read_classes)
BINARY, CLASSES = (read_binary,), (read_classes,)
TWO = (read_binary, read_sides)


@every("readers, y, error, words", [
    (BOTH, [0, 0, 0], ValueError, r"y holds one class only \(0 in all 3 rows\)"),
    (BOTH, ["a"] * 3, ValueError, r"y holds one class only \('a' in all 3 rows\)"),
    (TWO, [0, 1, 2], ValueError, r"3 different labels \(0, 1, 2\) where two are.*'multinomial'"),
    (TWO, ["a", "b", "c"], ValueError, r"3 different labels \('a', 'b', 'c'\)"),
    (CLASSES, np.zeros((3, 0)), ValueError, "y has no column; give one for each class"),
    (BOTH, [0, NAN, 1], ValueError, "y holds nan at position 1.*drop that row or replace"),
    (BOTH, [0, INF, 1], ValueError, "y holds inf at position 1"),
    (BINARY, [0.2, 0.5, 1.5], ValueError, r"y holds 1.5 at position 2 .*shares in \[0, 1\]"),
    (BINARY, [-0.2, 0.5, 1], ValueError, "y holds -0.2 at position 0"),
    ((read_sides, read_classes), [0, 0.5, 1], ValueError,
     "y holds 0.5 at position 1 .*must be whole"),
    (BOTH, [0, 1], ValueError, "y has 2 values but X has 3 rows"),
    (BOTH, np.zeros((3, 2, 2)), ValueError, r"shape \(3, 2, 2\)"),
    (BINARY, np.eye(3), ValueError, r"y has shape \(3, 3\).*\(failures, successes\)"),
    (BINARY + CLASSES, [[1, 1], [1, -2], [1, 1]], ValueError, "y holds -2.0 at row 1, column 1"),
    (BINARY + CLASSES, [[1, 1], [1, NAN], [1, 1]], ValueError, "y holds nan at row 1, column 1"),
    (BINARY + CLASSES, [[1, 1], [1, 1]], ValueError, "y has 2 rows but X has 3"),
    (BINARY + CLASSES, np.full((3, 2), 1e308), ValueError, "counts of row 0 of y overflow"),
    (BINARY, [[1, 0], [2, 0], [3, 0]], ValueError, "counts no success in any row .column 1"),
    (BINARY, [[0, 1], [0, 1], [0, 0]], ValueError, "counts no failure in any row .column 0"),
    (CLASSES, [[1, 0, 1], [2, 0, 1], [3, 0, 1]], ValueError, "no member of class 1 .*column 1"),
    (CLASSES, pd.DataFrame(np.eye(3) * [1, 0, 1], columns=[*"abc"]), ValueError, "of class 'b'"),
    (BINARY + CLASSES, np.array([["a", "b"]] * 3), TypeError, "y .*holds text"),
    ((read_sides,), np.eye(3), ValueError, r"shape \(3, 3\); give one label per row"),
])  # fmt: skip
def test_classes_refused(readers, y, error, words):
    for read in readers:
        with pytest.raises(error, match=words) as caught:
            read(y, 3)
        assert "\n" not in str(caught.value)


def test_amounts():
    assert read_amounts([0, 1.5, 3], 3).values.tolist() == [0, 1.5, 3]
    assert read_amounts([False, True], 2).values.tolist() == [0, 1]
    assert read_positive([0.5, 1], 2).values.tolist() == [0.5, 1]
    assert read_real([-1, 1], 2).values.tolist() == [-1, 1]


@pytest.mark.parametrize("read, y, words", [
    (read_amounts, [1, -1], "y holds -1.0 at position 1.*at least 0"),
    (read_amounts, [0, 0], "y is 0 in all 2 rows.*at least one row needs a positive"),
    (read_amounts, [0, NAN], "y holds nan at position 1"),
    (read_positive, [1, 0], "y holds 0.0 at position 1.*must be positive"),
    (read_positive, [1], "y has 1 values but X has 2 rows"),
    (read_real, [1, INF], "y holds inf"),
])  # fmt: skip
def test_amounts_refused(read, y, words):
    with pytest.raises(ValueError, match=words) as caught:
        read(y, 2)
    assert "\n" not in str(caught.value)
