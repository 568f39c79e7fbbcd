"""Sparse designs: their structure verified before anything else reads it, then canonical CSC.

scipy's compiled conversions trust the index arrays: a row index out of range makes them write
outside their memory. So every format is verified here in numpy, from its plain arrays, and only
then converted. The user's object is read and never asked to sort, prune or cache anything.
"""

import numpy as np
import scipy.sparse

from .array import real_array, refuse_overflow, storage_dtype

LARGEST_INT32 = 2**31 - 1

SCAN_ENTRIES = 1 << 20  # entries looked at together, so that the temporaries stay in cache


def read_sparse(X):
    """Return any scipy sparse matrix as canonical CSC, sharing its arrays where they have the form.

    Parameters
    ----------
    X : scipy sparse array or matrix, (n, p)
        Duplicate entries are summed (booleans: or-ed), explicit zeros stay.

    Returns
    -------
    csc_array, (n, p)
        See `read_design`.
    """
    if len(X.shape) != 2:
        raise ValueError(f"X is a sparse array of shape {X.shape}; it must be rows by columns")
    n, p = X.shape
    if not n or not p:
        missing = "columns" if n else "rows"
        raise ValueError(f"X has no {missing} (shape {X.shape}); at least one is needed")
    if n > LARGEST_INT32:
        raise ValueError(
            f"X has {n} rows; a sparse design may have at most {LARGEST_INT32}, since its row "
            "indices are stored in 32 bits"
        )
    columns = VERIFIED[X.format](X)
    if X.format != "csc":
        columns = columns.tocsc()
        columns = _assembled(scipy.sparse.csc_array, columns, X.shape)
    if not _is_canonical(columns):
        columns = _summed(columns, shared=X.format == "csc", boolean=X.dtype.kind == "b")
    columns.has_canonical_format = True
    return columns


def _stored(X):
    """Return the entries of `X` as native, aligned, contiguous float32 or float64."""
    values = real_array("X.data", X.data)
    with np.errstate(over="ignore"):
        stored = np.require(values, storage_dtype(values.dtype), ["C", "A"])
    refuse_overflow("X.data", values, stored)
    return stored


def _corrupt(X, what):
    return ValueError(
        f"X is a corrupt {X.format.upper()} matrix: {what}; rebuild it from its rows, columns "
        "and values"
    )


def _indices(X, name, values):
    """Return an index array that is one-dimensional and of integers."""
    values = np.asarray(values)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise _corrupt(X, f"{name} is not a one-dimensional array of integers")
    return values


def _in_range(X, name, values, size):
    """Refuse an index below 0 or not below `size`, in one pass: negative ones are huge unsigned."""
    if not len(values):
        return
    unsigned = values.view(np.dtype(f"u{values.itemsize}").newbyteorder(values.dtype.byteorder))
    if int(unsigned.max()) >= size:
        k = int((unsigned >= size).argmax())
        raise _corrupt(X, f"{name}[{k}] is {values[k]}, outside 0 to {size - 1}")


def _verified_pointers(X, major, axis, size):
    """Return indptr of a compressed matrix with `major` slices of `axis`, `size` entries given."""
    indptr = _indices(X, "indptr", X.indptr)
    if len(indptr) != major + 1:
        raise _corrupt(X, f"indptr has {len(indptr)} entries where {major} {axis}s need {major + 1}")
    if indptr[0] != 0:
        raise _corrupt(X, f"indptr starts with {indptr[0]} instead of 0")
    falling = indptr[1:] < indptr[:-1]
    if falling.any():
        j = int(falling.argmax())
        raise _corrupt(X, f"indptr falls from {indptr[j]} to {indptr[j + 1]} at {axis} {j}")
    if int(indptr[-1]) > size:
        raise _corrupt(X, f"indptr ends with {indptr[-1]} but only {size} entries are stored")
    return indptr


