"""Proximal gradient: ISTA, FISTA and SpaRSA, for any smooth loss and any penalty with a prox.

    minimise over b   F(b) + lam Omega(b)

Given: what FirstOrder needs. Returned: b and its gap. Invariant: what FirstOrder keeps.

A step from y minimises F(y) + F'(y)'(b - y) + L |b - y|^2 / 2 + lam Omega(b), which is a prox. L
grows until that is no less than the objective at the step's end. ISTA steps from the current
point. FISTA steps from a point extrapolated along the last step, by a factor from a sequence t,
and restarts if the objective would rise. SpaRSA takes L from the change of the gradient along the
last step, and a step must end below the worst of the last few objectives.

References: Beck and Teboulle, "A fast iterative shrinkage-thresholding algorithm" (2009);
O'Donoghue and Candes, "Adaptive restart for accelerated gradient schemes" (2015); Wright, Nowak
and Figueiredo, "Sparse reconstruction by separable approximation" (2009).
"""

import logging

import numpy as np

from sparsesolve.solvers.costs.rounding import SQUARED_STEP
from sparsesolve.solvers.first_order.first_order import FirstOrder, Point

log = logging.getLogger(__name__)

# After a step that was too long, L becomes this multiple of the curvature met along it, within a
# factor of 1.2 and 2, as one step may meet an unusual curvature.
MORE_CURVATURE = 1.02
# A step of SpaRSA must end below the worst of so many last objectives, by this fraction of
# L |step|^2 / 2 (5 and 0.01 in Wright, Nowak, Figueiredo 2009).
SPARSA_MEMORY, SPARSA_DECREASE = 5, 0.01
# Lengths of one step that are tried: 2^60 ends any search.
TRIES = 60


class Ista(FirstOrder):
    """Proximal gradient steps; the objective never rises."""

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        # The huber loss has none far away.
        curvature = self.loss.curvature_at(self.point.eta).sum() or 1.0
        # 1 is for the intercept's column.
        self.L = float(curvature * np.max(problem.norms**2, initial=1.0))

    def begin(self, lam):
        self.L *= 0.5  # so that it may also fall

    def step(self, lam):
        self.point = self.descend(self.point, lam)

    def descend(self, start, lam):
        """Return the end of a step from `start`, after growing L until the model is no less
        there.

        Returns `start` itself if no L is found.
        """
        z, pull = self.downhill(start.u)
        for _ in range(TRIES):
            new, moved = self.end(start, z, pull, self.L, lam)
            size = np.sum(start.b**2) + np.sum(start.c**2)
            curvature = 2.0 * divergence(start, new)
            if moved < np.inf and (curvature <= self.L * moved or moved <= SQUARED_STEP * size):
                return new
            met = MORE_CURVATURE * curvature / moved
            most = 2.0 * self.L
            self.L = min(max(met, 1.2 * self.L), most) if met < most else most
        return start

    def end(self, start, z, pull, L, lam):
        """Return the end of the step for that L, and its squared length."""
        b, c = self.penalty.prox(start.b + z / L, lam / L), start.c + pull / L
        moved = np.sum((b - start.b) ** 2) + np.sum((c - start.c) ** 2)
        return self.at(b, c), float(moved)


class Fista(Ista):
    """Accelerated steps, restarted if the objective would rise."""

    def begin(self, lam):
        super().begin(lam)
        self.t, self.last = 1.0, self.point

    def step(self, lam):
        t = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * self.t**2))
        ahead = (self.t - 1.0) / t
        start = self.beyond(ahead) if ahead > 0.0 else self.point
        new = self.descend(start, lam)
        before = self.objective(lam)
        rise, rounding = self.objective(lam, new) - before, self.rounding(before)
        against = np.vdot(start.b - new.b, new.b - self.point.b)
        against += np.vdot(start.c - new.c, new.c - self.point.c)
        if ahead > 0.0 and not (rise <= rounding and (rise < -rounding or against <= 0.0)):
            log.debug("momentum restarts at an objective of %.9g", before)
            self.t, self.last = 1.0, self.point
            return
        self.t, self.last, self.point = t, self.point, new

    def beyond(self, ahead):
        """Return the point extrapolated along the last step, by this multiple of its length."""
        here, last = self.point, self.last
        b, c, eta = (
            x + ahead * (x - y) for x, y in zip(here[:3], last[:3], strict=True)
        )  # fmt: skip
        return Point(b, c, eta, *self.loss.at(eta))


class Sparsa(Ista):
    """Steps as long as the curvature along the last one allows; the objective may rise a little.
    """

    def begin(self, lam):
        self.levels = [self.objective(lam)]
        self.most = self.L

    def step(self, lam):
        start, L = self.point, self.L
        z, pull = self.downhill(start.u)
        bar = max(self.levels) + self.rounding(max(self.levels))
        for _ in range(TRIES):
            new, moved = self.end(start, z, pull, L, lam)
            value = self.objective(lam, new)
            if value <= bar - 0.5 * SPARSA_DECREASE * L * moved:
                break
            L *= 2.0
        else:
            return
        self.point, self.levels = new, [*self.levels[1 - SPARSA_MEMORY :], value]
        size = float(np.vdot(start.b, start.b) + np.vdot(start.c, start.c))
        if moved > SQUARED_STEP * size:  # rounding tells no curvature
            met = float(np.vdot(start.u - new.u, new.eta - start.eta)) / moved
            self.most = max(self.most, met)
            self.L = max(met, 1e-8 * self.most)


def divergence(start, new):
    """Return F(new) - F(start) - F'(start)'(new - start).

    It is at most the change of the slope, which suffers less from rounding.
    """
    change = new.eta - start.eta
    rise = new.value - start.value + float(np.vdot(start.u, change))
    return min(rise, float(np.vdot(start.u - new.u, change)))
