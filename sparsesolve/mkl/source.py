"""Source: a kernel function, its columns, and what it learns from the table of the fit."""

from functools import partial

import numpy as np

from sparsesolve.data import read_count, real_array
from sparsesolve.mkl.functions import Gaussian, Linear, Nystroem, Polynomial, RandomFeatures
from sparsesolve.mkl.kernels import BLOCK, LowRank, Rows
from sparsesolve.mkl.scaling import learn_scaling

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
