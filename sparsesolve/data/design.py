"""The design X in one of three forms: a column-major array, a canonical CSC matrix, or genotypes.

:func:`read_gram` reads X'X, X'y and y'y in its place.
"""

import numpy as np
import scipy.sparse
from scipy.linalg import cholesky, solve_triangular

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.design.genotypes import MixedColumns, TwoBits
from sparsesolve.penalties.columns import by_label, index_of, places_by_label

from .array import (
    place,
    real_array,
    refuse,
    refuse_empty,
    refuse_overflow,
    refuse_truncated,
    storage_dtype,
    unmasked,
)
from .frame import frame_names, is_frame, read_frame
from .number import read_number
from .row_blocks import is_dask, is_large_by_rows, read_row_blocks, slice_rows
from .structure import LARGEST_INT32, read_sparse, verified
from .vector import read_finite

# A block of the transposing copy touches 64 rows of 2 KB: small enough for the first two cache
# levels, and long enough to hide numpy's cost per call (2,000 x 20,000 float64: 0.13 s,
# np.asfortranarray 0.25 s, a plain copy 0.10 s).
BLOCK_ROWS, BLOCK_COLUMNS = 64, 256

# Largest asymmetry, relative to the sizes of two columns, that rounding of their product can
# cause.
ASYMMETRY = 1e-8
# An eigenvalue within this fraction of the squares from 0 may be rounding, even of single
# precision; so is what columns explain more than |y|, up to this fraction.
ROUNDING = 1e-6


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
    """Return the ValueError that names the first NaN or infinity, by columns, or None.

    The arguments are as `read_design` returned them. If all entries are finite, an overflow of a
    statistic is no fault of the data.
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
    if scipy.sparse.issparse(matrix):
        bad = ~np.isfinite(matrix.data)
        k = int(bad.argmax()) if bad.any() else -1
        j = int(np.searchsorted(matrix.indptr, k, side="right")) - 1
        return None if k < 0 else (int(matrix.indices[k]), j, matrix.data[k])
    for j, column in enumerate(np.asarray(matrix).T):  # temporary arrays of one column
        bad = ~np.isfinite(column)
        if bad.any():
            i = int(bad.argmax())
            return i, j, column[i]
    return None


def _first_of_block(block, start):
    found = _first_nonfinite(read_block(block))
    return None if found is None else (start + found[0], *found[1:])


def _first_of_two(left, right):
    """Return the one in the earlier column."""
    if left is None or right is None:
        return right if left is None else left
    return min(left, right, key=lambda found: found[1::-1])


def _refuse_shape(shape, empty):
    refuse_empty(shape, empty)
    if shape[0] > LARGEST_INT32:
        raise ValueError(
            f"X has {shape[0]} rows; in memory a design may have at most {LARGEST_INT32}, pass it "
            "as a dask array"
        )


def read_gram(gram, xty, yty):
    """Return X'X, X'y, y'y or None, and names or None, as new float64 arrays that fit together.

    Shapes are (p, p) and (p,); the columns of a frame have names.
    """
    array, names = read_frame(gram) if is_frame(gram) else (real_array("gram", gram), None)
    if names is not None and array.ndim == 2 and len(array) == len(names):
        places = places_by_label("the index of gram", index_of(gram), names, "column of gram")
        array = array[places]
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(f"gram has shape {array.shape}; give X'X, columns by columns")
    with np.errstate(over="ignore"):
        G = np.array(array, dtype=np.float64, order="C", subok=False)
    refuse_overflow("gram", array, G)
    refuse("gram", G, ~np.isfinite(G), "every product must be finite")
    xty = by_label("xty", xty, names, len(G), 0.0, "column of gram")
    if np.shape(xty) != (len(G),):
        raise ValueError(
            f"xty has shape {np.shape(xty)} but gram has {len(G)} columns; give one product each"
        )
    cross = read_finite("xty", xty, len(G), "column")
    squares = np.diagonal(G)
    if (squares < 0.0).any():
        j = int((squares < 0.0).argmax())
        raise ValueError(f"gram has {squares[j]:g} {place((j, j))}; a square is at least 0")
    size = np.sqrt(squares)
    _refuse_impossible(G, size)
    unit = np.where(size > 0.0, size, 1.0)
    factor = _factor(G / unit / unit[:, None])
    if (np.abs(cross) > 0.0)[size == 0.0].any():
        j = int(np.flatnonzero((size == 0.0) & (cross != 0.0))[0])
        raise ValueError(f"xty is {cross[j]:g} for column {j}, which gram says is 0")
    if yty is not None:
        yty = read_number("yty", yty, 0, np.inf)
        root = solve_triangular(factor, cross / unit, lower=True)
        most = np.linalg.norm(root)
        if most > np.sqrt(yty) * (1 + ROUNDING):
            raise ValueError(
                f"yty is {yty:g}, but gram and xty say that the columns explain {most**2:g} of "
                f"y'y; pass y'y of the same y"
            )
    return G, cross, yty, names


def _factor(C):
    """Return a new Cholesky factor of correlations, with ROUNDING on the diagonal.

    A matrix that is not positive semidefinite is refused: no columns have such products.
    """
    C.flat[:: len(C) + 1] = 1.0 + ROUNDING
    try:
        return cholesky(C, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        raise ValueError(
            "gram is no X'X: it has a negative eigenvalue, as inner products taken over different "
            "rows may have; fill the gaps of X first"
        ) from None


def _refuse_impossible(G, size):
    """Refuse a matrix that is not symmetric, or whose products exceed the bound of its squares."""
    most = size[:, None] * size
    for bad, what in (
        (np.abs(G - G.T) > ASYMMETRY * most, "is not symmetric"),
        (np.abs(G) > most * (1 + ASYMMETRY), "is no X'X: a product exceeds its columns' sizes"),
    ):
        if bad.any():
            i, j = (int(k) for k in np.unravel_index(int(bad.argmax()), G.shape))
            raise ValueError(f"gram {what} ({G[i, j]:g} {place((i, j))}, {G[j, i]:g} across)")
