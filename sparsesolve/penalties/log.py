"""Log: the penalty whose tangent is the reweighted l1 norm.

    phi(x; lam) = lam log(1 + x / epsilon)

Reference: Candes, Wakin, Boyd (2008), "Enhancing sparsity by reweighted l1 minimization".
"""

from typing import Any

import numpy as np

from sparsesolve.penalties.concave import Concave
from sparsesolve.penalties.norm import read_number


class Log(Concave):
    """``phi = lam log(1 + |b| / epsilon)``: the penalty behind the reweighted l1 norm.

    Parameters
    ----------
    epsilon : float > 0
        Size, on standardised columns, at which the penalty begins to flatten.
    groups, weights
        As in :class:`MCP`.

    Raises
    ------
    ValueError, TypeError
        If epsilon is not a positive number; when a path is fitted, if groups or weights do not
        fit.

    References
    ----------
    Candes, Wakin, Boyd (2008), "Enhancing sparsity by reweighted l1 minimization".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.Log(1.0).prox([0.5, 3.0], 1.0).round(3)
    array([0.   , 2.732])
    """

    def __init__(self, epsilon: float, groups: Any = None, weights: Any = None):
        self.epsilon = read_number("epsilon", epsilon, inclusive=False)
        super().__init__(groups, weights)

    def _arguments(self):
        return f"{self.epsilon!r}, {super()._arguments()}"

    def _phi(self, x, lam):
        return lam * np.log1p(x / self.epsilon)

    def _slope(self, x, lam):
        return lam / (self.epsilon + x)

    def _second_derivative(self, x, lam):
        return -lam / (self.epsilon + x) ** 2

    def _scalar(self, x, lam):
        e = self.epsilon
        root = np.sqrt(np.maximum((x + e) ** 2 - 4.0 * lam, 0.0))
        u = np.maximum(0.5 * (x - e + root), 0.0)
        u = np.where((x + e) ** 2 >= 4.0 * lam, u, 0.0)
        return np.where(0.5 * (u - x) ** 2 + self._phi(u, lam) < 0.5 * x * x, u, 0.0)
