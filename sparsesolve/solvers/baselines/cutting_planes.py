"""Cutting planes of a convex risk: bundle methods (BMRM) and Pegasos, which is one of them.

    minimise over w   J(w) = lam |w|^2 / 2 + R(w),      R convex

Given: an oracle w -> (R(w), a, b, tag) whose plane <a, .> + b lies below R and touches it at w,
and a model of R by such planes. `tag` is an array that describes a plane, as a dual point does.
Returned: the best w so far, J there, a lower bound of the minimum, and the tags mixed with the
model's weights of planes. Invariant: the bound never exceeds the minimum of J. J(w_t) may rise, so
the best point is kept.

A model keeps all planes (planes.pyx, qp-BMRM); or one aggregate plane, which a line search moves
towards the new one (ls-BMRM); or the mean of all planes (Pegasos): with steps 1 / (lam t) along
subgradients w is -a / lam for the mean a, but for a ball that holds the minimiser.

Reference: Teo, Vishwanathan, Smola, Le, "Bundle methods for regularized risk minimization"
(2010), algorithm 1; Saha, Zhang, Vishwanathan, "Lower bounds for BMRM and faster rates for
training SVMs" (2010), section 2; Shalev-Shwartz, Singer, Srebro, "Pegasos: primal estimated
sub-gradient solver for SVM" (2007). One row a step is in pegasos_rows.pyx.
"""

import numpy as np


class CuttingPlanes:
    """A method of cutting planes step by step.

    Parameters
    ----------
    oracle : callable w -> (risk, a, b, tag or None)
    lam : float > 0
    start : (p,) the first w
    model : Planes, Aggregate or Mean
    """

    def __init__(self, oracle, lam, start, model):
        self.oracle, self.lam, self.model = oracle, lam, model
        self.tags, self.mixed, self.best_mixed = {}, None, None
        self.w, self.best, self.least, self.objective = start, start, np.inf, np.inf
        self.lower = -np.inf
        self._evaluate()

    def _evaluate(self):
        """Call the oracle at w, and keep w if it is the best."""
        risk, *self.plane = self.oracle(self.w)
        self.objective = risk + 0.5 * self.lam * float(self.w @ self.w)
        if self.objective < self.least:
            self.best, self.least, self.risk = self.w, self.objective, risk

    def step(self):
        """Add the plane at w, move to the model's minimum and evaluate J there."""
        a, b, tag = self.plane
        slot = self.model.add(a, b)
        if tag is not None and slot is not None:
            self.tags[slot] = tag
        elif tag is not None:
            share = self.model.share
            self.mixed = tag if self.mixed is None else self.mixed + share * (tag - self.mixed)
        if self.model.lower > self.lower:
            self.lower, self.best_mixed = self.model.lower, self.mixed
        self.w = self.model.point
        self._evaluate()

    def mixed_tag(self):
        """Return the combination of the tags that gives the lower bound; None before a step."""
        if not self.tags:
            return self.best_mixed
        return sum(weight * self.tags[slot]
                   for slot, weight in enumerate(self.model.weights) if weight > 0.0)  # fmt: skip

    def at_level(self, lam):
        """Continue at another lam: the planes belong to R, and are kept."""
        self.lam = lam
        self.least = np.inf
        self.model.at_level(lam)
        self.lower, self.best_mixed = self.model.lower, self.mixed
        if self.lower > -np.inf:
            self.w = self.model.point
        self._evaluate()


class Aggregate:
    """One aggregate plane <a, w> + b in place of all, a convex combination of them.

        maximise over s in [0, 1]   b + s (b_t - b) - |a + s (a_t - a)|^2 / (2 lam)

    It is coordinate ascent on the dual of all planes, by the Gauss-Southwell rule; the bound never
    falls. `share` is the last step's s.
    """

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
        if self.b == -np.inf:
            self.a, self.b, self.share = a.copy(), b, 1.0
            return
        towards = a - self.a
        self.share = self._share(towards, b)
        self.a = self.a + self.share * towards
        self.b += self.share * (b - self.b)

    def _share(self, towards, b):
        curvature = float(towards @ towards) / self.lam
        gain = b - self.b - float(self.a @ towards) / self.lam
        if curvature > 0.0:
            return min(max(gain / curvature, 0.0), 1.0)
        return float(gain > 0.0)


class Mean(Aggregate):
    """The mean of all planes, which is Pegasos; w shrinks into the ball |w| <= radius."""

    def __init__(self, p, lam, radius):
        super().__init__(p, lam)
        self.radius, self.t, self.w = radius, 0, np.zeros(p)

    @property
    def point(self):
        """The point w after so many steps."""
        return self.w

    def add(self, a, b):
        """Take a step of length 1 / (lam t) along -a - lam w."""
        self.t += 1
        super().add(a, b)
        self.w = (1.0 - self.share) * self.w - (self.share / self.lam) * a
        size = float(np.sqrt(self.w @ self.w))
        if size > self.radius:
            self.w = self.w * (self.radius / size)

    def _share(self, towards, b):
        return 1.0 / self.t
