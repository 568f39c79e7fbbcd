"""Text files of other programs as cells: their separators and the form of numbers.

pandas splits the cells. This module finds the encoding, the comment lines at the start, the
separator, and the marks in numbers.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

import numpy as np

from sparsesolve.data.array import is_number

SEPARATORS = ",;\t|"
# Columns may be separated by any number of blanks.
BLANKS = r"\s+"
GAPS = (
    "", "NA", "na", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NULL", "null", "None", "?", ".",
)  # fmt: skip
TRUTH = {"true": 1.0, "false": 0.0}
EUROPEAN = re.compile(r"[-+]?\d{1,3}(\.\d{3})+,\d+")  # 1.234,5
ENGLISH = re.compile(r"[-+]?\d{1,3}(,\d{3})+\.\d+")  # 1,234.5
GROUPED = re.compile(r"[-+]?\d{1,3}(,\d{3})+")  # 1,234 may be either
COMMA = re.compile(r"[-+]?\d*,\d+([eE][-+]?\d+)?")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True)
class Style:
    """The style of a text file; None means that it is detected."""

    separator: str | None = None  #: one character, or "blank"
    decimal: str | None = None  #: "." or ","
    thousands: str | None = None  #: one character
    encoding: str | None = None
    comment: str = "#"  # lines before the header that start with it are skipped


def read_cells(path, style):
    """Return (names, columns by name as arrays of text, None in gaps, the separator).

    Raises
    ------
    ImportError
        If pandas is not installed.
    ValueError
        If the lines cannot be parted into cells.
    """
    import pandas

    encoding = style.encoding or _encoding(path)
    skipped, header = _header(path, encoding, style.comment)
    separator = {"blank": BLANKS, "tab": "\t"}.get(style.separator, style.separator)
    separator = separator or _separator(header)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            frame = pandas.read_csv(  # R's write.table names rows, but not their column
                path, sep=separator, skiprows=skipped, encoding=encoding, dtype=str,
                keep_default_na=False, na_filter=False, skipinitialspace=True,
                header=0 if separator == BLANKS else None,
                index_col=None if separator == BLANKS else False, skip_blank_lines=True,
            )  # fmt: skip
    except (pandas.errors.ParserError, pandas.errors.ParserWarning) as error:
        raise ValueError(f"its lines cannot be split into cells ({error})") from None
    except pandas.errors.EmptyDataError:
        raise ValueError("the file is empty") from None
    except LookupError as error:
        raise ValueError(f"--encoding: {error}") from None
    if separator == BLANKS:
        names = [str(name).strip() for name in frame.columns]
    else:
        names, frame = [str(name).strip() for name in frame.iloc[0]], frame.iloc[1:]
    if not len(frame):
        raise ValueError("there are no rows below the header")
    columns = {}
    for j, name in enumerate(names):
        cells = np.array([cell.strip() for cell in frame.iloc[:, j].tolist()], dtype=object)
        cells[np.isin(cells.astype(str), GAPS)] = None
        columns[name] = cells
    return names, columns, separator


def number_marks(columns, style, separator=None):
    """Return (decimal, thousands) of a file, as given or as its cells show; raise if they
    conflict.
    """
    if style.decimal is not None:
        return style.decimal, style.thousands
    texts = (cell for column in columns for cell in column if isinstance(cell, str))
    cells = [cell for cell in texts if "," in cell and re.fullmatch(r"[-+\d.,eE]+", cell)]
    thousands = style.thousands
    if any(EUROPEAN.fullmatch(cell) for cell in cells):
        return ",", thousands or "."
    if any(ENGLISH.fullmatch(cell) for cell in cells):
        return ".", thousands or ","
    if thousands == "," or not cells:
        return ".", thousands
    if all(GROUPED.fullmatch(cell) for cell in cells):
        if separator == ",":  # within quotes: a decimal comma would have been a separator
            return ".", ","
        raise ValueError(
            f"{cells[0]!r} may be a decimal comma or a thousands separator; say --decimal , or "
            "--thousands ,"
        )
    return ",", thousands


def numbers_of(cells, decimal, thousands):
    """Return the numbers (n,) of cells, NaN in gaps, and a mask of the cells that are no numbers.
    """
    values, bad = np.full(len(cells), np.nan), np.zeros(len(cells), dtype=bool)
    for i, cell in enumerate(cells.tolist()):
        if cell is None:
            continue
        text = cell if not isinstance(cell, str) else _plain(cell, decimal, thousands)
        if not isinstance(text, str):
            values[i], bad[i] = (float(text), False) if is_number(type(text)) else (np.nan, True)
        elif NUMBER.fullmatch(text):
            values[i] = float(text)
        else:
            values[i] = TRUTH.get(text.lower(), np.nan)
            bad[i] = text.lower() not in TRUTH
    return values, bad


def _plain(cell, decimal, thousands):
    """Return a number in Python's spelling."""
    if thousands:
        cell = cell.replace(thousands, "")
    return cell.replace(decimal, ".") if decimal != "." else cell


def _encoding(path):
    """Return UTF-8 if the file is valid UTF-8, else the encoding of western text on Windows."""
    with path.open("rb") as stream:
        data = stream.read()
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "cp1252" if _decodes(data, "cp1252") else "latin-1"
    return "utf-8-sig"


def _decodes(data, encoding):
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _header(path, encoding, comment):
    """Return (number of comment and blank lines at the start, the line after them)."""
    with path.open(encoding=encoding, errors="replace") as stream:
        for k, line in enumerate(stream):
            if line.strip() and not (comment and line.lstrip().startswith(comment)):
                return k, line
    raise ValueError("the file is empty")


def _separator(header):
    """Return the separator of the cells of a header line, without quoted text."""
    unquoted = re.sub(r'"[^"]*"', "", header)
    best = max(SEPARATORS, key=unquoted.count)
    return best if best in unquoted or not re.search(r"\S\s+\S", header.strip()) else BLANKS
