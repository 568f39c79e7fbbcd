"""Losses of real responses with two pieces: Huber's, and the squared epsilon-insensitive one."""
from libc.math cimport INFINITY, fabs, ldexp

import numpy as np

from sparsesolve.losses.separable cimport Separable
from sparsesolve.losses.entropy cimport SS_BEYOND, price


cdef class Huber(Separable):
    """value(y, eta) = r^2 / 2 if |r| <= delta, else delta |r| - delta^2 / 2, with r = y - eta.

    Parameters
    ----------
    y, w : as in Separable; y is real
    delta : residual at which the loss becomes linear; the second derivative jumps from 1 to 0 there
    """

    cdef readonly double delta
    degree = 2

    def __init__(self, y, w, double delta=1.0):
        self.delta = delta
        super().__init__(y, w)

    def parameters(self):
        return (self.delta,)

    def in_units(self, y, int exponent):
        return type(self)(y, self.w, ldexp(self.delta, -exponent))

    cdef double value(self, double y, double eta) noexcept nogil:
        cdef double size = fabs(y - eta)
        return 0.5 * size * size if size <= self.delta else self.delta * (size - 0.5 * self.delta)

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double r = y - eta
        return self.delta if r < -self.delta else -self.delta if r > self.delta else -r

    cdef double least_slope(self, double y) noexcept nogil:
        return -self.delta

    cdef double largest_slope(self, double y) noexcept nogil:
        return self.delta

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        return 1.0 if fabs(y - eta) <= self.delta else 0.0

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        cdef double r = y - eta, pull = -v if r > 0.0 else v
        if fabs(v) > self.delta * (1.0 + SS_BEYOND):
            return INFINITY
        if fabs(v) > self.delta:
            return (self.excess(y, eta, self.delta if v > 0.0 else -self.delta)
                    + price(fabs(v) - self.delta, r))
        if fabs(r) <= self.delta:
            return 0.5 * (r + v) * (r + v)
        return (self.delta - pull) * (fabs(r) - 0.5 * (self.delta + pull))


cdef class SquaredInsensitive(Separable):
    """value(y, eta) = max(0, |y - eta| - epsilon)^2 / 2.

    Its conjugate is v y + epsilon |v| + v^2 / 2.

    Parameters
    ----------
    y, w : as in Separable; y is real
    epsilon : error, in units of y, that costs nothing; the second derivative jumps from 0 to 1
    """

    cdef readonly double width
    bend = 1.0
    degree = 2

    def __init__(self, y, w, double epsilon=0.125):
        self.width = epsilon
        super().__init__(y, w)

    def parameters(self):
        return (self.width,)

    def in_units(self, y, int exponent):
        return type(self)(y, self.w, ldexp(self.width, -exponent))

    @property
    def pieces(self):
        """Return c, l and h of each sample, (n,) each: see losses/base.pyx."""
        y = np.asarray(self.y)
        return np.array([y, np.full(len(y), -np.inf), np.full(len(y), np.inf)])

    cdef double value(self, double y, double eta) noexcept nogil:
        cdef double s = self.slope(y, eta)
        return 0.5 * s * s

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double r = eta - y
        return r - self.width if r > self.width else r + self.width if r < -self.width else 0.0

    cdef double least_slope(self, double y) noexcept nogil:
        return -INFINITY

    cdef double largest_slope(self, double y) noexcept nogil:
        return INFINITY

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        return 1.0 if fabs(eta - y) > self.width else 0.0

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        cdef double s = self.slope(y, eta), inside = eta - y - s
        return 0.5 * (s - v) * (s - v) + max(self.width * fabs(v) - v * inside, 0.0)