def _verified_compressed(X):
    """Return a CSC or CSR matrix of verified structure on the arrays of `X`."""
    by_column = X.format == "csc"
    major, minor = X.shape[::-1] if by_column else X.shape
    indices = _indices(X, "indices", X.indices)
    if np.ndim(X.data) != 1:
        raise _corrupt(X, "data is not one-dimensional")
    axis = "column" if by_column else "row"
    indptr = _verified_pointers(X, major, axis, min(len(indices), len(X.data)))
    indices = indices[: int(indptr[-1])]
    _in_range(X, "indices", indices, minor)
    cls = scipy.sparse.csc_array if by_column else scipy.sparse.csr_array
    return _assemble(cls, X.shape, _stored(X)[: len(indices)], indices, indptr)


def _verified_blocks(X):
    if np.ndim(X.data) != 3 or 0 in X.data.shape[1:]:
        raise _corrupt(X, "data is not an array of blocks")
    height, width = X.data.shape[1:]
    if X.shape[0] % height or X.shape[1] % width:
        raise _corrupt(X, f"blocks of {height} x {width} do not tile a shape of {X.shape}")
    indices = _indices(X, "indices", X.indices)
    size = min(len(indices), len(X.data))
    indptr = _verified_pointers(X, X.shape[0] // height, "block row", size)
    size = int(indptr[-1])
    _in_range(X, "indices", indices[:size], X.shape[1] // width)
    parts = _stored(X)[:size], indices[:size].astype(np.int64), indptr.astype(np.int64)
    return scipy.sparse.bsr_array(parts, shape=X.shape)


def _verified_triplets(X, rows=None, columns=None, data=None):
    rows = _indices(X, "row", X.row if rows is None else rows)
    columns = _indices(X, "col", X.col if columns is None else columns)
    data = _stored(X) if data is None else data
    if data.ndim != 1 or not len(rows) == len(columns) == len(data):
        raise _corrupt(X, f"{len(rows)} rows, {len(columns)} columns, {len(data)} values")
    _in_range(X, "row", rows, X.shape[0])
    _in_range(X, "col", columns, X.shape[1])
    return scipy.sparse.coo_array((data, (rows, columns)), shape=X.shape)


def _verified_diagonals(X):
    offsets = _indices(X, "offsets", X.offsets)
    if np.ndim(X.data) != 2 or len(X.data) != len(offsets):
        raise _corrupt(X, f"{len(offsets)} offsets for data of shape {np.shape(X.data)}")
    if len(np.unique(offsets)) != len(offsets):
        raise _corrupt(X, "offsets are not unique")
    return scipy.sparse.dia_array((_stored(X), offsets), shape=X.shape)


def _verified_lists(X):
    if len(X.rows) != X.shape[0] or len(X.data) != X.shape[0]:
        raise _corrupt(X, f"{len(X.rows)} lists of columns for {X.shape[0]} rows")
    for i, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if len(columns) != len(values):
            raise _corrupt(X, f"row {i} lists {len(columns)} columns but {len(values)} values")
    return _from_lists(X, X.rows, [value for values in X.data for value in values])


def _from_lists(X, rows, values):
    """Return triplets from a list of columns for each row and all values in that order."""
    counts = [len(columns) for columns in rows]
    columns = _integers(X, [column for columns in rows for column in columns])
    return _verified_triplets(
        X, np.repeat(np.arange(len(counts)), counts), columns, _entries(X, values)
    )


def _verified_keys(X):
    keys = list(X.keys())
    rows, columns = ([key[axis] for key in keys] for axis in (0, 1))
    data = _entries(X, list(X.values()))
    return _verified_triplets(X, _integers(X, rows), _integers(X, columns), data)


def _integers(X, values):
    try:
        array = np.array(values, dtype=None if values else np.int64)
    except (ValueError, OverflowError) as error:
        raise _corrupt(X, f"an index is no integer ({error})") from error
    return _indices(X, "the index list", array)


def _entries(X, values):
    """Return Python numbers in the type that the matrix declares, then as they are stored."""
    data = real_array("X.data", np.array(values, dtype=X.dtype))
    return data.astype(storage_dtype(data.dtype))


VERIFIED = {
    "csc": _verified_compressed,
    "csr": _verified_compressed,
    "bsr": _verified_blocks,
    "coo": _verified_triplets,
    "dia": _verified_diagonals,
    "lil": _verified_lists,
    "dok": _verified_keys,
}
