"""DistributedDesign: a design whose rows lie in blocks elsewhere, fetched again for every pass.

It has the methods of Design that solvers need if they see X through products alone. A pass calls
one function on every block and merges the results in pairs. The order of merging depends only on
the blocks. Moments take one pass, which merges a Summary of each block.
"""

from itertools import islice
from operator import add
from typing import NamedTuple

import numpy as np
import scipy.sparse

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.row_summary import (
    all_but_each,
    merged,
    merged_parts,
    summarise,
    summarise_parts,
)
from sparsesolve.linalg.gram.gram import tall_gram

# Bytes of the standardised copy of some rows, which a cache holds.
CHUNK_BYTES = 1 << 22
# A standard deviation below this multiple of the mean is rounding error: the column is constant.
CONSTANT = 1e-15
# A column whose mean exceeds this many standard deviations is centred before a product, because
# centring afterwards would cost five digits.
FAR = 2.0**16


class Frame(NamedTuple):
    """Standardisation of k columns: (x / 2**exponent - centre) * factor, each array (k,)."""

    centre: np.ndarray
    factor: np.ndarray
    exponent: np.ndarray
    near: bool  # True if centring may follow a product

    def of(self, which):
        return Frame(self.centre[which], self.factor[which], self.exponent[which], self.near)


