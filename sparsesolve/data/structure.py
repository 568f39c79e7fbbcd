"""Checks of the structure of sparse matrices, before anything else reads them.

scipy's compiled conversions trust the index arrays: an index out of range makes them write
outside their memory. So every format is checked in numpy, from its plain arrays, and passed on in
a new object, which shares the arrays and does not touch the user's flags.
"""

import numpy as np
import scipy.sparse

from .array import real_array, refuse_overflow, refuse_truncated, storage_dtype


def verified(X):
    """Return `X` in a new scipy matrix with checked structure and float32 or float64 entries.

    Parameters
    ----------
    X : scipy sparse array or matrix, two-dimensional
        LIL and DOK matrices come back as COO, all others in their own format.

    Raises
    ------
    ValueError
        The part of the structure that is corrupt, and its place.
    """
    if X.format not in READERS:
        raise TypeError(f"X has the unknown sparse format {X.format!r}; pass X.tocsc()")
    return READERS[X.format](X)


def _corrupt(X, what):
    return ValueError(
        f"X is a corrupt {X.format.upper()} matrix: {what}; rebuild it from its rows, columns "
        "and values"
    )


def _entries(X, values):
    """Return the stored values as native, aligned, contiguous float32 or float64."""
    values = real_array("X.data", values)
    with np.errstate(over="ignore"):
        stored = np.require(values, storage_dtype(values.dtype), ["C", "A"])
    refuse_overflow("X.data", values, stored)
    return stored


def _integers(X, name, values):
    values = np.asarray(values)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise _corrupt(X, f"{name} is not a one-dimensional array of integers")
    refuse_truncated(f"X.{name}", values)
    return values


def _in_range(X, name, values, size):
    """Raise for an index below 0 or not below `size`, in one pass: unsigned, negatives are huge.
    """
    if not len(values):
        return
    unsigned = values.view(np.dtype(f"u{values.itemsize}").newbyteorder(values.dtype.byteorder))
    if int(unsigned.max()) >= size:
        k = int((unsigned >= size).argmax())
        raise _corrupt(X, f"{name}[{k}] is {values[k]}, outside 0 to {size - 1}")


def _pointers(X, slices, axis, stored):
    """Return indptr for `slices` slices of `axis`, with `stored` entries."""
    indptr = _integers(X, "indptr", X.indptr)
    if len(indptr) != slices + 1:
        raise _corrupt(
            X, f"indptr has {len(indptr)} entries where {slices} {axis}s need {slices + 1}"
        )
    if indptr[0] != 0:
        raise _corrupt(X, f"indptr starts with {indptr[0]} instead of 0")
    falling = indptr[1:] < indptr[:-1]
    if falling.any():
        j = int(falling.argmax())
        raise _corrupt(X, f"indptr falls from {indptr[j]} to {indptr[j + 1]} at {axis} {j}")
    if int(indptr[-1]) > stored:
        raise _corrupt(X, f"indptr ends with {indptr[-1]} but only {stored} entries are stored")
    return indptr


def _compressed(X):
    if np.ndim(X.data) != 1:
        raise _corrupt(X, "data is not one-dimensional")
    by_column = X.format == "csc"
    slices, size = X.shape[::-1] if by_column else X.shape
    indices = _integers(X, "indices", X.indices)
    stored = min(len(indices), len(X.data))
    indptr = _pointers(X, slices, "column" if by_column else "row", stored)
    stored = int(indptr[-1])
    indices = indices[:stored]
    _in_range(X, "indices", indices, size)
    matrix = (scipy.sparse.csc_array if by_column else scipy.sparse.csr_array)(X.shape)
    if not by_column:  # scipy converts only indices and pointers of one type
        wide = max(stored, *X.shape) > np.iinfo(np.int32).max
        kind = np.int64 if wide else np.int32
        indices, indptr = (a.astype(kind, copy=False) for a in (indices, indptr))
    matrix.data, matrix.indices, matrix.indptr = _entries(X, X.data[:stored]), indices, indptr
    return matrix


def _blocks(X):
    if np.ndim(X.data) != 3 or 0 in X.data.shape[1:]:
        raise _corrupt(X, "data is not an array of blocks")
    height, width = X.data.shape[1:]
    if X.shape[0] % height or X.shape[1] % width:
        raise _corrupt(X, f"blocks of {height} x {width} do not tile a shape of {X.shape}")
    indices = _integers(X, "indices", X.indices)
    stored = min(len(indices), len(X.data))
    indptr = _pointers(X, X.shape[0] // height, "block row", stored)
    indices = indices[: int(indptr[-1])]
    _in_range(X, "indices", indices, X.shape[1] // width)
    parts = _entries(X, X.data[: len(indices)]), indices.astype(np.int64), indptr.astype(np.int64)
    return scipy.sparse.bsr_array(parts, shape=X.shape)


def _triplets(X):
    return _from_triplets(X, X.row, X.col, _entries(X, X.data))


def _from_triplets(X, rows, columns, values):
    rows, columns = _integers(X, "row", rows), _integers(X, "col", columns)
    if values.ndim != 1 or not len(rows) == len(columns) == len(values):
        raise _corrupt(
            X, f"{len(rows)} row indices, {len(columns)} column indices, {values.size} values"
        )
    _in_range(X, "row", rows, X.shape[0])
    _in_range(X, "col", columns, X.shape[1])
    return scipy.sparse.coo_array((values, (rows, columns)), shape=X.shape)


def _diagonals(X):
    offsets = _integers(X, "offsets", X.offsets)
    if np.ndim(X.data) != 2 or len(X.data) != len(offsets):
        raise _corrupt(X, f"{len(offsets)} offsets for data of shape {np.shape(X.data)}")
    if len(np.unique(offsets)) != len(offsets):
        raise _corrupt(X, "two diagonals have the same offset")
    inside = (offsets > -X.shape[0]) & (offsets < X.shape[1])
    return scipy.sparse.dia_array((_entries(X, X.data)[inside], offsets[inside]), shape=X.shape)


def _lists(X):
    counts = []
    for columns, values in zip(X.rows, X.data, strict=False):
        if not isinstance(columns, list) or not isinstance(values, list):
            raise _corrupt(X, f"row {len(counts)} is not a pair of lists")
        if len(columns) != len(values):
            raise _corrupt(
                X, f"row {len(counts)} lists {len(columns)} columns but {len(values)} values"
            )
        counts.append(len(columns))
    if not len(X.rows) == len(X.data) == X.shape[0]:
        raise _corrupt(X, f"{len(X.rows)} lists of columns for {X.shape[0]} rows")
    rows = np.repeat(np.arange(len(counts)), counts)
    columns = [column for row in X.rows for column in row]
    return _from_objects(X, rows, columns, [value for row in X.data for value in row])


def _keys(X):
    rows, columns = zip(*X.keys(), strict=True) if len(X.keys()) else ((), ())
    return _from_objects(X, rows, columns, list(X.values()))


def _from_objects(X, rows, columns, values):
    """Return triplets from sequences of Python numbers, with values of the declared type."""
    try:
        rows, columns = (np.array(a, dtype=None if len(a) else np.int64) for a in (rows, columns))
        values = np.array(values, dtype=X.dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise _corrupt(X, f"it stores something that is not a number ({error})") from error
    return _from_triplets(X, rows, columns, _entries(X, values))


READERS = {
    "csc": _compressed,
    "csr": _compressed,
    "bsr": _blocks,
    "coo": _triplets,
    "dia": _diagonals,
    "lil": _lists,
    "dok": _keys,
}
