"""Corrupt sparse matrices, refused before any compiled code reads their indices."""

import numpy as np
import pytest
import scipy.sparse as sp

from sparsesolve.data import read_design

A = np.array([[0, 2.0, 0, 0], [1, 0, 0, -3], [0, 0, 0, 4], [5, 6, 0, 0], [0, 0, 0, 7]])


def corrupted(form, **attributes):
    X = getattr(sp, f"{form}_array")(sp.csc_array(A))
    for name, change in attributes.items():
        value = getattr(X, name).copy()
        setattr(X, name, change(value))
    return X


def put(k, value):
    def change(array):
        array[k] = value
        return array

    return change


COMPRESSED = [
    ({"indices": put(1, 99)}, r"indices\[1\] is 99, outside 0 to"),
    ({"indices": put(-1, -1)}, r"indices\[6\] is -1, outside 0 to"),
    ({"indices": lambda a: a.astype(float)}, "indices is not a one-dimensional array of integers"),
    ({"indices": lambda a: a[:, None]}, "indices is not a one-dimensional array of integers"),
    ({"indices": lambda a: a[:-2]}, "indptr ends with 7 but only 5 entries are stored"),
    ({"data": lambda a: a[:-1]}, "indptr ends with 7 but only 6 entries are stored"),
    ({"data": lambda a: a[:, None]}, "data is not one-dimensional"),
    ({"indptr": lambda a: a[:-1]}, r"indptr has \d entries where \d (row|column)s need \d"),
    ({"indptr": lambda a: np.append(a, a[-1])}, "indptr has"),
    ({"indptr": put(0, 1)}, "indptr starts with 1 instead of 0"),
    ({"indptr": put(0, -1)}, "indptr starts with -1 instead of 0"),
    ({"indptr": put(1, 6)}, r"indptr falls from 6 to \d at (row|column) 1"),
    ({"indptr": put(-1, 2**31 - 1)}, "indptr ends with 2147483647 but only 7"),
    ({"indptr": lambda a: a.astype(float)}, "indptr is not a one-dimensional array of integers"),
]


@pytest.mark.parametrize("form", ["csc", "csr"])
@pytest.mark.parametrize("attributes, match", COMPRESSED)
def test_corrupt_compressed(form, attributes, match):
    with pytest.raises(ValueError, match=f"^X is a corrupt {form.upper()} matrix: {match}"):
        read_design(corrupted(form, **attributes))


def lists(change):
    X = sp.lil_array(A)
    change(X)
    return X


def keys(key, value=1.0):
    X = sp.dok_array(A)
    X._dict[key] = value
    return X


def shortened(X):
    X.rows, X.data = X.rows[1:], X.data[1:]
    return X


@pytest.mark.parametrize(
    "X, match",
    [
        (corrupted("coo", row=put(0, 5)), r"row\[0\] is 5, outside 0 to 4"),
        (corrupted("coo", col=put(2, -2)), r"col\[2\] is -2, outside 0 to 3"),
        (corrupted("coo", data=lambda a: a[1:]), "7 row indices, 7 column indices, 6 values"),
        (corrupted("dia", offsets=lambda a: a[1:]), r"\d offsets for data of shape"),
        (corrupted("dia", offsets=lambda a: a * 0), "two diagonals have the same offset"),
        (corrupted("bsr", indices=put(0, 9)), r"indices\[0\] is 9, outside"),
        (corrupted("bsr", indptr=put(1, 99)), "indptr falls from 99"),
        (corrupted("bsr", data=lambda a: a[:, 0]), "data is not an array of blocks"),
        (corrupted("bsr", data=lambda a: np.ones((7, 2, 3))), "blocks of 2 x 3 do not tile"),
        (lists(lambda X: X.rows[1].append(2)), "row 1 lists 3 columns but 2 values"),
        (lists(lambda X: X.rows[1].__setitem__(0, 77)), r"col\[1\] is 77, outside"),
        (lists(lambda X: X.rows.__setitem__(2, 5)), "row 2 is not a pair of lists"),
        (lists(lambda X: X.data[0].__setitem__(0, "a")), "it stores something that is not a num"),
        (shortened(sp.lil_array(A)), "4 lists of columns for 5 rows"),
        (keys((0, 99)), r"col\[7\] is 99, outside 0 to 3"),
        (keys((0.5, 1)), "row is not a one-dimensional array of integers"),
    ],
)
def test_corrupt_other_formats(X, match):
    with pytest.raises(ValueError, match=f"^X is a corrupt {X.format.upper()} matrix: {match}"):
        read_design(X)
