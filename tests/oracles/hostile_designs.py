"""Hostile designs and responses for ss.path: what to pass, by name, and what is to happen.

SOLVED cases must give the right answer; REFUSED ones a ValueError or TypeError that says the words
given; EITHER ones the right answer, one clear sentence, or a warned failure to converge.
"""

import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from random_sparse import random_csc

N, P = 20, 6
RNG = np.random.default_rng(20261120)
X = RNG.standard_normal((N, P))
Y = X @ [3.0, -2, 0, 0, 1, 0] + 0.5 * RNG.standard_normal(N)
WIDE = RNG.standard_normal((10, 60))
S = random_csc((N, P), 0.4, RNG)
NAN, INF = np.nan, np.inf
for array in (X, Y, WIDE, S.data, S.indices, S.indptr):
    array.flags.writeable = False


def case(x=X, y=Y, **options):
    return {"X": x, "y": y, **options}


def put(array, index, value):
    array = array.copy()
    array[index] = value
    return array


def with_columns(*columns):
    return np.column_stack([X, *columns])


def sparse_parts(data=S.data, indices=S.indices, indptr=S.indptr, form="csc"):
    """A sparse matrix made of these arrays, past every check that scipy makes."""
    matrix = sp.csc_array((N, P)) if form == "csc" else sp.csr_array((P, N))
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    return matrix


def twice():
    """S with every entry split in two, in falling order of the rows."""
    columns = [slice(S.indptr[j], S.indptr[j + 1]) for j in range(P)]
    rows = [np.repeat(S.indices[c], 2)[::-1] for c in columns]
    data = [np.repeat(S.data[c], 2)[::-1] / 2 for c in columns]
    return sparse_parts(np.concatenate(data), np.concatenate(rows), 2 * S.indptr)


def truncated_map():
    folder = Path(tempfile.mkdtemp())
    mapped = np.memmap(folder / "x", np.float64, "w+", shape=(4000, P), order="F")
    os.truncate(folder / "x", 8192)
    return case(mapped, np.zeros(4000))


def unaligned():
    raw = np.zeros(X.nbytes + 1, np.uint8)
    view = raw[1:].view(np.float64).reshape(P, N).T
    view[...] = X
    return view


def aliased():
    """X and y are parts of one array, y being a column of X."""
    return case(np.asfortranarray(X), np.asfortranarray(X)[:, 2])


DENORMAL = 5e-324
MIXED = 10.0 ** np.array([-300, -155, -30, 30, 155, 300])


def of_polars():
    pl = pytest.importorskip("polars")
    return case(pl.DataFrame(X, schema=list("abcdef")), pl.Series(Y))


