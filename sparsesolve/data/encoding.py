"""make_design: a table with categories and gaps as a matrix of numbers, and new tables alike."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.data import (
    answers_keywords,
    is_frame,
    read_choice,
    read_flag,
    read_mixed_columns,
)
from sparsesolve.data.columns_of_numbers import (
    encoded,
    learnt,
    of_both,
    summary_of,
    with_column,
)
from sparsesolve.data.formula import Formula, read_formula, response_names, response_of
from sparsesolve.data.frame import columns_of, frame_names, select_columns
from sparsesolve.data.row_blocks import in_blocks, is_dask, of_partitions


@dataclass(frozen=True, eq=False, repr=False)
class EncodedDesign:
    """A matrix with the names and groups of its columns; pass it as X.

    Attributes
    ----------
    matrix : ndarray or csc_array (n, p)
        A dask array for a dask DataFrame; its blocks are made when they are needed.
    names : ndarray (p,)
        For example "age", or "colour=red".
    groups : list (p,)
        The column of the table from which each column came, or the term of the formula.
    sources : list
        A Source for each column of the table, in the order of the columns.
    unknown : str
        "error" or "zero": the treatment of levels that the first table did not have.
    index : pandas.Index or None
        The row names of the table, if it has any; they are compared with those of y.
    missing : str
        "mean" or "error": the treatment of gaps.
    formula : Formula or None
        The terms of a formula, and what its functions have learned.
    response : array, tuple of arrays or None
        y, as the left side of the formula names it.
    """

    matrix: Any  # ndarray, csc_array or dask array (n, p)
    names: np.ndarray
    groups: list
    sources: list = field(repr=False)
    unknown: str
    index: Any = field(default=None, repr=False)
    missing: str = "mean"
    formula: Formula | None = field(default=None, repr=False)
    response: Any = field(default=None, repr=False)
    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, (n, p)."""
        return self.matrix.shape

    @property
    def dtype(self) -> np.dtype:
        """The type of the numbers of the matrix."""
        return self.matrix.dtype

    def __len__(self) -> int:
        return self.matrix.shape[0]

    def __getitem__(self, rows: Any) -> Any:
        """Return the numbers of some rows, as the matrix does."""
        return self.matrix[rows]

    def encode(self, table: Any, unknown: str | None = None) -> EncodedDesign:
        """Return another table, with the same columns, encoded in the same way.

        Missing values are filled from the first table, with means and with shares of categories,
        or refused if they were there. `unknown` is that of ``make_design``; None means as it
        was given there.
        """
        if unknown is not None:
            read_choice("unknown", unknown, ["error", "zero"])
            return replace(self, unknown=unknown).encode(table)
        if is_dask(table):
            return self._in_partitions(table)
        if isinstance(table, np.ndarray) and self.is_of_raw(table):
            names = (source.name for source in self.sources)
            table = dict(zip(names, table.T, strict=True))
        columns = read_mixed_columns(self._used_columns(table))
        _refuse_missing([source.name for source in self.sources if source.name not in columns])
        used = {source.name: columns[source.name] for source in self.sources}
        used = used if self.formula is None else self.formula.labelled(used)
        as_sparse = sparse.issparse(self.matrix)
        matrix = encoded(used, self.sources, self.unknown, self.missing, as_sparse)
        if self.formula is not None:
            matrix, *_ = self.formula.expanded(matrix, *columns_of_sources(self.sources))
        return replace(self, matrix=matrix, index=_row_names(table), response=None)

    def _in_partitions(self, table, sizes=None):
        """Return a dask DataFrame, whose partitions have these sizes, encoded in the same way."""
        names, used = set(frame_names(table)), [source.name for source in self.sources]
        _refuse_missing([name for name in used if name not in names])
        own = self.without_rows()
        convert = partial(_matrix_of, own)
        matrix = in_blocks(self._used_columns(table), convert, own.matrix, sizes)
        return replace(self, matrix=matrix, index=None, response=None)

    def persist(self) -> EncodedDesign:
        """Return the design with its blocks in the memory of dask's workers, where they stay.

        Otherwise each pass reads and encodes the partitions of a dask DataFrame again. A design in
        memory is returned as it is.
        """
        return replace(self, matrix=self.matrix.persist()) if is_dask(self) else self

    def is_of_raw(self, table: Any) -> bool:
        """Return True if this is a table to encode, and not one encoded already or an array.

        An array is one where a formula of all columns makes more of them.
        """
        if isinstance(table, np.ndarray) and self.formula is not None and table.ndim == 2:
            return table.shape[1] == len(self.sources) != len(self.names)
        if isinstance(table, EncodedDesign) or not (isinstance(table, dict) or is_frame(table)):
            return False
        names = set(map(str, table) if isinstance(table, dict) else frame_names(table))
        raw = {source.name for source in self.sources} <= names
        return raw or not set(self.names) <= names

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return the matrix as an array, for code that accepts only arrays."""
        matrix: Any = self.matrix.compute() if is_dask(self) else self.matrix
        matrix = matrix.toarray() if sparse.issparse(matrix) else matrix
        return np.array(matrix, dtype=dtype, copy=copy)

    def without_rows(self) -> EncodedDesign:
        """Return the encoder without rows of the table, to be kept with a fit."""
        matrix: Any = self.matrix[:0].copy()
        if is_dask(self):
            shape = 0, len(self.names)
            matrix = sparse.csc_array(shape) if _is_sparse(self.matrix) else np.zeros(shape)
        return replace(self, matrix=matrix, index=None, response=None)

    def _used_columns(self, table):
        """Return the table without columns that the first one did not have."""
        return _only(table, {source.name for source in self.sources})

    def __repr__(self):
        kind = "sparse" if _is_sparse(self.matrix) else "dense"
        kind += ", in blocks" if is_dask(self) else ""
        n, p = self.shape
        return f"<EncodedDesign: {n} rows, {len(self.sources)} columns as {p}, {kind}>"


@answers_keywords()
def make_design(
    table: Any, data: Any = None, *, sparse: bool = False, missing: str = "mean",
    unknown: str = "error",
) -> EncodedDesign:
    """Encode a table: numbers stay, and each level of a category becomes a column of 0 and 1.

    A category of two levels becomes one column, like a boolean: with two columns the lasso's
    solution would not be unique. With three levels or more every level has a column, so that none
    is treated differently as a reference. Ridge and group penalties make the coefficients unique,
    and the lasso's usually are. This is R's makeX, with groups in addition.

    Parameters
    ----------
    table : pandas, polars or dask frame, pyarrow table, dict of columns, or array (n, k)
        Numbers and booleans become one column each. Text, categories and mixed objects become
        one column per level, sorted, or in the order of a pandas categorical, a polars Enum or an
        arrow dictionary; two levels become one column, for the second. Levels of other types,
        such as the intervals of ``pandas.cut``, become their text. Or a formula, as
        ``"y ~ a * b + bs(age, 4)"``, of the columns of `data`: see Notes.
    data : pandas or polars frame, pyarrow table or dict of columns, default None
        The table of a formula.
    sparse : bool, default False
        Make a sparse matrix.
    missing : {"mean", "error"}, default "mean"
        Fill missing values (None, NA, NaN) with the mean of their column in this table, which for
        a category is the share of each level; or refuse them, here and in tables that are encoded
        later.
    unknown : {"error", "zero"}, default "error"
        How `EncodedDesign.encode` treats a level that this table does not have: refuse it, or
        encode it as 0 in every column (for a category of two levels, as the share of the second).

    Returns
    -------
    EncodedDesign
        `groups` are the columns of the table from which features came, or the terms of the
        formula: with ``penalty=penalties.GroupL2(design.groups)``, or ``penalty="group"``, they
        are selected as a whole. `response` is what stands to the left of ``~``.

    Raises
    ------
    ValueError
        If a column is missing in every row, or in any where ``missing="error"``.
    TypeError
        If a column holds neither numbers nor labels, but dates or complex numbers, say.

    Warns
    -----
    UserWarning
        If a column holds labels that occur in few rows each: dates as text, or identifiers.

    Notes
    -----
    A formula needs formulaic (``pip install 'sparsesolve[formula]'``), whose grammar it has:
    ``a + b``, ``a:b`` (products), ``a * b`` (both), ``(a + b + c)**2``, ``a / b``, ``. - a`` (all
    other columns), names with blanks in backticks. Functions are ``bs(x, df)``, ``cr``, ``cc``
    (splines), ``poly``, ``center`` and ``scale``, which keep for new tables what they learn from
    the first one; ``log``, ``log1p``, ``log2``, ``log10``, ``exp``, ``sqrt``, ``abs``; ``I(a**2)``
    for arithmetic, and ``C(x)`` for a column of numbers that are labels. Levels and gaps are
    treated as without a formula: no level is left out as a reference. There is always an
    intercept. To the left of ``~`` stand a column, several joined by ``+``, a function of one, or
    ``Surv(time, status)``.

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
    >>> ss.make_design("~ age:colour + I(age**2)", table).names.tolist()
    ['I(age ** 2)', 'age:colour=blue', 'age:colour=green', 'age:colour=red']
    """
    as_sparse = read_flag("sparse", sparse)
    read_choice("missing", missing, ["mean", "error"])
    read_choice("unknown", unknown, ["error", "zero"])
    if isinstance(table, str):
        return _of_formula(table, data, missing, unknown, as_sparse)
    if data is not None:
        raise TypeError("data is the table of a formula; give a formula first, or the table alone")
    if is_dask(table):
        return _of_dask(table, missing, unknown, as_sparse)
    design = design_of(read_mixed_columns(table), missing, unknown, as_sparse)
    return replace(design, index=_row_names(table))


def _of_dask(frame, missing, unknown, as_sparse):
    """Return the EncodedDesign of a dask DataFrame: one pass learns levels and means."""
    if not is_frame(frame):
        raise TypeError(f"the table is a dask {type(frame).__name__}, not a DataFrame; pass it as "
                        "X if it holds numbers")  # fmt: skip
    parts = of_partitions(frame, _summaries)
    found = None
    for part in filter(None, parts):
        found = part if found is None else {
            name: of_both(name, found[name], part[name]) for name in found
        }  # fmt: skip
    if found is None:
        raise ValueError("the table has no rows")
    sources = [learnt(name, summary, missing) for name, summary in found.items()]
    names, groups = columns_of_sources(sources)
    empty = sparse.csc_array((0, len(names))) if as_sparse else np.zeros((0, len(names)))
    design = EncodedDesign(empty, np.array(names, dtype=object), groups, sources, unknown,
                           missing=missing)  # fmt: skip
    sizes = [0 if part is None else next(iter(part.values())).rows for part in parts]
    return design._in_partitions(frame, sizes)


def _summaries(part):
    """Return the Summary of each column of some rows of a table, or None without a row."""
    if not len(part):
        return None
    return {name: summary_of(column) for name, column in read_mixed_columns(part).items()}


def _matrix_of(encoder, part):
    """Return the matrix of some rows of a table, perhaps none."""
    return encoder.encode(part).matrix if len(part) else encoder.matrix


def _of_formula(text, data, missing, unknown, as_sparse):
    """Return the EncodedDesign of a formula, with its response."""
    if not (isinstance(data, dict) or is_frame(data)):
        raise TypeError(
            f"the formula {text!r} needs the table of its columns; give data, a frame or a dict "
            "of columns"
        )
    if is_dask(data):
        raise TypeError("a formula needs its table in memory, not a dask DataFrame; give "
                        "make_design the frame alone, or data.compute()")  # fmt: skip
    names = list(map(str, data)) if isinstance(data, dict) else frame_names(data)
    formula, used, response = read_formula(text, names)
    columns = read_mixed_columns(_only(data, set(used)))
    design = design_of(columns, missing, unknown, as_sparse, formula)
    left = _only(data, set(response_names(response, names)))
    pairs = left.items() if isinstance(left, dict) else zip(*columns_of(left), strict=True)
    y = response_of(response, {str(name): column for name, column in pairs})
    return replace(design, index=_row_names(data), response=y)


def design_of(columns, missing="mean", unknown="error", as_sparse=False, formula=None):
    """Return the EncodedDesign of columns in the form of `read_mixed_columns`."""
    columns = columns if formula is None else formula.labelled(columns)
    sources = [learnt(name, summary_of(column), missing) for name, column in columns.items()]
    matrix = encoded(columns, sources, unknown, missing, as_sparse)
    names, groups = columns_of_sources(sources)
    if formula is not None:
        matrix, names, groups = formula.expanded(matrix, names, groups)
    return EncodedDesign(matrix, np.array(names, dtype=object), groups, sources, unknown,
                         missing=missing, formula=formula)  # fmt: skip


def columns_of_sources(sources):
    """Return the names of the columns of all Sources, and the column of the table of each."""
    names, groups = [], []
    for source in sources:
        levels = [None] if source.levels is None else with_column(source.levels)
        names += [source.name if level is None else f"{source.name}={level}" for level in levels]
        groups += [source.name] * len(levels)
    return names, groups


def _only(table, names):
    """Return a table with only its columns of these names, if it has any of them."""
    if isinstance(table, dict):
        return {name: column for name, column in table.items() if str(name) in names}
    if is_frame(table):
        places = [j for j, name in enumerate(frame_names(table)) if name in names]
        return select_columns(table, places) if places else table
    return table


def _refuse_missing(names):
    """Raise ValueError if columns of the first table are missing."""
    if names:
        raise ValueError(f"the table has no column {names[0]!r}, which the first one has")


def _is_sparse(matrix):
    return sparse.issparse(getattr(matrix, "_meta", matrix))  # of a dask array: its kind


def _row_names(table):
    """Return the index of a pandas frame; None for other tables."""
    index = getattr(table, "index", None)
    return index if hasattr(index, "equals") else None
