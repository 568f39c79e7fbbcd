"""Array-like arguments as arrays of real numbers, or a sentence on why they are none."""

import decimal
import mmap
import numbers

import numpy as np

from .number import shown

# Every value of these types is exactly a float32, so that storing it as one loses nothing and
# halves the memory. The core's arithmetic is float64 for any storage.
EXACT_IN_FLOAT32 = frozenset("?bBhHef")

FOREIGN_KINDS = {
    "c": "complex numbers, and only real ones can be fitted; pass their real and imaginary "
    "parts as separate columns",
    "U": "text",
    "M": "dates; turn them into numbers first, for instance days since the earliest one",
    "m": "durations; turn them into numbers first, for instance seconds",
    "V": "records with named fields; pass its fields as columns, for instance with "
    "numpy.lib.recfunctions.structured_to_unstructured",
}
FOREIGN_KINDS["S"] = FOREIGN_KINDS["T"] = FOREIGN_KINDS["U"]


def real_array(name, value, column=None):
    """Return `value` as an ndarray of booleans, integers or floats, without a copy if it is one.

    `name` is the argument's name in messages; `column` is the data frame's column being read, if
    any. Memory maps stay memory maps, so that nothing is read here.
    """
    value = unmasked(name, value)
    array = value if isinstance(value, np.ndarray) else converted(name, value)
    refuse_truncated(name, array)
    kind = array.dtype.kind
    if kind == "O":
        return _numbers_of_objects(name, array, column)
    if kind not in "biuf":
        what = FOREIGN_KINDS.get(kind, "values that are not numbers")
        what += f"; {_of_text(name, column)}" if what == "text" else ""
        raise TypeError(f"{_subject(name, column)} (dtype {array.dtype}) holds {what}")
    # Subclasses such as np.matrix change what indexing means; a plain view of them does not.
    return array if type(array) in (np.ndarray, np.memmap) else np.asarray(array)


def storage_dtype(dtype):
    """Return the type that stores values of `dtype`: float32 where that is exact, else float64."""
    return np.dtype(np.float32 if dtype.char in EXACT_IN_FLOAT32 else np.float64)


def refuse_overflow(name, original, stored, column=None):
    """Raise if finite numbers of a wider type (longdouble) became infinite in `stored`."""
    if original.dtype.kind != "f" or original.dtype.itemsize <= stored.dtype.itemsize:
        return
    lost = np.isinf(stored) & np.isfinite(original)
    if lost.any():
        index = np.unravel_index(int(lost.argmax()), lost.shape)
        raise ValueError(
            f"{name} holds {original[index]} {place(index, column)}, which is too large for a "
            "64-bit float; rescale it"
        )


def place(index, column=None):
    """Return where an entry stands, counted from 0 as in Python."""
    if column is not None:
        return f"at row {index[0]} of column {column!r} (counted from 0)"
    if len(index) == 1:
        return f"at position {index[0]} (counted from 0)"
    if len(index) == 2:
        return f"at row {index[0]}, column {index[1]} (counted from 0)"
    return f"at index {tuple(int(i) for i in index)}"


def refuse(name, values, bad, advice):
    """Raise ValueError at the first entry that is bad: its value, its place, and what to do."""
    if bad.any():
        index = np.unravel_index(int(bad.argmax()), bad.shape)
        raise ValueError(f"{name} holds {float(values[index])!r} {place(index)}; {advice}")


def refuse_empty(shape, empty=False):
    """Raise ValueError for an X without columns or, unless `empty`, without rows."""
    rows, columns = shape if len(shape) == 2 else (0, 0)
    if not columns or not (rows or empty):
        what = "columns" if rows else "rows"
        raise ValueError(f"X has no {what} (shape {shape}); at least one is needed")


def _subject(name, column):
    return name if column is None else f"column {column!r} of {name}"


