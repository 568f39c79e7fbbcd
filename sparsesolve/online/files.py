"""Text files as streams of rows: read block by block, never in memory as a whole."""

import gzip
import sys
import tempfile
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import PurePath

import numpy as np
from scipy import sparse

from sparsesolve.data import read_choice, read_count
from sparsesolve.online.text import FORMATS, Role, TextParser

# Bytes of text read at once, which bound the memory of a block.
BYTES = 1 << 20
ENDINGS = {".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight", ".vw": "vw",
           ".csv": "csv", ".tsv": "csv"}  # fmt: skip
# With more bits the weights of the hashed features alone would take more than 8 GB.
MOST_BITS = 30


class TextFile:
    """Rows of a text file, or of standard input; each call reads them from the start.

    Parameters
    ----------
    file : str or path
        "-" is standard input; a file whose name ends with .gz is decompressed as it is read.
    layout : {"svmlight", "vw", "csv"}, default None
        None: as the name's ending says.
    response, weights : str, default None
        Names of columns of a CSV file.
    hash_bits : int, default None
        Features are hashed into 2^hash_bits places: names of vw (18 if None), and numbers of
        SVMlight. Several features may share a place.
    zero_based : bool, default False
        Whether features of SVMlight are numbered from 0.
    features : list of str, default None
        Columns of a CSV file that are features, in their order; None: all others.
    """

    def __init__(self, file, layout=None, response=None, weights=None, hash_bits=None,
                 zero_based=False, features=None):
        self.file = fspath(file) if isinstance(file, PathLike) else file
        self.layout = _layout(self.file) if layout is None else read_choice(
            "layout", layout, list(FORMATS))  # fmt: skip
        if hash_bits is not None:
            hash_bits = read_count("hash_bits", hash_bits, 1, MOST_BITS)
        self.response, self.weights, self.bits = response, weights, hash_bits
        self.zero_based, self.names, self.features = zero_based, None, features
        if self.layout == "csv":
            if response is None and features is None:
                raise ValueError(f"{self.file} has columns; give the name of the response's as y")
            if hash_bits is not None:
                raise ValueError("hash_bits is for SVMlight and vw, not for CSV")
        elif response is not None or weights is not None:
            raise ValueError(f"a file of layout {self.layout!r} has no columns by name")

    @property
    def n_features(self):
        """The number of features, None if only the file tells."""
        if self.layout == "vw" or self.bits is not None:
            return 1 << (self.bits or 18)
        return None

    @property
    def once(self):
        """True if it can be read only once."""
        return self.file == "-"

    def __call__(self) -> Iterator[tuple]:
        """Yield (labels, weights, start, columns, values) of some rows at a time."""
        rows = 0
        with self._open() as stream:
            try:
                parser = self._parser(stream)
                for text in _whole_lines(stream):
                    block = parser.parse(text)
                    if len(block[0]):
                        yield self._canonical(block, rows)
                        rows += len(block[0])
            except ValueError as error:
                raise ValueError(f"{self.file}: {error}") from None
            except EOFError:
                raise ValueError(f"{self.file}: the compressed file is cut off") from None
        if not rows:
            raise ValueError(f"{self.file}: the file has no rows")

    def _open(self):
        if self.file == "-":
            return _Kept(sys.stdin.buffer)
        return gzip.open(self.file) if self.file.endswith(".gz") else open(self.file, "rb")

    def _parser(self, stream):
        if self.layout == "svmlight":
            return TextParser("svmlight", 0 if self.zero_based else 1)
        if self.layout == "vw":
            return TextParser("vw", bits=self.bits or 18)
        line = stream.readline().decode("utf-8-sig").strip()
        separator = "\t" if "\t" in line else ","
        names = [name.strip().strip('"') for name in line.split(separator)]
        place = {name: k for k, name in enumerate(names)}
        for option, name in (("response", self.response), ("weights", self.weights)):
            if name is not None and name not in place:
                raise ValueError(f"{option} is {name!r}, a column which the file does not have")
        if self.features is None:
            self.names = [name for name in names if name not in (self.response, self.weights)]
        else:
            self.names = list(self.features)
        features = {name: k for k, name in enumerate(self.names)}
        missing = [name for name in self.names if name not in place]
        if missing:
            raise ValueError(f"the file has no column {missing[0]!r}")
        if len(place) < len(names):
            raise ValueError("two columns of the file have one name")
        ours = {self.response: Role.RESPONSE, self.weights: Role.WEIGHT}
        roles = [ours.get(name, features.get(name, Role.IGNORED)) for name in names]
        parser = TextParser("csv", roles=roles, separator=separator)
        parser.skip_line()
        return parser

    def _canonical(self, block, above):
        """Return the block with one entry per feature and row."""
        labels, weights, start, columns, values = block
        if self.layout == "svmlight" and self.bits is not None:
            columns = _hashed(columns, self.bits)
        rising = np.diff(columns) > 0
        first = start[1:-1]
        rising[first[(first > 0) & (first < len(columns))] - 1] = True
        if not rising.all():
            X = sparse.csr_array((values, columns, start), shape=(len(labels), 2**31 - 1))
            before, counts = X.nnz, np.diff(start)
            X.sum_duplicates()
            if X.nnz < before and self.n_features is None:
                row = int(np.flatnonzero(np.diff(X.indptr) < counts)[0])
                raise ValueError(f"row {above + row + 1} has two entries of one feature")
            start, columns, values = X.indptr, X.indices, X.data
        if not values.all():
            kept = values != 0.0
            start = np.append(0, np.cumsum(kept))[start]
            columns, values = columns[kept], values[kept]
        return (labels, weights, np.asarray(start, dtype=np.intp),
                np.ascontiguousarray(columns, dtype=np.intc), values)  # fmt: skip


class Cache:
    """The blocks of a TextFile, stored in a file of arrays when they are read for the first time.
    """

    def __init__(self, source):
        self.source, self.kept, self.shapes, self.whole = source, None, [], False

    def __call__(self):
        """Yield what the source yields."""
        if self.whole:
            yield from self._read()
            return
        self.kept, self.shapes = tempfile.TemporaryFile(), []
        for block in self.source():
            self.shapes.append([(part.dtype, len(part)) for part in block])
            for part in block:
                self.kept.write(np.ascontiguousarray(part))
            yield block
        self.whole = True

    def _read(self):
        self.kept.seek(0)
        for shapes in self.shapes:
            block = tuple(np.empty(length, dtype) for dtype, length in shapes)
            for part in block:
                self.kept.readinto(part)
            yield block


class _Kept:
    """A stream that must stay open."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return self.stream

    def __exit__(self, *error):
        return None


def _layout(file):
    """Return the layout for the ending of a file's name."""
    name = PurePath(file)
    ending = name.with_suffix("").suffix if name.suffix == ".gz" else name.suffix
    if ending.lower() not in ENDINGS:
        raise ValueError(
            f"{file} has no ending that says its layout ({', '.join(ENDINGS)}); give layout="
        )
    return ENDINGS[ending.lower()]


def _whole_lines(stream):
    """Yield texts that end at the end of a line."""
    rest = b""
    while True:
        text = stream.read(BYTES)
        if not text:
            break
        end = text.rfind(b"\n") + 1
        if end == 0:
            rest += text
            continue
        yield rest + text[:end]
        rest = text[end:]
    if rest:
        yield rest


def _hashed(columns, bits):
    """Return places of feature numbers among 2^bits, by Knuth's multiplicative hash."""
    mixed = columns.astype(np.uint32) * np.uint32(2654435769)
    return (mixed >> np.uint32(32 - bits)).astype(np.intc)
