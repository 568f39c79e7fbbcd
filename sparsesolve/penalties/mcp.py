"""MCP: shrinkage decreases with the size of a coefficient and vanishes beyond gamma lam.

    phi(x; lam) = lam x - x^2 / (2 gamma)  up to gamma lam,  gamma lam^2 / 2 beyond

Reference: Zhang (2010), "Nearly unbiased variable selection under minimax concave penalty".
"""

from typing import Any

import numpy as np

from sparsesolve.penalties.concave import Concave
from sparsesolve.penalties.norm import read_number


class MCP(Concave):
    """The minimax concave penalty: ``phi' = lam - |b| / gamma`` up to gamma lam, 0 beyond.

    Parameters
    ----------
    gamma : float > 1, default 3.0
        How soon the penalty ends: towards 1 it is hard thresholding, towards inf the l1 norm.
    groups : sequence or mapping, default None
        As in :class:`GroupL2`, by the l2 norms of groups; None: single coefficients.
    weights : array-like, default None
        Factor of lam for each feature, or group; None means 1, or the square roots of the sizes
        of groups.

    Raises
    ------
    ValueError, TypeError
        If gamma is not a number above 1; when a path is fitted, if groups or weights do not fit.

    References
    ----------
    Zhang (2010), "Nearly unbiased variable selection under minimax concave penalty".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 8))
    >>> y = 2 * X[:, 0] + rng.normal(size=100)
    >>> fit = ss.path(X, y, penalty=ss.penalties.MCP())
    >>> fit.coef(0.4).round(2)[:3]
    array([1.88, 0.  , 0.  ])
    """

    def __init__(self, gamma: float = 3.0, groups: Any = None, weights: Any = None):
        self.gamma = read_number("gamma", gamma, 1.0, inclusive=False)
        super().__init__(groups, weights)

    def _arguments(self):
        return f"{self.gamma!r}, {super()._arguments()}"

    def _phi(self, x, lam):
        inside = lam * x - x * x / (2.0 * self.gamma)
        return np.where(x <= self.gamma * lam, inside, 0.5 * self.gamma * lam * lam)

    def _slope(self, x, lam):
        return np.maximum(lam - x / self.gamma, 0.0)

    def _second_derivative(self, x, lam):
        return np.where(x < self.gamma * lam, -1.0 / self.gamma, 0.0)

    def _scalar(self, x, lam):
        firm = np.maximum(x - lam, 0.0) / (1.0 - 1.0 / self.gamma)
        return np.where(x <= self.gamma * lam, firm, x)
