"""Delimited text (CSV): numpy's reader, and the csv module to find what is wrong and where.

Large files are first given to the parser of pandas, see quick_numbers.
"""

import csv
from functools import partial

import numpy as np

from .columns import Table, labels_of, parts, response_array
from .quick_numbers import quick_numbers

FEATURE = "fill it, drop the row, or leave the column out with --drop"
RESPONSE = "fill it or drop the row; a column of labels needs --family binomial or multinomial"
LABEL = "fill it or drop the row"
# Other programs spell missing labels like this.
MISSING = ("na", "nan")


def read(path, response, weights, offset, drop, labels=False, features=None, marks=None):
    """Read a table with a header line, numbers below it, and commas, semicolons or tabs as
    separators.

    Parameters and errors: see :func:`sparsesolve.data.tables.read_table`.
    """
    names, delimiter, n_lines = _header(path)
    part = parts(names, response, weights, offset, drop, features, marks)
    text = {j: Codes() for j in [*part.marks.values(), *(part.response if labels else [])]}
    data = _numbers(path, names, delimiter, n_lines, part, text)
    # Rows of the transpose are columns of X: one copy, column-major as the solver needs it.
    columns = data.T

    def read_labels(j):
        return labels_of(list(text[j]), columns[j].astype(int))

    y = [read_labels(j) if labels else columns[j] for j in part.response]
    return Table(
        X=np.ascontiguousarray(columns[part.features]).T,
        y=response_array(y),
        weights=None if part.weights is None else columns[part.weights].copy(),
        offset=None if part.offset is None else columns[part.offset].copy(),
        feature_names=np.array([names[j] for j in part.features]),
        marks={what: read_labels(j) for what, j in part.marks.items()},
    )


class Codes(dict):
    """A number for each text, from 0 in the order of appearance."""

    def __missing__(self, text):
        self[text] = len(self)
        return self[text]


def _header(path):
    """Return the names of the columns, the delimiter, and the number of header lines."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        first = file.readline()
        if first and not first.strip():
            raise ValueError("the first line is blank; it must hold the names of the columns")
        delimiter = max(",;\t", key=first.count)
        file.seek(0)
        reader = csv.reader(file, delimiter=delimiter)
        names = [name.strip() for name in next(reader, [])]
        n_lines = reader.line_num
        if names and not any(reader):
            raise ValueError("there are no rows below the header")
        return names, delimiter, n_lines


def _numbers(path, names, delimiter, n_lines, part, text):
    """Return all cells as float64, shape (n, columns of the file), with zeros in dropped columns.

    Columns among the keys of `text` hold the codes that their Codes give to their cells.
    """
    data = quick_numbers(path, names, delimiter, n_lines, part, text)
    if data is None:
        for codes in text.values():
            codes.clear()  # codes of a failed attempt
        data = _by_numpy(path, names, delimiter, n_lines, part, text)
    broken = any(_problem_of_text(cell) for codes in text.values() for cell in codes)
    if broken or data.shape[1] != len(names) or not np.isfinite(data).all():
        _raise_at_first_bad_cell(path, names, delimiter, part, text)
    return data


def _by_numpy(path, names, delimiter, n_lines, part, text):
    """Return all cells by numpy's reader; a cell that it refuses is named."""
    converters = {j: lambda cell: 0.0 for j in part.dropped}
    converters |= {j: partial(_code, codes) for j, codes in text.items()}
    try:
        return np.loadtxt(
            path,
            delimiter=delimiter,
            skiprows=n_lines,
            comments=None,
            quotechar='"',
            ndmin=2,
            converters=converters,
            encoding="utf-8",
        )
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        _raise_at_first_bad_cell(path, names, delimiter, part, text)
        raise ValueError(f"numpy cannot read it: {error}") from None


def _code(codes, cell):
    return float(codes[cell.strip()])


def _raise_at_first_bad_cell(path, names, delimiter, part, text):
    """Read the file again, cell by cell, up to the first that is not a finite number.

    Cells of the columns in `text` may also hold other text.
    """
    skip = set(part.dropped)
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, delimiter=delimiter)
        next(reader)
        rows = (row for row in reader if row)  # blank lines do not count, for numpy either
        for i, row in enumerate(rows, start=1):
            where = f"line {reader.line_num} (row {i})"
            if len(row) != len(names):
                raise ValueError(f"{where} has {len(row)} cells, the header has {len(names)}")
            for j, cell in enumerate(row):
                problem = _problem_of_text(cell) if j in text else _problem(cell)
                problem = None if j in skip else problem
                if problem:
                    told = j in text or not part.droppable
                    advice = LABEL if told else RESPONSE if j in part.response else FEATURE
                    raise ValueError(f"{where}, column {names[j]!r}: {problem}; {advice}")


def _problem_of_text(cell):
    """Return why a cell is no label; None if it is one."""
    if not cell.strip():
        return "the cell is empty"
    missing = cell.strip().lower() in MISSING
    return f"{cell.strip()!r} stands for a missing value" if missing else None


def _problem(cell):
    """Return why a cell is no number; None if it is one."""
    if not cell.strip():
        return "the cell is empty"
    try:
        value = float(cell)
    except ValueError:
        return f"{cell.strip()[:40]!r} is not a number"
    if "_" in cell:  # only Python reads this as a number
        return f"{cell.strip()!r} is not a number"
    return None if np.isfinite(value) else f"{cell.strip()!r} is not finite"
