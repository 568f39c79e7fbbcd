"""make_design: a table with categories and gaps as a matrix of numbers, and new tables like it."""

from __future__ import annotations

import re
import sys
import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sparsesolve.data import (
    answers_keywords,
    is_frame,
    read_choice,
    read_flag,
    read_mixed_columns,
)
from sparsesolve.data.frame import frame_names, select_columns

FEW_LEVELS = 20  # of a category, of which nothing is said in any table,
MOST_LEVELS = 10  # rows to a level: with fewer, labels are dates or identifiers
GONE, UNKNOWN = -1, -2  # codes of a missing label, and of one that the first table did not have


class Source(NamedTuple):
    """How one column of the table is encoded."""

    name: str
    levels: list | None  #: of a category; None for a number
    fill: np.ndarray  #: what stands for a missing value, in each column that it becomes


@dataclass(frozen=True, eq=False, repr=False)
class EncodedDesign:
    """A matrix with the names and the groups of its columns: pass it wherever X is asked for.

    Attributes
    ----------
    matrix : ndarray or csc_array (n, p)
    names : ndarray (p,)
        "age", or "colour=red".
    groups : list (p,)
        The column of the table that each came from.
    sources : list
        A Source for each column of the table, in the order of the columns.
    unknown : str
        "error" or "zero": what becomes of a level that the first table had not.
    """

    matrix: np.ndarray | sparse.csc_array
    names: np.ndarray
    groups: list
    sources: list = field(repr=False)
    unknown: str

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, (n, p)."""
        return self.matrix.shape

    def encode(self, table: Any) -> EncodedDesign:
        """Another table, with the same columns, encoded in the same way.

        Missing values are filled with what the first table had: means, and shares of categories.
        """
        columns = read_mixed_columns(self._used_columns(table))
        missing = [source.name for source in self.sources if source.name not in columns]
        if missing:
            raise ValueError(f"the table has no column {missing[0]!r}, which the first one has")
        used = {source.name: columns[source.name] for source in self.sources}
        matrix = _encoded(used, self.sources, self.unknown, sparse.issparse(self.matrix))
        return EncodedDesign(matrix, self.names, self.groups, self.sources, self.unknown)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The matrix as an array, for what takes arrays alone."""
        matrix: Any = self.matrix
        matrix = matrix.toarray() if sparse.issparse(matrix) else matrix
        return np.array(matrix, dtype=dtype, copy=copy)

    def without_rows(self) -> EncodedDesign:
        """The same encoder, which keeps no row of the table: what travels with a fit."""
        empty = self.matrix[:0].copy()
        return EncodedDesign(empty, self.names, self.groups, self.sources, self.unknown)

    def _used_columns(self, table):
        """The table without columns that the first one did not have, whatever they hold."""
        used = {source.name for source in self.sources}
        if isinstance(table, dict):
            return {name: column for name, column in table.items() if str(name) in used}
        if is_frame(table):
            places = [j for j, name in enumerate(frame_names(table)) if name in used]
            return select_columns(table, places) if places else table
        return table

    def __repr__(self):
        kind = "sparse" if sparse.issparse(self.matrix) else "dense"
        n, p = self.shape
        return f"<EncodedDesign: {n} rows, {len(self.sources)} columns as {p}, {kind}>"


