"""Norm: the contract, a convex function phi of the vector of kernel norms.

    n_m = ||f_m||        d_m the weight of kernel m

A norm knows neither samples nor kernels; lambda is an argument. Where lam phi has its conjugate
is what certificates need of it: with s_m = sqrt(u'K_m u) the dual objective is
-F*(-u) - (lam phi)*(s).
Reference: Bach et al. 2012, sections 1.4 and 9.
"""

from dataclasses import dataclass

import numpy as np

FIRST_SHARE = 0.01  # of the null objective: what the first lambda of a squared norm can explain


@dataclass(frozen=True)
class Norm:
    """phi; a subclass is one of the formulas that stand in this folder's __init__."""

    name = ""
    sparse = True  # whether kernels can have norm 0 beside others that have not
    squared = False  # whether phi has degree 2: no lambda is so large that all norms are 0
    whole = False  # whether phi wants the norms of all kernels, not of some of them

    def refuse(self, M, kernel_weights):
        """Raise ValueError where the norm does not fit M kernels of these weights."""

    def value(self, n, d):
        """phi of the norms (k,) of kernels with weights d (k,)."""
        raise NotImplementedError

    def slope(self, n, d):
        """Its gradient (k,), at n_m = 0 from the right."""
        raise NotImplementedError

    def bend(self, n, d):
        """Its second derivative (k, k)."""
        raise NotImplementedError

    def reach(self, n):
        """How far down a step from n may go, (k,) at most 0."""
        return -n

    def move(self, n, t):
        """The norms (k,) that a step t from n leads to, n + t to first order."""
        return np.maximum(n + t, 0.0)

    def prox(self, v, d, t):
        """argmin over x >= 0 of |x - v|^2 / 2 + t phi(x), for v (k,) at least 0."""
        raise NotImplementedError

    def scale(self, s, d, lam):
        """The largest c <= 1 for which (lam phi)*(c s) is finite."""
        return 1.0

    def conjugate(self, s, d, lam):
        """(lam phi)*(s) where it is finite, s (k,)."""
        raise NotImplementedError

    def response(self, s, d, lam):
        """Norms (k,) at which lam phi has the gradient s, or one of them: to start from."""
        raise NotImplementedError

    def quiet(self, n, s, d, lam):
        """A level c (the kernels': s_m <= c d_m) under which others change no certificate."""
        raise NotImplementedError

    def first(self, sizes, null):
        """Where the path starts: the least lambda with all norms 0, or with little explained."""
        raise NotImplementedError

    def in_units(self, power):
        """(the same norm, power of lambda) for responses divided by 2**power."""
        return self, 0
