"""Grams: kernels made from a table, and how to treat new samples alike."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import (
    by_rows,
    nonfinite_error,
    read_choice,
    read_design,
    read_feature_names,
    read_flag,
    read_shares,
    shown,
)
from sparsesolve.data.encoding import EncodedDesign
from sparsesolve.data.row_labels import labels_of_rows
from sparsesolve.mkl.kernels import LowRank
from sparsesolve.mkl.scaling import read_scale
from sparsesolve.mkl.source import Source
from sparsesolve.results.prediction import in_columns_of_fit


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