SOLVED = {
    # shapes
    "one row": lambda: case(X[:1], Y[:1]),
    "two rows": lambda: case(X[:2], Y[:2]),
    "one column": lambda: case(X[:, :1]),
    "one entry": lambda: case(X[:1, :1], Y[:1]),
    "wide": lambda: case(WIDE, WIDE[:, 0] - WIDE[:, 1]),
    "y as a column": lambda: case(y=Y[:, None]),
    # degenerate columns
    "a constant column": lambda: case(with_columns(np.full(N, 7.3))),
    "constant columns only": lambda: case(np.ones((N, 3)) * [1, 0.1, -2e9]),
    "a constant column, no intercept": lambda: case(with_columns(np.ones(N)), intercept=False),
    "a zero column": lambda: case(with_columns(np.zeros(N))),
    "zeros only": lambda: case(np.zeros((N, 3))),
    "duplicated columns": lambda: case(with_columns(X, X)),
    "negated columns": lambda: case(with_columns(-X)),
    "collinear columns": lambda: case(with_columns(X[:, 0] + X[:, 1], X @ np.ones(P))),
    "rank one": lambda: case(np.outer(X[:, 0], np.arange(1, 9))),
    "nearly equal columns": lambda: case(with_columns(X * (1 + 1e-13))),
    "identity": lambda: case(np.eye(N)),
    "one-hot with intercept": lambda: case(np.eye(4)[np.arange(N) % 4]),
    "hilbert": lambda: case(1.0 / (1 + np.arange(N)[:, None] + np.arange(12))),
    "vandermonde": lambda: case(np.vander(np.linspace(0, 1, N), 12)),
    "a mean of 1e8": lambda: case(X + 1e8),
    "a mean of 1e12": lambda: case(X + 1e12),
    "y is a column": lambda: case(y=X[:, 3]),
    "y in the span": lambda: case(y=X @ np.arange(6.0)),
    # scales
    "X of 1e155": lambda: case(X * 1e155),
    "X of 1e-155": lambda: case(X * 1e-155),
    "X of 1e300": lambda: case(X * 1e300),
    "X of 1e-300": lambda: case(X * 1e-300),
    "the largest floats": lambda: case(np.sign(X) * np.finfo(float).max),
    "denormal X": lambda: case(np.round(X * 1e6) * DENORMAL, Y * 1e-20),
    "the least denormals": lambda: case(np.sign(X).clip(0) * DENORMAL, Y * 1e-30),
    "columns from 1e-300 to 1e300": lambda: case(X * MIXED),
    "the same, not standardised": lambda: case(X * MIXED, Y * 1e-5, standardize=False),
    "y of 1e300": lambda: case(y=Y * 1e300),
    "y of 1e-300": lambda: case(y=Y * 1e-300),
    "denormal y": lambda: case(y=np.round(Y * 1e9) * DENORMAL),
    "X and y of 1e300": lambda: case(X * 1e300, Y * 1e300),
    "X of 1e155, not standardised": lambda: case(X * 1e155, standardize=False),
    "X of 1e-155, not standardised": lambda: case(X * 1e-155, standardize=False),
    "sparse of 1e200": lambda: case(S * 1e200),
    "sparse of 1e-200": lambda: case(S * 1e-200),
    "float32 at its largest": lambda: case((X * 1e38).astype(np.float32)),
    "denormal float32": lambda: case((X * 1e-40).astype(np.float32)),
    "y of mean 1e12": lambda: case(y=Y + 1e12),
    "y with an outlier": lambda: case(y=put(Y, 3, 1e12)),
    # responses
    "constant y": lambda: case(y=np.full(N, 0.1)),
    "constant y of 1e300": lambda: case(y=np.full(N, 1e300)),
    "zero y": lambda: case(y=np.zeros(N)),
    "zero y, no intercept": lambda: case(y=np.zeros(N), intercept=False),
    "integer y": lambda: case(y=np.arange(N) ** 2),
    "boolean y": lambda: case(y=Y > 0),
    "y of negative stride": lambda: case(y=Y[::-1]),
    "y inside X": aliased,
    # types
    "integers": lambda: case(np.round(X * 100).astype(np.int64)),
    "bytes": lambda: case(np.round(X * 30).astype(np.int8)),
    "large unsigned integers": lambda: case((np.exp(X) * 1e18).astype(np.uint64)),
    "booleans": lambda: case(X > 0),
    "objects": lambda: case(X.astype(object)),
    "float16": lambda: case(X.astype(np.float16)),
    "float32": lambda: case(X.astype(np.float32)),
    "longdouble": lambda: case(X.astype(np.longdouble)),
    "big-endian": lambda: case(X.astype(">f8"), Y.astype(">f4")),
    "lists": lambda: case(X.tolist(), Y.tolist()),
    "a matrix": lambda: case(np.matrix(X)),
    "an unmasked masked array": lambda: case(np.ma.masked_array(X)),
    "pandas": lambda: case(pd.DataFrame(X, columns=list("abcdef")), pd.Series(Y)),
    "polars": of_polars,
    # layouts
    "negative strides": lambda: case(X[::-1, ::-1]),
    "every other row and column": lambda: case(np.repeat(np.repeat(X, 2, 0), 2, 1)[::2, ::2]),
    "overlapping windows": lambda: case(np.lib.stride_tricks.sliding_window_view(Y, 5), Y[:16]),
    "broadcast columns": lambda: case(np.broadcast_to(X[:, :1], (N, 5))),
    "unaligned": lambda: case(unaligned()),
    # sparse
    "csc": lambda: case(S),
    "csr": lambda: case(S.tocsr()),
    "coo with duplicates": lambda: case(sp.coo_array(
        (np.tile(S.data, 2), tuple(np.tile(i, 2) for i in S.tocoo().coords)), shape=S.shape)),
    "csc unsorted, with duplicates": lambda: case(twice()),
    "dia": lambda: case(sp.dia_array(np.tril(X))),
    "lil": lambda: case(sp.lil_array(S)),
    "explicit zeros": lambda: case(sparse_parts(np.where(S.data > 0.5, S.data, 0.0))),
    "int64 indices": lambda: case(
        sparse_parts(indices=S.indices.astype(np.int64), indptr=S.indptr.astype(np.int64))),
    "empty columns": lambda: case(sp.csc_array(X * [1, 0, 0, 1, 0, 0])),
    "an empty sparse matrix": lambda: case(sp.csc_array((N, P))),
    "sparse of mean 1e5": lambda: case(sp.csc_array(X + 1e5)),
    "sparse of mean 1e8": lambda: case(sp.csc_array(X + 1e8)),
    "a full sparse column of ones": lambda: case(sp.csc_array(with_columns(np.ones(N)))),
    "big-endian sparse": lambda: case(sparse_parts(data=S.data.astype(">f8"))),
}  # fmt: skip

