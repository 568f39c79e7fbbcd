"""Family: the loss, reading and predictions of a kind of response."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import TypeVar

from sparsesolve.data.keywords import answers_keywords
from sparsesolve.data.paragraphs import returning
from sparsesolve.solvers.follow import StopRule

F = TypeVar("F", bound=Callable)
returning_family = returning(
    "Family", "For ``family=`` of :func:`sparsesolve.path` and related functions."
)

# For losses with kinks: solutions may stay the same over many lambdas and move again further
# down, so that a step without gain says nothing about the next.
STOP_OF_PIECES = StopRule(gain=-inf)


@dataclass(frozen=True)
class Family:
    """A kind of response."""

    name: str  #: with its parameter, such as "huber(delta=1.0)"
    loss: Callable = field(repr=False)  #: (values, weights) -> Loss
    read: Callable = field(repr=False)  #: (y, n) -> Response
    #: linear predictor -> mean of y, of the same shape; classes, if several, along axis 1
    mean: Callable = field(repr=False)
    #: when a path ends
    stop: StopRule = field(default=StopRule(), repr=False)
    #: linear predictor -> index of the likeliest class; None where y has no classes
    classify: Callable | None = field(default=None, repr=False)
    # False if the data do not determine an intercept
    intercept: bool = field(default=True, repr=False)
    #: whether eta has a row per class or response
    several: bool = field(default=False, repr=False)
    smooth: bool = field(default=True, repr=False)  #: False if the loss has kinks

    def in_rows(self, order: Callable) -> Family:
        """Return the family after `order` has put what `read` holds for each row, its strata."""
        read = self.read
        if not isinstance(read, partial):
            return self
        return replace(self, read=partial(read.func, *map(order, read.args)))


def maker(function: F) -> F:
    """Decorate a function that makes a family.

    Keywords of other packages are answered, and the docstring says what is returned.
    """
    return returning_family(answers_keywords("maker")(function))
