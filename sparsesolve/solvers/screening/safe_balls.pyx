"""Columns, or groups, that no residual near enough to the last ones can bring to their threshold.

What is looked at is |z_j'r|, or another size of products that grows by at most `rate` |dr| as r moves by dr and is
multiplied as r is.  A new residual is s times the last one and a way e beside it, so that a bound on the size becomes
s times itself and rate |e|: along a path r gets shorter and turns little, and |e| is far less than |dr|.  Of a bound at
one residual is kept what all later factors s and ways e have in common, and one comparison tells that it still serves.
Where z_j has few entries, a rate over the largest entry of e tells more than one over its length.
Reference for the idea with s = 1: Cauchy-Schwarz, as in the "safe" rules of El Ghaoui et al. (2012).
"""
from libc.math cimport sqrt

import numpy as np

from sparsesolve.linalg.kernels.vector cimport dot, ss_candidates, ss_travel

cdef double SMALLEST = 1e-100, LARGEST = 1e100  # that `scale` may become
cdef double ROUNDING = 1e-12                    # of a way, with room
cdef double EPSILON = 1e-15                     # of the residual, and of all ways so far, in a way


cdef class SafeBalls:
    """All candidates at first.

    Parameters
    ----------
    n : int
        Length of the residual, or of each of its `parts`.
    rate, threshold : (p,)
        How fast each size may grow with the length of a way, or where negative, of one part only, with its largest
        entry; and what it must not reach, over lam.
    parts : int
        Residuals side by side, as of several responses.
    together : bool
        Whether sizes grow with the length of all parts' ways; else with the longest.
    """

    def __cinit__(self, Py_ssize_t n, rate, threshold, int parts=1, bint together=True):
        self.n, self.parts, self.together = n, parts, together
        self.rate, self.threshold, self.kept = rate, threshold, np.full(len(rate), INFINITY)
        self.last, self.scale = np.zeros(n * parts), 1.0

    cdef void move(self, const double* r) noexcept nogil:
        """Go on to the residual r.  Where nothing is known of its direction, or floats end, all wake."""
        cdef int k
        cdef double* last = &self.last[0]
        cdef double length = dot(self.n * self.parts, last, last)
        cdef double along = dot(self.n * self.parts, r, last)
        cdef double factor = along / length, distance = 0.0, one, off, largest = 0.0
        for k in range(self.parts):
            one = ss_travel(self.n, factor, r + k * self.n, last + k * self.n, &largest)
            distance = distance + one if self.together else max(distance, one)
        self.scale *= factor
        off = EPSILON * (factor * sqrt(length) + self.moved * self.scale)
        distance, largest = (sqrt(distance) * (1.0 + ROUNDING) + off,
                             largest * (1.0 + ROUNDING) + off)
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
        """List those that may reach lam times their threshold; returns how many."""
        return ss_candidates(self.kept.shape[0], &self.kept[0], &self.rate[0], &self.threshold[0],
                        self.moved, self.most, lam / self.scale, out)
