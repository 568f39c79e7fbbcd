"""Data files for the command line: CSV, SVMlight, .npz and Parquet, read into X and y."""

import bz2
import gzip
import lzma
import shutil
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory

from .columns import Table

# File name endings of each format; its reader is the module of that name.
ENDINGS = {
    "csv": (".csv", ".tsv", ".txt"),
    "svmlight": (".svm", ".svmlight", ".libsvm"),
    "npz": (".npz",),
    "parquet": (".parquet", ".pq"),
}


PACKED = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def read_table(file, response=None, weights=None, offset=None, drop=(), layout=None,
               labels=False, features=None, marks=None):
    """Read a data file.

    Parameters
    ----------
    file : str or path
        File with the data, "-" for standard input. The ending of its name tells the layout.
    response : str or sequence of str, optional
        Column (CSV, Parquet) or array (.npz, default "y") to fit, or several of them (times and
        status, counts of classes). An SVMlight file has its own.
    weights, offset : str, optional
        Column or array with the observation weights and with the offset.
    drop : sequence of str, default ()
        Columns to leave out of X.
    layout : {"csv", "svmlight", "npz", "parquet"}, optional
        The layout of the file, if its name does not tell.
    labels : bool, default False
        Whether the response may be text. (A column of numbers is still read as numbers.)
    features : sequence of str, optional
        Columns of X, in this order, for a table that needs no response: all others are left out.
        Features that a sparse file does not mention are 0.
    marks : dict of str to str, optional
        Columns or arrays of labels of the rows, by their use ("strata", "fold").

    Returns
    -------
    table : Table

    Raises
    ------
    ValueError
        If the file is not what it should be: one sentence that begins with its name and says
        where (line, column) and what to do.
    OSError
        If the file cannot be opened.
    """
    path = FilePath(file)
    response = [response] if isinstance(response, str) else list(response or [])
    layout = layout or layout_of(path)
    piped = is_piped(path)
    if not piped:
        with path.open("rb"):  # a missing file or a folder gets one message for all readers
            pass
    # Readers are imported when needed: each imports a part of numpy, scipy or pyarrow.
    if layout == "csv":
        from .delimited import read
    elif layout == "svmlight":
        from .svmlight import read
    elif layout == "npz":
        from .npz import read
    else:
        from .parquet import read
    try:
        with seekable(path, piped) as whole:
            return read(whole, response, weights, offset, tuple(drop), labels, features,
                        marks or {})  # fmt: skip
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not text in UTF-8 (byte {error.start})") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


@contextmanager
def seekable(path, piped):
    """Return the file itself, or a copy of what comes through a pipe, for readers that start
    again.

    A packed file (.gz, .bz2, .xz) is unpacked into such a copy.
    """
    packed = PACKED.get(path.suffix.lower())
    if not piped and packed is None:
        yield path
        return
    if str(path) == "-" and sys.stdin is None:
        raise ValueError("standard input is closed")
    with TemporaryDirectory() as folder:
        copy = FilePath(folder) / "data"
        with copy.open("wb") as stream:
            if str(path) == "-":
                shutil.copyfileobj(sys.stdin.buffer, stream)
            else:
                with (path.open("rb") if packed is None else packed(path)) as source:
                    _copy(source, stream)
        yield copy


def _copy(source, stream):
    """Copy all, or raise for a damaged packed file."""
    try:
        shutil.copyfileobj(source, stream)
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"it cannot be unpacked ({error})") from None


def is_piped(path):
    """Return True if a file can be read only once."""
    return str(path) == "-" or (path.exists() and not path.is_file() and not path.is_dir())


def layout_of(path):
    """Return the layout of a file by its name; for a packed file by the ending before."""
    if path.suffix.lower() in PACKED:
        path = path.with_suffix("")
    for layout, endings in ENDINGS.items():
        if path.suffix.lower() in endings:
            return layout
    known = ", ".join(ending for endings in ENDINGS.values() for ending in endings)
    raise ValueError(f"{path}: the ending of the name is none of {known}; say --format")


__all__ = ["Table", "is_piped", "layout_of", "read_table", "seekable"]
