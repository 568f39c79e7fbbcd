"""Large delimited text, read by the parser of pandas if it is installed.

It reads what numpy's reader does, some three times as fast, and is used for files from a megabyte
on, which are worth its import. Anything doubtful is left to numpy's reader, which says what is
wrong and where: a cell that is empty or no number, a row of another length, text in another
encoding.
"""

import importlib.util
import warnings

import numpy as np

# From this many bytes on, importing pandas costs less time than it saves.
ENOUGH = 1_000_000
# Bytes that are checked together.
BLOCK = 1 << 22
# Versions of pandas from which numbers are the nearest floats by default.
EXACT_FROM = (3, 1)


def quick_numbers(path, names, delimiter, n_lines, part, text):
    """Return all cells as float64, (n, columns of the file), or None if the other reader is
    needed.

    Dropped columns are zeros. Columns among the keys of `text` hold the codes that their Codes
    give to their cells.
    """
    if path.stat().st_size < ENOUGH or importlib.util.find_spec("pandas") is None:
        return None
    import pandas

    used = sorted(set(range(len(names))) - set(part.dropped))
    version = tuple(int(part) for part in pandas.__version__.split(".")[:2])
    exact = {} if version >= EXACT_FROM else {"float_precision": "round_trip"}
    numbers = [j for j in used if j not in text]
    kinds = {j: np.float64 if j in numbers else str for j in range(len(names))}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            frame = pandas.read_csv(
                path, sep=delimiter, header=None, names=list(kinds), skiprows=n_lines, dtype=kinds,
                na_filter=False, index_col=False, quotechar='"', encoding="utf-8", **exact,
            )  # fmt: skip
    except (ValueError, pandas.errors.ParserWarning, OverflowError):
        return None
    if _holds_truth(path, frame, numbers):
        return None
    data = np.empty((len(frame), len(names)), order="F")
    data[:, part.dropped] = 0.0
    for j in used:
        if j in text:
            data[:, j] = [float(text[j][cell.strip()]) for cell in frame[j]]
        else:
            data[:, j] = frame[j].to_numpy()
    return data


def _holds_truth(path, frame, numbers):
    """Return True if a column may hold True and False, which pandas reads as 1 and 0."""
    possible = [j for j in numbers if len(frame) and frame.at[0, j] in (0.0, 1.0)]
    if not any(frame[j].isin((0.0, 1.0)).all() for j in possible):
        return False
    with path.open("rb") as stream:
        last = b""
        while block := stream.read(BLOCK):
            found = (last + block).lower()
            if b"true" in found or b"false" in found:
                return True
            last = block[-4:]
    return False
