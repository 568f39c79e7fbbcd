"""Data frames: pandas, polars and pyarrow tables as a matrix, and columns by their names.

They are recognised by their methods, so that none of these packages is imported here.
"""

import difflib
import numbers
from functools import lru_cache

import numpy as np

from .array import real_array, storage_dtype, unmasked
from .number import some_of


def is_frame(X):
    """Return True if `X` offers the columns of a data frame."""
    return _family(X) is not None


def is_encoded(X):
    """Return True for an EncodedDesign."""
    return _family(X) == "encoded"


def is_enum(dtype):
    """Return True for polars' Enum, whose categories have an order."""
    return type(dtype).__name__ == "Enum" and hasattr(dtype, "categories")


def refuse_other_names(known, given, fitted, remedy, table="X"):
    """Raise unless two lists of column names agree, naming the first column that differs.

    `fitted` describes the known names ("the path was fitted to"), `remedy` says what to do, and
    `table` is the name of the table.
    """
    for j, (old, new) in enumerate(zip(known, given, strict=True)):
        if old != new:
            reorder = sorted(map(str, known)) == sorted(map(str, given))
            found = "the same columns in another order" if reorder else "other columns"
            raise ValueError(
                f"Column {j} of {table} is {str(new)!r} where {fitted} {str(old)!r} ({found}); "
                f"{remedy}"
            )


def read_frame(X):
    """Return the values (n, p) of a frame or an EncodedDesign, and the names (p,) of its columns.

    Columns are numeric or boolean, without missing values; NaN in a plain float column passes
    here, as in an array. A pandas frame of one numpy type comes back as a view of its block, one
    whose columns are all sparse with fill value 0 as a COO matrix, any other as a column-major
    copy. Labels that are not strings become their text; duplicates stay.
    """
    if _family(X) == "encoded":
        return X.matrix, X.names
    names, types, columns = FAMILIES[_family(X)](X)
    names = np.array([str(name) for name in names], dtype=object)
    n = X.shape[0]
    if not isinstance(n, numbers.Integral):
        raise TypeError("X is a frame whose rows are not computed yet; compute it first")
    if n and types and all(getattr(kind, "fill_value", None) == 0 for kind in types):
        return X.sparse.to_coo(), names
    if len(types) == 1 and isinstance(types[0], np.dtype) and types[0].kind in "biuf":
        return real_array("X", X.to_numpy()), names
    arrays = [_column(column, name) for column, name in zip(columns, names, strict=True)]
    single = all(storage_dtype(array.dtype) == np.float32 for array in arrays)
    values = np.empty((n, len(names)), np.float32 if single else np.float64, order="F")
    for j, array in enumerate(arrays):
        values[:, j] = array
    return values, names


def frame_names(X):
    """Return the names of a frame's columns, as text."""
    family = _family(X)
    if family == "lazy":
        _lazy(X)
    attribute = {"encoded": "names", "arrow": "column_names"}.get(family, "columns")
    return [str(name) for name in getattr(X, attribute)]


def select_columns(X, places):
    """Return the frame with only the columns at these places, in that order."""
    family = _family(X)
    if family == "encoded":
        return type(X)(X.matrix[:, places], X.names[places], [X.groups[j] for j in places],
                       X.sources, X.unknown)  # fmt: skip
    if family == "pandas":
        return X.iloc[:, places]
    return X.select([X.columns[j] for j in places] if family == "polars" else places)


def columns_of(X):
    """Return the names of a frame's columns, and the columns as the frame gives them."""
    names, _, columns = FAMILIES[_family(X)](X)
    return list(names), list(columns)


def read_feature_names(given, carried, p):
    """Return the names (p,) of the columns of X as strings, given or carried, or None."""
    if given is None or given is carried:
        return carried
    if carried is not None:
        raise ValueError(
            "X is a frame, which names its columns; leave feature_names out, or rename them there"
        )
    if isinstance(given, str | bytes):
        raise TypeError(f"feature_names is {given!r}; give a name for each column of X")
    names = np.asarray(unmasked("feature_names", given), dtype=object)
    if names.ndim != 1:
        raise ValueError(f"feature_names has shape {names.shape}; give a flat list of {p} names")
    if len(names) != p:
        raise ValueError(f"feature_names has {len(names)} names but X has {p} columns")
    return np.array([str(name) for name in names.tolist()], dtype=object)


