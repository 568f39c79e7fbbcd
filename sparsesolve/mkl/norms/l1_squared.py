"""L1Squared: half the square of the sum, the classical form of multiple kernel learning."""

from dataclasses import dataclass

import numpy as np

from sparsesolve.mkl.norms.base import FIRST_SHARE, Norm
from sparsesolve.penalties.prox.powers import squared_l1_lengths


@dataclass(frozen=True)
class L1Squared(Norm):
    """The norm (sum_m d_m n_m)^2 / 2."""

    name = "l1_squared"
    squared = True

    def value(self, n, d):
        return 0.5 * float(d @ n) ** 2

    def slope(self, n, d):
        return d * (d @ n)

    def second_derivative(self, n, d):
        return np.outer(d, d)

    def prox(self, v, d, t):
        return squared_l1_lengths(v, d, t)

    def conjugate(self, s, d, lam):
        return 0.5 * np.max(s / d, initial=0.0) ** 2 / lam

    def response(self, s, d, lam):
        n = np.zeros(len(s))
        if len(s):
            m = int(np.argmax(s / d))
            n[m] = s[m] / d[m] ** 2 / lam
        return n

    def inactive_level(self, n, s, d, lam):
        return max(np.max(s / d, initial=0.0), lam * float(d @ n))

    def first(self, sizes, null):
        return float(np.max(sizes, initial=0.0)) ** 2 / (2.0 * FIRST_SHARE * max(null, 1e-300))
