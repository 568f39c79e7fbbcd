"""Members of a model file: read without trust, and checked against a declaration.

A kind of file declares its members by name, in order::

    {"lambdas": Form("f", "L", low=0.0), "df": Form("i", "L"), "groups?": Form("i", "p"),
     "options": {"has_offset": Form("b"), "alpha?": Form("n")}, "parts_*": Form("f", "*K"),
     "relations": a_function_of_values_and_sizes}

``?`` marks a member that may be missing, ``_*`` a numbered list of members, a dict or Json a
member that holds JSON text. Equal letters stand for equal sizes; ``*`` is any size. A function
checks what no declaration can say, from the values and sizes that stand before it.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

# A byte of deflated data becomes at most this many.
MOST_EXPANDED = 1032
KINDS_OF_NUMBER = {"f": "numbers", "i": "whole numbers", "n": "numbers", "b": "true or false",
                   "U": "text", "l": "labels", "k": "keys"}  # fmt: skip
TYPES = {"f": {int, float}, "i": {int}, "n": {int, float}, "b": {bool}, "U": {str},
         "l": {bool, int, float, str}}  # fmt: skip
DTYPES = {"f": "f", "i": "iu", "n": "iuf", "b": "b", "U": "U", "l": "biufU",
          "k": "u"}  # fmt: skip


class Damaged(ValueError):
    """A file does not hold what was written."""


class Form(NamedTuple):
    """What an array, or a value of JSON, must be."""

    kind: str = "f"  #: f floats, i whole numbers, n either, b truth, U text, l labels, k keys
    letters: str = ""  #: a letter for each dimension; "L|KL" allows two forms
    low: float = -math.inf  #: all numbers are at least this
    below: float | str = math.inf  #: all numbers are less than this, or than the size of a letter
    finite: bool = True  #: whether NaN and infinities are refused
    none: bool = False  #: whether null is allowed
    size: str = ""  #: the letter whose size this number is


class Json(NamedTuple):
    """JSON text whose value has a form, or is a dict of forms, any if empty; None: any."""

    form: Form | dict | None = None


class Kind(NamedTuple):
    """What a class of results must say so that `save` writes and `load` reads it."""

    made: type  #: the class
    members: dict  #: the declaration of its members, which `checked` reads
    values_of: Callable  #: (fit) -> values by name: arrays, numbers, text, and JSON values
    fit_of: Callable  #: (checked values) -> fit; raises ValueError where they do not fit together
    format: str = "sparsesolve model"  #: what the file calls itself
    version: int = 1  #: the last version of that format


KINDS: dict[str, Kind] = {}


def kind_of(fit):
    """Return the name of a result's kind, by its own class before those it inherits from."""
    names = {kind.made: name for name, kind in KINDS.items()}
    return next((names[made] for made in type(fit).__mro__ if made in names), None)


