"""Losses with kinks: one formula for the hinge, quantile and epsilon-insensitive losses.

    f(y, eta) = max over s in [l(y), h(y)] of  s (eta - c(y)) - epsilon |s|,      l <= 0 <= h

Its conjugate is f*(s) = s c + epsilon |s| on [l, h] and infinite elsewhere. A subclass gives c, l
and h: `centre`, `least_slope` and `largest_slope`. The least value is 0.

Solvers of smooth problems use its Moreau envelope around multipliers m:

    f_sigma(eta; m) = max over s in [l, h] of  s (eta - c) - epsilon |s| - (s - m)^2 / (2 sigma)
                    = min over t of  f(t) + m (eta - t) + sigma (eta - t)^2 / 2

Its slope is s+ = clip(soft(m + sigma (eta - c), sigma epsilon), l, h), the next multiplier. Its
second derivative is sigma where s+ is strictly between the ends and, if there is a flat piece,
not 0; elsewhere it is 0.
Reference: Rockafellar (1976), "Augmented Lagrangians and applications of the proximal point
algorithm".
"""
from libc.math cimport INFINITY, fabs, ldexp

import numpy as np

from sparsesolve.losses.entropy cimport SS_BEYOND, price
from sparsesolve.losses.separable cimport Separable

# With at most this many kinks left, they are sorted; a sample of so many has the pivot of more.
DEF SORTED = 256


