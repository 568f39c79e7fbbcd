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
DEF SORTED = 256                # kinks so few are sorted at once
DEF SAMPLE = 64                 # kinks of whose sample the median is a pivot


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
        """c, l and h of each sample, (n,) each; made once, and not to be written to."""
        cdef Py_ssize_t i
        cdef double[:, ::1] out
        if self.held_pieces is None:
            out = np.empty((3, self.n))
            for i in range(self.n):
                out[0, i] = self.centre(self.y[i])
                out[1, i] = self.least_slope(self.y[i])
                out[2, i] = self.largest_slope(self.y[i])
            self.held_pieces = np.asarray(out)
            self.held_pieces.flags.writeable = False
        return self.held_pieces

    def best_shift(self, eta):
        """A constant a for which F(eta + a) is least: the middle of those, where there are several.

        F(eta + a) is piecewise linear in a, with kinks at c - eta -+ epsilon. The kink where its
        slope changes sign is selected in O(n) expected time; only the last kinks are sorted.
        """
        centre, low, high = self.pieces
        w, kinks = np.asarray(self.w), centre - np.asarray(eta)
        if self.width == 0.0:
            rises = w * (high - low)
        else:
            kinks = np.concatenate([kinks - self.width, kinks + self.width])
            rises = np.concatenate([-w * low, w * high])
        if not np.all(rises > 0.0):
            kinks, rises = kinks[rises > 0.0], rises[rises > 0.0]
        if len(kinks) == 0:
            return 0.0
        still = 1e-15 * float(rises.sum())
        kinks, rises, before = _around_zero(kinks, rises, float(w @ low), still)
        order = np.argsort(kinks, kind="stable")
        slope = np.cumsum(rises[order]) + before            # just behind each kink
        left = min(int(np.searchsorted(slope, -still)), len(order) - 1)
        right = min(left + (abs(slope[left]) <= still), len(order) - 1)
        return 0.5 * float(kinks[order[left]] + kinks[order[right]])


def _around_zero(kinks, rises, double before, double still):
    """Drop kinks that are surely on one side of the slope's change of sign.

    Given the slope `before` the first kink. Returns the kinks left, their rises, and the slope
    before the first of these. A pivot where the slope is 0 ends it: the kink behind it counts, too.
    """
    while len(kinks) > SORTED:
        pivot = np.median(kinks[:: len(kinks) // SAMPLE])
        below = kinks <= pivot
        here = before + float(rises[below].sum())
        if here < -still:
            keep, before = ~below, here
        elif here > still:
            keep = below
        else:
            break
        if keep.all() or not keep.any():
            break                       # ties, which sorting leaves in order
        kinks, rises = kinks[keep], rises[keep]
    return kinks, rises, before
