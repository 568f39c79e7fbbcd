"""Arguments with a value for each column of X, or for each group or kernel, as users give them.

    array, list, labels 0, 1, ..  by position
    series, one-column frame      by its labels, which must be those of the columns, in any order
    mapping                       from names, or numbers, to values; the others keep the default

Columns without names are called by their numbers.
"""

import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np

# A message names at most this many columns.
SHOWN = 6


class Labelled(list):
    """Values of a series with its labels, kept until the columns are known."""

    labels: list


def index_of(data: Any) -> Any:
    """Return the row labels of a pandas object or of an EncodedDesign, or None without any."""
    index = getattr(data, "index", None)
    return index if hasattr(index, "equals") and hasattr(index, "get_indexer") else None


def is_default(index: Any) -> bool:
    """Return True for the labels 0, 1, .., n - 1 in order."""
    return index.dtype.kind in "iu" and bool((np.asarray(index) == np.arange(len(index))).all())


def held_labels(value: Any) -> Any:
    """Return a series with labels of its own as Labelled, and anything else as it is."""
    index = index_of(value)
    if index is None or getattr(value, "ndim", 1) > 2 or is_default(index):
        return value
    found = Labelled(value.iloc[:, 0] if value.ndim == 2 else value)
    found.labels = list(index)
    return found


def by_label(name: str, value: Any, labels: Any, count: int, rest: Any = None,
             what: str = "column of X") -> Any:
    """Return a value for each of `count` columns, in their order.

    Parameters
    ----------
    name : str
        The argument, for messages.
    value : any
        What the user gave. Values without labels come back as they are, for readers to check.
    labels : sequence (count,) or None
        Names of the columns.
    rest : scalar or sequence (count,)
        The value of columns that a mapping does not name.
    what : str
        The words for a column.

    Raises
    ------
    ValueError
        If a label is no column, or a column has no value or two.
    """
    some = isinstance(value, Mapping)
    value = value if some or isinstance(value, Labelled) else held_labels(value)
    if not some and not isinstance(value, Labelled):
        _refuse_renumbered(name, value, labels, count)
        return value
    keys = list(value) if some else value.labels
    numbered = sorted(map(str, keys)) == sorted(map(str, range(count)))
    if labels is None and not some and not numbered:
        return list(value)
    found = numbers_of(name, keys, labels, count, what)
    if not some and len(found) < count:
        at = np.setdiff1d(np.arange(count), found)[0]
        raise ValueError(f"{name} has no value for {what} {_shown(labels, at)}; give it one, or "
                         "give a dict of some")  # fmt: skip
    ordered = list(np.broadcast_to(np.asarray(rest, dtype=object), (count,)))
    for at, one in zip(found, value.values() if some else value, strict=True):
        ordered[at] = one
    return ordered


def places_by_label(name: str, index: Any, labels: Any, what: str) -> list:
    """Return the places in `index` of each of `labels`; those in order for no or default ones."""
    places = Labelled(range(len(labels)))
    if index is None or (hasattr(index, "dtype") and is_default(index)):
        return places
    places.labels = list(index)
    return by_label(name, places, labels, len(labels), 0, what)


def in_columns(name: str, table: Any, labels: Any, what: str) -> Any:
    """Return a table with its columns in the order of `labels` (K,), if both have them."""
    columns = getattr(table, "columns", None)
    if labels is None or columns is None or len(columns) != len(labels):
        return table
    places = places_by_label(f"the columns of {name}", columns, labels, what)
    return np.asarray(table)[:, list(places)]


def numbers_of(name: str, keys: Any, labels: Any, count: int, what: str = "column of X") -> Any:
    """Return the numbers of the columns that `keys` name, or number; raise for any other."""
    places = {} if labels is None else places_of(labels)
    found = [_number(name, key, places, labels, count, what) for key in keys]
    twice = [at for at, times in zip(*np.unique(found, return_counts=True), strict=True)
             if times > 1]  # fmt: skip
    if twice:
        raise ValueError(f"{name} names {_shown(labels, twice[0])} twice; name it once")
    return np.array(found, dtype=np.intp)


def places_of(labels: Any) -> dict:
    """Return the place of each name as text; None for a name that stands twice."""
    place: dict = {}
    for j, label in enumerate(labels):
        if label is not None:
            place[str(label)] = None if str(label) in place else j
    return place


def _number(name, key, places, labels, count, what):
    text = str(key)
    if text in places:
        if places[text] is None:
            raise ValueError(f"{name} names {key!r}, as several are called; give numbers")
        return places[text]
    if isinstance(key, int | np.integer) and not isinstance(key, bool):
        if 0 <= key < count:
            return int(key)
        raise ValueError(f"{name} names {key}; a {what} has a number from 0 to {count - 1}")
    if labels is None:
        which, hint = what.replace("column", "columns"), "give numbers, or X as a table with names"
        if which == what:
            which, hint = f"{what}s", "give numbers"
        raise ValueError(f"{name} names {key!r}, but the {which} have no names; {hint}")
    near = difflib.get_close_matches(text, places, n=1)
    shown = ", ".join(map(repr, list(places)[:SHOWN])) + ", ..." * (len(places) > SHOWN)
    hint = f"is it {near[0]!r}?" if near else f"there are {shown}"
    raise ValueError(f"{name} names {key!r}, which is no {what}; {hint}")


def _refuse_renumbered(name, value, labels, count):
    """Raise if columns are called 0, 1, .. in another order, and a series has these in order."""
    if labels is None or index_of(value) is None or len(value) != count:
        return
    called = [str(label) for label in labels]
    numbers = [str(j) for j in range(count)]
    if called != numbers and sorted(called) == sorted(numbers):
        raise ValueError(
            f"the index of {name} is 0 to {count - 1}, and X has columns of these names in "
            f"another order; give {name}[X.columns], or {name}.to_numpy() if positions are meant"
        )


def _shown(labels, at):
    return int(at) if labels is None or labels[at] is None else repr(str(labels[at]))
