"""Safe screening of inactive columns or groups by balls around earlier residuals.

A feature stays inactive at r as long as |z_j'r| < lam v_j. If |z_j'r_0| is known, Cauchy-Schwarz
gives for r = s r_0 + e

    |z_j'r| <= s |z_j'r_0| + |z_j| |e|.

So one comparison of the accumulated s and |e| with a stored number certifies that feature j need
not be multiplied. Along a path r mostly shrinks (s < 1) and turns little (|e| is small), so most
features are certified at most lambdas.

The bound is generic. Groups use the dual norm of their block, and `rate` is its Lipschitz
constant in r. Features with few non-zeros use the largest entry of e in place of its length.
Reference: El Ghaoui, Viallon, Rabbani (2012), "Safe feature elimination", for s = 1.
"""
from libc.math cimport sqrt

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.kernels.vector cimport dot, ss_candidates, ss_travel

# Bounds of `scale`: beyond them all features are candidates again.
cdef double SMALLEST = 1e-100, LARGEST = 1e100
cdef double LENGTH = costs.rounding.LENGTH
cdef double TRAVEL = costs.rounding.TRAVEL


cdef class SafeBalls:
    """Screening of p features, which are all candidates at first.

    Parameters
    ----------
    n : int
        Length of the residual, or of each of its `parts`.
    rate, threshold : (p,)
        How fast the size of each feature's products may grow with |e|, or if negative with the
        largest entry of e, for one part only; and what the size must not reach, over lam.
    parts : int
        Residuals side by side, as of several responses.
    together : bool
        Whether sizes grow with the length of all parts of e together; else with the longest part.
    """

    def __cinit__(self, Py_ssize_t n, rate, threshold, int parts=1, bint together=True):
        self.n, self.parts, self.together = n, parts, together
        self.rate, self.threshold, self.kept = rate, threshold, np.full(len(rate), INFINITY)
        self.last, self.scale = np.zeros(n * parts), 1.0

    cdef void move(self, const double* r) noexcept nogil:
        """Move to the residual r. Features become candidates where its direction is unknown, or
        floats end.
        """
        cdef int k
        cdef double* last = &self.last[0]
        cdef double length = dot(self.n * self.parts, last, last)
        cdef double along = dot(self.n * self.parts, r, last)
        cdef double factor = along / length, distance = 0.0, one, off, largest = 0.0
        for k in range(self.parts):
            one = ss_travel(self.n, factor, r + k * self.n, last + k * self.n, &largest)
            distance = distance + one if self.together else max(distance, one)
        self.scale *= factor
        off = TRAVEL * (factor * sqrt(length) + self.moved * self.scale)
        distance, largest = (sqrt(distance) * (1.0 + LENGTH) + off,
                             largest * (1.0 + LENGTH) + off)
        if SMALLEST < self.scale < LARGEST and distance < INFINITY:
            self.moved += distance / self.scale
            self.most += largest / self.scale
        else:
            self._wake()

    cdef void _wake(self) noexcept nogil:
        cdef Py_ssize_t j
        self.scale, self.moved, self.most = 1.0, 0.0, 0.0
        for j in range(self.kept.shape[0]):
            if not self.dropped(j):
                self.kept[j] = INFINITY

    cdef Py_ssize_t candidates(self, double lam, int* out) noexcept nogil:
        """List the features that may reach lam times their threshold; returns how many."""
        return ss_candidates(self.kept.shape[0], &self.kept[0], &self.rate[0], &self.threshold[0],
                        self.moved, self.most, lam / self.scale, out)
