"""Moreau envelope of a loss with kinks, around multipliers, for the method of multipliers.

    f_sigma(eta; m) = max over s in [l, h] of  s (eta - c) - epsilon |s| - (s - m)^2 / (2 sigma)
                    = min over t of  f(t) + m (eta - t) + sigma (eta - t)^2 / 2

Its slope is s+ = clip(soft(m + sigma (eta - c), sigma epsilon), l, h), the next multiplier. Its
second derivative is sigma where s+ is strictly between the ends and, if there is a flat piece,
not 0; elsewhere it is 0.
Reference: Rockafellar (1976), "Augmented Lagrangians and applications of the proximal point
algorithm".
"""
from libc.math cimport INFINITY, fabs

import numpy as np

from sparsesolve.losses.separable cimport Separable
from sparsesolve.losses.entropy cimport price

# A dual value outside the range of slopes by at most this multiple of it is rounding error.
cdef double BEYOND = 1e-12


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
                if not fabs(v - t) <= BEYOND * (self.high[i] - self.low[i]):
                    return INFINITY
                # The difference of two values of one concave function.
                off = (s - t) * (eta[i] - self.c[i] - 0.5 * (s + t - 2.0 * self.m[i]) / self.sigma)
                off -= self.width * (fabs(s) - fabs(t))
                total += self.w[i] * (max(off, 0.0) + price(fabs(v - t), eta[i]))
            elif u[i] != 0.0:
                return INFINITY
        return total
