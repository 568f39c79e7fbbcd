"""Berhu and ExclusiveLasso: convex penalties with squares, which are no norms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.penalties.forms import on_support
from sparsesolve.penalties.groups import NormOfGroups, held_weights, read_groups
from sparsesolve.penalties.norm import Norm, read_number, read_weights


class Berhu(Norm):
    r"""The reversed Huber function of every coefficient: an l1 norm that becomes a square.

    :math:`\Omega(b) = \sum_j w_j h(b_j)`, with :math:`h(x) = |x|` up to delta and
    :math:`(x^2 + \delta^2) / (2 \delta)` beyond.

    Parameters
    ----------
    delta : float > 0, default 1.0
        Size of a coefficient, on standardised columns, from which it is penalised by its square.
    weights : array-like (p,) or mapping from names, default None
        w_j > 0 of each feature; None means 1.

    Raises
    ------
    ValueError, TypeError
        If delta is not a positive number; when a path is fitted, if weights do not fit.

    References
    ----------
    Owen (2007), "A robust hybrid of lasso and ridge regression".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.Berhu().prox([0.5, 1.5, 6.0], 1.0)
    array([0. , 0.5, 3. ])
    """

    homogeneous = False

    def __init__(self, delta: float = 1.0, weights: ArrayLike | None = None):
        self.delta = read_number("delta", delta, inclusive=False)
        self.weights = held_weights(weights)

    def _arguments(self):
        return f"{self.delta!r}, weights={self.weights!r}"

    def _bind(self, names):
        w = read_weights(self.weights, self.n_features, "features", names)
        self._w = np.ones(self.n_features) if w is None else w
        if not (self._w > 0.0).all():
            j = int(np.argmin(self._w))
            raise ValueError(f"weights has 0 for feature {j}; give a positive one")

    def norm(self, b: np.ndarray) -> float:
        x, d = np.abs(b), self.delta
        return float(self._w @ np.where(x <= d, x, x * (x / (2.0 * d)) + 0.5 * d))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        x, t = np.abs(v), t * self._w
        small = np.maximum(x - t, 0.0)
        return np.copysign(np.where(x <= self.delta + t, small, x / (1.0 + t / self.delta)), v)

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the least lam for which b = 0 is optimal: the maximum of ``|z_j| / w_j``."""
        return float((np.abs(z) / self._w).max(initial=0.0))

    def conjugate(self, z: ArrayLike, lam: float) -> float:
        """Return ``sup_b z'b - lam Omega(b)``."""
        read = self._read(z)
        own = self._at(read)
        level = lam * own._w
        over = np.maximum(np.abs(read) - level, 0.0)
        return float((over * ((0.5 * over / level + 1.0) * self.delta)).sum())

    def feasible_scale(self, z: ArrayLike, lam: float) -> float:
        """Return 1: the conjugate is finite everywhere."""
        return 1.0

    def part(self, which: np.ndarray) -> Any:
        return Berhu(self.delta, self._w[which]).over(len(which))

    def tangent(self, b: np.ndarray) -> Any:
        """Return the nonzero coefficients as directions: h is smooth there."""
        large = np.abs(b) > self.delta
        slope = self._w * np.where(large, b / self.delta, np.sign(b))
        curvature = (self._w * large / self.delta)[b != 0.0]
        return on_support(b, slope)._replace(curvature=lambda z: np.diag(curvature))


class ExclusiveLasso(NormOfGroups):
    r"""The exclusive lasso: sparse within each group, and no group is empty.

    :math:`\Omega(b) = \sum_g \lVert b_g \rVert_1^2 / 2`.

    No lambda makes all coefficients 0, so give ``lambdas``.

    Parameters
    ----------
    groups : sequence or mapping, default None
        Groups as :class:`GroupL2` takes them; None: one group of all features.

    Raises
    ------
    ValueError, TypeError
        When a path is fitted, if groups do not fit the features, or no lambdas are given.

    References
    ----------
    Zhou, Jin, Hoi (2010), "Exclusive lasso for multi-task feature selection". Campbell, Allen
    (2017), "Within group variable selection through the exclusive lasso".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.ExclusiveLasso([0, 0, 1]).prox([3.0, 1.0, 1.0], 1.0)
    array([1.5, 0. , 0.5])
    """

    homogeneous = False

    def __init__(self, groups: Any = None):
        super().__init__(groups)

    def _arguments(self):
        return f"{self.groups!r}"

    def _bind(self, names):
        p = self.n_features
        layout = read_groups([0] * p if self.groups is None else self.groups, p, names)
        self._of = np.asarray(layout.of)
        self._members = np.split(np.asarray(layout.member), np.asarray(layout.start)[1:-1])

    def _sums(self, b):
        return np.bincount(self._of, np.abs(b), minlength=len(self._members))

    def norm(self, b: np.ndarray) -> float:
        return 0.5 * float(np.sum(self._sums(b) ** 2))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """Return the prox: soft thresholding by group, at t times the l1 norm of the result."""
        size, levels = np.abs(v), np.zeros(len(self._members))
        for g, which in enumerate(self._members):
            x = np.sort(size[which])[::-1]
            levels[g] = (np.cumsum(x) / (1.0 / t + np.arange(1, len(x) + 1))).max(initial=0.0)
        return np.copysign(np.maximum(size - levels[self._of], 0.0), v)

    def dual_norm(self, z: np.ndarray) -> float:
        """Return inf unless z is 0: no lam makes b = 0 optimal."""
        return np.inf if z.any() else 0.0

    def conjugate(self, z: ArrayLike, lam: float) -> float:
        """Return ``sum_g max |z_g|^2 / (2 lam)``."""
        read = self._read(z)
        largest = np.zeros(len(self._at(read)._members))
        np.maximum.at(largest, self._at(read)._of, np.abs(read))
        return float(largest @ largest) / (2.0 * lam)

    def feasible_scale(self, z: ArrayLike, lam: float) -> float:
        """Return 1: the conjugate is finite everywhere."""
        return 1.0

    def part(self, which: np.ndarray) -> Any:
        return ExclusiveLasso(self._of[which]).over(len(which))

    def tangent(self, b: np.ndarray) -> Any:
        """Return the nonzero coefficients as directions.

        The second derivative of a group is the outer product of its signs.
        """
        sign, which = np.sign(b), np.flatnonzero(b)
        rows = sparse.csr_array(
            (sign[which], (np.arange(len(which)), self._of[which])),
            (len(which), len(self._members)),
        )
        found = on_support(b, self._sums(b)[self._of] * sign)
        return found._replace(curvature=lambda z: (rows @ rows.T).toarray())
