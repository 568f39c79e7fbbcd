"""Lp: half the square of an lr norm; kernel weights then lie in the lp ball.

Reference: Kloft et al. 2011, "lp-norm multiple kernel learning", JMLR 12 (p is theirs).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsesolve.data import read_number
from sparsesolve.mkl.norms.base import FIRST_SHARE, Norm
from sparsesolve.mkl.norms.l1_squared import L1Squared

# One step reduces the slope to no less than this share of it: no norm can be 0.
KEEP = 0.01
# One step raises the slope to at most this multiple of it.
GROW = 1e3
# A step makes a norm at most this many times as large.
MOST = 1e9


@dataclass(frozen=True)
class Lp(Norm):
    """The norm (sum_m (d_m n_m)^r)^(2/r) / 2 with r = 2p / (p + 1) in (1, 2)."""

    p: float = 2.0
    name = "lp"
    sparse = False
    squared = True

    @property
    def r(self):
        return 2.0 * self.p / (self.p + 1.0)

    def _size(self, v, r):
        most = np.max(v, initial=0.0)
        return most * np.sum((v / most) ** r) ** (1.0 / r) if most > 0.0 else 0.0

    def value(self, n, d):
        return 0.5 * self._size(d * n, self.r) ** 2

    def slope(self, n, d):
        v, size = d * n, self._size(d * n, self.r)
        return d * size * (v / size) ** (self.r - 1.0) if size > 0.0 else np.zeros(len(n))

    def second_derivative(self, n, d):
        r, size = self.r, self._size(d * n, self.r)
        v = np.maximum(d * n / max(size, 1e-300), 1e-100)
        a = d * v ** (r - 1.0)
        return (2.0 - r) * np.outer(a, a) + np.diag((r - 1.0) * d * d * v ** (r - 2.0))

    def reach(self, n):
        return -(1.0 - KEEP) * n / (self.r - 1.0)

    def move(self, n, t):
        """Move along the power law of the slope: a straight step could not follow n to 1e-30."""
        share = np.divide(t, n, out=np.zeros_like(n), where=n > 0.0)
        farthest = min(GROW, MOST ** (self.r - 1.0) - 1.0) / (self.r - 1.0)
        share = np.minimum(share, farthest)
        return n * (1.0 + (self.r - 1.0) * share) ** (1.0 / (self.r - 1.0))

    def conjugate(self, s, d, lam):
        return 0.5 * self._size(s / d, self.r / (self.r - 1.0)) ** 2 / lam

    def response(self, s, d, lam):
        dual = self.r / (self.r - 1.0)
        size = self._size(s / d, dual)
        if size == 0.0:
            return np.zeros(len(s))
        return size * (s / d / size) ** (dual - 1.0) / d / lam

    def inactive_level(self, n, s, d, lam):
        return 0.0

    def first(self, sizes, null):
        size = self._size(sizes, self.r / (self.r - 1.0))
        return size**2 / (2.0 * FIRST_SHARE * max(null, 1e-300))


def lp(p: float = 2.0) -> Norm:
    """Return the norm with kernel weights in the lp ball, as in Kloft et al. (2011).

    Parameters
    ----------
    p : float >= 1, default 2
        1 is "l1_squared"; with a larger p the kernels' shares are more equal.

    Returns
    -------
    norm
        For ``norm=`` of :func:`sparsesolve.mkl_path`.

    Raises
    ------
    ValueError, TypeError
        If `p` is below 1 or not finite.

    References
    ----------
    Kloft, Brefeld, Sonnenburg, Zien (2011), "lp-norm multiple kernel learning".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> kernels = [np.outer(x, x) for x in X.T]  # one for each column
    >>> fit = ss.mkl_path(kernels, X[:, 0] + X[:, 1], norm=ss.mkl.lp(1.5), n_lambdas=10)
    >>> fit.df[-1]  # all of them
    np.int64(4)
    """
    p = read_number("p", p, 1, np.inf)
    return L1Squared() if p == 1.0 else Lp(p)
