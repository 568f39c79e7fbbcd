"""Pegasos: stochastic subgradient steps on the regularised risk, here of all rows at a time.

    minimise over w   lam |w|^2 / 2 + R(w)

Given: a MarginRisk. Returned: the best w, and a lower bound of the minimum from the mean of all
dual points, which is feasible. Invariant: without the ball w is -(mean of a_t) / lam, the point
of the mean dual point.

Step t is w <- (1 - 1/t) w - (1 / (lam t)) a_t with a_t a subgradient of R, then w shrinks into
the ball |w| <= radius, which holds the minimiser.

Reference: Shalev-Shwartz, Singer, Srebro, "Pegasos: primal estimated sub-gradient solver for SVM"
(2007). One row a step is in stochastic.pyx.
"""

import numpy as np


class Pegasos:
    """Pegasos-n step by step.

    Parameters
    ----------
    risk : callable w -> (R(w), a, b, u)
    lam, radius : float > 0; an infinite radius is no ball
    p : int, length of w
    """

    def __init__(self, risk, lam, radius, p):
        self.risk, self.lam, self.radius, self.t = risk, lam, radius, 0
        self.w, self.mean, self.constant, self.dual = np.zeros(p), np.zeros(p), 0.0, 0.0
        self.best, self.least, self.lower = self.w, np.inf, -np.inf
        self._evaluate()

    def _evaluate(self):
        value, *self.plane = self.risk(self.w)
        self.objective = value + 0.5 * self.lam * float(self.w @ self.w)
        if self.objective < self.least:
            self.best, self.least = self.w, self.objective

    def step(self):
        """Take one step; the bound is that of all planes so far, with equal weights."""
        self.t += 1
        a, b, u = self.plane
        share = 1.0 / self.t
        self.mean = (1.0 - share) * self.mean + share * a
        self.constant = (1.0 - share) * self.constant + share * b
        self.dual = (1.0 - share) * self.dual + share * u
        bound = self.constant - float(self.mean @ self.mean) / (2.0 * self.lam)
        if bound > self.lower:
            self.lower, self.best_dual = bound, self.dual
        self.w = (1.0 - share) * self.w - (share / self.lam) * a
        size = float(np.sqrt(self.w @ self.w))
        if size > self.radius:
            self.w = self.w * (self.radius / size)
        self._evaluate()
