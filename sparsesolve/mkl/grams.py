"""Grams: kernels made from a table, and how to treat new samples alike.

A kernel may be centred and scaled in its feature space:

    centred   phi - mean of phi over the samples of the fit
    "trace"     divided by the root mean square norm of those: the diagonal has mean 1
    "diagonal"  divided by the norm of each: the diagonal is 1

With both, centring comes first.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import (
    by_rows,
    nonfinite_error,
    read_choice,
    read_count,
    read_design,
    read_feature_names,
    read_flag,
    read_shares,
    real_array,
    shown,
)
from sparsesolve.data.encoding import EncodedDesign
from sparsesolve.data.row_labels import labels_of_rows
from sparsesolve.mkl.functions import Gaussian, Linear, Nystroem, Polynomial, RandomFeatures
from sparsesolve.mkl.kernels import BLOCK, LowRank, Rows
from sparsesolve.results.prediction import in_columns_of_fit

SCALES = ("trace", "diagonal")
# A centred diagonal below this share of the raw one is rounding.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Scaling:
    """The means and scales of the samples of the fit, which new samples need."""

    shares: np.ndarray  # (n,) weights of the samples in all means, sum 1
    means: np.ndarray | None  # (n,) column means of the raw kernel, if it is centred
    mean: float  # the mean of all its entries
    unit: float  # for "trace": mean of the centred diagonal; inf if centring leaves 0
    roots: np.ndarray | None  # for "diagonal": (n,) roots of the centred diagonal

    def apply(self, block, diagonal):
        """Return a block (k, n) between new samples and those of the fit, centred and scaled.

        `diagonal` (k,) holds the raw k(x, x) of the new samples.
        """
        block = np.array(block, dtype=np.float64)
        if self.means is not None:
            own = block @ self.shares
            block += (self.mean - own)[:, None] - self.means
            if diagonal is not None:
                diagonal = diagonal - 2.0 * own + self.mean
        if self.roots is not None:
            roots = np.sqrt(np.maximum(diagonal, 0.0))
            block /= _or_one(roots)[:, None]
            block /= self.roots
        return block / self.unit if self.unit != 1.0 else block

    def own_diagonal(self, diagonal):
        """Return the diagonal (n,) of the fit's kernel from the raw one; rounding becomes 0."""
        if self.means is not None:
            rounding = ROUNDING * np.abs(diagonal).max()
            diagonal = diagonal - 2.0 * self.means + self.mean
            diagonal = np.where(np.abs(diagonal) <= rounding, 0.0, diagonal)
        if self.roots is not None:
            return np.where(diagonal > 0.0, 1.0, diagonal) / self.unit
        return diagonal / self.unit


def learn_scaling(shares, means, diagonal, centre, scale):
    """Return the Scaling of a raw kernel, from its column means (n,) and its diagonal (n,)."""
    mean = float(shares @ means) if centre else 0.0
    own = diagonal - 2.0 * means + mean if centre else diagonal
    constant = centre and np.abs(own).max() <= ROUNDING * np.abs(diagonal).max()
    own = np.maximum(own, 0.0)
    unit = np.inf if constant else float(shares @ own) if scale == "trace" else 1.0
    return Scaling(
        shares, means if centre else None, mean, unit if unit > 0.0 else 1.0,
        _or_one(np.sqrt(own)) if scale == "diagonal" else None,
    )  # fmt: skip


def read_scale(scale):
    """Read one of SCALES, or None."""
    return None if scale is None else read_choice("scale", scale, list(SCALES))


def _or_one(values):
    return np.where(values > 0.0, values, 1.0)


# With more columns, a product with the factor reads more than one with the kernel.
MANY = 64


