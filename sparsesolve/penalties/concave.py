"""Penalties that are concave in the size of a coefficient: MCP, SCAD, logarithm, bridge.

    Omega_lam(b) = sum_g phi(|b_g|; lam d_g),    phi concave in |b_g|, phi(0) = 0

Large coefficients are shrunk less than by the l1 norm, or not at all. The objective is not convex.
A path goes from solution to solution by reweighting: phi is replaced by its tangent at the last
solution, which is a weighted l1 norm or group lasso (`solvers/reductions/reweighting.py`), until
the weights stand still. Such a point is stationary; it need not be the global minimum.
References: Zhang, "Nearly unbiased variable selection under minimax concave penalty" (2010); Fan,
Li, "Variable selection via nonconcave penalized likelihood" (2001); Zou, Li, "One-step sparse
estimates in nonconcave penalized likelihood models" (2008); Bach et al. 2012, section 5.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.groups import held, held_weights, read_groups
from sparsesolve.penalties.norm import Norm, read_number, read_weights

NEWTON = 100  # steps of the scalar prox of a bridge
SMOOTHED = 1e-3  # where a bridge's slope, infinite at 0, is taken


class Concave(Norm):
    """What they share; a subclass gives phi, its slope and its scalar prox."""

    scale_free = True  # coefficients, or groups of them, are penalised one by one
    concave = True

    def __init__(self, groups: Any = None, weights: Any = None):
        self.groups = None if groups is None else held(groups)
        self.weights = None if weights is None else held_weights(weights)

    def _bind(self, names):
        p = self.n_features
        layout = read_groups(range(p) if self.groups is None else self.groups, p, names)
        self.of, sizes = np.asarray(layout.of), np.asarray(layout.sizes, dtype=float)
        count = layout.n_named
        given = read_weights(self.weights, count, "features" if self.groups is None else "groups")
        self.d = np.sqrt(sizes)
        if given is not None:
            self.d[:count] = given

    def lengths(self, b: np.ndarray) -> np.ndarray:
        """The length of each group, (G,)."""
        return np.sqrt(np.bincount(self.of, b * b, minlength=len(self.d)))

    def slopes(self, b: np.ndarray, lam: float) -> np.ndarray:
        """The derivative of phi at each group's length, over lam, (G,)."""
        level = np.where(self.d > 0.0, lam * self.d, 1.0)
        return np.where(self.d > 0.0, self.d * self._slope(self.lengths(b), level) / level, 0.0)

    def value(self, b: ArrayLike, lam: float = 1.0) -> float:
        """Omega_lam(b)."""
        read = self._read(b)
        own = self._at(read)
        held_back = own.d > 0.0
        return float(own._phi(own.lengths(read)[held_back], lam * own.d[held_back]).sum())

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """See Norm: of lengths, exact."""
        size = self.lengths(v)
        new = np.where(self.d > 0.0, self._scalar(size, t * np.where(self.d > 0, self.d, 1)), size)
        return v * np.divide(new, size, out=np.zeros_like(size), where=size > 0.0)[self.of]

    def dual_norm(self, z: np.ndarray) -> float:
        """The least lam at which 0 is stationary against z."""
        some = self.d > 0.0
        at_zero = self._slope(np.zeros(int(some.sum())), self.d[some]) / self.d[some]
        return float((self.lengths(z)[some] / (self.d[some] * at_zero)).max(initial=0.0))

    def _arguments(self):
        return f"groups={self.groups!r}, weights={self.weights!r}"

    def _phi(self, x, lam):
        raise NotImplementedError

    def _slope(self, x, lam):
        raise NotImplementedError

    def _scalar(self, x, lam):
        """argmin over u >= 0 of (u - x)^2 / 2 + phi(u; lam), for x >= 0."""
        raise NotImplementedError


class MCP(Concave):
    """The minimax concave penalty: ``phi' = lam - |b| / gamma`` up to gamma lam, 0 beyond.

    Parameters
    ----------
    gamma : float > 1, default 3.0
        How soon the penalty ends: towards 1 it is hard thresholding, towards inf the l1 norm.
    groups : sequence or mapping, default None
        As of :class:`GroupL2`, by the l2 norms of groups; None: single coefficients.
    weights : array-like, default None
        What lam is multiplied by for each feature, or group; None means 1, or the square roots of
        the sizes of groups.

    Raises
    ------
    ValueError, TypeError
        If gamma is no number above 1; when a path is fitted, if groups or weights do not fit.

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

    def _scalar(self, x, lam):
        firm = np.maximum(x - lam, 0.0) / (1.0 - 1.0 / self.gamma)
        return np.where(x <= self.gamma * lam, firm, x)


class SCAD(Concave):
    """Smoothly clipped: phi' = lam up to lam, then falling to 0 at gamma lam.

    Parameters
    ----------
    gamma : float > 2, default 3.7
        Where the penalty ends, in multiples of lam.
    groups, weights
        As of :class:`MCP`.

    Raises
    ------
    ValueError, TypeError
        If gamma is no number above 2; when a path is fitted, if groups or weights do not fit.

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

    def _scalar(self, x, lam):
        a = self.gamma
        middle = ((a - 1.0) * x - a * lam) / (a - 2.0)
        outer = np.where(x <= a * lam, middle, x)
        return np.where(x <= 2.0 * lam, np.maximum(x - lam, 0.0), outer)


class Log(Concave):
    """``phi = lam log(1 + |b| / epsilon)``: the reweighted l1 norm's own penalty.

    Parameters
    ----------
    epsilon : float > 0
        Size, on standardised columns, at which the penalty begins to flatten.
    groups, weights
        As of :class:`MCP`.

    Raises
    ------
    ValueError, TypeError
        If epsilon is no positive number; when a path is fitted, if groups or weights do not fit.

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

    def _scalar(self, x, lam):
        e = self.epsilon
        root = np.sqrt(np.maximum((x + e) ** 2 - 4.0 * lam, 0.0))
        u = np.maximum(0.5 * (x - e + root), 0.0)
        u = np.where((x + e) ** 2 >= 4.0 * lam, u, 0.0)
        return np.where(0.5 * (u - x) ** 2 + self._phi(u, lam) < 0.5 * x * x, u, 0.0)


class Bridge(Concave):
    """``phi = lam |b|^q``, 0 < q < 1, its slope at 0 taken a thousandth away.

    The slope of \\|b\\|^q at 0 is infinite and would keep every coefficient at 0, so that
    ``(|b| + 0.001)^q - 0.001^q`` is meant, on standardised columns.

    Parameters
    ----------
    q : float in (0, 1)
    groups, weights
        As of :class:`MCP`.

    Raises
    ------
    ValueError, TypeError
        If q is no number between 0 and 1; when a path is fitted, if groups or weights do not fit.

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

    def _scalar(self, x, lam):
        """The larger root of u - x + phi'(u), right of its least value, if it is better than 0."""
        q = self.q
        bend = (lam * q * (1.0 - q)) ** (1.0 / (2.0 - q)) - SMOOTHED  # where u + phi' is least
        low, u = np.maximum(bend, 0.0), np.array(x, dtype=float)
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
