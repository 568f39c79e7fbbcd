"""The contents of a data file, the role of each of its columns, and groups of features."""

from __future__ import annotations

import csv
import difflib
import os
import zipfile
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse


@dataclass(frozen=True, eq=False)
class Table:
    """X and y of a data file, with the other requested columns."""

    X: np.ndarray | sparse.csr_array | sparse.csc_array  # (n, p)
    y: np.ndarray | None  # (n,), or (n, K) of K columns; None if none was requested
    weights: np.ndarray | None  # (n,)
    offset: np.ndarray | None  # (n,)
    feature_names: np.ndarray | None  # (p,) strings; None if the file has no names
    marks: dict = field(default_factory=dict)  # labels (n,) of the rows, by their use
    notes: list = field(default_factory=list)  # sentences on what was done to the file
    penalty_factor: np.ndarray | None = None  # (p,), of genotypes and their covariates


@dataclass(frozen=True)
class Parts:
    """Positions in the file of the columns of each role."""

    features: list
    response: list
    weights: int | None
    offset: int | None
    dropped: list
    marks: dict  # by their use
    droppable: bool = True  # True if a column of X may be left out; False for those of a model
    unnamed: tuple = ()  # columns without a name, which must be empty


def parts(names, response, weights, offset, drop, features=None, marks=None):
    """Find the columns of each role among the names of a file's columns.

    If `features` are named, no response is needed, and other columns are dropped. A first column
    without a name holds the row labels of R and pandas; it is dropped. Others without a name must
    be empty. Any other column without a role is a feature.
    """
    _check_names(names)
    unnamed = tuple(j for j, name in enumerate(names) if j and not name)
    if not response and features is None:
        raise ValueError(f"say which column to fit with --response; there are {listed(names)}")
    places = {name: j for j, name in enumerate(names) if name}
    fitted = [place_of(places, name) for name in response]
    find = {"weights": weights, "offset": offset}
    found = {part: None if name is None else place_of(places, name) for part, name in find.items()}
    dropped = [place_of(places, name) for name in drop] + [0] * (not names[0])
    marked = {what: place_of(places, name) for what, name in (marks or {}).items()}
    single = [j for j in found.values() if j is not None]
    taken = fitted + single + list(marked.values()) + sorted({*dropped, *unnamed})
    counts = Counter(taken)
    twice = next((j for j in taken if counts[j] > 1), None)
    if twice is not None:
        raise ValueError(f"column {names[twice]!r} is given two parts; choose one")
    if features is None:
        wanted = [j for j in range(len(names)) if j not in counts]
    else:
        wanted = [place_of(places, name) for name in features]
        used = {*wanted, *fitted, *single, *marked.values()}
        dropped = [j for j in range(len(names)) if j not in used and j not in unnamed]
    if not wanted:
        raise ValueError("no column is left for X")
    return Parts(wanted, fitted, dropped=sorted(set(dropped)), marks=marked,
                 droppable=features is None, unnamed=unnamed, **found)  # fmt: skip


def response_array(columns):
    """Return one column as it is, several as a table (n, K), and None for no column."""
    if not columns:
        return None
    return columns[0].copy() if len(columns) == 1 else np.column_stack(columns)


def labels_of(texts, codes):
    """Return the labels of rows: numbers if all texts are numbers, else the texts."""
    if all(_is_number(text) for text in texts):
        values = np.array(texts, dtype=float)
        whole = (values == np.round(values)).all() and (abs(values) < 2**53).all()
        return (values.astype(np.int64) if whole else values)[codes]
    return np.array(texts)[codes]


def _check_names(names):
    """Raise unless the names can be a header."""
    if not names:
        raise ValueError("the file is empty")
    if all(_is_number(name) for name in names):
        raise ValueError("the first line holds numbers; it must hold the names of the columns")
    seen = set()
    for name in names:
        if name and name in seen:
            raise ValueError(f"two columns are named {name!r}; rename one")
        seen.add(name)


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def place_of(places, name):
    """Return the position of the column of that name."""
    if name not in places:
        close = difflib.get_close_matches(name, places, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {listed(list(places))}"
        raise ValueError(f"no column is named {name!r}; {hint}")
    return places[name]


def listed(names):
    """Return the first few names, for a message."""
    shown = ", ".join(map(repr, names[:6]))
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"


def read_feature_groups(source, data_file, table, overlapping=False):
    """Return groups in the form of penalties: a dict of label to features, or labels (p,).

    `source` is a CSV file with the columns feature and group, in which features of the `table`
    that are not named are groups of one; or, if `data_file` is an .npz file, the name of its array
    of labels. Only if `overlapping`, a feature may be in several groups.
    """
    if os.path.isfile(data_file) and zipfile.is_zipfile(data_file):  # a pipe is read only once
        with np.load(data_file, allow_pickle=False) as arrays:
            if source in arrays.files:
                return arrays[source]
    if table.feature_names is None:
        raise ValueError(f"{source}: the data have no names of columns to which it could refer")
    places = {name: j for j, name in enumerate(table.feature_names.tolist())}
    with open(source, newline="", encoding="utf-8-sig") as stream:
        rows = csv.reader(stream)
        header = [name.strip().lower() for name in next(rows, [])]
        if header != ["feature", "group"]:
            raise ValueError(f"{source}: the first line must be feature,group")
        groups, seen = {}, set()
        for row in filter(None, rows):
            where = f"{source}: line {rows.line_num}"
            if len(row) != 2:
                raise ValueError(f"{where} has {len(row)} cells; a feature and its group are two")
            feature, group = (cell.strip() for cell in row)
            if feature not in places:
                raise ValueError(f"{where} names {feature!r}, which is not a column of X")
            if places[feature] in groups.get(group, ()):
                raise ValueError(f"{where} puts {feature!r} into {group!r} a second time")
            if places[feature] in seen and not overlapping:
                raise ValueError(
                    f"{where} puts {feature!r} into a second group; one is allowed, but with "
                    "--penalty latent-group, overlap-linf, overlap-l2, tree-l2 or tree-linf"
                )
            seen.add(places[feature])
            groups.setdefault(group, []).append(places[feature])
    if not groups:
        raise ValueError(f"{source}: there are no features below the header")
    return groups
