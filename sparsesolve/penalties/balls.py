"""Balls: constraints in place of penalties. The prox is the projection onto the ball for every t.

    Omega(b) = 0 where N(b) <= radius, and inf elsewhere;    (lam Omega)*(z) = radius N*(z)
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.groups import held, held_weights, weighted_groups
from sparsesolve.penalties.norm import read_number
from sparsesolve.penalties.prox import project_elastic_net, project_l1, project_l2, project_linf
from sparsesolve.penalties.prox.balls import lengths, near_one, project_lengths, shared_level

# A point whose norm is at most this multiple of the radius counts as inside the ball; the excess
# is rounding.
INSIDE = 1.0 + 1e-9


def _sum(x):
    return float(np.abs(x).sum())


def _largest(x):
    return float(np.abs(x).max(initial=0.0))


def _length(x):
    near, power = near_one(x)
    return float(np.ldexp(np.linalg.norm(near), power))


class L1Ball:
    r"""The l1 ball, a constraint in place of a penalty.

    :math:`\sum_j |b_j| \le r`, r the radius. Give ``path(..., lambdas=[1.0])``: lambda has no
    effect.

    Parameters
    ----------
    radius : float > 0
        Size of the ball, in the units of the coefficients.

    Raises
    ------
    ValueError, TypeError
        If the radius is not a positive number.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> fit = ss.path(X, X[:, 0] + X[:, 1], penalty=ss.penalties.L1Ball(1.0), lambdas=[1.0])
    >>> round(float(np.abs(fit.coef(1.0)).sum()), 6)
    1.0
    """

    def __init__(self, radius: float):
        self.radius = read_number("radius", radius, inclusive=False)

    def __repr__(self):
        return f"{type(self).__name__}({self.radius!r})"

    def value(self, b: ArrayLike) -> float:
        """Return 0 inside the ball and inf outside."""
        return 0.0 if self._norm(np.asarray(b, dtype=float)) <= self.radius * INSIDE else np.inf

    def prox(self, v: ArrayLike, t: float = 1.0) -> np.ndarray:
        """Return the point of the ball that is nearest to v. It is the same for all t > 0."""
        return self._project(v) if t > 0.0 else np.array(v, dtype=float)

    def polar(self, z: ArrayLike) -> float:
        """Return 0 if z is 0 and inf otherwise: no lambda makes b = 0 optimal."""
        return np.inf if np.any(z) else 0.0

    def conjugate(self, z: ArrayLike, lam: float = 1.0) -> float:
        """Return the maximum of z'b over the ball."""
        return self.radius * self._dual(np.asarray(z, dtype=float))

    def feasible_scale(self, z: ArrayLike, lam: float = 1.0) -> float:
        """Return 1: the conjugate is finite everywhere."""
        return 1.0

    # The projection, the norm and its dual, for a subclass to replace.
    _projection = staticmethod(project_l1)
    _norm = staticmethod(_sum)
    _dual = staticmethod(_largest)

    def _project(self, v):
        return self._projection(v, self.radius)


class L2Ball(L1Ball):
    r"""The l2 ball, a constraint: see :class:`L1Ball`.

    :math:`\sum_j b_j^2 \le r^2`, r the radius.

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.L2Ball(1.0).prox([3.0, 4.0])
    array([0.6, 0.8])
    """

    _projection = staticmethod(project_l2)
    _norm = _dual = staticmethod(_length)


class LinfBall(L1Ball):
    r"""The l-infinity ball, a constraint: see :class:`L1Ball`.

    :math:`\max_j |b_j| \le r`, r the radius.

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.LinfBall(1.0).prox([3.0, -0.5])
    array([ 1. , -0.5])
    """

    _projection = staticmethod(project_linf)
    _norm = staticmethod(_largest)
    _dual = staticmethod(_sum)


class ElasticNetBall(L1Ball):
    r"""The elastic-net ball, a constraint: see :class:`L1Ball`.

    :math:`\sum_j |b_j| + \gamma b_j^2 / 2 \le r`, r the radius.

    Parameters
    ----------
    gamma : float > 0
        Weight of the squares.

    Raises
    ------
    ValueError, TypeError
        If radius or gamma is not a positive number.

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.ElasticNetBall(2.0, 1.0).prox([3.0, -1.0, 0.5]).round(4)
    array([ 1.1909, -0.0954,  0.    ])
    """

    def __init__(self, radius: float, gamma: float):
        super().__init__(radius)
        self.gamma = read_number("gamma", gamma, inclusive=False)

    def __repr__(self):
        return f"ElasticNetBall({self.radius!r}, {self.gamma!r})"

    def _project(self, v):
        return project_elastic_net(v, self.radius, self.gamma)

    def _norm(self, b):
        return float((np.abs(b) + 0.5 * self.gamma * b**2).sum())

    def _dual(self, z):
        """Return the maximum of z'b over the ball, over its radius.

        It is the least over m of m radius + sum_j (|z_j| - m)_+^2 / (2 m gamma).
        """
        near, power = near_one(np.abs(z))
        m = np.sqrt(shared_level(near**2, 0.0, 2.0 * self.gamma * self.radius))
        if not m > 0.0:
            return 0.0
        rest = np.sum(np.maximum(near - m, 0.0) ** 2) / (2.0 * m * self.gamma)
        return float(np.ldexp(m + rest / self.radius, power))


class GroupBall(L1Ball):
    r"""The group-lasso ball, a constraint: see :class:`L1Ball`.

    :math:`\sum_g d_g \lVert b_g \rVert_2 \le r`, r the radius.

    Parameters
    ----------
    groups : sequence or mapping
        Groups as :class:`GroupL2` takes them.
    weights : array-like (G,) or mapping from labels, default None
        d_g > 0, in the order in which groups first appear; None means 1.

    Raises
    ------
    ValueError, TypeError
        If the radius is not a positive number; when a path is fitted, if groups or weights do not
        fit.

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.GroupBall(["a", "a", "b"], 2.0).prox([3.0, 4.0, 1.0])
    array([1.2, 1.6, 0. ])
    """

    def __init__(self, groups: Any, radius: float, weights: Any = None):
        super().__init__(radius)
        self.groups, self.weights = held(groups), held_weights(weights)
        self._of, self._d = np.empty(0, dtype=int), np.empty(0)  # set by `over`

    def __repr__(self):
        return f"GroupBall({self.groups!r}, {self.radius!r}, weights={self.weights!r})"

    def over(self, n_features: int, names: Any = None) -> GroupBall:
        """Return the ball for `n_features` features; raise ValueError if it does not fit them."""
        bound = copy(self)
        bound._of, bound._d = weighted_groups(self.groups, self.weights, n_features, names)
        return bound

    def _on(self, b):
        """Return the ball for the features of b (p,)."""
        return self if len(self._of) == len(b) else self.over(len(b))

    def _lengths(self, z):
        return lengths(self._of, z, len(self._d))

    def _project(self, v):
        x, own = np.array(v, dtype=float), self._on(v)
        return project_lengths(x, self.radius, own._of, own._d)

    def _norm(self, b):
        own = self._on(b)
        return float(own._d @ own._lengths(b))

    def _dual(self, z):
        own = self._on(z)
        return float((own._lengths(z) / own._d).max())
