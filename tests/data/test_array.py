"""What is read as an array of real numbers, and the sentence that everything else gets."""

import datetime
import decimal
import fractions
import mmap
import os

import numpy as np
import pytest
from cases import every

from sparsesolve.data.array import (
    place,
    real_array,
    refuse_overflow,
    refuse_truncated,
    storage_dtype,
)


class Owner:
    """What lends its memory by the protocol of arrays."""

    kept = np.array([1.0, 2.0])
    __array_interface__ = kept.__array_interface__


@every("value, dtype, entries", [
    ([1, 2], np.int64, [1, 2]),
    ((1.5, 2), np.float64, [1.5, 2.0]),
    ([True, False], np.bool_, [True, False]),
    ([], np.float64, []),
    (3, np.int64, 3),
    ([[1], [2]], np.int64, [[1], [2]]),
    (range(3), np.int64, [0, 1, 2]),
    (Owner(), np.float64, [1.0, 2.0]),
    (np.array([1, 2.5, True, np.float32(0.5)], object), np.float64, [1.0, 2.5, 1.0, 0.5]),
    ([decimal.Decimal("0.5"), fractions.Fraction(1, 4)], np.float64, [0.5, 0.25]),
    (decimal.Decimal("0.5"), np.float64, 0.5),
    ([2**70, 1], np.float64, [2.0**70, 1.0]),
    (np.array([], object), np.float64, []),
    (np.ma.masked_array([1, 2], mask=False), np.int64, [1, 2]),
    (np.array([[1, 2]]).view(np.matrix), np.int64, [[1, 2]]),
])  # fmt: skip
def test_numbers_keep_their_values_and_types(value, dtype, entries):
    array = real_array("w", value)
    assert type(array) is np.ndarray
    assert array.dtype == dtype and array.tolist() == entries


def test_arrays_are_not_copied():
    for array in (np.arange(3.0), np.arange(3, dtype=np.int8), np.eye(3)[:, ::2]):
        assert real_array("w", array) is array
        assert np.shares_memory(real_array("w", np.ma.masked_array(array)), array)
    matrix = np.eye(2).view(np.matrix)
    assert np.shares_memory(real_array("X", matrix), matrix)


@every("name, value, error, sentence", [
    ("w", None, TypeError, "w is None; pass an array of numbers"),
    ("w", "1, 2", TypeError, "w is '1, 2'; pass an array of numbers"),
    ("w", b"12", TypeError, "w is b'12'; pass an array of numbers"),
    ("w", {1, 2}, TypeError, "w is a set, which is not an array of numbers; pass a numpy array"),
    ("w", [10**400], ValueError, "w holds a number that no 64-bit float can hold (int too large "
     "to convert to float); rescale it"),
    ("w", [[1, 2], [3]], ValueError,
     "w is a list of rows of different lengths: row 0 has 2 values, row 1 has 1 values"),
    ("w", ([1, 2], [3, 4], 5), ValueError,
     "w is a tuple of rows of different lengths: row 0 has 2 values, row 2 has one value"),
    ("w", [1, [2]], ValueError,
     "w is a list of rows of different lengths: row 0 has one value, row 1 has 1 values"),
    ("w", np.array([1j]), TypeError, "w (dtype complex128) holds complex numbers, and only real "
     "ones can be fitted; pass their real and imaginary parts as separate columns"),
    ("w", ["a"], TypeError, "w (dtype <U1) holds text; encode it as numbers first"),
    ("X", ["a"], TypeError, "X (dtype <U1) holds text; encode it as numbers first, as "
     "sparsesolve.make_design does"),
    ("y", np.array(["a"], "S1"), TypeError, "y (dtype |S1) holds text; for classes use "
     "path(..., family='binomial') or family='multinomial'"),
    ("y", np.array(["a"], np.dtypes.StringDType()), TypeError, "y (dtype StringDType()) holds "
     "text; for classes use path(..., family='binomial') or family='multinomial'"),
    ("w", np.array(["2020"], "M8[Y]"), TypeError, "w (dtype datetime64[Y]) holds dates; turn them "
     "into numbers first, for instance days since the earliest one"),
    ("w", np.array([1], "m8[s]"), TypeError, "w (dtype timedelta64[s]) holds durations; turn them "
     "into numbers first, for instance seconds"),
    ("w", np.array([None, 1], object), ValueError, "w has a missing value (None) at position 0 "
     "(counted from 0); fill it or drop its row"),
    ("w", np.array([[1, "a"], ["b", 2]], object), TypeError, "w holds text ('a') at row 0, column "
     "1 (counted from 0); encode it as numbers first"),
    ("w", [1, datetime.date(2020, 1, 1)], TypeError,
     "w holds a date at position 1 (counted from 0); encode it as numbers first"),
    ("w", np.array([1, np.timedelta64(3, "s")], object), TypeError,
     "w holds a timedelta64 at position 1 (counted from 0); encode it as numbers first"),
    ("w", [decimal.Decimal("sNaN")], ValueError, "w holds a number that no 64-bit float can hold "
     "(cannot convert signaling NaN to float); rescale it"),
    ("w", np.ma.masked_array([[1, 2], [3, 4]], mask=[[0, 0], [1, 1]]), ValueError, "w is a masked "
     "array with a masked entry at row 1, column 0 (counted from 0); fill the masked entries or "
     "drop their rows"),
])  # fmt: skip
def test_the_rest_is_refused_by_a_sentence(name, value, error, sentence):
    with pytest.raises(error) as caught:
        real_array(name, value)
    assert str(caught.value) == sentence


