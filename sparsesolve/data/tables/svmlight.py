"""SVMlight files. scikit-learn's reader is optional and does not say where a file is wrong.

A line is ``label index:value index:value ... # comment``; ``qid:`` entries are left out.
"""

from array import array

import numpy as np
from scipy import sparse

from .columns import Table

# A larger feature number is an error: the names alone would take 4 GB.
MOST_FEATURES = 10**8


def read(path, response, weights, offset, drop, labels=False, features=None, marks=None):
    """Read a sparse table whose first column is the response.

    The features are named by their numbers in the file, which start at 1, or at 0 if a 0 occurs.
    Parameters and errors: see :func:`sparsesolve.data.tables.read_table`.
    """
    named = {"response": response, "weights": weights, "offset": offset, **(marks or {})}
    for option, value in named.items():
        if value:
            option = option.replace("_", "-")
            raise ValueError(f"an SVMlight file has no columns by name; leave out --{option}")
    labels, ends, indices, values = _entries(path)
    if not len(labels):
        raise ValueError("the file has no rows")
    if not len(indices):
        raise ValueError("no row has an entry, so X has no columns")
    first = 0 if indices.min() == 0 else 1
    shape = (len(labels), int(indices.max()) - first + 1)
    X = sparse.csr_array(
        (values, indices - first, np.r_[0, ends]),
        shape=shape,
    )
    if shape[1] > MOST_FEATURES:
        row = np.searchsorted(ends, indices.argmax(), side="right") + 1
        raise ValueError(
            f"row {row} has a feature {indices.max()}, so X would have {shape[1]} columns, more "
            f"than {MOST_FEATURES}; number the features that occur"
        )
    names = np.arange(first, shape[1] + first).astype(f"U{len(str(shape[1]))}")
    if features is not None:
        _refuse_named(features)
        if first == 0 and len(features) and "0" not in features:
            raise ValueError(
                "the file has a feature 0, and the model's are numbered from 1; the numbers must "
                "be those of the file that was fitted"
            )
        return Table(_spread(X, names, list(features)), labels, None, None, np.array(features))
    kept = _kept(names, drop)
    return Table(X[:, kept] if drop else X, labels, None, None, names[kept])


def _refuse_named(features):
    """Raise unless all requested features are numbers, like those of the file."""
    named = next((name for name in map(str, features) if not name.isdecimal()), None)
    if named is not None:
        raise ValueError(
            f"an SVMlight file numbers its features, so none is named {named!r}; give a file "
            "whose columns have names"
        )


def _spread(X, names, features):
    """Return the columns of these numbers, in this order; 0 where the file has none."""
    place = {name: k for k, name in enumerate(features)}
    to = [(j, place[name]) for j, name in enumerate(names.tolist()) if name in place]
    rows, columns = zip(*to, strict=True) if to else ((), ())
    shape = (X.shape[1], len(features))
    return X @ sparse.csr_array((np.ones(len(to)), (rows, columns)), shape=shape)


def _kept(names, drop):
    """Return the positions of the features that are not dropped."""
    unknown = next((name for name in drop if name not in names), None)
    if unknown is not None:
        raise ValueError(f"no feature has the number {unknown!r} to drop")
    return np.flatnonzero(~np.isin(names, list(drop)))


def _entries(path):
    """Return labels, the number of entries up to the end of each row, and indices and values."""
    labels, ends, indices, values = array("d"), array("q"), array("q"), array("d")
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            text = line.partition("#")[0]
            if not text.strip():
                continue
            try:
                label, *pairs = text.split()
                halves = [pair.split(":") for pair in pairs if not pair.startswith("qid:")]
                labels.append(float(label))
                indices.extend([int(index) for index, _ in halves])
                values.extend([float(value) for _, value in halves])
            except (ValueError, OverflowError):
                raise _line_error(number, text.split()) from None
            ends.append(len(indices))
    arrays = np.array(labels), np.array(ends), np.array(indices), np.array(values)
    _check_entries(*arrays)
    return arrays


def _line_error(number, cells):
    """Return what is wrong on a line that could not be read."""
    for k, cell in enumerate(cells):
        if not _fits(cell, is_label=k == 0):
            wanted = "a number" if k == 0 else "index:value"
            return ValueError(f"line {number}: {cell[:40]!r} is not {wanted}")
    return ValueError(f"line {number} cannot be read")


def _fits(cell, is_label):
    """Return True if a cell can be read as a label, or as index:value."""
    try:
        if is_label:
            float(cell)
            return True
        index, value = cell.split(":")
        float(value)
        return abs(int(index)) < 2**63
    except ValueError:
        return False


def _check_entries(labels, ends, indices, values):
    """Raise for entries that a sparse matrix cannot hold, naming the row."""
    bad = np.flatnonzero((indices < 0) | (indices >= 2**31) | ~np.isfinite(values))
    if bad.size:
        k = bad[0]
        row = np.searchsorted(ends, k, side="right") + 1
        raise ValueError(f"row {row}: entry {indices[k]}:{values[k]} has no place in a matrix")
    _refuse_repeated(ends, indices)
    bad = np.flatnonzero(~np.isfinite(labels))
    if bad.size:
        raise ValueError(f"row {bad[0] + 1}: the response is {labels[bad[0]]}")


def _refuse_repeated(ends, indices):
    """Raise for a row with two entries of one feature, because either may be meant."""
    rows = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    if ((np.diff(indices) > 0) | (np.diff(rows) > 0)).all():
        return
    order = np.lexsort((indices, rows))
    rows, indices = rows[order], indices[order]
    again = np.flatnonzero((np.diff(rows) == 0) & (np.diff(indices) == 0))
    if again.size:
        k = again[0]
        raise ValueError(f"row {rows[k] + 1} has two entries of feature {indices[k]}")