cdef class Kinked(Separable):
    """F(eta) = sum_i w_i f(y_i, eta_i); at a kink the slope is that of the flatter side."""

    # epsilon: half the length of the flat piece; 0 with one kink
    cdef readonly double width
    cdef object held_pieces

    smooth = False
    degree = 1

    cdef double centre(self, double y) noexcept nogil:
        """Return c: the kink, or the middle of the flat piece."""
        return y

    cdef double best_slope(self, double y, double r) noexcept nogil:
        """Return the slope at eta = c + r; at a kink that of the flatter side."""
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
        if not fabs(v - t) <= SS_BEYOND * (high - low):
            return INFINITY
        return max((s - t) * r - self.width * (fabs(s) - fabs(t)), 0.0) + price(fabs(v - t), eta)

    @property
    def responses(self):
        """Return y (n,)."""
        return np.asarray(self.y)

    @property
    def pieces(self):
        """Return c, l and h of each sample, (n,) each, computed once and read-only."""
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
        """Return a constant a that minimises F(eta + a); if there are several, the middle of
        them.

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
        slope = np.cumsum(rises[order]) + before            # slope behind each kink
        left = min(int(np.searchsorted(slope, -still)), len(order) - 1)
        right = min(left + (abs(slope[left]) <= still), len(order) - 1)
        return 0.5 * float(kinks[order[left]] + kinks[order[right]])


def _around_zero(kinks, rises, double before, double still):
    """Drop kinks that certainly lie on one side of the slope's change of sign.

    `before` is the slope before the first kink. Returns the remaining kinks, their rises, and the
    slope before the first of these. A pivot with slope 0 ends the search: the kink behind it also
    counts.
    """
    while len(kinks) > SORTED:
        pivot = np.median(kinks[:: len(kinks) // SORTED])
        below = kinks <= pivot
        here = before + float(rises[below].sum())
        if here < -still:
            keep, before = ~below, here
        elif here > still:
            keep = below
        else:
            break
        if keep.all() or not keep.any():
            break                       # ties, which the sort keeps in order
        kinks, rises = kinks[keep], rises[keep]
    return kinks, rises, before


cdef class Hinge(Kinked):
    """The loss of support vector machines.

    value(y, eta) = max(0, 1 - y eta), for y = -1 or 1; the slope at the kink is 0.
    """

    degree = 0

    cdef double best_slope(self, double y, double r) noexcept nogil:
        return -y if y * r < 0.0 else 0.0

    cdef double least_slope(self, double y) noexcept nogil:
        return -1.0 if y > 0.0 else 0.0

    cdef double largest_slope(self, double y) noexcept nogil:
        return 0.0 if y > 0.0 else 1.0


cdef class Quantile(Kinked):
    """The pinball loss; at q = 1/2 it is half the absolute error.

    value(y, eta) = q r where r = y - eta > 0, else (q - 1) r.

    Parameters
    ----------
    y, w : as in Separable; y real
    q : the quantile, in (0, 1)
    """

    cdef readonly double q

    def __init__(self, y, w, double q=0.5):
        self.q = q
        super().__init__(y, w)

    def parameters(self):
        return (self.q,)

    cdef double least_slope(self, double y) noexcept nogil:
        return -self.q

    cdef double largest_slope(self, double y) noexcept nogil:
        return 1.0 - self.q


cdef class EpsilonInsensitive(Kinked):
    """The loss of support vector regression.

    value(y, eta) = max(0, |y - eta| - epsilon).

    Parameters
    ----------
    y, w : as in Separable; y real
    epsilon : error, in units of y, that costs nothing
    """

    def __init__(self, y, w, double epsilon=0.0):
        self.width = epsilon
        super().__init__(y, w)

    def parameters(self):
        return (self.width,)

    def in_units(self, y, int exponent):
        return type(self)(y, self.w, ldexp(self.width, -exponent))

    cdef double least_slope(self, double y) noexcept nogil:
        return -1.0

    cdef double largest_slope(self, double y) noexcept nogil:
        return 1.0


cdef class Envelope(Separable):
    """F(eta) = sum_i w_i f_sigma(eta_i; m_i). `about` changes m and sigma in place.

    Parameters
    ----------
    kinked : Kinked, the loss
    sigma : float > 0, slope per unit of eta
    """

    cdef const double[::1] c, low, high
    cdef double[::1] m
    cdef readonly double sigma, width

    by_sample = False

    def __init__(self, kinked, double sigma):
        pieces = kinked.pieces
        self.c, self.low, self.high = (np.ascontiguousarray(row) for row in pieces)
        self.m, self.width = np.zeros(kinked.n), kinked.width
        super().__init__(*kinked.samples())
        self.about(np.zeros(kinked.n), sigma)

    def about(self, m, double sigma):
        """Set the multipliers m (n,), which are slopes of the loss, and sigma."""
        self.m = np.array(m, dtype=float)
        self.sigma = sigma
        self.saturated = -float(np.dot(self.w, np.square(self.m))) / (2.0 * sigma)  # at s+ = 0

    def slopes(self, eta):
        """Return s+ at eta, (n,)."""
        cdef const double[::1] e = self._flat(eta)
        cdef double[::1] out = np.empty(self.n)
        cdef Py_ssize_t i
        for i in range(self.n):
            out[i] = self._next(i, e[i])
        return np.asarray(out)

    def slope_along(self, eta, along, double t):
        """Return the slope of F at eta + t along in the direction `along`, for line searches."""

        cdef const double[::1] e = self._flat(eta), d = self._flat(along)
        cdef double total = 0.0
        cdef Py_ssize_t i
        with nogil:
            for i in range(self.n):
                total += self.w[i] * self._next(i, e[i] + t * d[i]) * d[i]
        return total

    @property
    def ends(self):
        w = np.asarray(self.w)
        return np.stack([-w * np.asarray(self.high), -w * np.asarray(self.low)])

    cdef double _next(self, Py_ssize_t i, double eta) noexcept nogil:
        cdef double s = self.m[i] + self.sigma * (eta - self.c[i]), dead = self.sigma * self.width
        s = s - dead if s > dead else s + dead if s < -dead else 0.0
        return min(max(s, self.low[i]), self.high[i])

    cdef double evaluate_block(self, Py_ssize_t start, Py_ssize_t stop, const double* eta,
                               double* u) noexcept nogil:
        cdef Py_ssize_t i
        cdef double total = 0.0, s, off
        for i in range(start, stop):
            u[i] = 0.0
            if self.w[i] > 0.0:
                s = self._next(i, eta[i])
                off = s - self.m[i]
                total += self.w[i] * (s * (eta[i] - self.c[i]) - self.width * fabs(s)
                                      - 0.5 * off * off / self.sigma)
                u[i] = -self.w[i] * s
        return total

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        cdef Py_ssize_t i
        cdef double s
        for i in range(self.n):
            s = self._next(i, eta[i])
            h[i] = self.w[i] * self.sigma if self.low[i] < s < self.high[i] and (self.width == 0.0
                    or s != 0.0) else 0.0

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        cdef Py_ssize_t i
        cdef double total = 0.0, s, t, v, off
        for i in range(self.n):
            if self.w[i] > 0.0:
                s, v = self._next(i, eta[i]), -u[i] / self.w[i]
                t = min(max(v, self.low[i]), self.high[i])
                if not fabs(v - t) <= SS_BEYOND * (self.high[i] - self.low[i]):
                    return INFINITY
                # The difference of two values of one concave function.
                off = (s - t) * (eta[i] - self.c[i] - 0.5 * (s + t - 2.0 * self.m[i]) / self.sigma)
                off -= self.width * (fabs(s) - fabs(t))
                total += self.w[i] * (max(off, 0.0) + price(fabs(v - t), eta[i]))
            elif u[i] != 0.0:
                return INFINITY
        return total