class Source:
    """A pair (function, columns) and what it has learned from the table of the fit."""

    def __init__(self, pair, m, table, names, centre, scale, shares):
        self.function, self.columns = _read_pair(pair, m, table.shape[1], names)
        self.part = self.select(table)
        self.centre, self.scale, self.shares = centre, scale, shares
        features = getattr(self.function, "features", None)
        always = isinstance(self.function, (Nystroem, RandomFeatures))
        low = features is not None and (always or self.part.shape[1] <= min(MANY, n_rows(table)))
        self.features = features(self.part) if low else None
        self.trusted = low or isinstance(self.function, (Gaussian, Linear, Polynomial))

    def select(self, table):
        """Return the columns that the function takes, (n, k)."""
        return table if self.columns is None else table[:, self.columns]

    def make(self, dtype, store):
        """Return the kernel of the fit, as mkl_path takes it."""
        if self.features is not None:
            Z = np.asarray(self.features(self.part), dtype=np.float64)
            self.centre_of = self.shares @ Z if self.centre else np.zeros(Z.shape[1])
            Z = Z - self.centre_of
            norms = np.einsum("ij,ij->i", Z, Z)
            self.unit = max(self.shares @ norms, 1e-300) ** 0.5 if self.scale == "trace" else 1.0
            self.factor = np.ascontiguousarray(self._scaled(Z), dtype=dtype)
            return LowRank(self.factor)
        n = n_rows(self.part)
        diagonal, means = self.diagonal(self.part), np.zeros(n)
        if self.centre:
            for begin in range(0, n, BLOCK):
                part = slice(begin, begin + BLOCK)
                means[part] = self.raw(self.part[part]) @ self.shares
        self.scaling = learn_scaling(self.shares, means, diagonal, self.centre, self.scale)
        rows = partial(self.rows, diagonal)
        if not store:
            return Rows(rows, n, self.scaling.own_diagonal(diagonal))
        out = np.empty((n, n), dtype=dtype)
        for begin in range(0, n, BLOCK):
            out[begin : begin + BLOCK] = rows(begin, min(begin + BLOCK, n))
        np.fill_diagonal(out, self.scaling.own_diagonal(diagonal))
        return out

    def rows(self, diagonal, begin, end):
        """Return rows begin..end of the fit's kernel; `diagonal` holds its values k(a, a)."""
        return self.scaling.apply(self.raw(self.part[begin:end]), diagonal[begin:end])

    def block(self, table):
        """Return the block between the rows of a new table and those of the fit."""
        part = self.select(table)
        if self.features is not None:
            Z = self._scaled(np.asarray(self.features(part), dtype=np.float64) - self.centre_of)
            return Z @ np.asarray(self.factor, dtype=np.float64).T
        diagonal = self.diagonal(part) if self.scale == "diagonal" else None
        return self.scaling.apply(self.raw(part), diagonal)

    def raw(self, part):
        """Return the function's values between rows and those of the fit."""
        return self._values(part, self.part)

    def _values(self, part, other):
        values = real_array(f"what {self.function!r} returned", self.function(part, other))
        shape = (n_rows(part), n_rows(other))
        if values.shape != shape:
            raise ValueError(
                f"the kernel function {self.function!r} returned shape {values.shape} where "
                f"{shape} is needed"
            )
        return np.asarray(values, dtype=np.float64)

    def diagonal(self, part):
        """Return k(a, a) for each row."""
        if hasattr(self.function, "diagonal"):
            return np.asarray(self.function.diagonal(part), dtype=np.float64)
        pieces = [part[i : i + BLOCK] for i in range(0, n_rows(part), BLOCK)]
        return np.concatenate([np.diagonal(self._values(piece, piece)) for piece in pieces])

    def _scaled(self, Z):
        if self.scale == "diagonal":
            norms = np.sqrt(np.einsum("ij,ij->i", Z, Z))
            return Z / np.where(norms > 0.0, norms, 1.0)[:, None]
        return Z / self.unit


def n_rows(table):
    """Return the number of rows of a dense or sparse table."""
    return table.shape[0]


