"""Columns of a table, read one by one, and as columns of numbers: learned from the first table.

A number stays as it is, and a gap becomes the mean. A category of K levels becomes K columns of 0
and 1, or one if K is 2, and a gap in it becomes the share of each level.
"""

import re
import warnings
from collections import Counter
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .array import converted, is_number, real_array, refuse_truncated
from .frame import columns_of, is_enum, is_frame
from .public_names import stack_level
from .survival import is_missing

# Codes of a missing label, and of one that the first table did not have.
GONE, UNKNOWN = -1, -2
# Levels of these types stay as they are; a model file can hold them.
PLAIN = str | int | float | np.number | np.bool_


class Source(NamedTuple):
    """How one column of the table is encoded."""

    name: str
    levels: list | None  #: levels of a category; None for a number
    fill: np.ndarray  #: replaces a missing value, in each column of the encoding


class Summary(NamedTuple):
    """What some rows of a column of the first table say of it."""

    rows: int
    gap: int  #: the first row without a value; -1: there is none
    known: int  #: rows with a value
    mean: float  #: of numbers
    counts: dict | None  #: rows of each level; None for numbers
    order: list | None  #: of the levels, if the column gives it


def read_mixed_columns(table):
    """Return the columns of a table by name: float arrays, NaN where missing, or pairs for
    categories.

    A pair is (labels (n,), None where missing; levels in their order, or None to sort them).
    """
    if isinstance(table, dict):
        found = _by_name(list(table), table.values())
    elif is_frame(table):
        found = _by_name(*columns_of(table))
    elif sparse.issparse(table):
        raise TypeError("the table is a sparse matrix, numbers already; pass it as X")
    else:
        refuse_truncated("the table", table)
        array = table if isinstance(table, np.ma.MaskedArray) else np.asarray(table)
        if array.ndim != 2:
            raise ValueError(f"the table has shape {array.shape}; rows by columns are needed")
        found = {f"x{j}": array[:, j] for j in range(array.shape[1])}
    if not found:
        raise ValueError("the table has no columns")
    read = {name: _read_column(name, column) for name, column in found.items()}
    sizes = {len(c[0] if isinstance(c, tuple) else c) for c in read.values()}
    if sizes == {0}:
        raise ValueError("the table has no rows")
    if len(sizes) != 1:
        raise ValueError(f"the columns of the table have {sorted(sizes)} rows; give equally many")
    return read


def _by_name(names, columns):
    found = dict(zip(map(str, names), columns, strict=True))
    if len(found) < len(names):
        raise ValueError("the table has two columns of one name; rename one")
    return found


def _read_column(name, column):
    """Return one column in the form of `read_mixed_columns`."""
    if column is None or isinstance(column, str | bytes):
        raise TypeError(f"column {name!r} is {column!r}; give one value for each row")
    if isinstance(column, np.ma.MaskedArray):  # masked entries are missing
        column = np.where(np.ma.getmaskarray(column), None, column.data.astype(object))
    order, column = _categories(column)
    array = converted(f"column {name!r}", column)
    if array.ndim != 1:
        raise ValueError(f"column {name!r} has shape {array.shape}; give one value for each row")
    if order is None and array.dtype.kind in "biuf":
        return _finite(name, array.astype(float))
    if order is None and array.dtype.kind not in "OUS":
        raise TypeError(
            f"column {name!r} holds {array.dtype}; make numbers or categories of it first"
        )
    labels = np.asarray(column, dtype=object)
    gone = np.array([is_missing(label) for label in labels.tolist()], dtype=bool)
    kept = labels[~gone]
    if order is None and len(kept) and all(is_number(type(x)) for x in kept):
        numbers = np.full(len(labels), np.nan)
        numbers[~gone] = real_array(f"column {name!r}", kept)
        return _finite(name, numbers)
    return _plain(np.where(gone, None, labels), kept, order)


