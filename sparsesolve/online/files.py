"""Files as streams of rows: read block by block, never in memory as a whole."""

import tempfile
from collections.abc import Iterator
from os import PathLike, fspath

import numpy as np

from sparsesolve.data import read_choice, read_count
from sparsesolve.data.tables import LAYOUTS, layout_of, read_table, seekable
from sparsesolve.data.tables.cells import Style, numbers_of
from sparsesolve.data.tables.mixed import UNNAMED, Roles, no_value, opened_table, settled
from sparsesolve.data.tables.sparse_text import BITS, MOST_BITS, Entries, SparseText
from sparsesolve.data.tables.text import HASHING
from sparsesolve.online.columns import StreamColumns
from sparsesolve.online.rows import entries, row_matrix

# Rows of an .npz file in a block.
ROWS = 4096


class TextFile:
    """Rows of a file, or of standard input; each call reads them from the start.

    Parameters
    ----------
    file : str or path
        "-" is standard input; a file whose name ends with .gz, .bz2 or .xz is unpacked as it is
        read.
    layout : {"csv", "svmlight", "vw", "npz", "parquet"}, default None
        None: as the name's ending says.
    response, weights : str, default None
        Names of columns of a table, or arrays of .npz (response: y if None).
    hash_bits : int, default None
        Features are hashed into 2^hash_bits places: names of vw (18 if None) and of columns and
        levels of tables, and numbers of SVMlight. Several features may share a place.
    zero_based : bool, default False
        Whether features of SVMlight are numbered from 0.
    features : list of str, default None
        Columns of a table that are features, all numbers, in their order; None: all others.
    offset : str, default None
        A column, likewise: known part of the linear predictor. vw has its own.
    drop : sequence of str, default ()
        Columns that are no features.
    ids : sequence of str, default ()
        Columns to keep beside the rows, as text; of vw "tag".
    missing : {"mean", "error"}, default "mean"
        A gap in a column of numbers is filled with the mean of the rows before it, or refused. A
        gap in a column of text has no feature.
    style : Style, default None
        How a CSV file is written; None: as its first rows show.
    labels : bool, default True
        Whether each row must have a response; rows to predict need none.
    """

    def __init__(self, file, layout=None, response=None, weights=None, hash_bits=None,
                 zero_based=False, features=None, *, offset=None, drop=(), ids=(), missing="mean",
                 style=None, labels=True):
        self.file = fspath(file) if isinstance(file, PathLike) else file
        self.layout = layout_of(self.file) if layout is None else read_choice(
            "layout", layout, list(LAYOUTS))  # fmt: skip
        if hash_bits is not None:
            hash_bits = read_count("hash_bits", hash_bits, 1, MOST_BITS)
        read_choice("missing", missing, ["mean", "error"])
        self.response, self.weights, self.offset, self.bits = response, weights, offset, hash_bits
        self.drop, self.ids, self.style, self.labels = tuple(drop), tuple(ids), style, labels
        self.zero_based, self.hashing, self.text_labels = zero_based, HASHING, True
        self.learns, self._begun, self.notes = True, None, []
        self.encoder = None
        if self.layout in ("csv", "parquet"):
            self.encoder = StreamColumns(features, bits=hash_bits, missing=missing)
            if labels and response is None and features is None:
                raise ValueError(f"{self.file} has columns; give the name of the response's as y")
        elif self.layout == "npz":
            if hash_bits is not None:
                raise ValueError("hash_bits is for text and tables, not for .npz")
        else:
            self._refuse_names()

    def _refuse_names(self):
        """Raise for names of columns, which the file does not have."""
        ids = [name for name in self.ids if (self.layout, name) != ("vw", "tag")]
        if any((self.response, self.weights, self.offset, self.drop, ids)):
            raise ValueError(f"a file of layout {self.layout!r} has no columns by name")

    @property
    def n_features(self):
        """The number of features, None if only the file tells."""
        if self.layout == "vw" or self.bits is not None:
            return 1 << (self.bits or BITS)
        return None

    @property
    def names(self):
        """Names of the features so far; None without names."""
        return None if self.encoder is None else self.encoder.names

    @property
    def once(self):
        """True if it can be read only once."""
        return self.file == "-"

    def peek(self):
        """Return the first block, which the next call yields again."""
        if self._begun is None:
            blocks = self._blocks()
            self._begun = next(blocks), blocks
        return self._begun[0]

    def __call__(self) -> Iterator[Entries]:
        """Yield Entries of some rows at a time."""
        if self._begun is not None:
            (first, blocks), self._begun = self._begun, None
            yield first
            yield from blocks
        else:
            yield from self._blocks()

    def _blocks(self):
        try:
            if self.encoder is not None:
                yield from self._of_table()
            elif self.layout == "npz":
                yield from self._of_arrays()
            else:
                first = 0 if self.zero_based else 1
                yield from SparseText(self.file, self.layout, self.bits, first, self.labels,
                                      self.hashing)()  # fmt: skip
        except ValueError as error:
            named = str(error).startswith(f"{self.file}: ")
            raise ValueError(error if named else f"{self.file}: {error}") from None

    def _of_arrays(self):
        """Yield the rows of an .npz file."""
        marks = {name: name for name in self.ids}
        table = read_table(self.file, self.response or (), self.weights, self.offset, self.drop,
                           "npz", marks=marks,
                           features=None if self.labels else [])  # fmt: skip
        X = row_matrix(table.X)[0]
        n = X.shape[0]
        for first in range(0, n, ROWS):
            rows = slice(first, min(n, first + ROWS))
            m = rows.stop - first
            y = np.full(m, np.nan) if table.y is None else np.asarray(table.y)[rows]
            w = np.ones(m) if table.weights is None else np.asarray(table.weights, float)[rows]
            offset = None if table.offset is None else np.asarray(table.offset, float)[rows]
            tags = list(zip(*(table.marks[name][rows].tolist() for name in self.ids), strict=True))
            yield Entries(y, w, *entries(X, first, rows.stop, None, 0), offset, tags or None)

    def _of_table(self):
        """Yield the rows of a CSV or Parquet file."""
        style = self.style or Style()
        if self.layout == "csv":
            yield from self._of_chunks(opened_table(self.file, "csv", style), style)
            return
        with seekable(self.file) as whole:
            yield from self._of_chunks(opened_table(whole, "parquet", style), style)

    def _of_chunks(self, source, style):
        roles = Roles([] if self.response is None else [self.response], self.weights, self.offset,
                      [name for name in dict.fromkeys(self.drop) if name not in self.ids], False,
                      self.encoder.known, {name: name for name in self.ids}, None)  # fmt: skip
        source.marks = style.decimal or ".", style.thousands
        for chunk in source.chunks(roles.used, roles.text):
            names, part = source.names, roles.part
            if not chunk.above:
                if not names[0] and self.encoder.known is None:
                    self.notes = [UNNAMED]
                chunk = settled(source, chunk, roles, style)
                self.encoder.decide({names[j]: j for j in part.features}, chunk)
                roles.text |= {names.index(name) for name in self.encoder.texts}
                if self.text_labels:
                    roles.text |= set(chunk.words) & set(part.response)
            yield self._entries(source, chunk, roles)

    def _entries(self, source, chunk, roles):
        """Return the rows of a Chunk."""
        part, names, n = roles.part, source.names, len(chunk.values)
        cells = Cells(source, chunk, roles)
        weights = np.ones(n) if part.weights is None else cells.numbers(part.weights)
        if (weights < 0.0).any():
            i = int((weights < 0.0).argmax())
            what = f"{weights[i]} is no weight; weights are at least 0"
            cells.refuse(i, names[part.weights], what)
        entries = self.encoder.encode(chunk, {names[j]: j for j in part.features}, roles.place,
                                      cells.refuse, self.learns, source.marks)  # fmt: skip
        tags = list(zip(*map(cells.texts, part.marks.values()), strict=True))
        return Entries(
            cells.labels(part.response[0]) if part.response else np.full(n, np.nan), weights,
            *entries, None if part.offset is None else cells.numbers(part.offset), tags or None,
        )  # fmt: skip


