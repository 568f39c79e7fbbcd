"""Sources of rows: a table, read in any order, or a stream of blocks."""

from os import PathLike

import numpy as np

from sparsesolve.data import in_rows_of, read_offset, read_offsets, read_weights, refuse_codes
from sparsesolve.data.tables.text import HASHING
from sparsesolve.online.columns import StreamColumns
from sparsesolve.online.files import Cache, TextFile
from sparsesolve.online.rows import (
    Rows,
    block_size,
    entries,
    in_columns_of_fit,
    is_table,
    row_matrix,
)

# Squares of weights, and sums of them, stay floats below this.
MOST_WEIGHT = 1e140


def rows_of(X, y, weights, offset, fit, order=None):
    """Yield Rows of a table, in the order of `order` if given, or of a stream, for an OnlineFit.

    A fit without rows yet takes the names of the columns from the first frame of a stream.
    """
    settings, reader = fit.settings, fit.reader
    if is_table(X):
        if y is None:
            raise ValueError("y is missing; give a response for each row of X")
        matrix, _ = row_matrix(X)
        parts = y, weights, offset
        yield from _blocks(matrix, reader.whole, parts, settings, order, 0)
        return
    if isinstance(X, str | PathLike):
        X = TextFile(X, response=y, weights=weights, offset=offset)
        y = weights = offset = None
    if isinstance(X, TextFile | Cache):
        for block in X():
            yield text_rows(block, settings, reader)
        return
    if y is not None or weights is not None or offset is not None:
        raise ValueError("X is a stream: each of its items brings its own y and weights")
    above = 0
    for item in X() if callable(X) else X:
        if not isinstance(item, tuple) or not 2 <= len(item) <= 4:
            raise TypeError(
                "the items of a stream are tuples (X, y), (X, y, weights) or (X, y, weights, "
                f"offset), not a {type(item).__name__}"
            )
        if np.ndim(item[1]) == 0:
            raise ValueError(
                "an item of the stream has a single number or label for y, and its items are "
                "blocks of rows; for one row yield ([x], [y])"
            )
        X_of, *parts = (*item, None, None)[:4]
        if isinstance(X_of, list | tuple) and not X_of:
            continue  # no rows
        refuse_codes(X_of)
        named = zip(("y", "weights", "offset"), parts, strict=True)
        parts = tuple(in_rows_of(X_of, dict(named)).values())
        matrix, names = row_matrix(in_columns_of_fit(X_of, fit.feature_names))
        fit.feature_names = names if fit._is_new else fit.feature_names
        yield from _blocks(matrix, reader.block, parts, settings, None, above)
        above += matrix.shape[0]


def as_learned(source, fit):
    """Let a TextFile read features in the way that a fit knows; return it."""
    source.hashing = fit.reading.get("hashing", HASHING)
    source.zero_based = source.zero_based or fit.reading.get("zero_based", False)
    source.text_labels = fit.settings.family.classify is not None
    if source.bits is None:
        source.bits = fit.reading.get("hash_bits")
        n = fit.settings.n_features
        if source.layout == "vw" and source.bits is None and n is not None and n & (n - 1) == 0:
            source.bits = n.bit_length() - 1
    if source.encoder is not None and source.encoder.known is None:
        if fit.columns is not None:
            source.encoder = fit.columns
        elif fit.feature_names is not None:
            source.encoder = StreamColumns(fit.feature_names, missing=source.encoder.missing)
    return source


def text_rows(block, settings, reader):
    """Return Rows from a block of a TextFile."""
    labels, w, start, columns, x, offset, _ = block
    n = len(labels)
    y = np.ascontiguousarray(reader.block(labels, n).values.reshape(n, -1), dtype=float)
    most = settings.n_features
    if most is not None and len(columns) and columns.max() >= most:
        row = int(np.searchsorted(start, int(columns.argmax()), side="right")) - 1
        raise ValueError(
            f"a row ({row} of its block) has feature {int(columns.max())} (counted from 0), where "
            f"there are {most}"
        )
    if offset is not None and settings.family.several:
        raise ValueError(
            f"the file has offsets of one linear predictor; family {settings.family.name!r} has "
            "several, leave them out"
        )
    return Rows(start, columns, x, y, w, None if offset is None else offset[:, None])


def _blocks(matrix, read, parts, settings, order, above):
    """Yield the blocks of one table."""
    (n, m), (y, weights, offset) = matrix.shape, parts
    if settings.n_features is not None and m > settings.n_features:
        raise ValueError(
            f"X has {m} columns where n_features={settings.n_features}; give the largest number "
            "at first, or leave n_features out"
        )
    if n == 0:
        return
    response = read(y, n)
    values = response.values.reshape(n, -1)
    if settings.n_responses != values.shape[1]:
        raise ValueError(
            f"y has {values.shape[1]} classes or columns where {settings.n_responses} were "
            "learned before"
        )
    w = np.ones(n) if weights is None else read_weights(weights, n, some=False)
    w = w if response.counts is None else w * response.counts
    if w.max() > MOST_WEIGHT:
        raise ValueError(
            f"weights holds {w.max():g} at row {above + int(w.argmax())} (counted from 0), and a "
            "row of weight w counts as w rows; divide all weights by a number"
        )
    classes = None if settings.family.classify is None else response.class_names
    known = None if offset is None else read_known(offset, n, settings, classes)
    size = block_size(matrix)
    for first in range(0, n, size):
        last = min(n, first + size)
        rows = slice(first, last) if order is None else order[first:last]
        yield Rows(
            *entries(matrix, first, last, None if order is None else rows, above),
            np.ascontiguousarray(values[rows], dtype=float), np.ascontiguousarray(w[rows]),
            None if known is None else np.ascontiguousarray(known[rows]),
        )  # fmt: skip


def read_known(offset, n, settings, classes):
    """Return the offset as (n, K); columns of a frame are found by the classes (K,)."""
    if settings.family.several:
        return np.ascontiguousarray(read_offsets(offset, n, settings.n_responses, classes).T)
    return read_offset(offset, n)[:, None]


def refuse_stream(X, passes, shuffle, held):
    """Raise for options that are impossible with rows that are read only once."""
    if not callable(X) and not hasattr(X, "__iter__"):
        raise TypeError(
            f"X is a {type(X).__name__}; give an array, a sparse matrix, or an iterable of (X, y)"
        )
    if shuffle:
        raise ValueError("shuffle=True needs the rows in memory; shuffle a stream where it begins")
    if isinstance(held, float):
        raise ValueError("holdout= a share needs the rows in memory; give (X, y) of rows apart")
    if passes > 1 and iter_once(X):
        raise ValueError(
            "passes > 1, or method='svrg' which reads rows twice, over an iterator, which is "
            "spent after one; give a list of blocks, or a function that returns an iterator"
        )


def iter_once(X):
    """Return True if X can be read only once."""
    return X.once if isinstance(X, TextFile) else not callable(X) and iter(X) is X
