"""Class labels of any type that can be sorted: text, whole numbers, booleans, categories."""

import numbers

import numpy as np

from .array import converted, is_number, place, real_array, refuse, unmasked
from .frame import is_enum
from .number import shown
from .survival import is_missing

NUMBERS = "biuf"
# These kinds of dtype are text, bytes, dates and durations, which numpy can sort.
SORTED_BY_NUMPY = "USTMm"


def read_labels(y, n):
    """Return the class of each row, (n,) from 0, and the class labels, (K,) in sorted order.

    Labels keep their type. An ordered categorical of pandas and an Enum of polars keep the order
    of their categories; categories without a row are left out.
    """
    category = _ordered_category(y)
    if category is not None:
        codes, names = category
        used, codes = np.unique(codes, return_inverse=True)
        return _of_length(codes, n), names[used]
    array = _of_length(label_array(y), n)
    if array.dtype.kind in NUMBERS:
        if array.dtype.kind == "f":
            refuse("y", array, ~np.isfinite(array), "drop that row or replace the value")
            whole = array == np.round(array)
            refuse("y", array, ~whole, "labels that are numbers must be whole")
        names = np.unique(array)
        return np.searchsorted(names, array), names  # faster than an inverse
    if array.dtype.kind == "O":
        return _sorted_objects(array)
    if array.dtype.kind in SORTED_BY_NUMPY:
        if array.dtype.kind in "Mm" and np.isnat(array).any():
            raise _missing("NaT", int(np.isnat(array).argmax()))
    else:
        real_array("y", array)  # raises for complex numbers and records
    names, codes = np.unique(array, return_inverse=True)
    return codes, names


def label_array(y):
    """Return `y` as an array of numbers, text, dates or objects; a single column as a vector."""
    y = unmasked("y", y)
    array = y if isinstance(y, np.ndarray) else converted("y", y)
    listed = isinstance(y, (list, tuple)) and array.ndim == 1
    if listed and (array.dtype.kind in "US" or _rounded(y, array)):
        # numpy would convert a number among text to text.
        array = np.empty(len(y), dtype=object)
        array[:] = y
    array = np.asarray(array)  # subclasses such as np.matrix change what indexing means
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    return _numbers_if_all_are(array) if array.dtype.kind == "O" else array


def read_all_classes(classes, known=None):
    """Return the different labels (K,) of a collection, sorted, or those `known` before."""
    if classes is None and known is None:
        raise ValueError(
            "classes, all labels that there may be, is needed at the first call of partial_fit"
        )
    if classes is None:
        return known
    if isinstance(classes, dict | str | bytes) or not np.iterable(classes):
        raise TypeError(f"classes is {shown(classes)}; give a list of all labels")
    array = label_array(classes if hasattr(classes, "__array__") else list(classes))
    refuse_missing_labels(array.astype(object), "classes")
    try:
        found = np.unique(array)
    except TypeError:
        raise TypeError(f"classes holds labels of several types, {shown(array.tolist())}; give "
                        "all labels one type") from None  # fmt: skip
    if array.ndim != 1:
        raise ValueError(f"classes has shape {array.shape}; give a list of all labels")
    if known is not None and not np.array_equal(found, known):
        raise ValueError(
            f"classes is {found.tolist()!r}; it was {known.tolist()!r} in the first call"
        )
    return found


def array_of_labels(labels):
    """Return a list of labels as an array of text or whole numbers, else of objects."""
    if any(all(isinstance(x, kind) for x in labels) for kind in (str, numbers.Integral)):
        array = np.array(labels)
        if not _rounded(labels, array):
            return array
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _rounded(labels, array):
    """Return True if whole numbers became floats, because some are at least 2^63."""
    return array.dtype.kind == "f" and all(isinstance(x, numbers.Integral) for x in labels)


def _of_length(array, n):
    if array.ndim != 1:
        found = "a single value" if array.ndim == 0 else f"an array of shape {array.shape}"
        raise ValueError(f"y is {found}; give one label per row")
    if len(array) != n:
        raise ValueError(f"y has {len(array)} values but X has {n} rows; give one value per row")
    return array


def _ordered_category(y):
    """Return codes and labels of ordered categories (pandas' or an Enum of polars), or None."""
    if getattr(y, "ndim", 1) == 2 and hasattr(y, "iloc") and y.shape[1] == 1:
        y = y.iloc[:, 0]
    elif hasattr(y, "to_series") and getattr(y, "width", 0) == 1:
        y = y.to_series()
    dtype = getattr(y, "dtype", None)
    if is_enum(dtype):
        codes = y.to_physical().cast(int).fill_null(-1).to_numpy()
    elif getattr(dtype, "ordered", False):
        codes = np.asarray(y.cat.codes if hasattr(y, "cat") else y.codes)
    else:
        return None
    if (codes < 0).any():
        raise _missing("no category", int((codes < 0).argmax()))
    return codes, array_of_labels(list(dtype.categories))


def _numbers_if_all_are(array):
    """Convert an array of Python numbers to booleans, integers or floats."""
    kinds = set(map(type, array.flat))
    if not kinds or not all(map(is_number, kinds)):
        return array
    if all(issubclass(kind, (bool, np.bool_)) for kind in kinds):
        return array.astype(bool)
    if all(issubclass(kind, numbers.Integral) for kind in kinds):
        try:
            return array.astype(np.int64)
        except OverflowError:
            return array
    return real_array("y", array)


def _sorted_objects(array):
    """Return codes and labels of Python objects that can all be compared."""
    refuse_missing_labels(array)
    try:
        names = sorted(set(array))
    except TypeError as error:
        raise TypeError(_why_not_sorted(array)) from error
    code = {name: k for k, name in enumerate(names)}
    return np.array([code[item] for item in array], dtype=np.intp), array_of_labels(names)


def refuse_missing_labels(y, name="y"):
    """Raise ValueError if one of several labels of any kind is None, NA, NaT or NaN."""
    array = np.asarray(y)
    if array.dtype.kind == "O" and array.ndim == 1:
        for i, label in enumerate(array.tolist()):
            if is_missing(label):
                raise _missing(label, i, name)


def _why_not_sorted(array):
    first = array[0]
    for i, item in enumerate(array):
        if type(item) is not type(first):
            return (
                f"y mixes labels of type {type(first).__name__} ({first!r} at position 0) and "
                f"{type(item).__name__} ({item!r} at position {i}); give all labels one type"
            )
    return (
        f"y holds labels of type {type(first).__name__}, which cannot be sorted; give text or "
        "whole numbers instead"
    )


def _missing(item, i, name="y"):
    what = "fill it or drop its row" if name == "y" else "leave it out"
    return ValueError(f"{name} has a missing value ({item}) {place((i,))}; {what}")