@answers_keywords()
def make_design(
    table: Any, *, sparse: bool = False, missing: str = "mean", unknown: str = "error"
) -> EncodedDesign:
    """Encode a table: numbers as they are, categories by a column of 0 and 1 for each level.

    A category of two levels becomes one column, like a boolean: with both, the lasso's solution
    would not be unique, as their difference could be shared out at no cost. Of three levels or
    more none is left out as a reference, which would be treated differently: ridge and group
    penalties make the coefficients unique, and the lasso's mostly are. As R's makeX, with groups
    besides.

    Parameters
    ----------
    table : pandas or polars frame, pyarrow table, dict of columns, or array (n, k)
        Numbers and booleans become one column each. Text, categories and mixed objects become
        one for each level that occurs, sorted, or in the order of a pandas categorical
        or an arrow dictionary; where these are two, one for the second.
    sparse : bool, default False
        Make a sparse matrix.
    missing : {"mean", "error"}, default "mean"
        Fill what is missing (None, NA, NaN) with the mean of its column in this table, which for
        a category is the share of each level; or refuse it. Tables that are encoded later are
        filled in any case.
    unknown : {"error", "zero"}, default "error"
        What `EncodedDesign.encode` makes of a level that this table does not have: refuse
        it, or 0 in every column; of a category of two levels the share of the second.

    Returns
    -------
    EncodedDesign
        `groups` names the column that each feature came from: with
        ``penalty=penalties.GroupL2(design.groups)`` categories enter and leave as a whole.

    Raises
    ------
    ValueError
        If a column is missing in every row, or in any where ``missing="error"``.
    TypeError
        If a column holds what is neither numbers nor labels, as dates or complex numbers.

    Warns
    -----
    UserWarning
        Of a column of labels, each of which is in few rows: dates as text, or identifiers.

    Examples
    --------
    >>> import sparsesolve as ss
    >>> table = {"age": [31, None, 59, 45], "colour": ["red", "blue", "red", "green"]}
    >>> design = ss.make_design(table)
    >>> design.names.tolist(), design.groups[1:]
    (['age', 'colour=blue', 'colour=green', 'colour=red'], ['colour', 'colour', 'colour'])
    >>> design.matrix
    array([[31.,  0.,  0.,  1.],
           [45.,  1.,  0.,  0.],
           [59.,  0.,  0.,  1.],
           [45.,  0.,  1.,  0.]])
    >>> design.encode({"colour": ["blue", None], "age": [20, 30]}).matrix.round(2)
    array([[20.  ,  1.  ,  0.  ,  0.  ],
           [30.  ,  0.25,  0.25,  0.5 ]])
    """
    as_sparse = read_flag("sparse", sparse)
    read_choice("missing", missing, ["mean", "error"])
    read_choice("unknown", unknown, ["error", "zero"])
    columns = read_mixed_columns(table)
    sources = [_source(name, column, missing) for name, column in columns.items()]
    matrix = _encoded(columns, sources, unknown, as_sparse)
    names, groups = [], []
    for source in sources:
        levels = [None] if source.levels is None else _with_column(source.levels)
        names += [source.name if level is None else f"{source.name}={level}" for level in levels]
        groups += [source.name] * len(levels)
    return EncodedDesign(matrix, np.array(names, dtype=object), groups, sources, unknown)


def _source(name, column, missing):
    """How a column of the first table is to be encoded."""
    if isinstance(column, tuple):
        labels, order = column
        found = {label for label in labels.tolist() if label is not None}
        levels = _sorted(found) if order is None else [x for x in order if x in found]
        codes = _codes(name, labels, levels, "error")
        gone = codes == GONE
    else:
        gone, levels = np.isnan(column), None
    if gone.any() and (missing == "error" or gone.all()):
        where = "every row" if gone.all() else f"row {int(gone.argmax())} (counted from 0)"
        raise ValueError(
            f"column {name!r} is missing in {where}; " +
            ("drop it" if gone.all() else "fill it, or give missing='mean'")
        )  # fmt: skip
    if levels is not None:
        counts = np.bincount(codes[~gone], minlength=len(levels))
        _warn_of_many(name, levels, len(codes))
        return Source(name, levels, counts[-len(_with_column(levels)) :] / counts.sum())
    known = column[~gone]
    unit = max(np.abs(known).max(), 1.0)  # so that sums of the largest floats do not overflow
    mean = (known / unit).mean() * unit if unit > 1e300 else known.mean()
    return Source(name, levels, np.array([mean]))


def _with_column(levels):
    """The levels that have a column each: the second of two, else all."""
    return levels[1:] if len(levels) == 2 else levels


