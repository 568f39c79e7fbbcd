"""L1: the sum of the kernel norms, a group lasso over kernels."""

from dataclasses import dataclass

import numpy as np

from sparsesolve.mkl.norms.base import Norm


@dataclass(frozen=True)
class L1(Norm):
    """The norm sum_m d_m n_m."""

    name = "l1"

    def value(self, n, d):
        return float(d @ n)

    def slope(self, n, d):
        return d.copy()

    def second_derivative(self, n, d):
        return np.zeros((len(n), len(n)))

    def prox(self, v, d, t):
        return np.maximum(v - t * d, 0.0)

    def scale(self, s, d, lam):
        most = np.max(s / d, initial=0.0)
        return 1.0 if most <= lam else lam / most

    def conjugate(self, s, d, lam):
        return 0.0

    def response(self, s, d, lam):
        return np.zeros(len(s))

    def inactive_level(self, n, s, d, lam):
        return lam

    def first(self, sizes, null):
        return float(np.max(sizes, initial=0.0))

    def in_units(self, power):
        return self, power
