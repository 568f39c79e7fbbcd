"""Rows by their labels: what a user gives for each row of X comes in the order of X's index.

The door of every public function with an argument of one value a row is :func:`by_rows`:

    same labels, same order         taken as they are
    same labels, another order      put into the order of X
    no labels, or the default ones  taken by position: arrays, lists, an index 0, 1, .., n - 1
    other labels, or labels twice   refused, naming a label that differs

0, 1, .., n - 1 in order say nothing, since every new table has them. So an index that holds these
numbers in another order, against a default one, is refused: either may have been meant.
"""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import numpy as np

from sparsesolve.penalties.columns import index_of, is_default

from .array import unmasked
from .row_blocks import in_memory

F = TypeVar("F", bound=Callable[..., Any])


def by_rows(*names: str, of: str = "X") -> Callable[[F], F]:
    """Decorate a function whose arguments `names` have a value, or a label, for each row of `of`.

    They reach it in the order of the rows. Where `of` has no index, that of the first of them
    which has one takes its place. Keywords of the function's ``**options`` count as arguments.
    """

    def decorate(function):
        known = list(signature(function).parameters)

        @wraps(function)
        def call(*args, **options):
            given = {**dict(zip(known, args, strict=False)), **options}
            rows = {name: given[name] for name in names if given.get(name) is not None}
            found = in_rows_of(given.get(of), rows, of)
            named = [found.get(name, value) for name, value in zip(known, args, strict=False)]
            options = {name: found.get(name, value) for name, value in options.items()}
            return function(*named, *args[len(known) :], **options)

        call.__kwdefaults__ = function.__kwdefaults__  # these are read where options are passed on
        call.rows = names
        return call

    return decorate


def in_rows_of(X, rows, of="X"):
    """Return the values of the dict `rows`, each in the order of the rows of X.

    Raises
    ------
    ValueError
        If an index holds other labels than that of X, naming one, or labels twice.
    """
    rows = {name: in_memory(value) for name, value in rows.items()}
    index, owner = _first_index(X), of
    for name, value in rows.items():
        if index is None:
            index, owner = labels_of_rows(value), name
    return {name: _aligned(name, value, index, owner) for name, value in rows.items()}


def kernels_alike(kernels, names, fitted=None):
    """Return kernels (n, n) with rows and columns in the order of the rows of the first.

    With `fitted`, the labels of the samples of a fit, they are kernels between new samples and
    these, (n_new, n). Kernels without labels stay as they are.
    """
    rows, first = _first_index(list(kernels)), names[0] if names else ""
    columns = (rows, first) if fitted is None else (fitted, "the kernels of the fit")
    found = []
    for name, kernel in zip(names, kernels, strict=True):
        if hasattr(kernel, "Z"):
            kernel = type(kernel)(_aligned(name, kernel.Z, rows, first))
        elif _index(kernel) is not None and hasattr(kernel, "columns"):
            across = _aligned(name, kernel, rows, first).T
            kernel = _aligned(f"the columns of {name}", across, *columns).T
        found.append(kernel)
    return found


def labels_of_rows(X):
    """Return the first index of a table or several; None for none or 0, 1, .., n - 1."""
    index = _first_index(X)
    return None if index is None or is_default(index) else index


def _aligned(name, value, index, owner):
    """Return a value in the order of `index`, that of `owner`; None for any order."""
    if isinstance(value, dict):
        return {key: _aligned(f"{name}[{key!r}]", part, index, owner)
                for key, part in value.items()}  # fmt: skip
    if isinstance(value, tuple) and any(_index(part) is not None for part in value):
        return tuple(_aligned(f"{name}[{k}]", part, index, owner) for k, part in enumerate(value))
    if hasattr(type(value), "in_rows"):  # a family, which may hold strata
        return value.in_rows(lambda part: _aligned("strata", part, index, owner))
    value, own = unmasked(name, value), _index(value)
    if own is None or index is None:
        return value
    if name == "folds" and value.ndim == 2 and len(own) != len(index):  # a row a repeat
        return _aligned("the columns of folds", value.T, index, owner).T
    order = _order(name, own, index, owner) if len(own) == len(index) else None
    return value if order is None else value.iloc[order]


def _order(name, own, index, owner):
    """Return the places in `own` of the labels of `index`, or None if values are in order."""
    if own.equals(index):
        return None
    unique = own.is_unique and index.is_unique
    places = own.get_indexer(index) if unique else np.array([-1])
    same = bool((places >= 0).all())
    if same and (is_default(own) or is_default(index)):
        first, second = (owner, name) if is_default(index) else (name, owner)
        raise ValueError(
            f"the index of {first} is 0 to {len(own) - 1}, and that of {second} holds these "
            f"numbers in another order; give {name}.reindex({owner}.index), or "
            f"{name}.to_numpy() if positions are meant"
        )
    if is_default(own):
        return None
    if same:
        return places
    raise ValueError(
        f"the rows of {name} are not those of {owner}: {_difference(name, own, index, owner)}; "
        f"give both the same rows, or {name}.to_numpy() if positions are meant"
    )


def _difference(name, own, index, owner):
    """Return the clause on the first label that two indexes do not share."""
    for one, its in ((owner, index), (name, own)):
        if not its.is_unique:
            return f"the index of {one} holds {its[its.duplicated()].tolist()[0]!r} twice"
    for one, its, other, lacking in ((owner, index, own, name), (name, own, index, owner)):
        missing = its[~its.isin(other)]
        if len(missing):
            return f"{one} has the label {missing.tolist()[0]!r}, which {lacking} lacks"
    return f"the labels of {name} and {owner} have different types"


def _index(data):
    """Return the row labels of a pandas object or of an EncodedDesign, or None without any."""
    return index_of(getattr(data, "Z", data))  # Z: the factor of a kernel


def _first_index(value):
    """Return the row labels of a value or, of several in a collection, of the first with some."""
    parts = value.values() if isinstance(value, dict) else value
    parts = parts if isinstance(value, dict | tuple | list) else [value]
    return next((index for index in map(_index, parts) if index is not None), None)