class DistributedDesign:
    """Columns of a matrix (n, p) in blocks of rows, standardised implicitly.

    Parameters
    ----------
    sizes : number of rows of each block
    p : number of columns
    gather : callable (function, arguments, merge)
        Calls function(block, *arguments[k]) for every block k and merges the results in pairs,
        or returns a list of them if merge is None.
    read : callable (block) -> matrix
        Converts a block, or some columns of it, to a matrix that Design accepts.
    """

    known = None  # the Summary that `moments` would find, if another pass has found it

    def __init__(self, sizes, p, gather, read):
        self.n, self.p, self.stored = int(sum(sizes)), p, int(sum(sizes)) * p
        self.shape = self.n, p
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.gather, self.read = gather, read

    def copy(self, gather=None, known=None):
        """Return the same rows, with moments and a standardisation of their own to come."""
        sizes = np.diff(self.starts)
        made = DistributedDesign(sizes, self.p, gather or self.gather, self.read)
        made.known = known or self.known
        return made

    def cut(self, *rows):
        """Split arrays whose last axis is the rows; return the parts of each block."""
        spans = zip(self.starts[:-1], self.starts[1:], strict=True)
        return [tuple(array[..., i:j] for array in rows) for i, j in spans]

    def moments(self, w, response=None, unit=0):
        """Fill `mean`, `spread` and `exponent` under weights w (n,) that sum to 1.

        If a response (n,), or (n, K), is given, the same pass computes centred inner products of
        the columns, `gram` (p, p), centred inner products with the response, `cross` (p,) or (K,
        p), and `response_mean`, both in units of 2**`response_power`, where the response itself
        is in units of 2**`unit`. Returns False if a value is NaN or infinite.
        """
        found = self.known
        if found is None:
            power, arguments = self._weighted(w, response, unit)
            found = self.gather(summarise, arguments, merged)._replace(response_power=power)
        if not found.finite:
            return False
        self.mean, self.exponent = found.mean, found.exponent
        spread = np.sqrt(found.square)
        self.spread = np.where(spread > CONSTANT * np.abs(self.mean), spread, 0.0)
        self.gram, self.cross, self.response_mean = found.gram, found.cross, found.response_mean
        self.response_power = found.response_power
        return True

    def training_sums(self, ids, w, response=None, unit=0):
        """Return the Summaries of all rows and of those that each fold leaves, in one pass.

        `ids` (R, n) are the folds of R divisions, one after the other. They are `known` for the
        moments under weights (n,) that are 0 in a fold and else proportional to w, with any
        response that differs from this one by constants.
        """
        counts, found = ids.max(axis=1) + 1, []
        power, arguments = self._weighted(w, response, unit)
        arguments = [(parts, counts, *rest) for (parts,), rest
                     in zip(self.cut(ids), arguments, strict=True)]  # fmt: skip
        sums = iter(self.gather(summarise_parts, arguments, merged_parts))
        for count in counts:
            every, *others = all_but_each([*islice(sums, count)])
            found += others
        return [s._replace(response_power=power) for s in (every, *found)]

    def _weighted(self, w, response, unit):
        """Return the power of two that measures a response, and what `summarise` takes of blocks.
        """
        if response is None:
            return 0, [(self.read, *rows) for rows in self.cut(w)]
        power = int(np.frexp(np.abs(response).max())[1])
        rows = self.cut(w, np.ldexp(response, -power).T)
        return power + unit, [(self.read, w, y.T) for w, y in rows]

    def standardise(self, centred, factor):
        """Let column j stand for (x_j - mean_j) * factor_j, or x_j * factor_j."""
        centre = self.mean if centred else np.zeros(self.p)
        near = not (self.exponent.any() or (np.abs(centre) > FAR * self.spread).any())
        self.frame = Frame(centre, np.asarray(factor), self.exponent, near)
        self._last = None, None

    def rest_of_mean(self, which):
        """Return zeros (k,): what is subtracted from a column is exactly its `mean`."""
        return np.zeros(len(which))

    def products(self, u, n_threads=1):
        """Return Z'u (p,) for u (n,)."""
        return self.response_products(u[None])[0]

    def response_products(self, u, which=None, n_threads=1):
        """Return u_k'z_j (K, p) for u (K, n), in one pass."""
        arguments = [(self.read, self.frame, part) for (part,) in self.cut(u)]
        return self.gather(_products, arguments, add)

    def combination(self, which, b):
        """Return sum_k b[k] z_j (n,) for j = which[k]."""
        key = which.tobytes(), b.tobytes()
        if self._last[0] != key:  # those of the point before are asked again
            self._last = key, self._combinations(which, b[None])[0]
        return self._last[1].copy()

    def combinations(self, B):
        """Return Z b_k (K, n) for B (K, p), in one pass."""
        which = np.flatnonzero(B.any(axis=0)).astype(np.intc)
        return self._combinations(which, B[:, which])

    def standing(self, make, arguments):
        """Return, for each block, what make(*arguments[k]) returns, kept where the block is."""
        return self.gather.keep(make, arguments)

    def _combinations(self, which, B):
        if len(which) == 0:
            return np.zeros((len(B), self.n))
        arguments = [(self.read, self.frame.of(which), which, B)] * (len(self.starts) - 1)
        return np.concatenate(self.gather(_combinations, arguments, None), axis=1)

    def raw_product(self, which, values, rows=None):
        """Return X values (m, k) of the columns `which`, as stored, for ascending `rows` (m,)."""
        arguments = [(which, values, None)] * (len(self.starts) - 1)
        if rows is not None:
            ends = np.searchsorted(rows, self.starts)
            spans = zip(ends[:-1], ends[1:], self.starts, strict=False)
            arguments = [(which, values, rows[i:j] - start) for i, j, start in spans]
        return np.concatenate(self.gather(_raw_product, arguments, None))

    def __getitem__(self, place):
        """Return all rows of some columns, [:, which], as blocks of which no more is read."""
        return DistributedDesign(
            np.diff(self.starts), len(place[1]), _Columnwise(self.gather, place[1]), self.read
        )

    def taken(self, which):
        """Return X (n, p) in memory with zeros in place of all but a few columns."""
        which = np.sort(which)
        values, n = self.raw_product(which, np.eye(len(which))), self.n
        ends = n * np.searchsorted(which, np.arange(self.p + 1))
        rows = np.tile(np.arange(n), len(which))
        return scipy.sparse.csc_array((values.ravel("F"), rows, ends), shape=self.shape)

    def unpacked(self, which):
        """Return the standardised columns which[0..k) as an array (n, k)."""
        if len(which) == 0:
            return np.zeros((self.n, 0))
        arguments = [(self.read, self.frame.of(which), which)] * (len(self.starts) - 1)
        return np.concatenate(self.gather(_unpacked, arguments, None))


