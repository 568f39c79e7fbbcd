"""Parquet files in blocks of rows, if pyarrow is installed."""

import numpy as np

from .cells import Chunk, Words, recoded

# Numbers of a block, and the least and most of its rows.
NUMBERS, LEAST, MOST = 1 << 21, 1024, 1 << 14


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
        rows = max(LEAST, min(MOST, NUMBERS // max(len(used), 1)))
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
            coded = column.cast("large_string").dictionary_encode()
            codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            return Words(codes.astype(np.int32), coded.dictionary.to_pylist())
        plain = types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind)
        if not (plain or types.is_decimal(kind) or types.is_null(kind)):
            raise ValueError(
                f"column {self.names[j]!r} holds {kind}, neither numbers nor text; make numbers "
                "of it, or leave it out with --drop"
            )
        if as_text and not types.is_null(kind):
            coded = column.dictionary_encode()
            codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            return recoded(codes, list(map(str, coded.dictionary.to_pylist())))
        if types.is_null(kind):
            return np.full(len(column), np.nan)
        return compute.cast(column, "double", safe=False).to_numpy(zero_copy_only=False)
