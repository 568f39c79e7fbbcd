"""Elastic: the kernel norms and their squares, mixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparsesolve.data import read_number
from sparsesolve.mkl.norms.base import Norm
from sparsesolve.mkl.norms.l1 import L1


@dataclass(frozen=True)
class Elastic(Norm):
    """sum_m d_m (alpha n_m + (1 - alpha) unit n_m^2 / 2); unit is 1 in the user's units."""

    alpha: float = 0.5
    unit: float = 1.0
    name = "elastic"

    @property
    def ridge(self):
        return (1.0 - self.alpha) * self.unit

    def value(self, n, d):
        return float(d @ (self.alpha * n + 0.5 * self.ridge * n * n))

    def slope(self, n, d):
        return d * (self.alpha + self.ridge * n)

    def second_derivative(self, n, d):
        return np.diag(self.ridge * d)

    def prox(self, v, d, t):
        return np.maximum(v - t * self.alpha * d, 0.0) / (1.0 + t * self.ridge * d)

    def conjugate(self, s, d, lam):
        beyond = np.maximum(s - lam * self.alpha * d, 0.0)
        return float(0.5 * np.sum(beyond**2 / d) / (lam * self.ridge))

    def response(self, s, d, lam):
        return np.maximum(s - lam * self.alpha * d, 0.0) / (lam * self.ridge * d)

    def inactive_level(self, n, s, d, lam):
        return lam * self.alpha

    def first(self, sizes, null):
        return float(np.max(sizes, initial=0.0)) / max(self.alpha, 1e-3)

    def in_units(self, power):
        return Elastic(self.alpha, float(np.ldexp(self.unit, power))), power


def elastic(alpha: float = 0.5) -> Norm:
    """Return a mixture of the l1 norm and of half the squared l2 norm of the kernel norms.

    Parameters
    ----------
    alpha : float in (0, 1], default 0.5
        Share of the l1 norm.

    Returns
    -------
    norm
        For ``norm=`` of :func:`sparsesolve.mkl_path`.

    Raises
    ------
    ValueError, TypeError
        If `alpha` is not above 0 and at most 1.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> kernels = [np.outer(x, x) for x in X.T]  # one for each column
    >>> fit = ss.mkl_path(kernels, X[:, 0] + X[:, 1], norm=ss.mkl.elastic(0.9), n_lambdas=10)
    >>> fit.active(0.5 * fit.lambdas[0])
    array([0, 1])
    """
    alpha = read_number("alpha", alpha, 0, 1, open_low=True)
    return L1() if alpha == 1.0 else Elastic(alpha)
