"""Curvature: what a quadratic model of F knows of X, by inner products alone."""

from typing import NamedTuple

import numpy as np

from sparsesolve.solvers.costs.passes import FALL


class Curvature(NamedTuple):
    """Inner products under H, of the columns S at work and of the basis Q."""

    gram: np.ndarray  # (S, S)
    mixed: np.ndarray  # (f, S) of Q with S
    inner: np.ndarray  # (f, f) of Q

    def rate(self, far, distance):
        """How it changes along the way to `far`, whose further columns are left out."""
        m = len(self.gram)
        far = far.gram[:m, :m], far.mixed[:, :m], far.inner
        return Curvature(*((b - a) / distance for a, b in zip(self, far, strict=True)))

    def moved(self, rate, distance):
        """What it is that far on; columns of which no rate is known keep theirs."""
        m, far = len(rate.gram), Curvature(*(part.copy() for part in self))
        far.gram[:m, :m] += distance * rate.gram
        far.mixed[:, :m] += distance * rate.mixed
        far.inner[...] += distance * rate.inner
        return far

    def reach(self, rate):
        """How far it may be carried on and stay well above 0."""
        distance = np.inf
        for whole, change in ((self.gram, rate.gram), (self.inner, rate.inner)):
            fall = -np.diag(change)
            level = FALL * np.diag(whole)[: len(fall)]
            distance = np.min(level[fall > 0.0] / fall[fall > 0.0], initial=distance)
        return distance


def inverse(inner):
    """The pseudo-inverse, of a basis that may not be one where H vanishes."""
    if inner.size == 1 and inner[0, 0] > 0.0:
        return 1.0 / inner
    return np.linalg.pinv(inner, hermitian=True)