def _plain(labels, kept, order):
    """Return labels and their order, with levels other than text and numbers as their text.

    Such are the intervals of ``pandas.cut``, periods and dates: as text they can be saved, and
    compared with those of tables from files.
    """
    if all(isinstance(label, PLAIN) for label in kept.tolist()):
        return labels, order
    order = sort_labels(set(kept.tolist())) if order is None else order
    text = [None if label is None else str(label) for label in labels.tolist()]
    return np.array(text, dtype=object), [str(level) for level in order]


def _categories(column):
    """Return the categories of a frame's or arrow column in order, or None, and the column.

    An arrow column becomes a list, because numpy takes gaps between its codes for the last
    category."""
    dtype = getattr(column, "dtype", None)
    if hasattr(dtype, "ordered") or is_enum(dtype):  # a Categorical of polars has no order
        return list(dtype.categories), column
    kind = getattr(dtype, "pyarrow_dtype", getattr(column, "type", ""))
    if not str(kind).startswith("dictionary"):
        return None, column
    if dtype is not None:  # arrow's column within pandas
        labels = categories = column.tolist()
    else:
        if hasattr(column, "chunks"):
            column = column.unify_dictionaries().combine_chunks()
        labels, categories = column.to_pylist(), column.dictionary.to_pylist()
    return list(dict.fromkeys(x for x in categories if not is_missing(x))), labels


def sort_labels(labels):
    """Return labels in their order; those of several types have none, and are sorted as text."""
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def _finite(name, numbers):
    if np.isinf(numbers).any():
        i = int(np.isinf(numbers).argmax())
        raise ValueError(f"column {name!r} is {numbers[i]} at row {i} (counted from 0)")
    return numbers


def summary_of(column):
    """Return the Summary of a column in the form of `read_mixed_columns`."""
    if isinstance(column, tuple):
        labels, order = column
        counts = Counter(labels.tolist())
        gone = counts.pop(None, 0)
        first = labels.tolist().index(None) if gone else -1
        return Summary(len(labels), first, len(labels) - gone, 0.0, counts, order)
    gone = np.isnan(column)
    first, known, mean = int(gone.argmax()) if gone.any() else -1, column[~gone], 0.0
    if len(known):
        unit = max(np.abs(known).max(), 1.0)  # sums of the largest floats must not overflow
        mean = (known / unit).mean() * unit if unit > 1e300 else known.mean()
    return Summary(len(column), first, len(known), mean, None, None)


def of_both(name, one, other):
    """Return the Summary of the rows of two of them, in their order."""
    first = one.gap if one.gap >= 0 or other.gap < 0 else one.rows + other.gap
    rows, known = one.rows + other.rows, one.known + other.known
    empty = [not (part.known or part.order) for part in (one, other)]  # gaps are of any kind
    if any(empty):
        kept = other if empty[0] else one
        return kept._replace(rows=rows, gap=first)
    if (one.counts is None) != (other.counts is None):
        raise ValueError(
            f"column {name!r} holds numbers in some partitions and categories in others; make it "
            "one of them, by astype(float) or astype('category')"
        )
    if one.counts is None:
        mean = one.mean * (one.known / known) + other.mean * (other.known / known)
        return Summary(rows, first, known, mean, None, None)
    order = one.order if one.order == other.order else None
    return Summary(rows, first, known, 0.0, one.counts + other.counts, order)


def learnt(name, found, missing):
    """Return the Source of a column with this Summary."""
    if not found.known:
        raise ValueError(f"column {name!r} is missing in every row; drop it")
    _refuse_gap(name, found.gap, missing)
    if found.counts is None:
        return Source(name, None, np.array([found.mean]))
    counts, order = found.counts, found.order
    levels = sort_labels(counts) if order is None else [x for x in order if x in counts]
    _warn_of_many(name, levels, found.rows)
    fill = np.array([counts[level] for level in with_column(levels)]) / found.known
    return Source(name, levels, fill)


def _refuse_gap(name, row, missing):
    """Raise ValueError if gaps are refused and there is one, first in this row."""
    if missing == "error" and row >= 0:
        raise ValueError(
            f"column {name!r} is missing in row {row} (counted from 0); fill it, or give "
            "missing='mean' to make_design"
        )


