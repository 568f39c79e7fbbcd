"""Norm: the contract of a convex function phi of the vector of kernel norms.

    n_m = ||f_m||        d_m the weight of kernel m

A norm knows neither samples nor kernels, and lambda is an argument. Certificates need its
conjugate: with s_m = sqrt(u'K_m u) the dual objective is -F*(-u) - (lam phi)*(s).
Reference: Bach et al. 2012, sections 1.4 and 9.
"""

from dataclasses import dataclass

import numpy as np

# The first lambda of a squared norm explains this share of the null objective.
FIRST_SHARE = 0.01


@dataclass(frozen=True)
class Norm:
    """The function phi. A subclass is one of the formulas in this folder's __init__."""

    name = ""
    sparse = True  # True if some kernels can have norm 0 while others do not
    squared = False  # True if phi has degree 2: no lambda makes all norms 0
    whole = False  # True if phi needs the norms of all kernels, not of some of them

    def refuse(self, M, kernel_weights):
        """Raise ValueError if the norm does not fit M kernels with these weights."""

    def value(self, n, d):
        """Return phi of the norms (k,) of kernels with weights d (k,)."""
        raise NotImplementedError

    def slope(self, n, d):
        """Return the gradient (k,), at n_m = 0 from the right."""
        raise NotImplementedError

    def second_derivative(self, n, d):
        """Return the second derivative (k, k)."""
        raise NotImplementedError

    def reach(self, n):
        """Return the lower bounds (k,) <= 0 of a step from n."""
        return -n

    def move(self, n, t):
        """Return the norms (k,) after a step t from n; to first order they are n + t."""
        return np.maximum(n + t, 0.0)

    def prox(self, v, d, t):
        """Return argmin over x >= 0 of |x - v|^2 / 2 + t phi(x), for v (k,) at least 0."""
        raise NotImplementedError

    def scale(self, s, d, lam):
        """Return the largest c <= 1 for which (lam phi)*(c s) is finite."""
        return 1.0

    def conjugate(self, s, d, lam):
        """Return (lam phi)*(s) where it is finite, s (k,)."""
        raise NotImplementedError

    def response(self, s, d, lam):
        """Return norms (k,) at which lam phi has the gradient s, as a start."""
        raise NotImplementedError

    def inactive_level(self, n, s, d, lam):
        """Return a level c: kernels with s_m <= c d_m change no certificate."""
        raise NotImplementedError

    def first(self, sizes, null):
        """Return the first lambda of a path: the least with all norms 0, or with little
        explained.
        """
        raise NotImplementedError

    def in_units(self, power):
        """Return (the norm in other units, power of lambda) for responses divided by 2**power."""
        return self, 0