def columns_by_name(X, known, fitted):
    """Return a frame with the columns `known`, in that order, and no others; X if it is that.

    ValueError names a column that is missing, or one that is needed and stands twice. `fitted` are
    words for it, such as "the path was fitted to".
    """
    names = frame_names(X)
    if names == list(known):
        return X
    places = {name: j for j, name in enumerate(names)}
    missing = [name for name in known if name not in places]
    if missing:
        raise ValueError(_missing_sentence(missing, names, fitted))
    doubled = [*_twice(names).intersection(known), *_twice(known)]
    if doubled:
        raise ValueError(
            f"column {doubled[0]!r} occurs twice, so that columns cannot be found by name; rename "
            "one, or pass X with the columns of the fit in their order"
        )
    return select_columns(X, [places[name] for name in known])


def _twice(names):
    """Return the names that occur more than once."""
    seen = set()
    return {name for name in names if name in seen or seen.add(name)}


def _missing_sentence(missing, names, fitted):
    """Return the sentence on the missing names, and on what may have been meant."""
    first = missing[0]
    near = difflib.get_close_matches(first, names, n=1)
    hint = f"is it {near[0]!r}?" if near else f"X has {some_of(names, 6)}"
    more = f" ({len(missing)} of its columns are missing)" if len(missing) > 1 else ""
    return f"X has no column {first!r}, which {fitted}{more}; {hint}"


def _family(X):
    return _family_of_class(type(X))  # because a lazy frame computes its attributes


@lru_cache(maxsize=100)  # a fit asks nine times
def _family_of_class(kind):
    for family, methods in SIGNS.items():
        if all(hasattr(kind, method) for method in methods):
            return family
    return None


def _pandas(X):
    own = list(X.dtypes)
    return list(X.columns), list(dict.fromkeys(own)), _pandas_columns(X, own)


def _pandas_columns(X, own):
    """Yield its columns, of types `own`; numpy's numbers as arrays, those of one type together."""
    arrays = {}
    for kind in dict.fromkeys(own):
        if isinstance(kind, np.dtype) and kind.kind in "biuf":
            which = np.flatnonzero([kind == other for other in own])
            arrays |= zip(which.tolist(), X.iloc[:, which].to_numpy().T, strict=True)
    for j in range(len(own)):
        yield arrays[j] if j in arrays else X.iloc[:, j]


def _polars(X):
    return X.columns, [], X.get_columns()


def _arrow(X):
    return X.column_names, [], (X.column(j) for j in range(X.num_columns))


def _lazy(X):
    raise TypeError(f"X is a {type(X).__name__}, which holds no data yet; pass X.collect()")


def _column(column, name):
    """Return one column as a 1-D array of numbers, or raise with what is in it and where."""
    missing = _missing(column)
    if missing is not None:
        raise ValueError(
            f"X has a missing value at row {missing} of column {name!r} (counted from 0); "
            "fill it or drop its row"
        )
    kind = str(getattr(column, "dtype", getattr(column, "type", "")))
    if kind.lower().startswith(("categ", "enum", "dictionary")):
        raise TypeError(
            f"column {name!r} of X holds categories; encode it as numbers first, as "
            "sparsesolve.make_design does"
        )
    array = real_array("X", column, column=name)
    if array.ndim != 1:
        raise TypeError(f"column {name!r} of X holds arrays; give each entry a column of its own")
    return array


def _missing(column):
    """Return the first row that is marked missing (a plain NaN is not), or None."""
    if isinstance(column, np.ndarray):
        return None
    if hasattr(column, "iloc"):
        if isinstance(column.dtype, np.dtype) or hasattr(column.dtype, "fill_value"):
            return None
        marks = column.isna()
    else:
        count = column.null_count
        if not (count() if callable(count) else count):
            return None
        marks = column.is_null()
    marks = np.asarray(marks, dtype=bool)
    return int(marks.argmax()) if marks.any() else None


# The order matters: a lazy polars frame has some of the methods of the others.
SIGNS = {
    "lazy": ("collect", "sink_parquet"),
    "encoded": ("encode", "__dataclass_fields__"),
    "polars": ("get_columns", "null_count"),
    "arrow": ("column_names", "num_columns"),
    "pandas": ("iloc", "columns", "dtypes"),
}
FAMILIES = {"lazy": _lazy, "polars": _polars, "arrow": _arrow, "pandas": _pandas}
