"""L1 and Nothing: the parts of `Separate` with an l1 norm or no penalty."""

from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.penalties.mapping import Cumulated
from sparsesolve.penalties.norm import Norm, read_number, soft
from sparsesolve.penalties.tangent import Tangent, on_support


class L1(Norm):
    r""":math:`\Omega(b) = \sum_j w_j |b_j|`, as a part of :class:`Separate`.

    Parameters
    ----------
    weight : float > 0, default 1.0
        Weight of every coefficient.

    Raises
    ------
    ValueError, TypeError
        If weight is not a positive number.

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.L1().prox([3.0, -0.5], 1.0)
    array([ 2., -0.])
    """

    absolute = True  # Omega depends on sizes alone and grows with them.

    def __init__(self, weight: float = 1.0):
        self.weight = read_number("weight", weight, inclusive=False)

    def _arguments(self):
        return repr(self.weight)

    def norm(self, b: np.ndarray) -> float:
        return self.weight * np.abs(b).sum()

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return soft(v, t * self.weight)

    def dual_norm(self, z: np.ndarray) -> float:
        return np.abs(z).max(initial=0.0) / self.weight

    def part(self, which: np.ndarray) -> Any:
        return self.over(len(which))

    def majorant(self, b: np.ndarray, smoothing: float) -> np.ndarray:
        """Return w (p,) with Omega <= sum_j w_j b_j^2 / 2 + constant, equal near b."""
        return self.weight / np.hypot(b, smoothing)

    def tangent(self, b: np.ndarray) -> Any:
        """Return the directions along which Omega is smooth at b."""
        return on_support(b, self.weight * np.sign(b))

    def mapping(self) -> Any:
        """Return the map that makes each feature a chain of its own."""
        p = self.n_features
        return Cumulated(np.arange(p), np.ones(p, dtype=bool), np.full(p, self.weight))


class Nothing(Norm):
    """No penalty."""

    def norm(self, b: np.ndarray) -> float:
        return 0.0

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return v.copy()

    def dual_norm(self, z: np.ndarray) -> float:
        return 0.0

    def kernel(self) -> Any:
        return sparse.eye_array(self.n_features, format="csc")

    def tangent(self, b: np.ndarray) -> Any:
        return Tangent(sparse.eye_array(len(b), format="csc"), np.zeros(len(b)))

    def mapping(self) -> Any:
        p = self.n_features
        return Cumulated(np.arange(p), np.ones(p, dtype=bool), np.zeros(p))
