"""Parquet files in blocks of rows, if pyarrow is installed; several files by dask."""

import numpy as np

from sparsesolve.data.encoding import make_design

from .cells import Chunk, Words, recoded
from .columns import Table, labels_of, parts, response_array

# A block has at least this many rows, and this many numbers.
LEAST, NUMBERS = 1024, 1 << 19


class ParquetFile:
    """A Parquet file, read like a :class:`~sparsesolve.data.tables.cells.DelimitedFile`."""

    separator, marks = None, (".", None)

    def __init__(self, file, style=None):
        try:
            from pyarrow import lib, parquet
        except ImportError:
            raise ValueError(
                "reading Parquet needs pyarrow: pip install pyarrow, or save the table as CSV"
            ) from None
        try:
            self.table = parquet.ParquetFile(file)
        except lib.ArrowInvalid as error:
            raise ValueError(f"not a Parquet file ({str(error).splitlines()[0]})") from None
        self.names = [str(name) for name in self.table.schema_arrow.names]
        self.damage = lib.ArrowException, OSError

    def is_small(self, columns):
        """Return True if all of these columns hold float32."""
        types = self.table.schema_arrow.types
        return all(str(types[j]) == "float" for j in columns)

    def chunks(self, used=None, text=()):
        """Yield Chunks of the rows."""
        used = list(range(len(self.names))) if used is None else used(self.names)
        names, above = self.table.schema_arrow.names, 0
        rows = max(LEAST, NUMBERS // max(len(used), 1))
        try:
            wanted = [names[j] for j in used]
            for batch in self.table.iter_batches(rows, columns=wanted, use_threads=False):
                if not batch.num_rows:
                    continue
                values = np.full((batch.num_rows, len(used)), np.nan, order="F")
                words = {}
                for k, j in enumerate(used):
                    found = self._column(j, batch.column(k), j in text)
                    if isinstance(found, Words):
                        words[j] = found
                    else:
                        values[:, k] = found
                yield Chunk(above, values, words)
                above += batch.num_rows
        except self.damage as error:
            raise ValueError(f"the file is damaged ({str(error).splitlines()[0]})") from None
        if not above:
            raise ValueError("there are no rows")

    def where(self, row):
        """Return where a row is, counted from 0."""
        return f"row {row + 1}"

    def cell(self, row, j):
        """Return "": words such as NA are text here, and a gap is a null."""
        return ""

    def _column(self, j, column, as_text):
        """Return a column as numbers, NaN in gaps, or as Words."""
        from pyarrow import compute, types

        kind = column.type
        if types.is_dictionary(kind):
            column = column.dictionary_decode()
            kind = column.type
        if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
            codes, texts = _coded(column.cast("large_string"))
            return Words(codes.astype(np.int32), texts)
        plain = types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind)
        if not (plain or types.is_decimal(kind) or types.is_null(kind)):
            raise ValueError(
                f"column {self.names[j]!r} holds {kind}, neither numbers nor text; make numbers "
                "of it, or leave it out with --drop"
            )
        if as_text and not types.is_null(kind):
            codes, cells = _coded(column)
            return recoded(codes, list(map(str, cells)))
        if types.is_null(kind):
            return np.full(len(column), np.nan)
        return compute.cast(column, "double", safe=False).to_numpy(zero_copy_only=False)


def _coded(column):
    """Return the codes (n,) of an arrow column, -1 in gaps, and its different cells."""
    coded = column.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, coded.dictionary.to_pylist()


def read_parquet_files(files, response, weights=None, offset=None, drop=(), labels=False,
                       marks=None, missing="mean"):
    """Read several Parquet files of the same columns into one Table, whose X is an EncodedDesign
    in blocks of dask; the other columns are read into memory.

    The parameters are those of :func:`sparsesolve.data.tables.read_table`.
    """
    try:
        from dask.dataframe import read_parquet
        from pyarrow.parquet import read_schema
    except ImportError:
        raise ValueError("reading several files needs dask: pip install 'sparsesolve[dask]'"
                         ) from None  # fmt: skip
    names = read_schema(files[0]).names
    for file in files[1:]:
        other = read_schema(file).names
        if sorted(other) != sorted(names):
            odd = sorted(set(other) ^ set(names))
            raise ValueError(f"{file}: its columns are not those of {files[0]}: {odd[0]!r} is in "
                             "one of them alone")  # fmt: skip
    part = parts(names, response, weights, offset, drop, marks=marks)
    frame = read_parquet(files, index=False)
    single = [j for j in (part.weights, part.offset) if j is not None]
    apart = [names[j] for j in {*part.response, *single, *part.marks.values()}]
    apart = frame[apart].compute()

    def numbers(j):
        return None if j is None else _given(apart[names[j]]).to_numpy(dtype=float)

    y = [_labels(apart[names[j]]) if labels else numbers(j) for j in part.response]
    X = make_design(frame[[names[j] for j in part.features]], missing=missing)
    text = ", ".join(source.name for source in X.sources if source.levels is not None)
    return Table(
        X, response_array(y), numbers(part.weights), numbers(part.offset), X.names,
        {what: _labels(apart[names[j]]) for what, j in part.marks.items()},
        [f"columns of text, encoded by their levels: {text}"] * bool(text),
    )  # fmt: skip


def _given(column):
    """Return a series, or raise ValueError at its first gap."""
    gone = column.isna().to_numpy(dtype=bool)
    if gone.any():
        raise ValueError(f"column {column.name!r} holds no value in row {int(gone.argmax()) + 1} "
                         "of all files; fill it or drop the row")  # fmt: skip
    return column


def _labels(column):
    """Return the labels (n,) of a series: whole numbers if all are numbers, else text."""
    codes, texts = _given(column).factorize()
    return labels_of([str(text) for text in texts], codes)
