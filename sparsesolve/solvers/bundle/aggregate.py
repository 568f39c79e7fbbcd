"""One aggregate plane in place of all: the line search variant of BMRM.

    maximise over s in [0, 1]   b + s (b_t - b) - |a + s (a_t - a)|^2 / (2 lam)

Given: planes <a_t, w> + b_t. Returned: the aggregate plane, the point w = -a / lam that it leads
to, and the lower bound b - |a|^2 / (2 lam).
Invariant: the aggregate is a convex combination of planes, so the bound holds and never falls.
It is coordinate ascent on the dual of all planes, by the Gauss-Southwell rule.
Reference: Saha, Zhang, Vishwanathan, "Lower bounds for BMRM and faster rates for training SVMs"
(2010), section 2, ls-bmrm.
"""

import numpy as np


class Aggregate:
    """The aggregate plane, with the methods of Planes; `share` is the last step's s."""

    def __init__(self, p, lam):
        self.lam, self.a, self.b, self.share = lam, np.zeros(p), -np.inf, 1.0

    @property
    def lower(self):
        """Lower bound, -inf before the first plane."""
        return self.b - float(self.a @ self.a) / (2.0 * self.lam)

    @property
    def point(self):
        """The point w = -a / lam."""
        return -self.a / self.lam

    def at_level(self, lam):
        """Continue at another lam."""
        self.lam = lam

    def add(self, a, b):
        """Step towards the plane <a, w> + b."""
        self.share = 1.0
        if self.b == -np.inf:
            self.a, self.b = a.copy(), b
            return
        towards = a - self.a
        curvature = float(towards @ towards) / self.lam
        gain = b - self.b - float(self.a @ towards) / self.lam
        if curvature > 0.0:
            self.share = min(max(gain / curvature, 0.0), 1.0)
        else:
            self.share = float(gain > 0.0)
        self.a = self.a + self.share * towards
        self.b += self.share * (b - self.b)
