"""Sparse designs of any scipy format as canonical CSC, on the user's own arrays if they fit."""

import numpy as np
import scipy.sparse

from .structure import verified

# Row numbers are stored as int32, which holds at most this number.
LARGEST_INT32 = 2**31 - 1

# Entries that are checked together, so that temporaries stay in cache.
SCAN_ENTRIES = 1 << 20


def read_sparse(X, empty=False):
    """Return any scipy sparse matrix as canonical CSC, on its own arrays if they fit.

    Parameters
    ----------
    X : scipy sparse array or matrix, (n, p)
        Duplicate entries are summed (booleans: or-ed), explicit zeros stay. The object itself is
        only read: it never sorts, prunes or caches anything.
    empty : bool
        Whether X may have no rows.

    Returns
    -------
    csc_array, (n, p)
        See `read_design`.
    """
    if len(X.shape) != 2:
        raise ValueError(f"X is a sparse array of shape {X.shape}; it must be rows by columns")
    n, p = X.shape
    if not p or not (n or empty):
        raise ValueError(
            f"X has no {'columns' if n else 'rows'} (shape {X.shape}); at least one is needed"
        )
    if n > LARGEST_INT32:
        raise ValueError(
            f"X has {n} rows; a sparse design may have at most {LARGEST_INT32}, since its row "
            "indices are stored in 32 bits"
        )
    columns = _as_csc(verified(X))
    if not _is_canonical(columns):
        # Only the arrays of a CSC matrix can be the user's; a conversion has made new ones.
        columns = _summed(columns.copy() if X.format == "csc" else columns)
    if X.dtype.kind == "b":  # stored as float32, so the array is new
        np.minimum(columns.data, 1.0, out=columns.data)
    columns.has_canonical_format = True
    return columns


def _as_csc(matrix):
    columns = matrix.tocsc() if matrix.format != "csc" else matrix
    return _assembled(columns.data, columns.indices, columns.indptr, matrix.shape)


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
    """Return True if the rows of each column increase strictly, whatever flags the matrix
    carries.
    """
    rows, starts = columns.indices, columns.indptr
    for begin in range(0, len(rows) - 1, SCAN_ENTRIES):
        end = min(begin + SCAN_ENTRIES, len(rows) - 1)
        rising = rows[begin + 1 : end + 1] > rows[begin:end]
        # The first entry of a column need not exceed the last of the column before it.
        bounds = np.array([begin + 1, end + 1], dtype=starts.dtype)
        low, high = np.searchsorted(starts, bounds)
        rising[starts[low:high] - (begin + 1)] = True
        if not rising.all():
            return False
    return True


def _summed(columns):
    """Sort the rows of each column and sum duplicates, in place."""
    if columns.indptr.dtype == np.int64:  # scipy sorts only indices of the pointers' type
        columns.indices = columns.indices.astype(np.int64)
    columns.has_sorted_indices = columns.has_canonical_format = False
    columns.sum_duplicates()
    return _assembled(columns.data, columns.indices, columns.indptr, columns.shape)
