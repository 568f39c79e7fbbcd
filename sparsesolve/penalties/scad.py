"""SCAD: the l1 norm for small coefficients, and no shrinkage of large ones.

    phi'(x; lam) = lam  up to lam,  (gamma lam - x) / (gamma - 1)  up to gamma lam,  0 beyond

Reference: Fan, Li (2001), "Variable selection via nonconcave penalized likelihood".
"""

from typing import Any

import numpy as np

from sparsesolve.penalties.concave import Concave
from sparsesolve.penalties.norm import read_number


class SCAD(Concave):
    """Smoothly clipped: phi' = lam up to lam, then falling to 0 at gamma lam.

    Parameters
    ----------
    gamma : float > 2, default 3.7
        Where the penalty ends, in multiples of lam.
    groups, weights
        As in :class:`MCP`.

    Raises
    ------
    ValueError, TypeError
        If gamma is not a number above 2; when a path is fitted, if groups or weights do not fit.

    References
    ----------
    Fan, Li (2001), "Variable selection via nonconcave penalized likelihood".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.SCAD().prox([0.5, 1.5, 9.0], 1.0)
    array([0. , 0.5, 9. ])
    """

    def __init__(self, gamma: float = 3.7, groups: Any = None, weights: Any = None):
        self.gamma = read_number("gamma", gamma, 2.0, inclusive=False)
        super().__init__(groups, weights)

    def _arguments(self):
        return f"{self.gamma!r}, {super()._arguments()}"

    def _phi(self, x, lam):
        a = self.gamma
        middle = (2.0 * a * lam * x - x * x - lam * lam) / (2.0 * (a - 1.0))
        end = 0.5 * lam * lam * (a + 1.0)
        return np.where(x <= lam, lam * x, np.where(x <= a * lam, middle, end))

    def _slope(self, x, lam):
        falling = np.maximum(self.gamma * lam - x, 0.0) / (self.gamma - 1.0)
        return np.where(x <= lam, lam, falling)

    def _second_derivative(self, x, lam):
        falls = (x > lam) & (x < self.gamma * lam)
        return np.where(falls, -1.0 / (self.gamma - 1.0), 0.0)

    def _scalar(self, x, lam):
        a = self.gamma
        middle = ((a - 1.0) * x - a * lam) / (a - 2.0)
        outer = np.where(x <= a * lam, middle, x)
        return np.where(x <= 2.0 * lam, np.maximum(x - lam, 0.0), outer)
