"""The door of functions that take a formula in place of X and y, or a word for its groups."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from sparsesolve.data.encoding import EncodedDesign, make_design
from sparsesolve.penalties.registry import named_penalty

F = TypeVar("F", bound=Callable[..., Any])


def takes_formula(function: F) -> F:
    """Decorate a function of X and y: a formula and `data` become an EncodedDesign and a response.

    A word for a penalty of groups, such as "group", takes those of an EncodedDesign: columns of
    the table, or terms of the formula.
    """

    @wraps(function)
    def call(X, y=None, *args, **options):
        data = options.pop("data", None)
        if isinstance(X, str):
            X, y = _read(X, y, data)
        elif data is not None:
            raise TypeError("data is the table of a formula; give a formula as X, or leave it out")
        elif y is None:
            raise TypeError(f"{function.__name__}() needs y, or a formula and data")
        if isinstance(X, EncodedDesign) and isinstance(options.get("penalty"), str):
            options["penalty"] = named_penalty(options["penalty"], X.groups)
        return function(X, y, *args, **options)

    made: Any = call
    # these are read where options are passed on
    made.__kwdefaults__ = {name: value for name, value in (function.__kwdefaults__ or {}).items()
                           if name != "data"}  # fmt: skip
    return made


def _read(formula, y, data):
    """Return the design and the response of a formula."""
    design = make_design(formula, data)
    if y is not None:
        raise TypeError("y and a formula are both given; leave y out and name it to the left of ~")
    if design.response is None:
        raise ValueError(f"formula {formula!r} has nothing to the left of ~; write 'y ~ ...'")
    return design, design.response
