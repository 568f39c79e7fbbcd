"""Families: for each, the loss that it means, how its responses are read, and what it predicts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sparsesolve import checks
from sparsesolve.losses import LOSSES
from sparsesolve.solvers.path import StopRule


class Response(NamedTuple):
    """What a family reads from y."""

    values: np.ndarray  # (n,) or (n, K), as the loss takes them
    counts: np.ndarray | None = None  # (n,) multipliers of the weights: trials, where y counts
    class_names: np.ndarray | None = None  # (K,) labels, sorted


@dataclass(frozen=True)
class Family:
    """A kind of response."""

    name: str
    loss: Callable  # (values, weights) -> Loss
    read: Callable  # (y, n) -> Response
    mean: Callable  # linear predictor -> mean of y; classes, where there are any, along axis 1
    stop: StopRule = StopRule()
    intercept: bool = True  # whether one can be told from the data


def _identity(eta):
    return eta


def _expit(eta):
    from scipy import special  # not at import: half of what importing the package would cost

    return special.expit(eta)


def _read_real(y, n):
    return Response(checks.read_response(y, n))


gaussian = Family(
    "gaussian", LOSSES["gaussian"], _read_real, _identity, StopRule(relative=True)
)
binomial = Family("binomial", LOSSES["binomial"], _read_real, _expit)

FAMILIES = {family.name: family for family in (gaussian, binomial)}
