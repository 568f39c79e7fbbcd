"""RowBlocks: a design whose rows lie in blocks elsewhere, fetched anew for every pass.

It answers what a Design answers to solvers that see X by products alone. A pass is one function of
every block, whose results are merged two by two in an order that depends on the blocks only.
Moments and inner products are taken about the means of each block and then merged, so that one
pass does and no digits are lost.
Reference: Chan, Golub, LeVeque, "Algorithms for computing the sample variance" (1983).
"""

from operator import add
from typing import NamedTuple

import numpy as np
import scipy.sparse

from sparsesolve.linalg.design import Design
from sparsesolve.linalg.gram import tall_gram

CONSTANT = 1e-15  # of the mean: a spread that is its rounding
FAR = 2.0**16  # spreads from the mean to 0, at which centring after a product costs five digits


class Frame(NamedTuple):
    """How columns are standardised: (x / 2**exponent - centre) * factor; (k,) each."""

    centre: np.ndarray
    factor: np.ndarray
    exponent: np.ndarray
    near: bool  # whether centring may follow a product

    def of(self, which):
        return Frame(self.centre[which], self.factor[which], self.exponent[which], self.near)


class RowBlocks:
    """Columns of a matrix (n, p) in blocks of rows, standardised implicitly.

    Parameters
    ----------
    sizes : rows of each block
    p : columns
    gather : callable (function, arguments, merge)
        Calls function(block, *arguments[k]) for every block k, and merges the results two by two,
        or returns a list of them where merge is None.
    read : callable (block) -> matrix
        Makes a block, or some columns of it, what Design takes.
    """

    def __init__(self, sizes, p, gather, read):
        self.n, self.p, self.stored = int(sum(sizes)), p, int(sum(sizes)) * p
        self.shape = self.n, p
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        self.gather, self.read = gather, read

    def cut(self, *rows):
        """For each block its part of arrays whose last axis is the rows."""
        spans = zip(self.starts[:-1], self.starts[1:], strict=True)
        return [tuple(array[..., i:j] for array in rows) for i, j in spans]

    def moments(self, w, response=None):
        """Fill `mean`, `spread` and `exponent` under weights w (n,) that sum to 1.

        With a response (n,) the same pass forms `gram` (p, p) and `cross` (p,), inner products
        with the columns and with the response, all less their means, and `response_mean`; the
        response is measured in units of 2**`response_power`. Returns False at a NaN or infinity.
        """
        rows = (w,)
        if response is not None:
            self.response_power = int(np.frexp(np.abs(response).max())[1])
            rows = w, np.ldexp(response, -self.response_power)
        arguments = [(self.read, *parts) for parts in self.cut(*rows)]
        found = self.gather(_summary, arguments, _merged)
        if not found.finite:
            return False
        self.mean, self.exponent = found.mean, found.exponent
        spread = np.sqrt(found.square)
        self.spread = np.where(spread > CONSTANT * np.abs(self.mean), spread, 0.0)
        self.gram, self.cross, self.response_mean = found.gram, found.cross, found.response_mean
        return True

    def standardise(self, centred, factor):
        """From now on column j stands for (x_j - mean_j) * factor_j, or x_j * factor_j."""
        centre = self.mean if centred else np.zeros(self.p)
        near = not (self.exponent.any() or (np.abs(centre) > FAR * self.spread).any())
        self.frame = Frame(centre, np.asarray(factor), self.exponent, near)

    def products(self, u, n_threads=1):
        """Z'u (p,) for u (n,)."""
        return self.response_products(u[None])[0]

    def response_products(self, u, which=None, n_threads=1):
        """u_k'z_j (K, p) for u (K, n), in one pass."""
        arguments = [(self.read, self.frame, part) for (part,) in self.cut(u)]
        return self.gather(_products, arguments, add)

    def combination(self, which, b):
        """sum_k b[k] z_j (n,) for j = which[k]."""
        if len(which) == 0:
            return np.zeros(self.n)
        arguments = [(self.read, self.frame.of(which), which, b)] * (len(self.starts) - 1)
        return np.concatenate(self.gather(_combination, arguments, None))

    def unpacked(self, which):
        """The standardised columns which[0..k) as an array (n, k)."""
        if len(which) == 0:
            return np.zeros((self.n, 0))
        arguments = [(self.read, self.frame.of(which), which)] * (len(self.starts) - 1)
        return np.concatenate(self.gather(_unpacked, arguments, None))

    def inner_products(self, which, h, basis):
        """What :func:`inner_products` returns, in one pass."""
        arguments = [
            (self.read, self.frame.of(which), which, *parts) for parts in self.cut(h, basis.T)
        ]
        return self.gather(_inner_products, arguments, _both)


