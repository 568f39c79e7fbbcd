"""Delimited text (CSV) as cells: header, separator, blocks of rows, and the form of numbers.

A file is read in blocks of whole lines, never as a whole. The csv module splits a block into
cells; pandas does where it is installed and blocks are large, some five times as fast and with the
same result. Whatever pandas doubts is left to the csv module, which knows lines.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import re
import warnings
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from .files import is_piped, opened_text

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
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
# Signs of Unicode in numbers: minus, and blanks of all widths between thousands.
SIGNS = {0x2212: "-", 0xA0: None, 0x202F: None, 0x2009: None}
# A directive of Excel in the first line.
DIRECTIVE = re.compile(r"sep=(.)\s*")
# Characters of a block, more if lines are long: a block should have LINES of them.
BLOCK, LINES = 1 << 21, 64
# With fewer characters, or fewer lines, importing and calling pandas costs more than it saves.
ENOUGH, ROWS = 1 << 20, 200
# Versions of pandas from which numbers are the nearest floats by default.
EXACT_FROM = (3, 1)


@dataclass(frozen=True)
class Style:
    """The style of a text file; None means that it is detected."""

    separator: str | None = None  #: one character, or "blank"
    decimal: str | None = None  #: "." or ","
    thousands: str | None = None  #: one character
    encoding: str | None = None
    comment: str = "#"  # lines before the header that start with it are skipped


class Words(NamedTuple):
    """A column of text: codes (n,), -1 in gaps, and the text (K,) of each code."""

    codes: np.ndarray
    texts: list

    def cells(self):
        """Return the text of each row, None in gaps."""
        return np.array([*self.texts, None], dtype=object)[self.codes]

    def cell(self, i):
        """Return the text of row i."""
        return self.texts[self.codes[i]]


class Chunk(NamedTuple):
    """Some rows of a table."""

    above: int  # rows before them
    values: np.ndarray  # (m, k) numbers of the columns asked for; NaN in gaps
    words: dict  # columns that hold text, by their place in the file: Words

    def column(self, place, j):
        """Return column j of the file as numbers (m,), or as Words."""
        return self.words[j] if j in self.words else self.values[:, place[j]]


class DelimitedFile:
    """A text file with a header line: `names` of its columns, `separator` (a character or BLANKS).

    `marks` are (decimal, thousands), which may change while the file is read.
    """

    def __init__(self, file, style=None):
        self.file, self.style = file, style or Style()
        self.marks = ".", None
        self.names = self.separator = None
        self._block = "", 0, 0  # text, rows above it, lines above it

    def chunks(self, used=None, text=()):
        """Yield Chunks of the rows.

        `used`, a function of the names, returns the columns to read, ascending; None: all. Those
        in the set `text`, which may grow while the file is read, are text whatever they hold.
        """
        with opened_text(self.file, self.style.encoding) as stream:
            lines = self._read_header(stream)
            used = list(range(len(self.names))) if used is None else used(self.names)
            above = 0
            for block in self._blocks(stream):
                self._block = block, above, lines
                chunk = self._by_pandas(above, used, text) or self._by_csv(above, used, text)
                lines += block.count("\n")
                if len(chunk.values):
                    yield chunk
                    above += len(chunk.values)
        if not above:
            raise ValueError("there are no rows below the header")

    def where(self, row):
        """Return "line L (row R)" of a row, counted from 0."""
        line, _ = self._again(row)
        return f"row {row + 1}" if line is None else f"line {line} (row {row + 1})"

    def cell(self, row, j):
        """Return the text of a cell, "" if its row came through a pipe and is gone."""
        return next(iter(self._again(row)[1][j : j + 1]), "").strip()

    def _again(self, row):
        """Return the line of a row and its cells; None and [] if it came through a pipe."""
        text, above, lines = self._block
        if row >= above:
            return self._row(io.StringIO(text), row - above, lines)
        if is_piped(self.file):
            return None, []
        with opened_text(self.file, self.style.encoding) as stream:
            lines = self._read_header(stream)
            return self._row(chain([self._begun] if self._begun else [], stream), row, lines)

    def _row(self, stream, row, above):
        """Return the line and the cells of a row of a stream that starts below line `above`."""
        reader = self._reader(stream)
        cells = next(islice(filter(_is_row, reader), row, None), [])
        return above + reader.line_num, cells

    def _reader(self, stream):
        blanks = self.separator == BLANKS
        lines = (line.strip().replace("\t", " ") for line in stream) if blanks else stream
        return csv.reader(lines, delimiter=" " if blanks else self.separator,
                          skipinitialspace=True)  # fmt: skip

    def _read_header(self, stream):
        """Read the names; return the number of lines read. Text of rows read is in `_begun`."""
        lines, comment, header = 0, None, ""
        separator = {"blank": BLANKS, "tab": "\t"}.get(self.style.separator, self.style.separator)
        while line := stream.readline():
            lines += 1
            directive = DIRECTIVE.fullmatch(line) if lines == 1 else None
            if directive is not None:
                separator = separator or directive[1]
            elif line.strip() and self.style.comment and line.startswith(self.style.comment):
                comment = line
            elif line.strip():
                header = line
                break
        if not header:
            raise ValueError("the file is empty")
        self.separator, self._begun = separator or _separator(header), ""
        if comment is not None and self._heads(comment, header):
            self._begun, header = header, comment  # a header that starts with the mark
            lines -= 1
        read = 0

        def more():
            nonlocal read
            yield header
            while line := stream.readline():
                read += 1
                yield line

        self.names = [name.strip() for name in next(self._reader(more()))]
        if self.separator == BLANKS:
            self._begun = self._begun or stream.readline()
            if len(next(self._reader([self._begun]), [])) == len(self.names) + 1:
                self.names.insert(0, "")  # names of rows, as R's write.table gives them
        return lines + read

    def _heads(self, comment, line):
        """Return True if a line of comment names the columns of a line of numbers."""
        names, cells = (next(self._reader([text]), []) for text in (comment, line))
        return len(names) == len(cells) > 1 and all(map(_is_number, cells))

    def _blocks(self, stream):
        """Yield texts of whole rows: of whole lines, outside quotes."""
        rest, size = self._begun, max(BLOCK, LINES * len("".join(self.names)))
        while text := stream.read(max(size, len(rest))):
            text = rest + text
            end = text.rfind("\n") + 1
            if text.count('"', 0, end) % 2:  # within quotes: end above the line of the last one
                end = text.rfind("\n", 0, text.rfind('"', 0, end)) + 1
                end = 0 if text.count('"', 0, end) % 2 else end
            if end:
                yield text[:end]
            rest = text[end:]
        if rest:
            yield rest

    def _by_csv(self, above, used, text):
        """Return the Chunk of a block by the csv module."""
        block, _, lines = self._block
        reader, rows, p = self._reader(io.StringIO(block)), [], len(self.names)
        try:
            for row in reader:
                if _is_row(row):
                    if len(row) != p:
                        raise ValueError(
                            f"line {lines + reader.line_num} (row {above + len(rows) + 1}) has "
                            f"{len(row)} cells, the header has {p}"
                        )
                    rows.append(row)
        except csv.Error as error:
            raise ValueError(
                f"line {lines + reader.line_num} cannot be split into cells ({error}); is a quote "
                "missing?"
            ) from None
        values, words = np.full((len(rows), len(used)), np.nan, order="F"), {}
        columns = list(zip(*rows, strict=True)) if rows else [[]] * p
        plain = self.marks == (".", None) and "_" not in block
        for k, j in enumerate(used):
            numbers = _floats(columns[j]) if plain and j not in text else None
            if numbers is not None:
                values[:, k] = numbers
                continue
            found = words_of(columns[j])
            numbers = None if j in text else all_numbers(found, *self.marks)
            if numbers is None:
                words[j] = found
            else:
                values[:, k] = numbers
        return Chunk(above, values, words)

    def _by_pandas(self, above, used, text):
        """Return the Chunk of a block by pandas, None if it is not at hand or has doubts."""
        block, p = self._block[0], len(self.names)
        few = len(block) < ENOUGH or block.count("\n") < ROWS
        if few or not used or importlib.util.find_spec("pandas") is None:
            return None
        import pandas

        version = tuple(int(part) for part in pandas.__version__.split(".")[:2])
        exact = {} if version >= EXACT_FROM else {"float_precision": "round_trip"}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pandas.errors.ParserWarning)
                frame = pandas.read_csv(
                    io.BytesIO(block.encode("utf-8", "surrogatepass")), sep=self.separator,
                    header=None, names=range(p), usecols=used, index_col=False,
                    dtype={j: str for j in used if j in text}, na_values=list(GAPS),
                    keep_default_na=False, skipinitialspace=True, low_memory=False,
                    decimal=self.marks[0], thousands=self.marks[1], quotechar='"', **exact,
                )  # fmt: skip
        except (ValueError, OverflowError, pandas.errors.ParserWarning):
            return None
        if self._uneven(block, len(frame)):
            return None
        numeric = [j for j in used if frame[j].dtype.kind in "biuf"]
        values, words = np.full((len(frame), len(used)), np.nan, order="F"), {}
        place = {j: k for k, j in enumerate(used)}
        for j in numeric:
            values[:, place[j]] = frame[j].to_numpy()
        if np.isinf(values).any():
            return None
        for j in set(used).difference(numeric):
            codes, cells = pandas.factorize(frame[j])
            found = recoded(codes, [str(cell) for cell in cells])
            numbers = None if j in text else all_numbers(found, *self.marks)
            if numbers is None:
                words[j] = found
            else:
                values[:, place[j]] = numbers
        return Chunk(above, values, words)

    def _uneven(self, block, n):
        """Return True if some of n rows may have too few or many cells: pandas says nothing."""
        unquoted = re.sub(r'"[^"]*"', "q", block) if '"' in block else block
        if self.separator == BLANKS:
            return len(unquoted.split()) != n * len(self.names)
        return unquoted.count(self.separator) != n * (len(self.names) - 1)


def _is_row(row):
    """Return True unless a line is blank."""
    return len(row) > 1 or bool(row) and bool(row[0].strip())


def _floats(cells):
    """Return finite numbers (n,), or None if a cell is no plain number."""
    try:
        values = np.array(cells, dtype=float)
    except (ValueError, OverflowError):
        return None
    return values if np.isfinite(values).all() else None


def words_of(cells):
    """Return Words for a sequence of text."""
    place, texts = {}, []
    for cell in dict.fromkeys(cells):
        text = cell.strip() if cell is not None else ""
        place[cell] = -1 if cell is None or text in GAPS else len(texts)
        if place[cell] >= 0:
            texts.append(text)
    codes = np.fromiter((place[cell] for cell in cells), np.int32, len(cells))
    return _distinct(codes, texts)


def recoded(codes, cells):
    """Return Words for codes (n,), -1 in gaps, of some cells, which may be gaps, too."""
    found = words_of(cells)
    return Words(np.append(found.codes, np.int32(-1))[codes], found.texts)


def _distinct(codes, texts):
    """Return Words whose texts differ; cells that differ in blanks around them are the same."""
    place = {}
    order = np.array([place.setdefault(text, len(place)) for text in texts] + [-1], np.int32)
    return Words(order[codes], list(place))


def joined(parts):
    """Return the Words of several blocks as one."""
    above = np.cumsum([0, *(len(words.texts) for words in parts)])
    codes = [np.where(words.codes < 0, -1, words.codes + start)
             for words, start in zip(parts, above, strict=False)]  # fmt: skip
    return _distinct(np.concatenate(codes), [text for words in parts for text in words.texts])


def all_numbers(words, decimal, thousands):
    """Return the numbers (n,) of Words, NaN in gaps, or None if a text is no number."""
    values, bad = numbers_of(words.texts, decimal, thousands)
    return None if bad.any() else np.append(values, np.nan)[words.codes]


class Marks:
    """Marks in numbers, as cells that are no plain numbers show them."""

    def __init__(self, style, separator=None):
        self.style, self.separator = style, separator
        self.european = self.english = self.other = False
        self.grouped = None  # the first cell that may be either

    def see(self, texts):
        """Look at the texts of a column."""
        for cell in texts:
            if "," not in cell or not re.fullmatch(r"[-+\d.,eE]+", cell):
                continue
            self.european = self.european or EUROPEAN.fullmatch(cell) is not None
            self.english = self.english or ENGLISH.fullmatch(cell) is not None
            if GROUPED.fullmatch(cell):
                self.grouped = self.grouped or cell
            else:
                self.other = True

    def found(self):
        """Return (decimal, thousands), as said or as seen; None if either is possible."""
        style = self.style
        if style.decimal is not None:
            return style.decimal, style.thousands
        if self.european:
            return ",", style.thousands or "."
        if self.english:
            return ".", style.thousands or ","
        if style.thousands == "," or not (self.other or self.grouped):
            return ".", style.thousands
        if self.other:
            return ",", style.thousands
        # within quotes: a decimal comma would have been a separator
        return (".", ",") if self.separator == "," else None

    def decided(self):
        """Return (decimal, thousands); raise if either is possible."""
        found = self.found()
        if found is None:
            raise ValueError(
                f"{self.grouped!r} may be a decimal comma or a thousands separator; say --decimal "
                ", or --thousands ,"
            )
        return found


def numbers_of(cells, decimal, thousands):
    """Return the numbers (n,) of cells, NaN in gaps, and a mask of those that are none."""
    values, bad = np.full(len(cells), np.nan), np.zeros(len(cells), dtype=bool)
    for i, cell in enumerate(cells):
        if cell is None:
            continue
        text = _plain(cell, decimal, thousands)
        if NUMBER.fullmatch(text):
            values[i] = float(text)
            bad[i] = np.isinf(values[i])
        else:
            values[i] = TRUTH.get(text.lower(), np.nan)
            bad[i] = text.lower() not in TRUTH
    return values, bad


def _plain(cell, decimal, thousands):
    """Return a number in Python's spelling."""
    if not cell.isascii():
        cell = cell.translate(SIGNS)
    if thousands:
        cell = cell.replace(thousands, "")
    return cell.replace(decimal, ".") if decimal != "." else cell


def _is_number(text):
    return NUMBER.fullmatch(text.strip()) is not None


def _separator(header):
    """Return the separator of the cells of a header line, without quoted text."""
    unquoted = re.sub(r'"[^"]*"', "", header)
    best = max(SEPARATORS, key=unquoted.count)
    return best if best in unquoted or not re.search(r"\S\s+\S", header.strip()) else BLANKS