def written(values: dict[str, Any], members: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays of values that a kind declares: JSON as text, lists one by one."""
    arrays: dict[str, Any] = {}
    for key, form in members.items():
        name = key.rstrip("?")
        if name.endswith("_*"):
            arrays |= {f"{name[:-1]}{k}": part for k, part in enumerate(values[name[:-2]])}
        elif not callable(form) and values.get(name) is not None:
            is_text, value = isinstance(form, Json | dict), values[name]
            arrays[name] = json.dumps(value, default=np.generic.item) if is_text else value
    return arrays


def read_members(data: bytes) -> dict[str, np.ndarray]:
    """Return the arrays of an .npz file, or raise Damaged; no more memory than they take.

    Whatever a header declares is compared with the bytes that are there before it is believed.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as found:
            members = found.infolist()
            if len(members) != _count(data):  # a wrong length of an entry hides the next ones
                raise Damaged("its directory lists other members than it has")
            if sum(info.compress_size for info in members) > len(data):
                raise Damaged("its members are larger than the file")
            arrays = {_name(info): _array(found, info) for info in members}
    except Damaged:
        raise
    except Exception as error:  # zipfile, zlib and numpy raise a dozen kinds for what is no array
        raise Damaged(" ".join(str(error).split()) or type(error).__name__) from None
    if len(arrays) < len(members):
        raise Damaged("a member occurs twice")
    return arrays


def _count(data):
    """Return the number of members that the end of an archive says it has."""
    end = data.rfind(b"PK\x05\x06")
    return int.from_bytes(data[end + 10 : end + 12], "little")


def _name(info):
    if not info.filename.endswith(".npy"):
        raise Damaged(f"member {info.filename!r} is not an array")
    return info.filename.removesuffix(".npy")


def _array(found, info):
    """Return one member as an array in native byte order."""
    name = _name(info)
    if info.file_size > MOST_EXPANDED * (info.compress_size + 1):
        raise Damaged(f"{name} cannot have {info.file_size} bytes")
    data = found.read(info)
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise Damaged(f"{name} is of an unknown version of .npy")
    read = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        read = np.lib.format.read_array_header_2_0
    shape, by_columns, dtype = read(stream)
    if dtype.kind not in "biufU" or dtype.kind == "f" and dtype.itemsize > 8:
        raise Damaged(f"{name} is of type {dtype}")
    start = stream.tell()
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(data) - start:
        raise Damaged(f"{name} has shape {shape}, but {len(data) - start} bytes")
    array = np.ndarray(shape, dtype, data, start, order="F" if by_columns else "C")
    _check_bytes(name, array)
    return array.astype(dtype.newbyteorder("="), order="K", copy=True)


def _check_bytes(name, array):
    """Raise Damaged for bytes that are no truth value or no character."""
    if array.dtype.kind == "b" and array.view(np.uint8).max(initial=0) > 1:
        raise Damaged(f"{name} holds bytes that are neither true nor false")
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        codes = np.frombuffer(array.tobytes("K"), array.dtype.str[0].replace("|", "=") + "u4")
        if codes.max() > 0x10FFFF:
            raise Damaged(f"{name} holds a character that does not exist")


def checked(arrays: dict[str, Any], members: dict[str, Any]) -> dict[str, Any]:
    """Return the values of declared members, or raise Damaged.

    Arrays without a dimension become plain values, members of JSON what they say, numbered
    members a list; those that may be missing and are, are left out.
    """
    values: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for key, form in members.items():
        name = key.rstrip("?")
        if callable(form):
            form(values, sizes)
        elif name.endswith("_*"):
            values[name[:-2]] = _numbered(arrays, name[:-1], form, sizes)
        elif name in arrays:
            is_form = isinstance(form, Form)
            values[name] = (_value if is_form else _json)(name, arrays[name], form, sizes)
        elif name == key:
            raise Damaged(f"{name} is missing")
    return values


def _numbered(arrays, stem, form, sizes):
    """Return the members stem0, stem1, ... as a list."""
    count = sum(name.startswith(stem) for name in arrays)
    missing = [k for k in range(count) if f"{stem}{k}" not in arrays]
    if missing:
        raise Damaged(f"{stem}{missing[0]} is missing")
    return [_value(f"{stem}{k}", arrays[f"{stem}{k}"], form, sizes) for k in range(count)]


def _json(name, array, form, sizes):
    """Return the value of JSON text."""
    try:
        found = json.loads(str(_value(name, array, Form("U"), sizes)))
    except (ValueError, RecursionError):
        raise Damaged(f"{name} is no JSON") from None
    form = form.form if isinstance(form, Json) else form
    if form is None:
        return found
    if isinstance(form, Form):
        return found if found is None and form.none else _listed(name, found, form, sizes)
    _dict(name, found)
    for key, one in form.items():
        entry = key.rstrip("?")
        if isinstance(one, Json):
            _dict(f"{entry} of {name}", found.get(entry))
        elif entry in found and not (found[entry] is None and one.none):
            found[entry] = _listed(f"{entry} of {name}", found[entry], one, sizes)
        elif entry == key and entry not in found:
            raise Damaged(f"{name} lacks {entry}")
    return found


def _dict(name, value):
    if not isinstance(value, dict):
        raise Damaged(f"{name} is not what was written")
    return value


def _listed(name, value, form, sizes):
    """Return a value of JSON after the checks of an array: a number, a text, or a list of them."""
    items = value if isinstance(value, list) else [value]
    if isinstance(value, list) != bool(form.letters) or not {
        type(item) for item in items
    } <= TYPES[form.kind]:
        raise Damaged(f"{name} is not what was written")
    text = form.kind in "Ul"
    array = np.zeros(np.shape(items), dtype="U1") if text else np.array(items)
    if not items:
        array = array.astype(DTYPES[form.kind][0])
    _value(name, array if form.letters else array[0], form, sizes)
    return value


def _value(name, array, form, sizes):
    """Check type, dimensions and range of one array; return it, or its only value."""
    letters = _letters(name, array, form)
    for letter, size in zip(letters, array.shape, strict=True):
        if letter != "*" and size != sizes.setdefault(letter, size):
            raise Damaged(f"{name} has shape {array.shape}, which does not fit the others")
    if array.dtype.kind == "f" and form.finite and not np.isfinite(array).all():
        raise Damaged(f"{name} holds NaN or infinity")
    below = sizes.get(str(form.below), 0) if isinstance(form.below, str) else form.below
    if array.dtype.kind in "iuf" and array.size:
        low, high = np.fmin.reduce(array, axis=None), np.fmax.reduce(array, axis=None)
        if low < form.low or high >= below and below < math.inf:
            wrong = low if low < form.low else high
            raise Damaged(f"{name} holds {wrong}, which is not from {form.low:g} to below {below}")
    if form.size:
        sizes[form.size] = int(array)
    if array.dtype.kind == "u" and form.kind == "i" and array.dtype.itemsize > 4:
        if array.size and array.max() > np.iinfo(np.int64).max:
            raise Damaged(f"{name} holds {array.max()}")
        array = array.astype(np.int64)
    return array if letters else array.item()


def _letters(name, array, form):
    """Return the letters for the dimensions of an array of the right type."""
    forms = form.letters.split("|")
    found = [letters for letters in forms if len(letters) == array.ndim]
    if array.dtype.kind in DTYPES[form.kind] and found:
        return found[0]
    raise Damaged(
        f"{name} is of type {array.dtype} and shape {array.shape}, not {len(forms[0])}-"
        f"dimensional {KINDS_OF_NUMBER[form.kind]}"
    )