def inner_products(design, which, h, basis, n_threads=1):
    """Z_S'HZ_S (k, k) of the columns S = which, and basis' H Z_S (f, k) for basis (n, f).

    The design is of either kind; n_threads are for one in memory.
    """
    if len(which) == 0:
        return np.zeros((0, 0)), np.zeros((basis.shape[1], 0))
    if isinstance(design, RowBlocks):
        return design.inner_products(which, h, basis)
    part, total = design.part(which), h.sum() or 1.0
    gram, _ = tall_gram(part, np.sqrt(h / total), np.zeros(len(h)), n_threads)
    heavy = np.ascontiguousarray(h * basis.T)
    return total * gram, part.response_products(heavy, None, n_threads)


# what a pass does with one block


def _placed(matrix, frame):
    """The rows of a block as a Design of their own."""
    design = Design(matrix)
    design.standardise_as(frame.centre, frame.factor, frame.exponent)
    return design


def _transposed(block, read):
    """The transpose as a Design, where the block lies row by row; else None."""
    if scipy.sparse.issparse(block):
        by_rows = block.format == "csr"
    else:
        by_rows = not block.flags.f_contiguous and block.strides[1] == block.itemsize
    return Design(read(block.T)) if by_rows else None


def _products(block, read, frame, u):
    u, rows = np.ascontiguousarray(u), _transposed(block, read) if frame.near else None
    if rows is None:
        return _placed(read(block), frame).response_products(u)
    every = np.arange(rows.p, dtype=np.intc)
    raw = np.stack([rows.combination(every, v) for v in u])
    return frame.factor * (raw - u.sum(axis=1)[:, None] * frame.centre)


def _combination(block, read, frame, which, b):
    if 2 * len(which) > block.shape[1] and frame.near:
        rows, scaled = _transposed(block, read), frame.factor * b
        if rows is not None:
            whole = np.zeros(block.shape[1])
            whole[which] = scaled
            return rows.products(whole) - scaled @ frame.centre
    design = _placed(read(block[:, which]), frame)
    return design.combination(np.arange(len(which), dtype=np.intc), b)


def _unpacked(block, read, frame, which):
    design = _placed(read(block[:, which]), frame)
    return design.unpacked(np.arange(len(which), dtype=np.intc))


def _inner_products(block, read, frame, which, h, basis):
    every = len(which) == block.shape[1] and (which == np.arange(len(which))).all()
    design = _placed(read(block if every else block[:, which]), frame)
    return inner_products(design, np.arange(len(which), dtype=np.intc), h, basis.T)


def _both(left, right):
    return tuple(a + b for a, b in zip(left, right, strict=True))


# moments


class Summary(NamedTuple):
    """Moments of some rows; columns are measured in units of 2**exponent."""

    finite: bool
    weight: float
    mean: np.ndarray | None = None  # (p,)
    square: np.ndarray | None = None  # (p,) sum of w (x - mean)^2
    exponent: np.ndarray | None = None  # (p,)
    gram: np.ndarray | None = None  # (p, p) sum of w (x - mean)(x - mean)'
    cross: np.ndarray | None = None  # (p,) sum of w (x - mean)(y - response_mean)
    response_mean: float = 0.0


def _summary(block, read, w, response=None):
    design, total = Design(read(block)), w.sum()
    share = w / total if total > 0.0 else np.full(len(w), 1.0 / len(w))
    if not design.moments(share):
        return Summary(False, total)
    mean, square = np.array(design.mean), total * np.square(design.spread)
    found = Summary(True, total, mean, square, np.array(design.exponent, dtype=np.int64))
    if response is None:
        return found
    design.standardise(True, np.ones(design.p))
    centre = float(share @ response)
    gram, cross = tall_gram(design, np.sqrt(share), response - centre)
    return found._replace(gram=total * gram, cross=total * cross, response_mean=centre)


def _merged(a, b):
    """Moments of both; rows without weight leave no trace but their NaNs."""
    if not (a.finite and b.finite):
        return Summary(False, 0.0)
    if a.weight == 0.0 or b.weight == 0.0:
        return b if a.weight == 0.0 else a
    zero_a, zero_b = (((s.mean == 0.0) & (s.square == 0.0)) for s in (a, b))
    power = np.where(zero_a, b.exponent, np.maximum(a.exponent, b.exponent))
    power = np.where(zero_b, a.exponent, power)
    a, b = _in_units(a, power), _in_units(b, power)
    total = a.weight + b.weight
    share = b.weight / total
    way, lever = b.mean - a.mean, a.weight * share
    both = Summary(True, total, a.mean + share * way, a.square + b.square + lever * way**2, power)
    if a.gram is None:
        return both
    further = b.response_mean - a.response_mean
    return both._replace(
        gram=a.gram + b.gram + lever * np.outer(way, way),
        cross=a.cross + b.cross + (lever * further) * way,
        response_mean=a.response_mean + share * further,
    )


def _in_units(s, power):
    shift = s.exponent - power
    if not shift.any():
        return s
    with np.errstate(under="ignore"):
        s = s._replace(mean=np.ldexp(s.mean, shift), square=np.ldexp(s.square, 2 * shift))
        if s.gram is None:
            return s
        gram = np.ldexp(np.ldexp(s.gram, shift), shift[:, None])
        return s._replace(gram=gram, cross=np.ldexp(s.cross, shift))
