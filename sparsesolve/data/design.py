"""The design X in one of three forms: a column-major array, a canonical CSC matrix, or genotypes.
"""

import numpy as np
import scipy.sparse

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.design.genotypes import MixedColumns, TwoBits

from .array import (
    place,
    real_array,
    refuse_overflow,
    refuse_truncated,
    storage_dtype,
    unmasked,
)
from .frame import frame_names, is_frame, read_frame
from .row_blocks import is_dask, is_large_by_rows, read_row_blocks, slice_rows
from .sparse import LARGEST_INT32, read_sparse
from .structure import verified

# A block of the transposing copy touches 64 rows of 2 KB: small enough for the first two cache
# levels, and long enough to hide numpy's cost per call (2,000 x 20,000 float64: 0.13 s,
# np.asfortranarray 0.25 s, a plain copy 0.10 s).
BLOCK_ROWS, BLOCK_COLUMNS = 64, 256

# Entries are checked in parts of this many bytes, so that temporary arrays stay small.
SCAN_BYTES = 1 << 25


def read_design(X, in_blocks=False, by_rows=False, n_threads=1, empty=False, genotypes=False):
    """Return the design matrix in the form that the core reads, and the names of its columns.

    Parameters
    ----------
    X : array-like, scipy sparse, numpy.memmap, or a pandas, polars or pyarrow table, (n, p)
        Real numbers. Booleans, float16 and integers of up to 16 bits are stored as float32,
        which holds them exactly; other integers and longdouble as float64.
    in_blocks : bool
        Whether a dask array may become a DistributedDesign; otherwise it is refused.
    by_rows : bool
        Whether a large row-major array may become one, for `n_threads`; otherwise it is copied.
    empty : bool
        Whether X may have no rows, as for predictions.
    genotypes : bool
        Whether X may be genotypes of 2 bits; otherwise they are refused.

    Returns
    -------
    matrix : ndarray, csc_array or MixedColumns, (n, p)
        Dense: float32 or float64 with unit row stride (`strides[0] == itemsize`), columns at
        least n items apart. Sparse: rows sorted and unique in each column, int32 row indices,
        indptr int32 (int64 from 2**31 entries on), float32 or float64 data. The memory is the
        user's own if it has that form, so it must not be written to.
    names : ndarray of str objects, (p,), or None
        The column names of a data frame.

    Raises
    ------
    ValueError, TypeError
        One sentence: what was found, where, what to do. NaN and infinities are not looked for
        here, since the first pass over the data finds them: see `nonfinite_error`.
    """
    if isinstance(X, MixedColumns):
        if not genotypes:
            raise TypeError(
                "X is genotypes, which path, cv_path and what they return take; pass some of "
                "their columns as numbers, X[:, which]"
            )
        X.refuse_changed()
        return X, X.names
    if isinstance(X, DistributedDesign) and in_blocks:  # of fits which share their passes
        return X.copy(), None
    if is_dask(X) or isinstance(X, DistributedDesign):
        if not in_blocks:
            raise TypeError(
                f"X is a dask {type(getattr(X, 'matrix', X)).__name__}, which only path, cv_path "
                "and what they return take block by block; pass X.compute() if it fits in memory"
            )
        names = np.array(frame_names(X), dtype=object) if is_frame(X) else None
        return read_row_blocks(X, read_block), names
    if by_rows and is_large_by_rows(X):
        refuse_truncated("X", X)
        return slice_rows(X, n_threads, read_block), None
    if is_frame(X):
        values, names = read_frame(X)
        if scipy.sparse.issparse(values):
            return read_sparse(values, empty), names
        _refuse_shape(values.shape, empty)
        return column_major(values), names
    if scipy.sparse.issparse(X):
        return read_sparse(X, empty), None
    array = real_array("X", X)
    if array.ndim == 1 and len(array):
        raise ValueError(
            f"X is one-dimensional ({len(array)} values); pass X.reshape(-1, 1) if it is one "
            "column or X.reshape(1, -1) if it is one row"
        )
    if array.ndim != 2 and array.size:
        raise ValueError(f"X must be two-dimensional, rows by columns, not of shape {array.shape}")
    _refuse_shape(array.shape, empty)
    return column_major(array), None


def refuse_damage(X, name="X"):
    """Raise as `read_design` does for a corrupt sparse matrix, masked entries or a file cut short.

    What others convert must pass here first: scipy's compiled conversions trust the index arrays.
    """
    if scipy.sparse.issparse(X) and len(X.shape) == 2:
        verified(X)
    elif isinstance(X, np.ndarray):
        refuse_truncated(name, X)
    unmasked(name, X)


