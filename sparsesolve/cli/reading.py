"""Rows of a file for a command: the plain reader for numbers, pandas for text and gaps."""

import importlib.util
import sys
from pathlib import Path as FilePath

from sparsesolve.data.tables import is_piped, layout_of, read_table, seekable
from sparsesolve.data.tables.cells import Style

EXTRA = "pip install 'sparsesolve[cli]' reads text columns, gaps and files written otherwise"
READ = ("separator", "decimal", "thousands", "encoding")
# Layouts whose columns may hold text and gaps.
MIXED = ("csv", "parquet")


def add_style_options(group):
    """Add the options on the style of a text file, for styles that are not detected."""
    group.add_argument("--separator", metavar="C", help="between cells: a character, blank or tab")
    group.add_argument("--decimal", choices=(".", ","), help="decimal mark; default found out")
    group.add_argument("--thousands", metavar="C", help="mark between thousands")
    group.add_argument("--encoding", metavar="NAME", help="default UTF-8, else Windows-1252")


def read_rows(args, response=(), weights=None, offset=None, drop=(), labels=False, features=None,
              marks=None, encoder=None):
    """Return the Table of a command's file.

    The plain reader comes first. If it refuses a CSV or Parquet file, pandas reads the file: text
    becomes categories, and gaps become the means of their columns. This is reported on stderr.
    """
    path = FilePath(args.file)
    layout = args.format or layout_of(path)
    styled = any(getattr(args, name, None) for name in READ)
    asked = styled or encoder is not None
    parts = (list(response), weights, offset)
    if asked and layout not in MIXED:
        if not styled:
            raise ValueError(
                f"{path}: the model was fitted to a table with text or gaps; give rows as CSV or "
                "Parquet, with the columns by their names"
            )
        raise ValueError(f"{path}: options on text and gaps belong to CSV and Parquet files")
    if layout not in MIXED:
        return read_table(path, *parts, drop, layout=layout, labels=labels, features=features,
                          marks=marks)  # fmt: skip
    refused = None
    with seekable(path, is_piped(path)) as whole:
        if not asked:
            try:
                return read_table(whole, *parts, drop, layout=layout, labels=labels,
                                  features=features, marks=marks)  # fmt: skip
            except ValueError as error:
                refused = ValueError(str(error).replace(str(whole), str(path), 1))
        if importlib.util.find_spec("pandas") is None:
            raise ImportError(f"{path}: this needs pandas: {EXTRA}") if asked else ValueError(
                f"{refused}; {EXTRA}")  # fmt: skip
        try:
            return _mixed(whole, layout, parts, drop, labels, features, marks, args, encoder)
        except ValueError as error:
            played = [*response, weights, offset, *(marks or {}).values()]
            known = any(f"column {name!r}:" in str(refused) for name in played)
            if not asked and (known or "parted into cells" in str(error)):
                raise refused from None  # which names the line
            raise ValueError(f"{path}: {error}") from None


def _mixed(path, layout, parts, drop, labels, features, marks, args, encoder):
    from sparsesolve.data.tables.mixed import read_mixed

    style = Style(**{name: getattr(args, name, None) for name in READ})
    table, notes = read_mixed(
        path, layout, *parts, tuple(drop), labels=labels, features=features, marks=marks,
        style=style, missing=getattr(args, "missing", None) or "mean", encoder=encoder,
    )  # fmt: skip
    for note in notes:
        print(f"sparsesolve: note: {note}", file=sys.stderr)
    return table


def model_rows(args, path, **parts):
    """Return the rows of a file with the columns of a model, which are found by name."""
    path = path if hasattr(path, "coefs") else path.grams  # kernels know their table
    if path.encoder is not None:
        return read_rows(args, encoder=path.encoder, **parts)
    names = [] if path.feature_names is None else path.feature_names.tolist()
    layout = args.format or FilePath(args.file).suffix.lower().lstrip(".")
    if not names and layout != "npz":
        raise ValueError(f"{args.model} has no names of columns; give X as an .npz file")
    return read_rows(args, features=names, **parts)
