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

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport fabs
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers import tolerances
from sparsesolve.solvers.first_order.first_order import FirstOrder, Point

cdef double ARMIJO = tolerances.ARMIJO


cdef class Sweep:
    """Work space of the sweeps of one state."""

    cdef Design design
    cdef Loss loss
    cdef BlockPenalty penalty
    # (G,): curvature of the blocks' models, and its first value.
    cdef double[::1] h, first
    cdef double[::1] trial, trial_u, image      # (n,) eta and u at a trial, and Zd
    # For one block: products with u, and what the search works on.
    cdef double[::1] z, x, old, d, end
    cdef bint wright

    def __init__(self, design, loss, penalty, h, wright):
        n, largest = design.n, int(np.diff(penalty.start).max(initial=1))
        self.design, self.loss, self.penalty, self.wright = design, loss, penalty, wright
        self.h, self.first = np.array(h), np.array(h)
        self.trial, self.trial_u, self.image = np.zeros((3, n))
        self.z, self.x, self.old, self.d, self.end = np.zeros((5, largest))

    def over(self, groups, double lam, double[::1] b, double[::1] eta, double value, double[::1] u,
             double rounding):
        """Sweep once over these groups; b, eta and u change. Return the new value of F."""
        cdef int[::1] which = np.asarray(groups, dtype=np.intc)
        cdef Py_ssize_t k
        for k in range(which.shape[0]):
            if k % 64 == 0:
                PyErr_CheckSignals()
            with nogil:
                value = self._block(which[k], lam, b, eta, value, u, rounding)
        return value

    cdef double _block(self, Py_ssize_t g, double lam, double[::1] b, double[::1] eta, double value,
                       double[::1] u, double rounding) noexcept nogil:
        """Take one block's step; return the new value of F."""
        cdef Py_ssize_t s = self.penalty.size(g), i, j, n = self.design.n
        cdef const int* member = &self.penalty.member[self.penalty.start[g]]
        cdef double total = 0.0, delta = 0.0, new, t = 1.0, before
        cdef int tries
        cdef bint falls
        for i in range(n):
            total += u[i]
        for j in range(s):
            self.old[j] = b[member[j]]
            self.z[j] = self.design.correlate(member[j], &u[0], total)
        before = self.penalty.block_value(g, &self.old[0], lam)
        self.h[g] = max(0.9 * self.h[g], 1e-6 * self.first[g])
        for tries in range(60):  # 2^60 ends any search; the block then waits for the next sweep
            if tries == 0 or self.wright:
                if not self._direction(g, lam):
                    return value
                delta = self._delta(g, lam) - before
            for i in range(n):
                self.trial[i] = eta[i] + t * self.image[i]
            for j in range(s):
                self.end[j] = self.old[j] + t * self.d[j]
            new = self.loss.evaluate(&self.trial[0], &self.trial_u[0])
            if -ARMIJO * t * delta > rounding:
                falls = (new - value + self.penalty.block_value(g, &self.end[0], lam) - before
                         <= ARMIJO * t * delta + rounding)
            else:
                falls = self._falls_by_slopes(g, u)
            if falls:
                for j in range(s):
                    b[member[j]] = self.end[j] if self.d[j] != -self.old[j] or t < 1.0 else 0.0
                for i in range(n):
                    eta[i], u[i] = self.trial[i], self.trial_u[i]
                return new
            self.h[g] = min(2.0 * self.h[g], 1e12 * self.first[g])
            if not self.wright:
                t *= 0.5
        return value

    cdef bint _direction(self, Py_ssize_t g, double lam) noexcept nogil:
        """Set d to the step to the minimum of the block's model, and its image; False if d is 0.
        """
        cdef Py_ssize_t j, i, s = self.penalty.size(g)
        cdef const int* member = &self.penalty.member[self.penalty.start[g]]
        cdef double constant = 0.0
        cdef bint moved = False
        for j in range(s):
            self.x[j] = self.h[g] * self.old[j] + self.z[j]
        self.penalty.block_prox(g, self.h[g], &self.x[0], lam, &self.d[0])
        memset(&self.image[0], 0, self.design.n * sizeof(double))
        for j in range(s):
            self.d[j] -= self.old[j]
            if self.d[j] != 0.0:
                moved = True
                constant += col.axpy(&self.design.columns[member[j]], self.d[j], &self.image[0])
        if constant != 0.0:
            for i in range(self.design.n):
                self.image[i] += constant
        return moved

    cdef bint _falls_by_slopes(self, Py_ssize_t g, double[::1] u) noexcept nogil:
        """Return True if the objective falls by sigma t h |d|^2 at the trial, below its rounding.

        z - h d is a subgradient of the penalty at the model's minimum. With it and trial_u,
        convexity bounds the change by t times (u - trial_u)'Zd - h |d|^2, which loses no digits but
        two units in the last place of a product.
        """
        cdef double curvature = 0.0, noise = 0.0, square = 0.0
        cdef Py_ssize_t i, j
        for i in range(self.design.n):
            curvature += (u[i] - self.trial_u[i]) * self.image[i]
            noise += fabs(u[i] * self.image[i])
        for j in range(self.penalty.size(g)):
            square += self.d[j] * self.d[j]
        return curvature <= (1.0 - ARMIJO) * self.h[g] * square + 4e-16 * noise

    cdef double _delta(self, Py_ssize_t g, double lam) noexcept nogil:
        """Return Delta plus the penalty before the step."""
        cdef Py_ssize_t j
        cdef double total = 0.0
        for j in range(self.penalty.size(g)):
            self.end[j] = self.old[j] + self.d[j]
            total -= self.z[j] * self.d[j]
        return total + self.penalty.block_value(g, &self.end[0], lam)


class BlockGradient(FirstOrder):
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
        for k in range(60):
            new, new_u = self.loss.at(eta + 0.5**k * image)
            if new <= value + self.rounding(abs(value)):
                self.point = Point(b, c + 0.5**k * change, eta + 0.5**k * image, new, new_u)
                return

    def gap(self, lam):
        """Return the gap of a first-order solver; its products choose the working set again.

        The point is evaluated afresh before, so that rounding does not build up.
        """
        self.point = self.at(self.point.b, self.point.c)
        self.recent = ()
        gap = super().gap(lam)
        if not self.all_groups:
            z = self.recent[0][1] if self.recent else self.products(self.point.u)
            violated = self.penalty.levels(z) > lam
            self.working = np.flatnonzero(self.open & (
                    self._groups_with(self.point.b != 0.0) | violated))
        return gap


class WrightDescent(BlockGradient):
    """Block descent that searches on the curvature in place of the step length."""

    wright = True


class PlainDescent(BlockGradient):
    """Block descent over all groups, without a working set."""

    all_groups = True


def in_groups(problem, lambdas):
    """Return True if features are penalised in groups, for one response."""
    return problem.has_groups and problem.n_responses is None