def read_block(X):
    """Return the matrix of :func:`read_design` alone."""
    return read_design(X)[0]


def column_major(array):
    """Return a real 2-D array with unit row stride: itself if it has that, else one copy."""
    n, p = array.shape
    dtype = storage_dtype(array.dtype)
    if array.dtype == dtype and array.flags.aligned:
        step = dtype.itemsize
        # The stride along an axis of length one has no meaning; give it the expected value.
        rows = step if n == 1 else array.strides[0]
        columns = n * step if p == 1 else array.strides[1]
        if rows == step and columns >= n * step and columns % step == 0:
            if array.strides == (rows, columns):
                return array
            return np.lib.stride_tricks.as_strided(array, strides=(rows, columns), subok=True)
    copy = np.empty((n, p), dtype, order="F")
    array = np.asarray(array)
    with np.errstate(over="ignore"):
        for j in range(0, p, BLOCK_COLUMNS):
            for i in range(0, n, BLOCK_ROWS):
                block = slice(i, i + BLOCK_ROWS), slice(j, j + BLOCK_COLUMNS)
                copy[block] = array[block]
    refuse_overflow("X", array, copy)
    return copy


def nonfinite_error(matrix, names=None):
    """Return the ValueError that names the first NaN or infinity, by columns; None if all are
    finite.

    Parameters
    ----------
    matrix, names
        As `read_design` returned them. None means that all entries are finite, so an overflow of
        a statistic is no fault of the data.
    """
    if isinstance(matrix, MixedColumns):
        return _nonfinite_part(matrix, names)
    found = _first_nonfinite(matrix)
    if found is None:
        return None
    i, j, value = found
    column = None if names is None else names[j]
    advice = "fill it or drop its row" if np.isnan(value) else "replace it by a finite number"
    return ValueError(f"X holds {float(value)} {place((i, j), column)}; {advice}")


def _nonfinite_part(matrix, names):
    """Return the error of the first part that has one; genotypes are always finite."""
    for part, first in zip(matrix.parts, matrix.first, strict=False):
        if not isinstance(part, TwoBits):
            end = first + part.shape[1]
            error = nonfinite_error(part, None if names is None else names[first:end])
            if error is not None:
                return error
    return None


def _first_nonfinite(matrix):
    """Return (row, column, value), or None."""
    if isinstance(matrix, DistributedDesign):
        arguments = [(int(start),) for start in matrix.starts[:-1]]
        return matrix.gather(_first_of_block, arguments, _first_of_two)
    return _first_sparse(matrix) if scipy.sparse.issparse(matrix) else _first_dense(matrix)


def _first_of_block(block, start):
    found = _first_nonfinite(read_block(block))
    return None if found is None else (start + found[0], *found[1:])


def _first_of_two(left, right):
    """Return the one in the earlier column."""
    if left is None or right is None:
        return right if left is None else left
    return min(left, right, key=lambda found: found[1::-1])


def _first_dense(matrix):
    matrix = np.asarray(matrix)
    n, p = matrix.shape
    width = max(1, SCAN_BYTES // (max(n, 1) * matrix.itemsize))
    for start in range(0, p, width):
        bad = ~np.isfinite(matrix[:, start : start + width])
        if bad.any():
            j = int(bad.any(axis=0).argmax())
            i = int(bad[:, j].argmax())
            return i, start + j, matrix[i, start + j]
    return None


def _first_sparse(matrix):
    size = SCAN_BYTES // matrix.data.itemsize
    for start in range(0, len(matrix.data), size):
        bad = ~np.isfinite(matrix.data[start : start + size])
        if bad.any():
            k = start + int(bad.argmax())
            j = int(np.searchsorted(matrix.indptr, k, side="right")) - 1
            return int(matrix.indices[k]), j, matrix.data[k]
    return None


def _refuse_shape(shape, empty):
    rows, columns = shape if len(shape) == 2 else (0, 0)
    if not rows and not (empty and columns):
        raise ValueError(f"X has no rows (shape {shape}); at least one is needed")
    if not columns:
        raise ValueError(f"X has no columns (shape {shape}); at least one is needed")
    if rows > LARGEST_INT32:
        raise ValueError(
            f"X has {rows} rows; in memory a design may have at most {LARGEST_INT32}, pass it as "
            "a dask array"
        )
