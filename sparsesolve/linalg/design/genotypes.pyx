"""Genotypes of 2 bits as they are stored, and designs of several kinds of columns side by side.

    values 0, 1, 2 or missing; four to a byte, a column in (n + 3) // 4 bytes (PLINK's .bed)

Both classes are what a Design is made of. They decode the columns that predictions and refits
ask for; a missing value then stands for a number that the caller knows, the mean of the rows
that were fitted.
"""
from libc.stdint cimport int64_t, uint8_t, uint64_t

import numpy as np
import scipy.sparse

from sparsesolve.linalg.kernels.two_bits cimport ss_count_2b, ss_take_2b, ss_unpack_2b

# Columns are decoded in blocks of this many bytes of float64.
BLOCK_BYTES = 1 << 26
# Two weights are equal if they differ by at most this relative amount, the rounding error of a
# squared square root.
SAME_WEIGHT = 1e-14


class TwoBits:
    """Genotypes (n, p) of 2 bits, referenced where they are.

    Parameters
    ----------
    data : ndarray or memmap of uint8, one-dimensional
    starts : (p,) where each column starts in `data`
    n : int
        Rows.
    """

    def __init__(self, data, starts, n):
        self.data, self.starts = data, np.ascontiguousarray(starts, dtype=np.longlong)
        self.shape, self.dtype = (n, len(self.starts)), np.dtype(np.float64)

    def of_columns(self, which):
        """Return the columns `which` of the same memory."""
        return type(self)(self.data, self.starts[which], self.shape[0])

    def counts(self, rows=None):
        """Return how many genotypes of each column are 0, 1, 2 and missing, int64 (p, 4).

        With `rows`, bool (n,), only these rows.
        """
        cdef const uint8_t[::1] data = self.data
        cdef const long long[::1] starts = self.starts
        cdef uint64_t[::1] marks = None if rows is None else marked_rows(rows)
        cdef int64_t[:, ::1] out = np.empty((len(self.starts), 4), dtype=np.int64)
        cdef Py_ssize_t j, n = self.shape[0]
        with nogil:
            for j in range(starts.shape[0]):
                ss_count_2b(n, &data[starts[j]], NULL if marks is None else &marks[0], &out[j, 0])
        return np.asarray(out)[:, [3, 2, 0, 1]]

    def copies(self):
        """Return the frequency of each column and whether its known values differ, (p, 2)."""
        counts = self.counts()[:, :3]
        with np.errstate(invalid="ignore"):
            frequency = counts @ [0.0, 0.5, 1.0] / counts.sum(axis=1)
        return np.column_stack([frequency, (counts > 0).sum(axis=1) > 1])

    def of_rows(self, which):
        """Return a copy of the rows `which`, still of 2 bits."""
        cdef const uint8_t[::1] data = self.data
        cdef const long long[::1] starts = self.starts
        cdef const int64_t[::1] rows = np.ascontiguousarray(which, dtype=np.int64)
        cdef Py_ssize_t j, m = rows.shape[0], size = (m + 3) // 4
        cdef uint8_t[::1] out = np.empty(size * starts.shape[0], dtype=np.uint8)
        with nogil:
            for j in range(starts.shape[0]):
                ss_take_2b(m, &rows[0], &data[starts[j]], &out[size * j])
        return TwoBits(np.asarray(out), size * np.arange(len(self.starts)), m)

    def columns(self, which, missing):
        """Return the columns which[0..k) as float64 (n, k), column-major.

        `missing` (k,) is what missing values stand for; NaN where they are to be seen.
        """
        cdef const uint8_t[::1] data = self.data
        cdef const long long[::1] starts = self.starts[which]
        cdef const double[::1] stands_for = np.ascontiguousarray(missing, dtype=float)
        cdef Py_ssize_t k, n = self.shape[0]
        cdef double[:, ::1] out = np.empty((starts.shape[0], n))
        with nogil:
            for k in range(starts.shape[0]):
                ss_unpack_2b(0, n, 1.0, &data[starts[k]], stands_for[k], 0.0, &out[k, 0])
        return np.asarray(out).T


