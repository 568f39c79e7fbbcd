"""Bridge: powers below 1 of the sizes of coefficients.

    phi(x; lam) = lam ((x + s)^q - s^q),   s = 0.001

Reference: Knight, Fu (2000), "Asymptotics for lasso-type estimators".
"""

from typing import Any

import numpy as np

from sparsesolve.penalties.concave import Concave
from sparsesolve.penalties.norm import read_number

# Newton steps of the scalar prox; some ten are enough, and this limit ends a loop that rounding
# keeps from converging.
NEWTON = 100
# Shift s of the sizes. The slope of |b|^q is infinite at b = 0; that of (|b| + s)^q is finite.
SMOOTHED = 1e-3


class Bridge(Concave):
    """``phi = lam |b|^q``, 0 < q < 1, smoothed at 0.

    The slope of \\|b\\|^q at 0 is infinite and would keep every coefficient at 0, so that
    ``(|b| + 0.001)^q - 0.001^q`` takes its place, on standardised columns.

    Parameters
    ----------
    q : float in (0, 1)
    groups, weights
        As in :class:`MCP`.

    Raises
    ------
    ValueError, TypeError
        If q is not between 0 and 1; when a path is fitted, if groups or weights do not fit.

    References
    ----------
    Knight, Fu (2000), "Asymptotics for lasso-type estimators".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.Bridge(0.5).prox([0.5, 3.0], 1.0).round(2)
    array([0. , 2.7])
    """

    def __init__(self, q: float, groups: Any = None, weights: Any = None):
        self.q = read_number("q", q, 0.0, 1.0, inclusive=False)
        super().__init__(groups, weights)

    def _arguments(self):
        return f"{self.q!r}, {super()._arguments()}"

    def _phi(self, x, lam):
        return lam * ((x + SMOOTHED) ** self.q - SMOOTHED**self.q)

    def _slope(self, x, lam):
        return lam * self.q * (x + SMOOTHED) ** (self.q - 1.0)

    def _second_derivative(self, x, lam):
        return lam * self.q * (self.q - 1.0) * (x + SMOOTHED) ** (self.q - 2.0)

    def _scalar(self, x, lam):
        """Return the stationary point u of the prox in the convex part, or 0 where 0 is better.

        The derivative u - x + phi'(u) first falls and then rises; the point is its larger root.
        """
        q = self.q
        # u + phi'(u) is least at `lowest`.
        lowest = (lam * q * (1.0 - q)) ** (1.0 / (2.0 - q)) - SMOOTHED
        low, u = np.maximum(lowest, 0.0), np.array(x, dtype=float)
        for _ in range(NEWTON):
            curvature = 1.0 + lam * q * (q - 1.0) * (u + SMOOTHED) ** (q - 2.0)
            step = (u - x + self._slope(u, lam)) / np.where(curvature > 0.0, curvature, 1.0)
            new = np.clip(u - step, low, x)
            if np.abs(new - u).max(initial=0.0) <= 1e-15 * np.abs(x).max(initial=0.0):
                break
            u = new
        stationary = np.abs(u - x + self._slope(u, lam)) <= 1e-8 * (1.0 + x)
        better = 0.5 * (u - x) ** 2 + self._phi(u, lam) < 0.5 * x * x
        return np.where(better & stationary, u, 0.0)