def _warn_of_many(name, levels, n):
    """Warn of labels of which there are nearly as many as rows: no category has so many."""
    if len(levels) <= max(FEW_LEVELS, n / MOST_LEVELS):
        return
    shown = [str(level) for level in levels[:3]]
    dates = all(re.match(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}", one) for one in shown)
    what = "dates" if dates else "an identifier"
    warnings.warn(
        f"column {name!r} holds {len(levels)} different labels in {n} rows ({', '.join(shown)}, "
        f"...), and each becomes a column; if they are {what}, drop the column or make numbers "
        "of it",
        stacklevel=_outside(),
    )


def _outside():
    """The level of the stack at which the package was called."""
    frame, depth = sys._getframe(1), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "sparsesolve":
        frame, depth = frame.f_back, depth + 1
    return depth


def _sorted(labels):
    try:
        return sorted(labels)
    except TypeError:  # labels of several types have no order of their own
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def _encoded(columns, sources, unknown, as_sparse):
    """The matrix of a table."""
    blocks = []
    for source in sources:
        column = _like_the_first(columns[source.name], source)
        if isinstance(column, tuple) != (source.levels is not None):
            kinds = ("numbers", "categories")
            now, then = kinds[isinstance(column, tuple)], kinds[source.levels is not None]
            kind = "float" if source.levels is None else "category"
            raise ValueError(
                f"column {source.name!r} holds {now}, where it first held {then}; make it one of "
                f"{then}, in pandas by astype({kind!r})"
            )
        if source.levels is None:
            block = np.where(np.isnan(column), source.fill, column)[:, None]
            blocks.append(sparse.csc_array(block) if as_sparse else block)
        else:
            blocks.append(_dummies(source, column[0], unknown, as_sparse))
    if as_sparse:
        return sparse.csc_array(sparse.hstack(blocks, format="csc"))
    return np.asfortranarray(np.concatenate(blocks, axis=1))


def _like_the_first(column, source):
    """The column; where it holds gaps alone, as one of the kind that the first table had."""
    if isinstance(column, tuple) == (source.levels is not None):
        return column
    if source.levels is not None:
        return (np.full(len(column), None), None) if np.isnan(column).all() else column
    gaps_alone = all(label is None for label in column[0].tolist())
    return np.full(len(column[0]), np.nan) if gaps_alone else column


def _dummies(source, labels, unknown, as_sparse):
    """A column of 0 and 1 for each level, (n, K), or for the second of two; rows without a label
    hold the shares."""
    codes = _codes(source.name, labels, source.levels, unknown)
    gone = np.flatnonzero(codes == GONE)
    if len(source.levels) == 2:  # an unknown level is no nearer to one than to the other
        gone, codes = np.flatnonzero(codes < 0), codes - 1
    shape, rows = (len(codes), len(source.fill)), np.flatnonzero(codes >= 0)
    if not as_sparse:
        block = np.zeros(shape)
        block[rows, codes[rows]] = 1.0
        block[gone] = source.fill
        return block
    values = np.concatenate([np.ones(len(rows)), np.tile(source.fill, len(gone))])
    columns = np.concatenate([codes[rows], np.tile(np.arange(shape[1]), len(gone))])
    places = np.concatenate([rows, np.repeat(gone, shape[1])]), columns
    return sparse.csc_array(sparse.coo_array((values, places), shape=shape))


def _codes(name, labels, levels, unknown):
    """The number of each label among the levels; GONE where there is no label, or UNKNOWN."""
    place = {level: k for k, level in enumerate(levels)}
    place[None] = GONE
    codes = np.array([place.get(label, UNKNOWN) for label in labels.tolist()], dtype=np.intp)
    if unknown == "error" and (codes == UNKNOWN).any():
        i = int((codes == UNKNOWN).argmax())
        label = labels.tolist()[i]
        raise ValueError(
            f"column {name!r} holds {label!r} at row {i} (counted from 0), which is none of "
            f"the {len(levels)} levels of the first table; give unknown='zero' to allow it"
        )
    return codes
