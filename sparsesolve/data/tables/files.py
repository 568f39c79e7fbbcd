"""Files as streams: their layouts, what packs them, and the encoding of text.

LAYOUTS and PACKED are the tables that all commands share.
"""

import bz2
import codecs
import gzip
import io
import lzma
import os
import shutil
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory

# Layouts of tables, by the endings of names.
LAYOUTS = {
    "csv": (".csv", ".tsv", ".txt"),
    "svmlight": (".svm", ".svmlight", ".libsvm"),
    "vw": (".vw",),
    "npz": (".npz",),
    "parquet": (".parquet", ".pq"),
}
TEXT = ("csv", "svmlight", "vw")  # layouts that are read line by line
PACKED = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
# Bytes that show the encoding; in UTF-16 without a mark every other byte of western text is 0.
SHOWN, ZEROS = 4096, 0.4


def layout_of(file):
    """Return the layout of a file by its name; for a packed file by the ending before."""
    path = FilePath(file)
    if path.suffix.lower() in PACKED:
        path = path.with_suffix("")
    for layout, endings in LAYOUTS.items():
        if path.suffix.lower() in endings:
            return layout
    known = ", ".join(ending for endings in LAYOUTS.values() for ending in endings)
    raise ValueError(
        f"{file}: the ending of the name is none of {known}; say --format, in Python layout="
    )


def is_piped(file):
    """Return True if a file can be read only once."""
    path = FilePath(file)
    return str(file) == "-" or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def opened(file):
    """Open a file, or standard input for "-", as bytes; packed files are unpacked as they are
    read.

    A packed file that is damaged raises ValueError.
    """
    if str(file) == "-":
        if sys.stdin is None:
            raise ValueError("standard input is closed")
        stream = sys.stdin.buffer
        yield stream if hasattr(stream, "peek") else io.BufferedReader(stream)
        return
    with _path(file).open("rb") as plain:
        unpack = PACKED.get(FilePath(file).suffix.lower())
        if unpack is None:
            yield plain
            return
        try:
            with unpack(plain) as stream:
                yield stream
        except EOFError:
            raise ValueError("it cannot be unpacked: the file is cut off") from None
        except (lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"it cannot be unpacked ({error}); copy it again") from None
        except OSError as error:  # bz2 raises one without a number
            if error.errno is not None:
                raise
            raise ValueError(f"it cannot be unpacked ({error}); copy it again") from None


def _path(file):
    """Return the path of a file that can be opened; a loop of links is one error of the system."""
    path = FilePath(file)
    os.stat(path)
    return path


@contextmanager
def opened_text(file, encoding=None, western=True):
    """Open a file as text, with "\\n" at the end of lines, in its encoding.

    Without one given it is as a mark at the start of the file says, else UTF-8; then, if
    `western`, bytes that are not UTF-8 are read as Windows-1252.
    """
    with opened(file) as stream:
        found, errors = encoding, "strict"
        if found is None:
            found = encoding_of(stream)
            errors = "western" if western and found == "utf-8" else "strict"
        try:
            text = io.TextIOWrapper(stream, encoding=found, errors=errors)
        except LookupError as error:
            raise ValueError(f"--encoding: {error}") from None
        try:
            yield text
        except UnicodeDecodeError as error:
            raise ValueError(
                f"not text in {error.encoding.upper()} (byte {error.start}); "
                + ("say its --encoding" if western else "convert it to UTF-8")
            ) from None
        finally:
            text.detach()


def encoding_of(stream):
    """Return the encoding that the first bytes of a stream show; UTF-8 if they show none."""
    start = stream.peek(SHOWN)[:SHOWN]
    for mark, encoding in MARKS.items():
        if start.startswith(mark):
            return encoding
    halves = start[::2], start[1::2]
    for half, encoding in zip(halves, ("utf-16-be", "utf-16-le"), strict=True):
        if half.count(0) > ZEROS * len(half):
            return encoding
    return "utf-8"


def _western(error):
    """Decode bytes that are not UTF-8 as western text of Windows."""
    wrong = error.object[error.start : error.end]
    return "".join(_byte(byte) for byte in wrong), error.end


def _byte(byte):
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


codecs.register_error("western", _western)


@contextmanager
def seekable(file):
    """Yield the path of a file that can be read several times: its own, or of an unpacked copy."""
    packed = FilePath(file).suffix.lower() in PACKED
    if not is_piped(file) and not packed:
        yield _path(file)
        return
    with TemporaryDirectory() as folder:
        copy = FilePath(folder) / "data"
        with opened(file) as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target)
        yield copy
