"""Losses with kinks, one formula for hinge, quantile and epsilon-insensitive loss.

    f(y, eta) = max over s in [l(y), h(y)] of  s (eta - c(y)) - epsilon |s|,      l <= 0 <= h

Its conjugate is f*(s) = s c + epsilon |s| on [l, h] and infinite elsewhere. A subclass gives c, l
and h: `centre`, `least_slope` and `largest_slope`. The least value is 0. Solvers of smooth problems
take its Moreau envelope: see envelope.pyx.
"""
from libc.math cimport INFINITY, fabs

import numpy as np

from sparsesolve.losses.entropy cimport price

cdef double BEYOND = 1e-12      # of the largest slope: rounding outside [l, h]


cdef class Kinked(Separable):
    """F(eta) = sum_i w_i f(y_i, eta_i); at a kink the slope is that of the flatter side."""

    smooth = False

    cdef double centre(self, double y) noexcept nogil:
        """c: where the kink is, or the middle of the flat piece."""
        return y

    cdef double best_slope(self, double y, double r) noexcept nogil:
        """The slope at eta = c + r."""
        if fabs(r) <= self.width:
            return 0.0
        return self.largest_slope(y) if r > 0.0 else self.least_slope(y)

    cdef double value(self, double y, double eta) noexcept nogil:
        cdef double r = eta - self.centre(y), s = self.best_slope(y, r)
        return s * r - self.width * fabs(s)

    cdef double slope(self, double y, double eta) noexcept nogil:
        return self.best_slope(y, eta - self.centre(y))

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        cdef double low = self.least_slope(y), high = self.largest_slope(y)
        cdef double r = eta - self.centre(y), s = self.best_slope(y, r), t = min(max(v, low), high)
        if not fabs(v - t) <= BEYOND * (high - low):
            return INFINITY
        return max((s - t) * r - self.width * (fabs(s) - fabs(t)), 0.0) + price(fabs(v - t), eta)

    @property
    def responses(self):
        """y (n,)."""
        return np.asarray(self.y)

    @property
    def pieces(self):
        """c, l and h of each sample, (n,) each."""
        cdef Py_ssize_t i
        cdef double[:, ::1] out = np.empty((3, self.n))
        for i in range(self.n):
            out[0, i] = self.centre(self.y[i])
            out[1, i] = self.least_slope(self.y[i])
            out[2, i] = self.largest_slope(self.y[i])
        return np.asarray(out)

    def best_shift(self, eta):
        """A constant a for which F(eta + a) is least: the middle of those, where there are several.

        F(eta + a) is piecewise linear in a, with kinks at c - eta -+ epsilon.
        """
        centre, low, high = self.pieces
        w, gap = np.asarray(self.w), centre - np.asarray(eta)
        kinks = np.concatenate([gap - self.width, gap + self.width])
        rises = np.concatenate([-w * low, w * high])
        order = np.argsort(kinks, kind="stable")
        order = order[rises[order] > 0.0]
        if len(order) == 0:
            return 0.0
        slope = np.cumsum(rises[order]) + float(w @ low)    # just behind each kink
        still = 1e-15 * float(rises.sum())
        left = min(int(np.searchsorted(slope, -still)), len(order) - 1)
        right = min(left + (abs(slope[left]) <= still), len(order) - 1)
        return 0.5 * float(kinks[order[left]] + kinks[order[right]])
