"""Codes of missing values that stand among numbers, such as -9 among genotypes or -999 among ages.

Genotypes are 0, 1 and 2. A table of 8-bit integers that holds these and one other value, or of
wider integers and one far value, is refused by :func:`refuse_codes`: the value is a code. In other
columns :func:`far_codes` finds a number like -999 that occurs several times, further away from all
others than these are from one another.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from .array import place
from .frame import columns_of, is_encoded, is_frame
from .row_blocks import is_dask

# Wider integers are counts as well. Among them these are codes, in tables of so many entries.
WIDE_CODES = frozenset([-9, 9, 99, -99, -127, -128, 127, 255, -999, 999, -9999, 9999, -32768])
ENOUGH = 100
# Fewer 8-bit columns among others of a frame may be counts, too.
SEVERAL = 5
NUMBERS = "bBhHiIlLqQefdg"
# Numbers that stand for a missing value by convention: nines, and the ends of integer types.
NINES = [10.0**k - 1.0 for k in range(2, 11)]
FAR_CODES = np.array([-9.0, *NINES, *(-nine for nine in NINES), -32768.0, 32767.0, 65535.0,
                      -(2.0**31), 2.0**31 - 1.0, 1e20, -1e20, 1e30, -1e30])  # fmt: skip
NEAREST = FAR_CODES[FAR_CODES < 0.0].max(), FAR_CODES[FAR_CODES > 0.0].min()  # to 0


class FarCode(NamedTuple):
    """A number that occurs several times in a column, far from all others."""

    column: object  #: name, or number without names
    value: float
    rows: int
    low: float  #: least and largest of the others
    high: float


def refuse_codes(X):
    """Raise ValueError if X holds 0, 1, 2 and one code, as genotypes with missing values do."""
    blocks = list(_columns(X))
    if all(block.dtype.kind == "f" for _, block in blocks):
        return
    for kinds, wide in (("bB", scipy.sparse.issparse(X)), ("hHiIlLqQ", True)):
        whole = [pair for pair in blocks if pair[1].dtype.char in kinds]
        few = wide and sum(block.size for _, block in whole) < ENOUGH
        found = None if few else _code(whole)
        mixed = len(whole) < min(len(blocks), SEVERAL)
        if found is None or (wide or mixed) and found not in WIDE_CODES:
            continue
        name, block = next(pair for pair in whole if (pair[1] == found).any())
        index = np.unravel_index(int((block == found).argmax()), block.shape)
        if name is None or block.ndim == 1:
            where = " " + place(index, name) if block.ndim == 2 or name is not None else ""
        else:
            where = " " + place(index, name[index[1]])
        raise ValueError(
            f"X holds 0, 1, 2 and {found}{where}, as genotypes do with {found} for a missing "
            f"value; replace {found}, by the mean of its column for instance, or pass "
            "X.astype(float) if it is a number"
        )


def _columns(X):
    """Yield numbers of a table in memory, as pairs (name, column) or (names or None, array)."""
    if scipy.sparse.issparse(X):
        data = getattr(X, "data", None)
        if isinstance(data, np.ndarray):
            yield from ((None, data.ravel()), (None, np.zeros(1, data.dtype)))
    elif isinstance(X, np.ndarray):
        if X.ndim == 2 and X.dtype.kind in "iuf" and not isinstance(X, np.ma.MaskedArray):
            yield None, np.asarray(X)
    elif is_frame(X) and not (is_dask(X) or is_encoded(X) or hasattr(X, "collect")):
        kinds = set(getattr(X, "dtypes", ()))
        if hasattr(X, "iloc") and len(kinds) == 1 and getattr(kinds.pop(), "char", "O") in NUMBERS:
            yield [str(name) for name in X.columns], X.to_numpy()
            return
        for name, column in zip(*columns_of(X), strict=True):
            kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
            if kind.startswith(("int", "uint", "float", "double")):
                array = np.asarray(column)
                if array.ndim == 1 and array.dtype.kind in "iuf":
                    yield str(name), array


def _code(blocks):
    """Return the value beside 0 and another of 1 and 2, or None if there are several or none."""
    low = min((int(block.min(initial=0)) for _, block in blocks), default=0)
    high = max((int(block.max(initial=0)) for _, block in blocks), default=0)
    if (low < 0) == (high > 2):  # no code, or two
        return None
    code = low if low < 0 else high
    seen = set()
    for _, block in blocks:
        known = [block == value for value in (0, 1, 2, code)]
        if not np.logical_or.reduce(known).all():
            return None
        seen |= {value for value, some in zip(range(3), known, strict=False) if some.any()}
    return code if 0 in seen and len(seen) > (2 if code == -1 else 1) else None


def far_codes(X):
    """Return a FarCode for each column of a dense table in memory that seems to hold one."""
    if scipy.sparse.issparse(X) or isinstance(X, np.memmap):
        return []
    found = []
    for name, block in _columns(X):
        if not block.size or block.dtype.itemsize < 2:
            continue
        ends = np.atleast_1d(block.min(axis=0)), np.atleast_1d(block.max(axis=0))
        if ends[0].min() > NEAREST[0] and ends[1].max() < NEAREST[1]:
            continue
        for j in np.flatnonzero(np.isin(ends[0], FAR_CODES) | np.isin(ends[1], FAR_CODES)):
            called = name if block.ndim == 1 else int(j) if name is None else name[j]
            found += _far(called, block if block.ndim == 1 else block[:, j])
    return found


def _far(name, column):
    """Yield a FarCode if the least or the largest number of a column is one."""
    for value in (column.min(), column.max()):
        others = column[column != value]
        count = len(column) - len(others)
        if value not in FAR_CODES or count < 2 or not len(others):
            continue
        low, high = float(others.min()), float(others.max())
        distance = low - float(value) if value < low else float(value) - high
        if distance > high - low > 0.0:
            yield FarCode(name, float(value), count, low, high)
