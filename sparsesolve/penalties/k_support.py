"""The k-support norm: the tightest convex norm for vectors with k nonzero entries and length 1.

    Omega*(z) = sqrt of the sum of the k largest squares of z

It is a tighter relaxation than the elastic net. k = 1 is the l1 norm, k = p the l2 norm.
"""

from typing import Any

import numpy as np

from sparsesolve.penalties.forms import on_support
from sparsesolve.penalties.norm import Norm
from sparsesolve.penalties.prox.ordered import shrinkage


class KSupport(Norm):
    """The gauge of the convex hull of vectors with k nonzero coefficients and l2 norm 1.

    Parameters
    ----------
    k : int >= 1
        How many coefficients are meant to be nonzero.

    Raises
    ------
    ValueError, TypeError
        If k is not a whole number of at least 1; when a path is fitted, if it is above p.

    References
    ----------
    Argyriou, Foygel, Srebro (2012), "Sparse prediction with the k-support norm".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.KSupport(2).polar([3.0, -4.0, 1.0])
    5.0
    >>> penalties.KSupport(1).value([3.0, -4.0, 1.0])
    8.0
    """

    def __init__(self, k: int):
        if isinstance(k, bool) or not hasattr(k, "__index__"):
            raise TypeError(f"k must be a whole number, not {k!r}")
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        self.k = int(k)

    def _arguments(self):
        return repr(self.k)

    def _bind(self, names):
        if self.k > self.n_features:
            raise ValueError(f"k is {self.k}, and there are {self.n_features} features")

    def part(self, which: np.ndarray) -> Any:
        return KSupport(min(self.k, len(which))).over(len(which))

    def norm(self, b: np.ndarray) -> float:
        """Return the norm.

        The k - r - 1 largest sizes enter by their squares, the others by the square of their sum.
        """
        top, share, count = self._split(b)
        return float(np.sqrt(np.sum(b[top] ** 2) + count * share**2))

    def _split(self, b):
        """Return the largest sizes (p,) bool, the share of the others, and how many share.

        The share is the sum of the other sizes divided by their count r + 1 in the norm.
        """
        x, k = np.sort(np.abs(b))[::-1], self.k
        rest = np.cumsum(x[::-1])[::-1]  # sums from each place to the end
        for r in range(k):
            share = rest[k - r - 1] / (r + 1)
            if x[k - r - 1] <= share * (1.0 + 1e-14) and (r == k - 1 or x[k - r - 2] > share):
                break
        top = np.zeros(len(b), dtype=bool)
        top[np.argsort(-np.abs(b), kind="stable")[: k - r - 1]] = True
        return top, share, r + 1

    def tangent(self, b: np.ndarray) -> Any:
        """Return the nonzero coefficients as directions.

        Half the square of the norm has the second derivatives 1 of the largest coefficients, and
        the outer product of the signs, divided by r + 1, of the others.
        """
        size = self.norm(b) or 1.0
        top, share, count = self._split(b)
        found = on_support(b, np.where(top, b, share * np.sign(b)) / size)
        which = np.flatnonzero(b)
        signs = np.where(top, 0.0, np.sign(b))[which] / np.sqrt(count)
        g = found.gradient
        C = (np.diag(top[which] * 1.0) + np.outer(signs, signs) - np.outer(g, g)) / size
        return found._replace(curvature=lambda z: C)

    def majorant(self, b: np.ndarray, smoothing: float) -> np.ndarray:
        """Return w (p,) with Omega <= sum_j w_j b_j^2 / 2 + constant, equal near b.

        Omega^2 is the least of sum_j b_j^2 / eta_j over eta within [0, 1] of sum k.
        """
        x = np.hypot(b, smoothing)
        top, share, _ = self._split(x)
        return np.where(top, 1.0, share / x) / self.norm(x)

    def dual_norm(self, z: np.ndarray) -> float:
        return float(np.sqrt(np.sum(np.partition(z * z, len(z) - self.k)[len(z) - self.k :])))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """Return v minus its projection onto the ball of radius t of the dual norm."""
        if self.dual_norm(v) <= t:
            return np.zeros_like(v)
        if t == 0.0:
            return v.copy()
        size = np.abs(v)
        m, level = shrinkage(np.sort(size)[::-1].copy(), self.k, t)
        shrunk = np.minimum(size, np.maximum(level, size / (1.0 + m)))
        return np.copysign(size - shrunk, v)
