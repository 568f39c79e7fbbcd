"""DistributedDesign: a design whose rows lie in blocks elsewhere, fetched again for every pass.

It has the methods of Design that solvers need if they see X through products alone. A pass calls
one function on every block and merges the results in pairs. The order of merging depends only on
the blocks. Moments take one pass, which merges a Summary of each block.
"""

from operator import add
from typing import NamedTuple

import numpy as np
import scipy.sparse

from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.design.row_summary import merged, summarise
from sparsesolve.linalg.gram.gram import tall_gram
from sparsesolve.linalg.gram.products import row_products, row_sums

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

    def __init__(self, sizes, p, gather, read):
        self.n, self.p, self.stored = int(sum(sizes)), p, int(sum(sizes)) * p
        self.shape = self.n, p
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.gather, self.read = gather, read

    def cut(self, *rows):
        """Split arrays whose last axis is the rows; return the parts of each block."""
        spans = zip(self.starts[:-1], self.starts[1:], strict=True)
        return [tuple(array[..., i:j] for array in rows) for i, j in spans]

    def moments(self, w, response=None):
        """Fill `mean`, `spread` and `exponent` under weights w (n,) that sum to 1.

        If a response (n,) is given, the same pass computes centred inner products of the columns,
        `gram` (p, p), centred inner products with the response, `cross` (p,), and
        `response_mean`. The response is measured in units of 2**`response_power`. Returns False
        if a value is NaN or infinite.
        """
        rows = (w,)
        if response is not None:
            self.response_power = int(np.frexp(np.abs(response).max())[1])
            rows = w, np.ldexp(response, -self.response_power)
        arguments = [(self.read, *parts) for parts in self.cut(*rows)]
        found = self.gather(summarise, arguments, merged)
        if not found.finite:
            return False
        self.mean, self.exponent = found.mean, found.exponent
        spread = np.sqrt(found.square)
        self.spread = np.where(spread > CONSTANT * np.abs(self.mean), spread, 0.0)
        self.gram, self.cross, self.response_mean = found.gram, found.cross, found.response_mean
        return True

    def standardise(self, centred, factor):
        """Let column j stand for (x_j - mean_j) * factor_j, or x_j * factor_j."""
        centre = self.mean if centred else np.zeros(self.p)
        near = not (self.exponent.any() or (np.abs(centre) > FAR * self.spread).any())
        self.frame = Frame(centre, np.asarray(factor), self.exponent, near)

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
        return self._combinations(which, b[None])[0]

    def combinations(self, B):
        """Return Z b_k (K, n) for B (K, p), in one pass."""
        which = np.flatnonzero(B.any(axis=0)).astype(np.intc)
        return self._combinations(which, B[:, which])

    def _combinations(self, which, B):
        if len(which) == 0:
            return np.zeros((len(B), self.n))
        arguments = [(self.read, self.frame.of(which), which, B)] * (len(self.starts) - 1)
        return np.concatenate(self.gather(_combinations, arguments, None), axis=1)

    def unpacked(self, which):
        """Return the standardised columns which[0..k) as an array (n, k)."""
        if len(which) == 0:
            return np.zeros((self.n, 0))
        arguments = [(self.read, self.frame.of(which), which)] * (len(self.starts) - 1)
        return np.concatenate(self.gather(_unpacked, arguments, None))

    def inner_products(self, which, h, basis):
        """Return the result of :func:`inner_products`, in one pass."""
        arguments = [
            (self.read, self.frame.of(which), which, *parts) for parts in self.cut(h, basis.T)
        ]
        return self.gather(_inner_products, arguments, _both)


def inner_products(design, which, h, basis, n_threads=1):
    """Return Z_S'HZ_S (k, k) for the columns S = which, and basis' H Z_S (f, k) for basis (n, f).

    The design may be in memory or distributed; n_threads is used only in memory.
    """
    if len(which) == 0:
        return np.zeros((0, 0)), np.zeros((basis.shape[1], 0))
    if isinstance(design, DistributedDesign):
        return design.inner_products(which, h, basis)
    part, total, one = design.part(which), h.sum() or 1.0, basis.shape[1] == 1
    y = np.ascontiguousarray(basis[:, 0]) if one else np.zeros(len(h))
    gram, cross = tall_gram(part, np.sqrt(h / total), y, n_threads)
    if one:
        return total * gram, total * np.asarray(cross)[None]
    weighted = np.ascontiguousarray(h * basis.T)
    return total * gram, part.response_products(weighted, None, n_threads)


# The functions below are what a pass computes from one block.


def _placed(matrix, frame):
    """Return the rows of a block as a Design of their own."""
    design = Design(matrix)
    design.standardise_as(frame.centre, frame.factor, frame.exponent)
    return design


def _by_rows(block, read):
    """Return a block stored row by row, or None if it is stored otherwise.

    The result is an array (rows, p), or for a sparse block a Design of its transpose.
    """
    if scipy.sparse.issparse(block):
        return Design(read(block.T)) if block.format == "csr" else None
    if block.flags.f_contiguous or block.strides[1] != block.itemsize:
        return None
    return np.ascontiguousarray(read(block.T).T, dtype=float)


def _products(block, read, frame, u):
    u, rows = np.ascontiguousarray(u), _by_rows(block, read) if frame.near else None
    if rows is None:
        return _placed(read(block), frame).response_products(u)
    if isinstance(rows, Design):
        every = np.arange(rows.p, dtype=np.intc)
        raw = np.stack([rows.combination(every, v) for v in u])
    else:
        raw = row_sums(u, rows)
    return frame.factor * (raw - u.sum(axis=1)[:, None] * frame.centre)


def _combinations(block, read, frame, which, B):
    if 2 * len(which) > block.shape[1] and frame.near:
        rows, scaled = _by_rows(block, read), frame.factor * B
        if rows is not None:
            whole = np.zeros((len(B), block.shape[1]))
            whole[:, which] = scaled
            sparse = isinstance(rows, Design)
            raw = rows.response_products(whole) if sparse else row_products(whole, rows)
            return raw - (scaled @ frame.centre)[:, None]
    design = _placed(read(block[:, which]), frame)
    every = np.arange(len(which), dtype=np.intc)
    return np.stack([design.combination(every, b) for b in np.ascontiguousarray(B)])


def _unpacked(block, read, frame, which):
    design = _placed(read(block[:, which]), frame)
    return design.unpacked(np.arange(len(which), dtype=np.intc))


def _inner_products(block, read, frame, which, h, basis):
    every = len(which) == block.shape[1] and (which == np.arange(len(which))).all()
    design = _placed(read(block if every else block[:, which]), frame)
    return inner_products(design, np.arange(len(which), dtype=np.intc), h, basis.T)


def _both(left, right):
    return tuple(a + b for a, b in zip(left, right, strict=True))
