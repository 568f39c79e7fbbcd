"""Exclusive lasso: the features of a group compete, so that every group keeps some.

    Omega(b) = sum_g |b_g|_1^2 / 2

It is not a norm. b = 0 is optimal for no lambda, so lambdas must be given.
References: Zhou, Jin, Hoi, "Exclusive lasso for multi-task feature selection" (2010); Campbell,
Allen, "Within group variable selection through the exclusive lasso" (2017).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.penalties.groups import NormOfGroups, read_groups
from sparsesolve.penalties.tangent import on_support


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
