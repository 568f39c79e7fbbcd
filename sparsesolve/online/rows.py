"""Rows: blocks of rows in the form that the compiled methods read, cut from the user's data."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from sparsesolve.data import columns_by_name, is_frame, read_design, refuse_truncated
from sparsesolve.data.structure import verified

# A block has at most this many rows.
BLOCK = 4096
# A dense block has at most this many numbers, which take 32 MB.
ENTRIES = 1 << 22
# Feature numbers are stored as int32, which holds at most this number.
MOST_FEATURES = 2**31 - 1


class Rows(NamedTuple):
    """n rows in the form of CSR, with what is known of each row."""

    start: np.ndarray  # (n + 1,) intp
    columns: np.ndarray  # (nnz,) intc, ascending within a row
    x: np.ndarray  # (nnz,) without zeros
    y: np.ndarray  # (n, K or 1)
    w: np.ndarray  # (n,)
    offset: np.ndarray | None  # (n, K)

    @property
    def n(self):
        """Number of rows."""
        return len(self.w)

    def part(self, first, last):
        """Return rows first:last."""
        a, b = self.start[first], self.start[last]
        offset = None if self.offset is None else self.offset[first:last]
        return Rows(self.start[first : last + 1] - a, self.columns[a:b], self.x[a:b],
                    self.y[first:last], self.w[first:last], offset)  # fmt: skip

    def weighted(self):
        """Return the rows whose weight is not 0."""
        kept = self.w > 0.0
        if kept.all():
            return self
        counts = np.diff(self.start)
        entries = np.repeat(kept, counts)
        offset = None if self.offset is None else self.offset[kept]
        start = np.append(0, np.cumsum(counts[kept])).astype(np.intp)
        return Rows(start, self.columns[entries], self.x[entries], self.y[kept], self.w[kept],
                    offset)  # fmt: skip


def joined(parts):
    """Return one block with the rows of several."""
    if len(parts) == 1:
        return parts[0]
    counts = np.concatenate([np.diff(part.start) for part in parts])
    offset = None
    if any(part.offset is not None for part in parts):
        K = next(part.offset.shape[1] for part in parts if part.offset is not None)
        offset = np.concatenate(
            [np.zeros((p.n, K)) if p.offset is None else p.offset for p in parts]
        )
    start = np.append(0, np.cumsum(counts)).astype(np.intp)
    return Rows(start, *(np.concatenate([part[k] for part in parts]) for k in range(1, 5)), offset)


def is_table(X):
    """Return True if X is an array, sparse matrix, frame or lists of numbers, False for a stream.
    """
    if isinstance(X, list | tuple):
        return not (len(X) and isinstance(X[0], tuple) and len(X[0]) and is_table(X[0][0]))
    return hasattr(X, "shape") or hasattr(X, "columns")


def in_columns_of_fit(X, names):
    """Return a frame with its columns in the order of `names`, (p,) or None; other X as it is."""
    if names is None or not is_frame(X):
        return X
    return columns_by_name(X, list(names), "the fit has learned")


def row_matrix(X):
    """Return X as an array (n, p) or as CSR, and the names of its columns or None."""
    if sparse.issparse(X):
        if X.ndim != 2:
            raise ValueError(f"X is a sparse array of shape {X.shape}; it must be rows by columns")
        return _canonical(verified(X)), None
    if type(X) in (np.ndarray, np.memmap) and X.ndim == 2 and X.dtype.kind in "fiub":
        refuse_truncated("X", X)
        return X, None
    matrix, names = read_design(X, empty=True)
    return (_canonical(matrix) if sparse.issparse(matrix) else matrix), names


def _canonical(X):
    if X.dtype.kind not in "fiub":
        raise TypeError(f"X holds {X.dtype}; real numbers are needed")
    rows = X if X.format == "csr" else sparse.csr_array(X)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def block_size(matrix):
    """Return the number of rows that are read at once."""
    if sparse.issparse(matrix):
        return BLOCK
    return max(1, min(BLOCK, ENTRIES // max(matrix.shape[1], 1)))


def entries(matrix, first, last, chosen=None, above=0):
    """Return start, index and x of rows first:last, or of the chosen rows; zeros are left out.

    A number that is not finite raises ValueError; rows are counted from `above`.
    """
    if sparse.issparse(matrix):
        if chosen is None:
            start = matrix.indptr[first : last + 1]
            here = slice(start[0], start[-1])
            start, index = start - start[0], matrix.indices[here]
            x = np.asarray(matrix.data[here], dtype=float)
        else:
            part = matrix[chosen]
            start, index, x = part.indptr, part.indices, np.asarray(part.data, dtype=float)
        if not x.all():
            kept = x != 0.0
            start = np.append(0, np.cumsum(kept))[start]
            index, x = index[kept], x[kept]
    else:
        part = matrix[first:last] if chosen is None else matrix[chosen]
        kept = part != 0
        start = np.append(0, np.cumsum(np.count_nonzero(kept, axis=1)))
        index, x = np.nonzero(kept)[1], np.asarray(part[kept], dtype=float)
    if not np.isfinite(x).all():
        at = int(np.flatnonzero(~np.isfinite(x))[0])
        row = int(np.searchsorted(start, at, side="right")) - 1
        row = above + (first + row if chosen is None else int(chosen[row]))
        raise ValueError(
            f"X holds {x[at]} at row {row} of column {index[at]} (counted from 0); fill it or "
            "drop its row"
        )
    return (np.asarray(start, dtype=np.intp), np.ascontiguousarray(index, dtype=np.intc),
            np.ascontiguousarray(x))  # fmt: skip