class Cells:
    """The columns of a Chunk that are no features."""

    def __init__(self, source, chunk, roles):
        self.source, self.chunk, self.roles = source, chunk, roles

    def refuse(self, row, name, what=None, labels=False):
        """Raise for a cell; without `what` for a gap."""
        j = self.source.names.index(name)
        what = what or no_value(self.source, self.chunk.above + row, j, labels=labels)
        where = self.source.where(self.chunk.above + row)
        raise ValueError(f"{where}, column {name!r}: {what}")

    def numbers(self, j, advice="correct it or drop the row"):
        """Return numbers (m,) without gaps."""
        column, name = self.chunk.column(self.roles.place, j), self.source.names[j]
        if not isinstance(column, np.ndarray):
            bad = numbers_of(column.texts, *self.source.marks)[1]
            i = int(np.append(bad, False)[column.codes].argmax())
            self.refuse(i, name, f"{column.texts[column.codes[i]]!r} is not a number; {advice}")
        if np.isnan(column).any():
            self.refuse(int(np.isnan(column).argmax()), name)
        return column

    def texts(self, j):
        """Return text (m,), empty in gaps."""
        column = self.chunk.column(self.roles.place, j)
        if isinstance(column, np.ndarray):
            return ["" if np.isnan(x) else f"{x:.15g}" for x in column.tolist()]
        return ["" if cell is None else cell for cell in column.cells().tolist()]

    def labels(self, j):
        """Return the responses (m,): numbers, or text if the first rows held some."""
        if j not in self.roles.text:
            return self.numbers(j, "labels need --family binomial or multinomial, and text among "
                                "the first rows")  # fmt: skip
        found = self.texts(j)
        if "" in found:
            self.refuse(found.index(""), self.source.names[j], labels=True)
        return np.array(found)


class Cache:
    """The blocks of a TextFile, stored in a file of arrays when they are read for the first time.
    """

    def __init__(self, source):
        self.source, self.kept, self.given, self.whole = source, None, [], False

    def __call__(self):
        """Yield what the source yields."""
        if self.whole:
            self.kept.seek(0)
            for given in self.given:
                parts = [np.lib.format.read_array(self.kept) if there else None
                         for there in given]  # fmt: skip
                yield Entries(*parts)
            return
        self.kept, self.given = tempfile.TemporaryFile(), []
        for block in self.source():
            parts = block._replace(tags=None)
            self.given.append([part is not None for part in parts])
            for part in filter(lambda part: part is not None, parts):
                np.lib.format.write_array(self.kept, np.ascontiguousarray(part))
            yield block
        self.whole = True
