"""Curvature: what a quadratic model of F knows of X, by inner products alone.

    Z_S'H Z_S (S, S),    Q'H Z_S (f, S),    Q'H Q (f, f),    H diagonal

Given: these inner products at one lambda, or at two. Returned: their linear extrapolation in
log(lam). Invariant: a diagonal entry stays positive.

Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014), for the model.
"""

from typing import NamedTuple

import numpy as np

from sparsesolve.solvers.costs.passes import FALL


class Curvature(NamedTuple):
    """Inner products under H of the working columns S and of the basis Q."""

    gram: np.ndarray  # (S, S)
    mixed: np.ndarray  # (f, S), Q with S.
    inner: np.ndarray  # (f, f), Q.

    def rate(self, far, distance):
        """Return the change per unit of distance to `far`, whose further columns are left out."""
        m = len(self.gram)
        far = far.gram[:m, :m], far.mixed[:, :m], far.inner
        return Curvature(*((b - a) / distance for a, b in zip(self, far, strict=True)))

    def moved(self, rate, distance):
        """Return the Curvature at that distance; columns without a known rate keep theirs."""
        m, far = len(rate.gram), Curvature(*(part.copy() for part in self))
        far.gram[:m, :m] += distance * rate.gram
        far.mixed[:, :m] += distance * rate.mixed
        far.inner[...] += distance * rate.inner
        return far

    def reach(self, rate):
        """Return the largest distance at which every diagonal entry keeps a quarter of itself."""
        distance = np.inf
        for whole, change in ((self.gram, rate.gram), (self.inner, rate.inner)):
            fall = -np.diag(change)
            level = FALL * np.diag(whole)[: len(fall)]
            distance = np.min(level[fall > 0.0] / fall[fall > 0.0], initial=distance)
        return distance


def inverse(inner):
    """Return the pseudo-inverse; the basis may be dependent where H vanishes."""
    if inner.size == 1 and inner[0, 0] > 0.0:
        return 1.0 / inner
    return np.linalg.pinv(inner, hermitian=True)