def chunk_rows(p):
    """Return how many rows of p columns are standardised at a time."""
    # Vectors of 4,096 stay in cache, and malloc keeps their memory also on workers of dask, which
    # give back what is above 64 KB (MALLOC_TRIM_THRESHOLD_).
    return min(max(CHUNK_BYTES // (8 * max(p, 1)), 256), 4096)


# The functions below are what a pass computes from one block.


def rows_of(block, read, frame):
    """Return an object that makes products with the standardised rows of a block.

    It has `combinations` (B (K, p) -> (K, n)), `products` (U (K, n) -> (K, p)), `unpacked`
    (which -> (n, k)) and `gram` (which, h (n,) -> (k, k)).
    """
    if isinstance(block, Design):
        return _Columns(block)
    if isinstance(block, np.ndarray) and block.dtype.kind in "fiub":
        return _Dense(block, frame)
    if frame.near and scipy.sparse.issparse(block) and block.format in ("csr", "csc"):
        return _Sparse(block, read, frame)
    design = Design(read(block))
    design.standardise_as(frame.centre, frame.factor, frame.exponent)
    return _Columns(design)


class _Columns:
    """Rows as a standardised Design."""

    def __init__(self, design):
        self.design = design

    def combinations(self, B):
        return self.design.combinations(B)

    def products(self, U):
        return self.design.response_products(np.ascontiguousarray(U))

    def unpacked(self, which):
        return self.design.unpacked(np.asarray(which, dtype=np.intc))

    def gram(self, which, h):
        part = self.design.part(np.asarray(which, dtype=np.intc))
        total = h.sum() or 1.0
        return total * np.asarray(tall_gram(part, np.sqrt(h / total), np.zeros(len(h)))[0])


class _Sparse(_Columns):
    """Rows of a sparse block, whose means are near enough to be subtracted afterwards."""

    def __init__(self, block, read, frame):
        self.block, self.read, self.frame = block, read, frame

    def combinations(self, B):
        scaled = B * self.frame.factor
        return (self.block @ scaled.T).T - (scaled @ self.frame.centre)[:, None]

    def products(self, U):
        raw = (self.block.T @ U.T).T - U.sum(axis=1)[:, None] * self.frame.centre
        return self.frame.factor * raw

    def unpacked(self, which):
        return self._placed(which).unpacked(np.arange(len(which), dtype=np.intc))

    def gram(self, which, h):
        return _Columns(self._placed(which)).gram(np.arange(len(which)), h)

    def _placed(self, which):
        design, frame = Design(self.read(self.block[:, which])), self.frame.of(which)
        design.standardise_as(frame.centre, frame.factor, frame.exponent)
        return design


class _Dense:
    """Rows of an array, standardised some at a time, so that means lose no digits."""

    def __init__(self, block, frame):
        self.block, self.frame, self.kept = block, frame, None

    def _chunks(self, which=None):
        """Yield slices of rows and these rows, centred, but not yet times their factors."""
        count = chunk_rows(self.block.shape[1])
        for start in range(0, len(self.block), count):
            rows = slice(start, start + count)
            if len(self.block) > count:
                yield rows, self._centred(rows, which)
            else:
                self.kept = self._centred(rows) if self.kept is None else self.kept
                yield rows, self.kept if which is None else self.kept[:, which]

    def _centred(self, rows, which=None):
        frame, part = self.frame, self.block[rows]
        if which is not None:
            frame, part = frame.of(which), part[:, which]
        if frame.exponent.any():
            part = np.ldexp(np.asarray(part, dtype=float), -frame.exponent)
        return np.subtract(part, frame.centre, dtype=float)

    def combinations(self, B):
        which = np.flatnonzero(B.any(axis=0))
        few = None if 2 * len(which) > B.shape[1] else which
        scaled = np.ascontiguousarray((B * self.frame.factor).T)
        scaled = scaled if few is None else scaled[few]
        out = np.empty((len(B), len(self.block)))
        for rows, chunk in self._chunks(few):
            out[:, rows] = (chunk @ scaled).T
        return out

    def products(self, U):
        total = np.zeros((len(U), len(self.frame.factor)))
        for rows, chunk in self._chunks():
            total += U[:, rows] @ chunk
        return self.frame.factor * total

    def unpacked(self, which):
        return (
            np.concatenate([chunk for _, chunk in self._chunks(which)]) * self.frame.factor[which]
        )

    def gram(self, which, h):
        total, root = np.zeros((len(which), len(which))), np.sqrt(h)
        every = len(which) == self.block.shape[1] and (which == np.arange(len(which))).all()
        for rows, chunk in self._chunks(None if every else which):
            weighted = chunk * root[rows, None]
            total += weighted.T @ weighted
        factor = self.frame.factor[which]
        return total * np.outer(factor, factor)


class _Columnwise:
    """Calls functions of some columns of every block."""

    def __init__(self, gather, which):
        self.gather, self.which, self.keep = gather, which, gather.keep

    def __call__(self, function, arguments, merge):
        own = [(self.which, function, *rest) for rest in arguments]
        return self.gather(_of_columns, own, merge)


def _of_columns(block, which, function, *rest):
    return function(block[:, which], *rest)


def _raw_product(block, which, values, rows):
    part = block if rows is None else block[rows]  # a fold has few
    part = part if len(which) == part.shape[1] else part[:, which]
    return np.asarray(part @ values, dtype=float)


def _products(block, read, frame, u):
    return rows_of(block, read, frame).products(u)


def _combinations(block, read, frame, which, B):
    return rows_of(block[:, which], read, frame).combinations(B)


def _unpacked(block, read, frame, which):
    return rows_of(block[:, which], read, frame).unpacked(np.arange(len(which)))
