"""Sweeps of block coordinate gradient steps over groups of one response.

    d = argmin_d  g'd + h |d|^2 / 2 + lam Omega_g(b_g + d),      g = -Z_g'u

Given: a Design, a Loss, a penalty on groups and curvatures h of the blocks' models. Returned by a
sweep: the new value of F; b, eta and u are changed in place.
Invariant: eta = offset + Zb but for rounding, u = -F'(eta), and the objective does not rise.

A step searches on its length or, in Wright's variant, on h; see block_gradient_descent.py.

Reference: Tseng, Yun (2009), "A coordinate gradient descent method for nonsmooth separable
minimization".
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport fabs
from libc.string cimport memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.blocks cimport BlockPenalty

cdef double PRODUCT = costs.rounding.PRODUCT
cdef double BLOCK_ARMIJO = costs.first_order.BLOCK_ARMIJO
cdef double BLOCK_SHORTER = costs.first_order.BLOCK_SHORTER
cdef double BLOCK_GROWTH = costs.first_order.BLOCK_GROWTH
cdef double LEAST_BLOCK_CURVATURE = costs.first_order.LEAST_BLOCK_CURVATURE
cdef double MOST_BLOCK_CURVATURE = costs.first_order.MOST_BLOCK_CURVATURE
cdef double BLOCK_RELAX = costs.first_order.BLOCK_RELAX
# Tries of a search, before its block waits for the next sweep: 2^60 ends any search.
cdef int TRIES = 60


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
        self.h[g] = max(BLOCK_RELAX * self.h[g], LEAST_BLOCK_CURVATURE * self.first[g])
        for tries in range(TRIES):
            if tries == 0 or self.wright:
                if not self._direction(g, lam):
                    return value
                delta = self._delta(g, lam) - before
            for i in range(n):
                self.trial[i] = eta[i] + t * self.image[i]
            for j in range(s):
                self.end[j] = self.old[j] + t * self.d[j]
            new = self.loss.evaluate(&self.trial[0], &self.trial_u[0])
            if -BLOCK_ARMIJO * t * delta > rounding:
                falls = (new - value + self.penalty.block_value(g, &self.end[0], lam) - before
                         <= BLOCK_ARMIJO * t * delta + rounding)
            else:
                falls = self._falls_by_slopes(g, u)
            if falls:
                for j in range(s):
                    b[member[j]] = self.end[j] if self.d[j] != -self.old[j] or t < 1.0 else 0.0
                for i in range(n):
                    eta[i], u[i] = self.trial[i], self.trial_u[i]
                return new
            self.h[g] = min(BLOCK_GROWTH * self.h[g], MOST_BLOCK_CURVATURE * self.first[g])
            if not self.wright:
                t *= BLOCK_SHORTER
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
        convexity bounds the change by t times (u - trial_u)'Zd - h |d|^2, which loses no digits.
        """
        cdef double curvature = 0.0, noise = 0.0, square = 0.0
        cdef Py_ssize_t i, j
        for i in range(self.design.n):
            curvature += (u[i] - self.trial_u[i]) * self.image[i]
            noise += fabs(u[i] * self.image[i])
        for j in range(self.penalty.size(g)):
            square += self.d[j] * self.d[j]
        return curvature <= (1.0 - BLOCK_ARMIJO) * self.h[g] * square + PRODUCT * noise

    cdef double _delta(self, Py_ssize_t g, double lam) noexcept nogil:
        """Return Delta plus the penalty before the step."""
        cdef Py_ssize_t j
        cdef double total = 0.0
        for j in range(self.penalty.size(g)):
            self.end[j] = self.old[j] + self.d[j]
            total -= self.z[j] * self.d[j]
        return total + self.penalty.block_value(g, &self.end[0], lam)
