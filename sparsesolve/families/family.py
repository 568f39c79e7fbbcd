"""Family: what a kind of response means to a path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from sparsesolve.solvers.follow import StopRule

# Of losses with kinks: solutions may stay the same over many lambdas and move on further down, so
# that a step without gain says nothing about the next.
STOP_OF_PIECES = StopRule(gain=-inf)


@dataclass(frozen=True)
class Family:
    """A kind of response."""

    name: str  #: with its parameter, as "huber(delta=1.0)"
    loss: Callable = field(repr=False)  #: (values, weights) -> Loss
    read: Callable = field(repr=False)  #: (y, n) -> Response
    #: linear predictor -> mean of y, of the same shape; classes, if several, along axis 1
    mean: Callable = field(repr=False)
    #: when a path ends
    stop: StopRule = field(default=StopRule(), repr=False)
    #: linear predictor -> index of the likeliest class; None where y has no classes
    classify: Callable | None = field(default=None, repr=False)
    intercept: bool = field(default=True, repr=False)  #: whether one can be told from the data
    #: whether eta has a row per class or response
    several: bool = field(default=False, repr=False)
    smooth: bool = field(default=True, repr=False)  #: whether the loss is; else it has kinks