def _read_pair(pair, m, p, names):
    """Return the function and the columns' indices (None for all) of a pair."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(f"kernel {m} is {pair!r}; give a pair (function, columns)")
    function, columns = pair
    if not callable(function) and not hasattr(function, "features"):
        raise TypeError(f"the function of kernel {m} is {function!r}, which cannot be called")
    if columns is None:
        return function, None
    listed = [columns] if isinstance(columns, str) or np.ndim(columns) == 0 else list(columns)
    indices = []
    for column in listed:
        if isinstance(column, str):
            if names is None or column not in list(names):
                raise ValueError(f"kernel {m} asks for column {column!r}, which X does not have")
            column = list(names).index(column)
        column = read_count(f"the column of kernel {m}", column, 0, p - 1)
        indices.append(column)
    if not indices:
        raise ValueError(f"kernel {m} has no columns; give at least one, or None for all")
    return function, indices


class Grams:
    """Kernels of the samples of a fit, and how to make blocks for new ones.

    :func:`build_grams` and :func:`precomputed` make them for :func:`sparsesolve.mkl_path`.
    """

    def __init__(self, items, names, sources, table=None, columns=None, encoder=None, index=None,
                 stored=("float64", True)):  # fmt: skip
        self.items, self.names, self.sources = items, names, sources
        self.table, self.columns, self.encoder = table, columns, encoder
        self.stored = stored  # dtype and store of `build_grams`
        self.index = index  # labels of the samples, if the table or the kernels have some

    def __len__(self):
        return len(self.sources)

    def __repr__(self):
        kept = f"{self.nbytes / 1e6:.3g} MB" if self.items else "none of them kept"
        return f"<{type(self).__name__}: {len(self)} kernels, {kept}>"

    def without_kernels(self) -> Grams:
        """Return Grams that make blocks for new samples, without the kernels of the fit."""
        return type(self)([], self.names, self.sources, self.table, self.columns, self.encoder,
                          self.index, self.stored)  # fmt: skip

    def part(self, rows: np.ndarray) -> Grams:
        """Return Grams of some rows of the table, which learn means and scales from these."""
        table, (dtype, store) = self.table[rows], self.stored
        sources = [
            Source((one.function, one.columns), m, table, self.columns, one.centre, one.scale,
                   one.shares[rows] / one.shares[rows].sum())
            for m, one in enumerate(self.sources)
        ]  # fmt: skip
        items = [source.make(np.dtype(dtype), store) for source in sources]
        return Grams(items, self.names, sources, table, self.columns, self.encoder,
                     stored=self.stored)  # fmt: skip

    @property
    def feature_names(self) -> np.ndarray | None:
        """The names of the columns of the table, (p,)."""
        return None if self.columns is None else np.asarray(self.columns)

    @property
    def trusted(self) -> list[bool]:
        """Return which kernels are positive semidefinite for every table."""
        return [source.trusted for source in self.sources]

    @property
    def nbytes(self) -> int:
        """The bytes of the stored kernels."""
        arrays = [item.Z if isinstance(item, LowRank) else item for item in self.items]
        return sum(getattr(array, "nbytes", 0) for array in arrays)

    def for_new(self, new: Any) -> tuple[int, Callable[[int], np.ndarray]]:
        """Return the number of new samples and a function m -> block (n_new, n)."""
        new = in_columns_of_fit(self, new, "the kernels were made of")
        matrix, columns = read_design(new, empty=True)
        if matrix.shape[1] != self.table.shape[1]:
            raise ValueError(
                f"X has {matrix.shape[1]} columns; the kernels were made of {self.table.shape[1]}"
            )
        _refuse_nonfinite(matrix, columns)
        return matrix.shape[0], lambda m: self.sources[m].block(matrix)

    def between(self, new: Any) -> list[np.ndarray]:
        """Return a list of all kernels' blocks (n_new, n) between new samples and the fit's.

        Parameters
        ----------
        new : table (n_new, p), or for :func:`precomputed` kernels their raw blocks
        """
        _, make = self.for_new(new)
        return [make(m) for m in range(len(self))]


@by_rows("weights")
def build_grams(
    X: Any,
    kernels: Any,
    *,
    centre: bool = False,
    scale: str | None = None,
    weights: ArrayLike | None = None,
    dtype: str = "float64",
    store: bool = True,
    feature_names: ArrayLike | None = None,
) -> Grams:
    """Make kernels from the rows of a table.

    Parameters
    ----------
    X : table (n, p)
        Array, scipy sparse matrix, frame or EncodedDesign. With an EncodedDesign a path of
        kernels predicts raw tables.
    kernels : sequence of (function, columns), or dict of them by name
        A function made by ``mkl.gaussian``, ``mkl.polynomial``, ``mkl.linear``, ``mkl.nystroem``
        or ``mkl.random_features``, or any callable (A, B) -> (len(A), len(B)) that is symmetric
        and positive semidefinite, which :func:`sparsesolve.mkl_path` verifies. And the columns
        that it sees: None for all, an index or a name, or a list of them.
    centre : bool, default False
        Centre in feature space by the mean of these samples.
    scale : {None, "trace", "diagonal"}, default None
        Divide each kernel so that its diagonal has mean 1, or is 1 everywhere.
    weights : array-like (n,), default None
        Weight of each sample in these means.
    dtype : {"float64", "float32"}, default "float64"
        Precision of the stored kernels.
    store : bool, default True
        False keeps nothing: blocks of rows are computed whenever they are needed, many times.
        Functions of low rank are kept as factors in either case.
    feature_names : array-like of str (p,), default None
        Names of the columns of an array or a sparse X. A frame has its own.

    Returns
    -------
    Grams

    Raises
    ------
    MemoryError
        Before any kernel is made, saying how much memory it would take.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> pairs = [(mkl.gaussian(1.0), None), (mkl.linear(), [0, 2])]
    >>> made = mkl.build_grams(X, pairs, scale="trace")
    >>> len(made), made.between(X[:2])[0].shape
    (2, (2, 30))
    """
    table, columns = read_design(X)
    columns = read_feature_names(feature_names, columns, table.shape[1])
    named = isinstance(kernels, dict)
    if not hasattr(kernels, "__iter__"):
        raise TypeError(
            f"kernels is {shown(kernels)}; give pairs (function, columns) in a list or a dict"
        )
    pairs = list(kernels.values()) if named else list(kernels)
    labels = [str(key) for key in kernels] if named else None
    centre, scale = read_flag("centre", centre), read_scale(scale)
    read_choice("dtype", dtype, ["float64", "float32"])
    store = read_flag("store", store)
    shares = read_shares(weights, table.shape[0])[0]
    _refuse_nonfinite(table, columns)
    sources = [
        Source(pair, m, table, columns, centre, scale, shares) for m, pair in enumerate(pairs)
    ]
    if not sources:
        raise ValueError("kernels is empty; give at least one pair (function, columns)")
    _refuse_memory(sources, table.shape[0], np.dtype(dtype), store)
    items = [source.make(np.dtype(dtype), store) for source in sources]
    encoder = X.without_rows() if isinstance(X, EncodedDesign) else None
    return Grams(items, labels, sources, table, columns, encoder, labels_of_rows(X),
                 (dtype, store))  # fmt: skip


def _refuse_nonfinite(matrix, columns):
    error = nonfinite_error(matrix, columns)
    if error is not None:
        raise error


def _refuse_memory(sources, n, dtype, store):
    """Refuse a stack that exceeds the free memory, before it is built."""
    dense = sum(source.features is None for source in sources)
    needed, free = dense * n * n * dtype.itemsize, _free_memory()
    if store and needed > free:
        raise MemoryError(
            f"{dense} kernels of {n} x {n} {dtype.name} take {needed / 1e9:.3g} GB where "
            f"{free / 1e9:.3g} GB are free; use dtype='float32', functions of low rank "
            "(mkl.nystroem, mkl.random_features), or store=False"
        )


def _free_memory():
    """Return the bytes of free memory, infinite if the system does not tell."""
    try:
        with open("/proc/meminfo") as file:
            lines = dict(line.split(":") for line in file)
        return 1024 * int(lines["MemAvailable"].split()[0])
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return float("inf")
