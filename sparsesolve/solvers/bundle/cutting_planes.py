"""Bundle method for regularised risk minimisation (BMRM).

    minimise over w   J(w) = lam |w|^2 / 2 + R(w),      R convex

Given: an oracle w -> (R(w), a, b, tag) whose plane <a, .> + b lies below R and touches it at w.
Returned: the best w so far, J there, and a lower bound of the minimum. Invariant: the model's
minimum J_t never falls and never exceeds the minimum of J. J(w_t) may rise, so the best point is
kept. `tag` is an array that describes a plane, as a dual point does. `mixed` is the combination
of tags with the model's weights of planes.

Reference: Teo, Vishwanathan, Smola, Le, "Bundle methods for regularized risk minimization"
(2010), algorithm 1; Saha, Zhang, Vishwanathan, "Lower bounds for BMRM and faster rates for
training SVMs" (2010), section 2.
"""

import numpy as np

from sparsesolve.solvers.bundle.aggregate import Aggregate
from sparsesolve.solvers.bundle.planes import Planes


class CuttingPlanes:
    """BMRM step by step.

    Parameters
    ----------
    oracle : callable w -> (risk, a, b, tag or None)
    lam : float > 0
    start : (p,) the first w
    line_search : bool
        Keep one aggregate plane (ls-BMRM) in place of all (qp-BMRM).
    """

    def __init__(self, oracle, lam, start, line_search):
        self.oracle, self.lam, self.line_search = oracle, lam, line_search
        self.model = Aggregate(len(start), lam) if line_search else Planes(len(start), lam)
        self.tags = {}
        self.mixed = None  # with a line search
        self.w, self.best, self.least, self.objective = start, start, np.inf, np.inf
        self._evaluate()

    @property
    def lower(self):
        """Lower bound of the minimum."""
        return self.model.lower

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
        if tag is not None and self.line_search:
            share = self.model.share
            self.mixed = tag if self.mixed is None else self.mixed + share * (tag - self.mixed)
        elif tag is not None:
            self.tags[slot] = tag
        self.w = self.model.point
        self._evaluate()

    def mixed_tag(self):
        """Return the combination of the tags with the planes' weights."""
        if self.line_search:
            return self.mixed
        return sum(weight * self.tags[slot]
                   for slot, weight in enumerate(self.model.weights) if weight > 0.0)  # fmt: skip

    def at_level(self, lam):
        """Continue at another lam: the planes belong to R, and are kept."""
        self.lam = lam
        self.least = np.inf
        self.model.at_level(lam)
        if self.model.lower > -np.inf:
            self.w = self.model.point
        self._evaluate()