def unmasked(name, value):
    """Return the value; for a masked array its data, or raise at the first masked entry.

    A list of rows, some of them masked, is read as a table.
    """
    if isinstance(value, list | tuple) and len(value) and isinstance(value[0], np.ndarray):
        if any(isinstance(row, np.ma.MaskedArray) for row in value):
            unmasked(name, np.ma.vstack(value))
        return value
    if not isinstance(value, np.ma.MaskedArray):
        return value
    mask = np.ma.getmaskarray(value)
    if mask.any():
        index = np.unravel_index(int(mask.argmax()), mask.shape)
        raise ValueError(
            f"{name} is a masked array with a masked entry {place(index)}; fill the masked "
            "entries or drop their rows"
        )
    return value.data


def converted(name, value):
    """Return numpy's reading of a list, a series, or an object with the array protocol."""
    kind = type(value).__name__
    if value is None or isinstance(value, (str, bytes)):
        raise TypeError(f"{name} is {shown(value)}; pass an array of numbers")
    try:
        array = np.asarray(value)
    except OverflowError as error:
        raise ValueError(f"{name} holds a number too large for a 64-bit float") from error
    except Exception as error:
        ragged = _ragged_row(value)
        if ragged:
            raise ValueError(
                f"{name} is a {kind} of rows of different lengths: {ragged}"
            ) from error
        raise TypeError(f"{name} is a {kind} that numpy cannot read ({error})") from error
    if array.ndim == 0 and array.dtype.kind == "O" and not is_number(type(value)):
        raise TypeError(
            f"{name} is a {kind}, which is not an array of numbers; pass a numpy array"
        )
    return array


def _ragged_row(value):
    """Return the row of a list of lists whose length is not that of the first."""
    if not isinstance(value, (list, tuple)):
        return ""
    lengths = [len(row) if hasattr(row, "__len__") else None for row in value]
    for i, length in enumerate(lengths):
        if length != lengths[0]:
            sizes = ["one value" if k is None else f"{k} values" for k in (lengths[0], length)]
            return f"row 0 has {sizes[0]}, row {i} has {sizes[1]}"
    return ""


def refuse_truncated(name, array):
    """Raise for a memory map whose file has been truncated: reading it would kill the process."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and isinstance(array._mmap, mmap.mmap):
            try:
                size = array._mmap.size()
            except (OSError, ValueError):  # there is no file that could be truncated
                return
            start = array.offset - array.offset % mmap.ALLOCATIONGRANULARITY
            if size < start + len(array._mmap):
                raise ValueError(
                    f"{name} is a memory map of {start + len(array._mmap)} bytes but its file "
                    f"has only {size}; the file was truncated, write it again"
                )
            return
        array = array.base


def is_number(kind):
    return issubclass(kind, (numbers.Real, decimal.Decimal, np.bool_)) and not issubclass(
        kind, np.timedelta64
    )


def _of_text(name, column):
    """Return what to do about text."""
    if name == "y" and column is None:
        return "for classes use path(..., family='binomial') or family='multinomial'"
    return "encode it as numbers first" + (
        ", as sparsesolve.make_design does" if name == "X" else ""
    )


def _numbers_of_objects(name, array, column):
    """Convert an array of Python objects to float64 if each of them is a real number."""
    foreign = {kind for kind in set(map(type, array.flat)) if not is_number(kind)}
    if foreign:
        flat = next(i for i, item in enumerate(array.flat) if type(item) in foreign)
        index = np.unravel_index(flat, array.shape)
        item = array[index]
        if item is None or type(item).__name__ in ("NAType", "NaTType"):
            raise ValueError(
                f"{name} has a missing value ({item}) {place(index, column)}; fill it or drop "
                "its row"
            )
        found = f"text ({item!r})" if isinstance(item, str) else f"a {type(item).__name__}"
        raise TypeError(
            f"{name} holds {found} {place(index, column)}; {_of_text(name, column)}"
        )
    try:
        return array.astype(np.float64)
    except (OverflowError, ValueError) as error:
        raise ValueError(
            f"{_subject(name, column)} holds a number that no 64-bit float can hold ({error}); "
            "rescale it"
        ) from error
