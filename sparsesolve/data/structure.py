"""Sparse designs of any scipy format as canonical CSC, after checks of their structure.

scipy's compiled conversions trust the index arrays: an index out of range makes them write
outside their memory. So every format is checked in numpy, from its plain arrays, and passed on in
a new object, which shares the arrays and does not touch the user's flags.
"""

import numpy as np
import scipy.sparse

from .array import real_array, refuse_empty, refuse_overflow, refuse_truncated, storage_dtype

# Row numbers are stored as int32, which holds at most this number.
LARGEST_INT32 = 2**31 - 1


def read_sparse(X, empty=False):
    """Return any scipy sparse matrix (n, p) as canonical CSC, on its own arrays if they fit.

    Duplicate entries are summed (booleans: or-ed), explicit zeros stay. The object itself is only
    read: it never sorts, prunes or caches anything. With `empty` it may have no rows.
    """
    if len(X.shape) != 2:
        raise ValueError(f"X is a sparse array of shape {X.shape}; it must be rows by columns")
    refuse_empty(X.shape, empty)
    if X.shape[0] > LARGEST_INT32:
        raise ValueError(
            f"X has {X.shape[0]} rows; a sparse design may have at most {LARGEST_INT32}, since "
            "its row indices are stored in 32 bits"
        )
    columns = verified(X).tocsc()
    columns = _assembled(columns.data, columns.indices, columns.indptr, X.shape)
    if not _is_canonical(columns):
        # Only the arrays of a CSC matrix can be the user's; a conversion has made new ones.
        columns = _summed(columns.copy() if X.format == "csc" else columns)
    if X.dtype.kind == "b":  # stored as float32, so the array is new
        np.minimum(columns.data, 1.0, out=columns.data)
    columns.has_canonical_format = True
    return columns


def _assembled(data, indices, indptr, shape):
    """Return a csc_array with 32-bit rows, and 32-bit pointers if they suffice.

    The attributes are set one by one, because scipy's constructor gives both the wider type.
    """
    columns = scipy.sparse.csc_array(shape, dtype=data.dtype)
    pointers = np.int32 if indptr[-1] <= LARGEST_INT32 else np.int64
    columns.data = data
    columns.indices = np.ascontiguousarray(indices, dtype=np.int32)
    columns.indptr = np.ascontiguousarray(indptr, dtype=pointers)
    return columns


def _is_canonical(columns):
    """Return True if the rows of each column increase strictly, whatever its flags say."""
    rows, starts = columns.indices, columns.indptr
    rising = rows[1:] > rows[:-1]
    # The first entry of a column need not exceed the last of the column before it.
    rising[starts[(starts > 0) & (starts < len(rows))] - 1] = True
    return rising.all()


def _summed(columns):
    """Sort the rows of each column and sum duplicates, in place."""
    if columns.indptr.dtype == np.int64:  # scipy sorts only indices of the pointers' type
        columns.indices = columns.indices.astype(np.int64)
    columns.has_sorted_indices = columns.has_canonical_format = False
    columns.sum_duplicates()
    return _assembled(columns.data, columns.indices, columns.indptr, columns.shape)


def verified(X):
    """Return `X` in a new scipy matrix with checked structure and float32 or float64 entries.

    LIL and DOK matrices come back as COO, all others in their own format. ValueError names the
    part of the structure that is corrupt, and its place.
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
    """Raise for an index below 0 or not below `size`: unsigned, negatives are huge."""
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
