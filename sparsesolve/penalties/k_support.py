"""The k-support norm: the tightest convex norm for vectors with k nonzero entries and length 1.

    Omega*(z) = sqrt of the sum of the k largest squares of z

Its unit ball is the convex hull of vectors with k nonzero coefficients and l2 norm 1. It is a
tighter relaxation than the elastic net. k = 1 is the l1 norm, k = p the l2 norm.
Reference: Argyriou, Foygel, Srebro, "Sparse prediction with the k-support norm" (2012).
"""

from typing import Any

import numpy as np

from sparsesolve.penalties.norm import Norm

# Most bisection steps for the multiplier of the projection; doubles need some 60.
STEPS = 200
# Relative width at which the bracket of the multiplier counts as closed.
CLOSE = 1e-15


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
        """Return the penalty on the features `which` alone."""
        return KSupport(min(self.k, len(which))).over(len(which))

    def norm(self, b: np.ndarray) -> float:
        """Return the norm.

        The k - r - 1 largest sizes enter by their squares, the others by the square of their sum.
        """
        x, k = np.sort(np.abs(b))[::-1], self.k
        rest = np.cumsum(x[::-1])[::-1]  # sums from each place to the end
        for r in range(k):
            share = rest[k - r - 1] / (r + 1)
            if x[k - r - 1] <= share * (1.0 + 1e-14) and (r == k - 1 or x[k - r - 2] > share):
                break
        return float(np.sqrt(np.sum(x[: k - r - 1] ** 2) + share * rest[k - r - 1]))

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the dual norm of z."""
        return float(np.sqrt(np.sum(np.partition(z * z, len(z) - self.k)[len(z) - self.k :])))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """Return v minus its projection onto the ball of radius t of the dual norm."""
        if self.dual_norm(v) <= t:
            return np.zeros_like(v)
        x = np.sort(np.abs(v))[::-1]
        # Bracket of the multiplier m: the projection shrinks the sizes that count by 1 + m.
        low, high = 0.0, 1.0
        while self._length(x, high) > t:
            low, high = high, 4.0 * high
        for _ in range(STEPS):
            m = 0.5 * (low + high)
            low, high = (m, high) if self._length(x, m) > t else (low, m)
            if high - low <= CLOSE * high:
                break
        level = self._level(x, high)
        shrunk = np.minimum(np.abs(v), np.maximum(level, np.abs(v) / (1.0 + high)))
        return np.copysign(np.abs(v) - shrunk, v)

    def _length(self, x, m):
        """Return the dual norm of decreasing sizes x (p,) after shrinkage with the multiplier m.
        """
        shrunk = np.minimum(x, np.maximum(self._level(x, m), x / (1.0 + m)))
        return np.sqrt(np.sum(np.sort(shrunk)[::-1][: self.k] ** 2))

    def _level(self, x, m):
        """Return the level at which the shares clip((x / level - 1) / m, 0, 1) of the squares sum
        to k.
        """
        if not m > 0.0:
            return x[self.k - 1]
        sums = np.r_[0.0, np.cumsum(x)]

        def excess(s):  # at levels 1 / s: piecewise linear in s and increasing
            over = np.searchsorted(-x, -1.0 / s, side="left")
            full = np.searchsorted(-x, -(1.0 + m) / s, side="left")
            return (s * sums[over] - over - s * sums[full] + (1.0 + m) * full) / m - self.k

        with np.errstate(divide="ignore"):
            kinks = np.sort(np.concatenate([1.0 / x, (1.0 + m) / x]))
        kinks = kinks[np.isfinite(kinks)]
        values = excess(kinks)
        at = int(np.searchsorted(values, 0.0))
        if at == 0 or at == len(kinks):
            return 0.0 if at else 1.0 / kinks[0]
        a, b, left, right = kinks[at - 1], kinks[at], values[at - 1], values[at]
        return 1.0 / (a - left * (b - a) / (right - left))
