"""Certified bounds on |z_j'r| for the columns of a design, as r moves: most columns need no product at most steps.

Two bounds, both Cauchy-Schwarz.  Each column remembers its products with the last two residuals r1, r2 that it met, so

    |z_j'r| <= |a z_j'r1 + c z_j'r2| + |z_j| |r - a r1 - c r2|

with the best a and c; residuals of neighbouring lams extrapolate each other well.  And once a bound is below the
threshold the column sleeps: with theta = r / lam and T the length of theta's path so far, the bound on |z_j'theta| grows
by at most |z_j| dT, so until T reaches `wake[j]` the column costs one comparison.

Everything is in the norm with weights w; r stands for sqrt(w) times a residual in sample space.
"""
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport dgemv

import numpy as np

from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.vector cimport dot, ss_multiply

DEF SLOTS = 64      # residuals remembered


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
        self.u, self.theta, self.dots = np.zeros(n), np.zeros(n), np.zeros(SLOTS)
        self.wake, self.exact = np.full(p, -np.inf), np.zeros(p)
        self.seen, self.origin = np.zeros((p, 2)), np.full((p, 2), -1, dtype=np.intc)
        self.undecided, self.members = np.zeros(max(p, 1), dtype=np.intc), np.zeros(SLOTS, dtype=np.intc)
        self.remembered, self.inner = np.zeros((SLOTS, n)), np.zeros((SLOTS, SLOTS))
        self.alpha, self.beta = np.zeros((SLOTS, SLOTS)), np.zeros((SLOTS, SLOTS))
        self.distance = np.zeros((SLOTS, SLOTS))
        self.stamp = np.zeros((SLOTS, SLOTS), dtype=np.int_)

    cdef void leave(self, Py_ssize_t j) noexcept nogil:
        """Column j is looked after by somebody else from now on."""
        self.wake[j] = INFINITY

    cdef int examine(self, const double* r, double lam) noexcept nogil:
        """Find the columns that no bound keeps under lam * threshold, multiply those; returns how many.

        undecided[k] is the column, exact[k] its product.
        """
        cdef int k, j, slot
        cdef double room
        self._travel(r, lam)
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
            room = lam * self.threshold[j] - fabs(self.exact[k])
            if room > 0.0:
                self.wake[j] = self.travelled + room / (lam * self.norm[j])
        self.members[slot] += self.n_undecided
        return self.n_undecided

    cdef void multiply_all(self, const double* r) noexcept nogil:
        """The exact product of every column, in seen[:, 0]."""
        cdef Py_ssize_t j
        cdef int slot
        ss_multiply(self.n, &self.root_w[0], r, &self.u[0])
        self.design.correlate_all(&self.u[0], 0.0, &self.exact[0], self.n_threads)
        self.products += self.p
        slot = self._new_slot(r)
        for j in range(self.p):
            if self.origin[j, 0] >= 0:
                self.members[self.origin[j, 0]] -= 1
            self.seen[j, 0], self.origin[j, 0], self.origin[j, 1] = self.exact[j], slot, -1
        self.members[slot] += self.p

    cdef void _travel(self, const double* r, double lam) noexcept nogil:
        """Lengthen the path of theta = r / lam; products of r with the remembered residuals."""
        cdef Py_ssize_t i
        cdef double step = 0.0, here
        cdef int n = self.n, one = 1
        cdef double unit = 1.0, zero = 0.0
        if lam > 0.0:
            for i in range(self.n):
                here = r[i] / lam
                step += (here - self.theta[i]) * (here - self.theta[i])
                self.theta[i] = here
            self.travelled += sqrt(step) * (1.0 + 1e-12)
        else:
            self.travelled = INFINITY
        self.round += 1
        if self.n_slots > 0:
            dgemv("T", &n, &self.n_slots, &unit, &self.remembered[0, 0], &n, <double*> r, &one, &zero,
                  &self.dots[0], &one)
        self.level = dot(self.n, r, r)

    cdef void _exclude(self, double lam) noexcept nogil:
        """List the columns that are awake and whose bound exceeds their threshold."""
        cdef Py_ssize_t j
        cdef int first, second, count = 0
        cdef double bound
        for j in range(self.p):
            if self.wake[j] > self.travelled:
                continue
            first, second = self.origin[j, 0], self.origin[j, 1]
            if first >= 0:
                if second < 0:
                    second = first
                if self.stamp[first, second] != self.round:
                    self._project(first, second)
                bound = (fabs(self.alpha[first, second] * self.seen[j, 0] + self.beta[first, second] * self.seen[j, 1])
                         + self.norm[j] * self.distance[first, second])
                if bound < lam * self.threshold[j]:
                    self.wake[j] = self.travelled + (lam * self.threshold[j] - bound) / (lam * self.norm[j])
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
        for k in range(self.n_slots):
            self.inner[slot, k] = dot(self.n, &self.remembered[k, 0], r)
            self.inner[k, slot] = self.inner[slot, k]
        return slot