def _refuse_gaps(name, gone, missing):
    """Raise ValueError if gaps, a mask of the rows, are refused and there is one."""
    _refuse_gap(name, int(gone.argmax()) if gone.any() else -1, missing)


def with_column(levels):
    """Return the levels with a column of their own: the second of two, else all."""
    return levels[1:] if len(levels) == 2 else levels


def most_levels(n):
    """Return how many levels a category of n rows may have; more are names, dates or numbers."""
    return max(20, n / 10)


def _warn_of_many(name, levels, n):
    """Warn of a category with nearly as many labels as rows."""
    if len(levels) <= most_levels(n):
        return
    shown = [str(level) for level in levels[:3]]
    dates = all(re.match(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}", one) for one in shown)
    what = "dates" if dates else "an identifier"
    warnings.warn(
        f"column {name!r} holds {len(levels)} different labels in {n} rows ({', '.join(shown)}, "
        f"...), and each becomes a column; if they are {what}, drop the column or make numbers "
        "of it",
        stacklevel=stack_level(),
    )


def encoded(columns, sources, unknown, missing, as_sparse):
    """Return the matrix of a table; `unknown` and `missing` are those of make_design."""
    blocks = (_block(columns[source.name], source, unknown, missing, as_sparse)
              for source in sources)  # fmt: skip
    if as_sparse:
        return sparse.csc_array(sparse.hstack(list(blocks), format="csc"))
    matrix, end, width = None, 0, sum(len(source.fill) for source in sources)
    for block in blocks:
        matrix = np.empty((len(block), width), order="F") if matrix is None else matrix
        matrix[:, end : end + block.shape[1]] = block
        end += block.shape[1]
    return matrix


def _block(column, source, unknown, missing, as_sparse):
    """Return the columns of one column of a table."""
    column = _like_the_first(column, source)
    if isinstance(column, tuple) != (source.levels is not None):
        kinds = ("numbers", "categories")
        now, then = kinds[isinstance(column, tuple)], kinds[source.levels is not None]
        kind = "float" if source.levels is None else "category"
        raise ValueError(
            f"column {source.name!r} holds {now}, where it first held {then}; make it one of "
            f"{then}, in pandas by astype({kind!r})"
        )
    if source.levels is not None:
        return _dummies(source, column[0], unknown, missing, as_sparse)
    gone = np.isnan(column)
    _refuse_gaps(source.name, gone, missing)
    block = np.where(gone, source.fill, column)[:, None]
    return sparse.csc_array(block) if as_sparse else block


def _like_the_first(column, source):
    """Return the column; if it holds only gaps, as one of the same kind as in the first table."""
    if isinstance(column, tuple) == (source.levels is not None):
        return column
    if source.levels is not None:
        return (np.full(len(column), None), None) if np.isnan(column).all() else column
    gaps_alone = all(label is None for label in column[0].tolist())
    return np.full(len(column[0]), np.nan) if gaps_alone else column


def _dummies(source, labels, unknown, missing, as_sparse):
    """Return a column of 0 and 1 for each level, (n, K), or for the second of two.

    Rows without a label hold the shares."""
    codes = _codes(source.name, labels, source.levels, unknown)
    _refuse_gaps(source.name, codes == GONE, missing)
    gone = np.flatnonzero(codes == GONE)
    if len(source.levels) == 2:  # an unknown level is equally far from both
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
    """Return the number of each label among the levels; GONE for a missing one, else UNKNOWN."""
    place = {level: k for k, level in enumerate(levels)}
    place[None] = GONE
    codes = np.array([place.get(label, UNKNOWN) for label in labels.tolist()], dtype=np.intp)
    if unknown == "error" and (codes == UNKNOWN).any():
        i = int((codes == UNKNOWN).argmax())
        label = labels.tolist()[i]
        raise ValueError(
            f"column {name!r} holds {label!r} at row {i} (counted from 0), which is none of "
            f"the {len(levels)} levels of the first table; to allow it give unknown='zero' to "
            "make_design before the fit, or to its method encode"
        )
    return codes
