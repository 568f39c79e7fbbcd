"""Files with numbers, text and gaps: columns of X are encoded, the others stay as they are."""

from __future__ import annotations

import numpy as np

from sparsesolve.data.encoding import make_design

from .cells import Style, number_marks, numbers_of, read_cells
from .columns import Table, labels_of, parts, response_array

# More than FEW_LEVELS levels, and more than a SHARE of the rows, are no category: names, dates,
# numbers.
FEW_LEVELS, SHARE = 20, 0.1
# If more than this share of the cells are numbers, the others are errors.
MOSTLY = 0.5


def read_mixed(path, layout, response, weights, offset, drop=(), *, labels=False, features=None,
               marks=None, style=None, missing="mean", encoder=None):
    """Read a CSV or Parquet file of any columns into a Table, and notes on what was done.

    Parameters
    ----------
    path : Path
    layout : {"csv", "parquet"}
    response, weights, offset, drop, labels, features, marks
        As in :func:`sparsesolve.data.tables.read_table`.
    style : Style, optional
        The style of a text file; by default it is detected.
    missing : {"mean", "error"}
        As in :func:`sparsesolve.make_design`.
    encoder : EncodedDesign, optional
        The encoding of the columns of a model, which are then X.

    Returns
    -------
    table : Table
        X is an EncodedDesign, or with `features` and no encoder an array of numbers.
    notes : list of str
    """
    style = style or Style()
    read = read_cells(path, style) if layout == "csv" else (*_arrow_cells(path), None)
    names, columns, separator = read
    sources = None if encoder is None else [source.name for source in encoder.sources]
    part = parts(names, response, weights, offset, drop, sources or features, marks)
    used = [names[j] for j in range(len(names)) if j not in part.dropped]
    marks_of_numbers = number_marks([columns[name] for name in used], style, separator)
    read = Columns(columns, marks_of_numbers)
    X, notes = None, []
    if encoder is not None:
        table = {source.name: read.like(source) for source in encoder.sources}
        X, notes = encoder.encode(table), _notes(table, text=False)
    elif features is not None:
        X = np.column_stack([read.numbers(name, "fill it or drop the row") for name in features])
    else:
        table = {names[j]: read.feature(names[j]) for j in part.features}
        X, notes = make_design(table, missing=missing), _notes(table)
    y = [read.response(names[j], labels) for j in part.response]
    named = {"weights": part.weights, "offset": part.offset}
    return Table(
        X=X, y=response_array(y),
        **{what: None if j is None else read.numbers(names[j], "fill it or drop the row")
           for what, j in named.items()},
        feature_names=np.array(features if X is None or encoder is None and features is not None
                               else X.names),
        marks={what: read.labels(names[j]) for what, j in part.marks.items()},
    ), notes  # fmt: skip


class Columns:
    """Columns of cells, read for their use."""

    def __init__(self, columns, marks):
        self.columns, self.marks = columns, marks

    def feature(self, name):
        """Return numbers, NaN in gaps; or text, None in gaps, with few different words."""
        values, bad = numbers_of(self.columns[name], *self.marks)
        if not bad.any():
            return values
        cells, given = self.columns[name], np.array([c is not None for c in self.columns[name]])
        first = int(bad.argmax())
        if (given & ~bad).sum() > MOSTLY * given.sum():
            raise ValueError(
                f"row {first + 1}, column {name!r}: {cells[first]!r} is not a number, as most of "
                "that column are; correct it, or leave the column out with --drop"
            )
        levels = {cell for cell in cells if cell is not None}
        if len(levels) > max(FEW_LEVELS, SHARE * len(cells)):
            raise ValueError(
                f"column {name!r} holds {len(levels)} different texts in {len(cells)} rows "
                f"({cells[first]!r} first), too many for a category; leave it out with --drop"
            )
        return cells

    def numbers(self, name, advice):
        """Return numbers without gaps."""
        values, bad = numbers_of(self.columns[name], *self.marks)
        wrong = bad | np.isnan(values)
        if wrong.any():
            i = int(wrong.argmax())
            found = "the cell is empty" if not bad[i] else (
                f"{self.columns[name][i]!r} is not a number")  # fmt: skip
            raise ValueError(f"row {i + 1}, column {name!r}: {found}; {advice}")
        return values

    def response(self, name, labels):
        """Return labels, or numbers."""
        if labels:
            return self.labels(name)
        advice = "fill it or drop the row; labels need --family binomial or multinomial"
        return self.numbers(name, advice)

    def labels(self, name):
        """Return labels of the rows: whole numbers if all are numbers, else text."""
        cells = self.columns[name]
        gone = [cell is None for cell in cells]
        if any(gone):
            raise ValueError(
                f"row {gone.index(True) + 1}, column {name!r}: the cell is empty; fill it or drop "
                "the row"
            )
        texts, codes = np.unique(cells.astype(str), return_inverse=True)
        return labels_of(texts.tolist(), codes)

    def like(self, source):
        """Return the column in the form of an encoder: numbers, or its levels."""
        if source.levels is None:
            values, bad = numbers_of(self.columns[source.name], *self.marks)
            if bad.any():
                i = int(bad.argmax())
                cell = self.columns[source.name][i]
                raise ValueError(
                    f"row {i + 1}, column {source.name!r}: {cell!r} is not a number, which the "
                    "model was fitted to; correct it or empty the cell"
                )
            return values
        level = {str(level): level for level in source.levels}
        cells = [None if cell is None else level.get(str(cell), cell)
                 for cell in self.columns[source.name].tolist()]  # fmt: skip
        found = np.empty(len(cells), dtype=object)
        found[:] = cells
        return found


def _notes(table, text=True):
    """Return sentences on the treatment of text and gaps."""
    text = [name for name, column in table.items() if column.dtype == object and text]
    gaps = {name: int(np.isnan(column).sum()) if column.dtype != object else
            sum(cell is None for cell in column) for name, column in table.items()}  # fmt: skip
    gaps = {name: count for name, count in gaps.items() if count}
    notes = []
    if text:
        notes.append(f"columns of text, encoded by their levels: {', '.join(text)}")
    if gaps:
        shown = ", ".join(f"{count} in {name}" for name, count in gaps.items())
        notes.append(f"gaps filled with the mean of their column: {shown}")
    return notes


def _arrow_cells(path):
    """Return names, and columns of Parquet as object arrays, None in gaps."""
    from pyarrow import parquet

    table = parquet.read_table(path)
    columns = {}
    for name in table.column_names:
        values = np.empty(table.num_rows, dtype=object)
        values[:] = table.column(name).to_pylist()
        columns[str(name)] = values
    return list(columns), columns
