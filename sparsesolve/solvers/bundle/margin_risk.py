"""The risk of a loss with kinks under a ridge penalty, in coordinates where that is |w|^2 / 2.

    R(w) = min over b0 of  F(offset + b0 + Z S w),      b = S w,  S = diag(l2)^(-1/2)

Given: a Problem whose loss has kinks, alpha = 0 and every feature penalised. Returned: R, its
intercept, and a plane that touches it, from a dual point u within the slopes. Invariant: u sums
to 0 if there is an intercept. The plane -S Z'u, with the offset that F's conjugate gives at -u,
then lies below R whatever rounding does to its point of contact.

Reference: Teo, Vishwanathan, Smola, Le (2010), "Bundle methods for regularized risk
minimization".
"""

import numpy as np

from sparsesolve.linalg.kernels.box_hyperplane import project
from sparsesolve.solvers.bundle.norm import squared_norm
from sparsesolve.solvers.costs.rounding import BALANCED, NEAR_KINK


class MarginRisk:
    """R of a Problem, with products of A = Z S."""

    def __init__(self, problem, n_threads):
        self.problem, self.loss, self.n_threads = problem, problem.loss, n_threads
        self.design, self.offset = problem.design, np.asarray(problem.offset)
        l2 = np.asarray(problem.penalty.l2)
        usable = problem.open_columns & (l2 > 0.0)
        self.scale = np.divide(1.0, np.sqrt(l2), out=np.zeros_like(l2), where=usable)
        self.low, self.high = self.loss.ends
        self.centre = self.loss.pieces[0]
        self.h = self.centre - self.offset
        self.products = 0

    @property
    def shape(self):
        """Shape of A."""
        return len(self.h), len(self.scale)

    def forward(self, w):
        """Return A w (n,)."""
        b = self.scale * w
        which = np.flatnonzero(b).astype(np.intc)
        self.products += 1
        return self.design.combination(which, b[which])

    def back(self, u):
        """Return A'u (p,)."""
        self.products += 1
        return self.scale * self.design.products(u, self.n_threads)

    def squared_norm(self):
        """Return an upper bound of |A|^2, and the products that it took."""
        return squared_norm(self.forward, self.back, *self.shape)

    def value(self, moved):
        """Return R for A w = `moved`, and the intercept."""
        eta = self.offset + moved
        shift = self.loss.best_shift(eta) if self.problem.intercept else 0.0
        return self.loss.at(eta + shift)[0], shift

    def __call__(self, w):
        """Return (R(w), a, b, u): the value, the plane <a, .> + b, and its dual point."""
        moved = self.forward(w)
        value, shift = self.value(moved)
        u = self.dual_point(self.offset + moved + shift)
        return value, -self.back(u), self.constant(u), u

    def constant(self, u):
        """Return the plane's value at 0: minus the conjugate of F at -u, with the offset."""
        return float(self.h @ u) - self.loss.width * float(np.abs(u).sum())

    def dual_point(self, eta):
        """Return u = -F'(eta); with an intercept, samples at a kink are moved so that u sums to
        0.
        """
        u = np.asarray(self.loss.at(eta)[1])
        if not self.problem.intercept or abs(u.sum()) <= BALANCED * np.abs(u).sum():
            return u
        near = NEAR_KINK * (1.0 + np.abs(eta) + np.abs(self.centre))
        least, most = self.loss.at(eta + near)[1], self.loss.at(eta - near)[1]
        room = most - least
        total = float(room.sum())
        if total > 0.0:
            u = least + min(max(-float(least.sum()) / total, 0.0), 1.0) * room
        if abs(u.sum()) > BALANCED * np.abs(u).sum():
            one = np.ones(len(u))
            u = project(np.clip(u, self.low, self.high), self.low, self.high, one, 0.0, one)
        return u
