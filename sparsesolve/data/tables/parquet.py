"""Parquet files, if pyarrow is installed."""

import numpy as np

from .columns import Table, parts, response_array


def read(path, response, weights, offset, drop, labels=False, features=None, marks=None):
    """Read the numeric columns of a Parquet file; float32 if all features are.

    Parameters and errors: see :func:`sparsesolve.data.tables.read_table`.
    """
    try:
        from pyarrow import lib, parquet
    except ImportError:
        raise ValueError(
            "reading Parquet needs pyarrow: pip install pyarrow, or save the table as CSV"
        ) from None
    try:
        names = [str(name) for name in parquet.read_schema(path).names]
        part = parts(names, response, weights, offset, drop, features, marks)
        wanted = [j for j in range(len(names)) if j not in part.dropped]
        table = parquet.read_table(path, columns=[names[j] for j in wanted])
    except lib.ArrowInvalid as error:
        raise ValueError(f"not a Parquet file ({str(error).splitlines()[0]})") from None
    text = [*part.marks.values(), *(part.response if labels else [])]
    column = {j: _values(names[j], table.column(k), j in text) for k, j in enumerate(wanted)}
    small = all(column[j].dtype == np.float32 for j in part.features)
    X = np.empty((table.num_rows, len(part.features)), np.float32 if small else float, order="F")
    for k, j in enumerate(part.features):
        X[:, k] = column[j]
    return Table(
        X=X,
        y=response_array([column[j] for j in part.response]),
        weights=None if part.weights is None else column[part.weights],
        offset=None if part.offset is None else column[part.offset],
        feature_names=np.array([names[j] for j in part.features]),
        marks={what: column[j] for what, j in part.marks.items()},
    )


def _values(name, column, may_be_text):
    """Return one column as an array of numbers or of text; raise for a missing value."""
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise ValueError(
            f"row {row + 1}, column {name!r}: the cell is empty; fill it, drop the row, or leave "
            f"the column out with --drop"
        )
    values = np.array(column.to_pylist()) if may_be_text else column.to_numpy()
    if may_be_text and values.dtype.kind == "U":
        return values
    if values.dtype.kind not in "biuf":
        raise ValueError(
            f"column {name!r} holds {column.type}, not numbers; code it as numbers, leave it "
            f"out with --drop, or for a column of labels say --family binomial"
        )
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(
            f"row {row + 1}, column {name!r}: {values[row]} is not finite; fill it, drop the row, "
            f"or leave the column out with --drop"
        )
    return values
