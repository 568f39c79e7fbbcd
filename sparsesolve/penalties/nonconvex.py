"""MCP, SCAD, Log and Bridge: large coefficients are shrunk less than by the l1 norm, or not.

    MCP     phi(x; lam) = lam x - x^2 / (2 gamma)  up to gamma lam,  gamma lam^2 / 2 beyond
    SCAD    phi'(x; lam) = lam  up to lam,  (gamma lam - x) / (gamma - 1)  up to gamma lam,  then 0
    Log     phi(x; lam) = lam log(1 + x / epsilon), whose tangent is the reweighted l1 norm
    Bridge  phi(x; lam) = lam ((x + s)^q - s^q),   s = 0.001

``concave.py`` has their base; the references stand with the classes.
"""

from typing import Any

import numpy as np

from sparsesolve.penalties.concave import Concave
from sparsesolve.penalties.norm import read_number

# Newton steps of Bridge's scalar prox; some ten are enough, and this limit ends a loop that
# rounding keeps from converging.
NEWTON = 100
# Shift s of the sizes. The slope of |b|^q is infinite at b = 0; that of (|b| + s)^q is finite.
SMOOTHED = 1e-3


class MCP(Concave):
    """The minimax concave penalty: ``phi' = lam - |b| / gamma`` up to gamma lam, 0 beyond.

    Parameters
    ----------
    gamma : float > 1, default 3.0
        How soon the penalty ends: towards 1 it is hard thresholding, towards inf the l1 norm.

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
        super().__init__(groups, weights, gamma=read_number("gamma", gamma, 1.0, inclusive=False))

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


class SCAD(Concave):
    """Smoothly clipped: phi' = lam up to lam, then falling to 0 at gamma lam.

    Parameters
    ----------
    gamma : float > 2, default 3.7
        Where the penalty ends, in multiples of lam.

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
        super().__init__(groups, weights, gamma=read_number("gamma", gamma, 2.0, inclusive=False))

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


class Log(Concave):
    """``phi = lam log(1 + |b| / epsilon)``: the penalty behind the reweighted l1 norm.

    Parameters
    ----------
    epsilon : float > 0
        Size, on standardised columns, at which the penalty begins to flatten.

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
        super().__init__(groups, weights, epsilon=read_number("epsilon", epsilon, inclusive=False))

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


class Bridge(Concave):
    """``phi = lam |b|^q``, 0 < q < 1, smoothed at 0.

    The slope of \\|b\\|^q at 0 is infinite and would keep every coefficient at 0, so that
    ``(|b| + 0.001)^q - 0.001^q`` takes its place, on standardised columns.

    Parameters
    ----------
    q : float in (0, 1)
        The power.

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
        super().__init__(groups, weights, q=read_number("q", q, 0.0, 1.0, inclusive=False))

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
