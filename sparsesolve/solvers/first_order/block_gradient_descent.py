"""Block coordinate gradient descent, for any smooth loss of one response and penalties on groups.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam sum_g Omega_g(b_g)

Given, returned, invariant: as FirstOrder. One group after the other takes a step, with gradient g
= -Z_g'u and h at least the curvature that F has shown there:

    d = argmin_d  g'd + h |d|^2 / 2 + lam Omega_g(b_g + d)
    Delta = g'd + lam Omega_g(b_g + d) - lam Omega_g(b_g)
    b_g <- b_g + t d   with the largest t = 1, beta, beta^2, ... that lowers the objective by at
                       least -sigma t Delta.

Wright's variant searches on h in place of t: h grows until t = 1 suffices. Unpenalised
coefficients take a Newton step before each sweep. Sweeps go over the working set: nonzero blocks,
and those whose products passed lam at the last certificate.

Reference: Tseng, Yun (2009), "A coordinate gradient descent method for nonsmooth separable
minimization"; Wright (2012), "Accelerated block-coordinate relaxation for regularized
optimization".
"""

import numpy as np

from sparsesolve.solvers.first_order.block_sweep import Sweep
from sparsesolve.solvers.first_order.first_order import FirstOrder, Point

# Halvings of a Newton step on unpenalised coefficients: 2^-60 ends any search.
TRIES = 60


class BlockDescent(FirstOrder):
    """Sweeps of block steps over a working set of groups, the step length searched."""

    between = 4
    wright = False
    all_groups = False

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        penalty, groups = self.penalty, self.penalty.n_groups
        squares = np.bincount(penalty.of, problem.norms**2, minlength=groups)
        # The huber loss may have no curvature at the null model.
        curvature = self.loss.curvature_at(self.point.eta).sum() or 1.0
        h = np.maximum(squares * curvature, 1e-300)
        self.blocks = Sweep(self.design, self.loss, penalty, h, self.wright)
        self.open = self._groups_with(self.alive) & ~self._groups_with(self.unpenalised)
        self.working = np.flatnonzero(self.open)

    def _groups_with(self, mask):
        """Return a mask of the groups that have a feature of the mask (p,)."""
        return np.bincount(np.asarray(self.penalty.of)[mask], minlength=self.penalty.n_groups) > 0

    def step(self, lam):
        self.unpenalised_step()
        b, c, eta, value, u = self.point
        b, eta, u = b.copy(), np.array(eta), np.array(u)
        value = self.blocks.over(self.working, lam, b, eta, value, u,
                                 self.rounding(self.objective(lam)))
        self.point = Point(b, c, eta, value, u)

    def unpenalised_step(self):
        """Take a Newton step on unpenalised coefficients, halved until F does not rise."""
        if not self.basis.shape[1]:
            return
        b, c, eta, value, u = self.point
        h = np.maximum(self.loss.curvature_at(eta), 0.0)
        inner = self.basis.T @ (h[:, None] * self.basis)
        change = np.linalg.lstsq(inner, u @ self.basis, rcond=1e-12)[0]
        image = self.basis @ change
        for k in range(TRIES):
            new, new_u = self.loss.at(eta + 0.5**k * image)
            if new <= value + self.rounding(abs(value)):
                self.point = Point(b, c + 0.5**k * change, eta + 0.5**k * image, new, new_u)
                return

    def products(self, u):
        self.last = super().products(u)
        return self.last

    def gap(self, lam):
        """Return the gap of a first-order solver; its products choose the working set again.

        The point is evaluated afresh before, so that rounding does not build up.
        """
        self.point = self.at(self.point.b, self.point.c)
        self.last = None
        gap = super().gap(lam)
        if not self.all_groups:
            if self.last is None:  # There was no dual point for them.
                self.products(self.point.u)
            violated = self.penalty.levels(self.last) > lam
            self.working = np.flatnonzero(self.open & (
                    self._groups_with(self.point.b != 0.0) | violated))
        return gap


class WrightDescent(BlockDescent):
    """Block descent that searches on the curvature in place of the step length."""

    wright = True


class PlainDescent(BlockDescent):
    """Block descent over all groups, without a working set."""

    all_groups = True


def in_groups(problem, lambdas):
    """Return True if features are penalised in groups, for one response."""
    return problem.has_groups and problem.n_responses is None
