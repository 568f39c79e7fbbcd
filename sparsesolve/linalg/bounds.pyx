"""Certified bounds on |z_j'r| for the columns of a design, as r moves: most columns need no product at most steps.

Two bounds, both Cauchy-Schwarz.  Each column remembers its products with the last two residuals r1, r2 that it met, so

    |z_j'r| <= |a z_j'r1 + c z_j'r2| + |z_j| |r - a r1 - c r2|

with the best a and c; residuals of neighbouring lams extrapolate each other well.  And a column whose bound is below
its threshold sleeps: with T the length of r's path so far, the bound grows by at most |z_j| dT, so as long as
`asleep[j]` + |z_j| T, the bound carried on in a straight line, stays below the threshold the column costs one comparison.

Everything is in the norm with weights w; r stands for sqrt(w) times a residual in sample space.
"""
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport dgemv

import numpy as np

from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.vector cimport dot, ss_multiply

DEF SLOTS = 64              # residuals remembered
cdef double NEAR = 0.5      # of the threshold: columns below it, or extrapolated from so far, are not likely to enter
cdef double ALMOST = 0.99   # of the threshold: extrapolation errs by about a hundredth


cdef class CorrelationBounds:
    """Bounds for the columns of `design` against thresholds lam * threshold_j.

    Parameters
    ----------
    design : Design
    root_w : (n,) square roots of the weights
    threshold : (p,) what |z_j'r| / lam must not exceed
    n_threads : int
    """

    def __init__(self, Design design, double[::1] root_w, double[::1] threshold, int n_threads):
        n, p = design.n, design.p
        self.design, self.root_w, self.threshold, self.n_threads = design, root_w, threshold, n_threads
        self.n, self.p = n, p
        self.norm = design.norms(np.square(root_w), n_threads)
        self.u, self.last, self.dots = np.zeros(n), np.zeros(n), np.zeros(SLOTS)
        self.asleep, self.exact = np.full(p, np.inf), np.zeros(p)
        self.seen, self.origin = np.zeros((p, 2)), np.full((p, 2), -1, dtype=np.intc)
        self.undecided, self.members = np.zeros(max(p, 1), dtype=np.intc), np.zeros(SLOTS, dtype=np.intc)
        self.remembered, self.inner = np.zeros((SLOTS, n)), np.zeros((SLOTS, SLOTS))
        self.alpha, self.beta = np.zeros((SLOTS, SLOTS)), np.zeros((SLOTS, SLOTS))
        self.distance = np.zeros((SLOTS, SLOTS))
        self.stamp = np.zeros((SLOTS, SLOTS), dtype=np.int_)

    cdef void leave(self, Py_ssize_t j) noexcept nogil:
        """Column j is looked after by somebody else from now on."""
        self.asleep[j] = -INFINITY

    cdef int examine(self, const double* r, double lam) noexcept nogil:
        """Find the columns that no bound keeps under lam * threshold, multiply those; returns how many.

        undecided[k] is the column, exact[k] its product.
        """
        cdef int k, j, slot
        self._travel(r)
        self._exclude(lam)
        if self.n_undecided == 0:
            return 0
        ss_multiply(self.n, &self.root_w[0], r, &self.u[0])
        self.design.correlate_some(&self.undecided[0], self.n_undecided, &self.u[0], 0.0, &self.exact[0],
                                   self.n_threads)
        self.products += self.n_undecided
        slot = self._new_slot(r)
        for k in range(self.n_undecided):
            j = self.undecided[k]
            if self.origin[j, 0] >= 0:
                self.members[self.origin[j, 0]] -= 1
            self.seen[j, 1], self.origin[j, 1] = self.seen[j, 0], self.origin[j, 0]
            self.seen[j, 0], self.origin[j, 0] = self.exact[k], slot
            self.asleep[j] = fabs(self.exact[k]) - self.norm[j] * self.travelled
        self.members[slot] += self.n_undecided
        return self.n_undecided

    cdef void multiply_all(self, const double* r) noexcept nogil:
        """The exact product of every column, in seen[:, 0]."""
        cdef Py_ssize_t j
        cdef int slot
        ss_multiply(self.n, &self.root_w[0], r, &self.u[0])
        self.design.correlate_all(&self.u[0], 0.0, &self.exact[0], self.n_threads)
        self.products += self.p
        self._travel(r)
        slot = self._new_slot(r)
        for j in range(self.p):
            if self.origin[j, 0] >= 0:
                self.members[self.origin[j, 0]] -= 1
            self.seen[j, 0], self.origin[j, 0], self.origin[j, 1] = self.exact[j], slot, -1
            if self.asleep[j] > -INFINITY:
                self.asleep[j] = fabs(self.exact[j]) - self.norm[j] * self.travelled
        self.members[slot] += self.p

    cdef void _travel(self, const double* r) noexcept nogil:
        """Lengthen the path of r."""
        cdef Py_ssize_t i
        cdef double step = 0.0
        for i in range(self.n):
            step += (r[i] - self.last[i]) * (r[i] - self.last[i])
            self.last[i] = r[i]
        self.travelled += sqrt(step) * (1.0 + 1e-12)
        self._compare(r)

    cdef void _compare(self, const double* r) noexcept nogil:
        """Products of r with the remembered residuals; projections on them are out of date."""
        cdef int n = self.n, one = 1
        cdef double unit = 1.0, zero = 0.0
        self.round += 1
        self.level = dot(self.n, r, r)
        if self.n_slots > 0:
            dgemv("T", &n, &self.n_slots, &unit, &self.remembered[0, 0], &n, <double*> r, &one, &zero,
                  &self.dots[0], &one)

    def likely(self, const double[::1] r, double lam):
        """Columns whose product with r, extrapolated from the remembered ones, exceeds lam * threshold (nearly)."""
        cdef Py_ssize_t j
        cdef int first, second, count = 0
        cdef double limit
        out = np.empty(self.p, dtype=np.intc)
        cdef int[::1] which = out
        self._compare(&r[0])
        for j in range(self.p):
            limit = lam * self.threshold[j]
            if self.asleep[j] + self.norm[j] * self.travelled < NEAR * limit:
                continue
            first, second = self.origin[j, 0], self.origin[j, 1]
            if first >= 0:
                second = first if second < 0 else second
                if self.stamp[first, second] != self.round:
                    self._project(first, second)
                if (fabs(self.alpha[first, second] * self.seen[j, 0] + self.beta[first, second] * self.seen[j, 1])
                        > ALMOST * limit and self.distance[first, second] * self.norm[j] < NEAR * limit):
                    which[count] = j
                    count += 1
        return out[:count]

    cdef void _exclude(self, double lam) noexcept nogil:
        """List the columns that are awake and whose bound exceeds their threshold."""
        cdef Py_ssize_t j
        cdef int first, second, count = 0
        cdef double bound, limit
        for j in range(self.p):
            limit = lam * self.threshold[j]
            if self.asleep[j] + self.norm[j] * self.travelled < limit:
                continue
            first, second = self.origin[j, 0], self.origin[j, 1]
            if first >= 0:
                if second < 0:
                    second = first
                if self.stamp[first, second] != self.round:
                    self._project(first, second)
                bound = (fabs(self.alpha[first, second] * self.seen[j, 0] + self.beta[first, second] * self.seen[j, 1])
                         + self.norm[j] * self.distance[first, second])
                if bound < limit:
                    self.asleep[j] = bound - self.norm[j] * self.travelled
                    continue
            self.undecided[count] = j
            count += 1
        self.n_undecided = count

    cdef void _project(self, int first, int second) noexcept nogil:
        """The current residual's distance from the span of two remembered ones, with room for rounding."""
        cdef double a, c = 0.0, one = self.inner[first, first], two = self.inner[second, second]
        cdef double cross = self.inner[first, second], rest, square, size
        a = self.dots[first] / one if one > 0.0 else 0.0
        if first != second and one > 0.0:
            rest = two - cross * cross / one
            if rest > 1e-10 * two:
                c = (self.dots[second] - cross * a) / rest
                a -= c * cross / one
        square = (self.level - 2.0 * a * self.dots[first] - 2.0 * c * self.dots[second] + a * a * one
                  + 2.0 * a * c * cross + c * c * two)
        size = self.level + a * a * one + c * c * two
        self.alpha[first, second], self.beta[first, second] = a, c
        self.distance[first, second] = sqrt(max(square, 0.0) + 1e-13 * size)
        self.stamp[first, second] = self.round

    cdef int _new_slot(self, const double* r) noexcept nogil:
        """Remember r, in place of the residual that fewest columns refer to when there is no room."""
        cdef int slot = 0, k
        cdef Py_ssize_t j
        if self.n_slots < SLOTS:
            slot = self.n_slots
            self.n_slots += 1
        else:
            for k in range(SLOTS):
                if self.members[k] < self.members[slot] and k != self.latest:
                    slot = k
            for j in range(self.p):
                if self.origin[j, 0] == slot:
                    self.origin[j, 0] = -1
                if self.origin[j, 1] == slot:
                    self.origin[j, 1] = -1
        self.members[slot] = 0
        self.latest = slot
        memcpy(&self.remembered[slot, 0], r, self.n * sizeof(double))
        self.dots[slot] = self.level
        for k in range(self.n_slots):
            self.inner[slot, k] = self.inner[k, slot] = self.dots[k]
        return slot