EITHER = {
    "coefficients beyond the largest float": lambda: case(X * 1e-300, Y * 1e300),
    "coefficients below the least float": lambda: case(X * 1e300, Y * 1e-300),
    "penalties beyond the largest float": lambda: case(X * 1e300, Y * 1e300, standardize=False),
    "penalties below the least float": lambda: case(X * 1e-300, Y * 1e-300, standardize=False),
}

REFUSED = {
    "ragged rows": (lambda: case([[1.0, 2], [3.0]], [1.0, 2]), "rows of different lengths"),
    "NaN in X": (lambda: case(put(X, (3, 2), NAN)), "nan at row 3, column 2"),
    "inf in X": (lambda: case(put(X, (4, 5), INF)), "inf at row 4, column 5"),
    "-inf in float32": (
        lambda: case(put(X.astype("f4"), (0, 0), -INF)), "-inf at row 0, column 0"),
    "NaN in sparse X": (lambda: case(sparse_parts(put(S.data, 5, NAN))), "nan at row"),
    "NaN in an excluded column": (
        lambda: case(put(X, (3, 2), NAN), penalty_factor=[1, 1, INF, 1, 1, 1]), "nan at row 3"),
    "NaN in a row of weight 0": (
        lambda: case(put(X, (3, 2), NAN), weights=put(np.ones(N), 3, 0)), "nan at row 3"),
    "NaN and inf in the row": (
        lambda: case(put(put(X, (3, 2), NAN), (3, 1), INF)), "inf at row 3, column 1"),
    "NaN in pandas": (
        lambda: case(pd.DataFrame(put(X, (3, 2), NAN)).add_prefix("x")), "row 3 of column 'x2'"),
    "NaN in y": (lambda: case(y=put(Y, 2, NAN)), "y holds nan at position 2"),
    "inf in y": (lambda: case(y=put(Y, 2, INF)), "y holds inf at position 2"),
    "y too short": (lambda: case(y=Y[:-1]), "y has 19 values but X has 20 rows"),
    "two responses": (lambda: case(y=X[:, :2]), "2 responses"),
    "text in y": (lambda: case(y=["yes", "no"] * 10), "y .*holds text"),
    "text in pandas": (lambda: case(pd.DataFrame({"a": Y, "b": ["x"] * N})), "column 'b'"),
    "a truncated memory map": (truncated_map, "truncated"),
}  # fmt: skip