class Dosages(TwoBits):
    """Dosages (n, p) of 16 bits: steps of 2^-14 from 0 to 2, and 65535 where one is missing.

    `data` is of uint16, and `starts` counts its items.
    """

    def counts(self, rows=None):
        """Return how many dosages of each column are nearest to 0, 1 and 2, and missing."""
        rows = slice(None) if rows is None else rows
        found = []
        for block in self._blocks():
            # Halves go to 0 and 2, so that the counts of 2 - x are those of x from the back.
            near = np.digitize(block[:, rows], [8193, 24576, 65535])
            found.append(np.stack([(near == k).sum(axis=1) for k in range(4)], axis=1))
        return np.concatenate(found)

    def copies(self):
        """Return the frequency of each column and whether its known values differ, (p, 2)."""
        found = []
        for block in self._blocks():
            seen = block != 65535
            high, low = np.where(seen, block, 0).max(axis=1), block.min(axis=1)
            with np.errstate(invalid="ignore"):
                mean = (block * seen).sum(axis=1, dtype=np.int64) / seen.sum(axis=1)
            found.append(np.column_stack([mean * 2.0**-15, high > low]))
        return np.concatenate(found)

    def of_rows(self, which):
        """Return a copy of the rows `which`."""
        data = np.concatenate([block[:, which].ravel() for block in self._blocks()])
        return Dosages(data, len(which) * np.arange(len(self.starts)), len(which))

    def columns(self, which, missing):
        """Return the columns which[0..k) as float64 (n, k), column-major; see TwoBits."""
        block = np.array([self.data[start : start + self.shape[0]] for start in self.starts[which]])
        block = block.reshape(-1, self.shape[0])  # also of no column
        return np.where(block == 65535, np.asarray(missing)[:, None], block * 2.0**-14).T

    def _blocks(self):
        """Yield uint16 (k, n) of all columns, k at a time."""
        n = self.shape[0]
        width = max(1, BLOCK_BYTES // (16 * max(n, 1)))
        for first in range(0, len(self.starts), width):
            yield np.stack([self.data[start : start + n]
                            for start in self.starts[first : first + width]])


def marked_rows(rows):
    """Return one bit of two for each of the rows, bool (n,), as words of 64 bits."""
    bits = np.zeros(((len(rows) + 31) // 32 * 32, 2), dtype=np.uint8)
    bits[:len(rows), 0] = rows
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)


class MixedColumns:
    """Columns of several kinds side by side: arrays of numbers, sparse ones, and TwoBits.

    Parameters
    ----------
    parts : sequence of ndarray, csc_array or TwoBits, each with n rows
        As a Design takes them.
    missing : (p,), optional
        What missing genotypes stand for in columns that are read; without it they are refused.
    """

    names = None  # of the columns (p,), where they have any

    def __init__(self, parts, missing=None):
        self.parts, self.missing = tuple(parts), missing
        widths = [part.shape[1] for part in self.parts]
        self.shape, self.dtype = (self.parts[0].shape[0], sum(widths)), np.dtype(np.float64)
        self.first = np.append(0, np.cumsum(widths))

    def imputed(self, missing):
        """Return these columns with what missing values stand for (p,); None if that is unknown.
        """
        return MixedColumns(self.parts, missing)

    def refuse_changed(self):
        """Raise ValueError if memory behind the columns is a file that was changed. Here none is.
        """

    def __getitem__(self, key):
        """Return X[rows, which] as float64; `which` lists columns, `rows` is a slice or an array.
        """
        rows, which = key
        which = np.arange(self.shape[1])[which]
        out = np.empty((self.shape[0], len(which)), order="F")
        for part, first in zip(self.parts, self.first):
            mine = np.flatnonzero((first <= which) & (which < first + part.shape[1]))
            here = which[mine] - first
            if isinstance(part, TwoBits):
                out[:, mine] = self._decoded(part, here, which[mine])
            else:
                values = part[:, here]
                out[:, mine] = values.toarray() if scipy.sparse.issparse(values) else values
        return out[rows if isinstance(rows, slice) else np.ravel(rows)]

    def _decoded(self, part, here, which):
        if self.missing is not None:
            return part.columns(here, self.missing[which])
        values = part.columns(here, np.full(len(here), np.nan))
        lost = np.isnan(values)
        if lost.any():
            i, k = np.argwhere(lost)[0]
            raise ValueError(
                f"the genotype at row {i}, column {which[k]} of X (counted from 0) is missing, and "
                "the model does not know the mean of the rows that it was fitted to; fit it to "
                "genotypes"
            )
        return values

    def product(self, which, values, rows=None):
        """Return X[rows, which] @ values, decoded in blocks of columns."""
        width = max(1, BLOCK_BYTES // (8 * max(self.shape[0], 1)))
        rows = slice(None) if rows is None else rows
        total = 0.0
        for begin in range(0, max(len(which), 1), width):
            block = slice(begin, begin + width)
            total = total + self[rows, which[block]] @ values[block]
        return total


def equal_weights(w):
    """Return the weight of every row with a positive one, and which rows these are, 2 bits each.

    The weight is 0 if they differ.
    """
    seen = w > 0.0
    each = w[seen].mean()
    if np.ptp(w[seen]) > SAME_WEIGHT * each:
        return 0.0, None
    return each, marked_rows(seen)
