"""Tables that hold numbers, categories and gaps, column by column."""

import numpy as np
from scipy import sparse

from .array import converted, is_number, real_array, refuse_truncated
from .frame import columns_of, is_enum, is_frame
from .survival import is_missing

# Levels of these types stay as they are; a model file can hold them.
PLAIN = str | int | float | np.number | np.bool_


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