def test_records_and_unreadable_objects_are_refused():
    with pytest.raises(TypeError, match="holds records with named fields; pass its fields as"):
        real_array("X", np.zeros(2, [("a", float), ("b", float)]))

    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("no memory map there")

    with pytest.raises(TypeError) as caught:
        real_array("w", Broken())
    assert str(caught.value) == "w is a Broken that numpy cannot read (no memory map there)"

    class Large:
        def __array__(self, dtype=None, copy=None):
            raise OverflowError

    with pytest.raises(ValueError, match="^w holds a number too large for a 64-bit float$"):
        real_array("w", Large())


def test_a_column_of_a_frame_is_named():
    with pytest.raises(TypeError, match=r"^column 'c' of X \(dtype complex128\) holds complex"):
        real_array("X", np.array([1j]), column="c")
    with pytest.raises(ValueError, match=r"^X has .* \(None\) at row 1 of column 'c' \(counted"):
        real_array("X", np.array([1, None], object), column="c")
    with pytest.raises(ValueError, match="^column 'c' of X holds a number that no 64-bit"):
        real_array("X", np.array([10**400], object), column="c")


@every("kind", "?bBhHiIlLqQefdg")
def test_single_precision_stores_what_it_holds_exactly(kind):
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        exact = np.finfo(dtype).nmant <= np.finfo(np.float32).nmant
    else:
        exact = dtype.kind == "b" or np.iinfo(dtype).bits <= 24
    assert storage_dtype(dtype) == (np.float32 if exact else np.float64)


def test_overflow_of_a_wider_type_is_refused():
    wide = np.array([[1.0, np.inf], [2.0, 1.0]], np.longdouble)
    refuse_overflow("X", wide, wide.astype(float))  # infinity was infinity before
    refuse_overflow("X", np.array([2**70], object), np.array([np.inf]))
    doubles = np.array([[1.0, 1e300]])
    refuse_overflow("X", doubles, np.array([[1.0, np.inf]]))  # no wider than what it is stored as
    with np.errstate(over="ignore"), pytest.raises(ValueError) as caught:
        refuse_overflow("X", doubles, doubles.astype(np.float32))
    assert str(caught.value) == (
        "X holds 1e+300 at row 0, column 1 (counted from 0), which is too large for a 64-bit "
        "float; rescale it"
    )
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="at row 0 of column 'c'"):
        refuse_overflow("X", doubles[0, 1:], doubles[0, 1:].astype(np.float32), "c")


def test_places():
    assert place((3,)) == "at position 3 (counted from 0)"
    assert place((3, 1)) == "at row 3, column 1 (counted from 0)"
    assert place((np.int64(3), 1, 0)) == "at index (3, 1, 0)"
    assert place((3,), "c") == "at row 3 of column 'c' (counted from 0)"


def test_a_memory_map_stays_one_unless_its_file_was_cut(tmp_path):
    file = tmp_path / "X.bin"
    granularity = mmap.ALLOCATIONGRANULARITY
    np.arange(granularity, dtype=float).tofile(file)  # eight times the granularity
    for offset in (0, 8, granularity, granularity + 8):
        array = np.memmap(file, float, mode="r", offset=offset, shape=(granularity // 2,))
        assert real_array("X", array) is array
        refuse_truncated("X", array[3:])
        del array
    whole = np.memmap(file, float, mode="r", offset=granularity + 8)
    part = np.asarray(whole)[5:]
    refuse_truncated("X", part)
    os.truncate(file, 8 * granularity - 8)
    for array in (whole, part):
        with pytest.raises(ValueError) as caught:
            real_array("X", array)
        assert str(caught.value) == (
            f"X is a memory map of {8 * granularity} bytes but its file has only "
            f"{8 * granularity - 8}; the file was truncated, write it again"
        )
