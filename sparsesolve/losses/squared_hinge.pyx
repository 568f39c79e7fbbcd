"""Squared hinge loss: the squared distance of the margin to 1, if it is smaller."""
from libc.math cimport INFINITY

import numpy as np

from sparsesolve.losses.separable cimport Separable
from sparsesolve.losses.entropy cimport price

# y times a slope is at most 0; a value above 0 by at most BEYOND is rounding error.
cdef double BEYOND = 1e-14


cdef class SquaredHinge(Separable):
    """value(y, eta) = max(0, 1 - y eta)^2 / 2, y = -1 or 1; the second derivative jumps at y eta
    = 1.
    """

    width, bend = 0.0, 1.0

    @property
    def pieces(self):
        """Return c, l and h of each sample, (n,) each: see losses/base.pyx."""
        y = np.asarray(self.y)
        return np.array([y, np.where(y > 0.0, -np.inf, 0.0), np.where(y > 0.0, 0.0, np.inf)])

    cdef double value(self, double y, double eta) noexcept nogil:
        cdef double lack = 1.0 - y * eta
        return 0.5 * lack * lack if lack > 0.0 else 0.0

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double lack = 1.0 - y * eta
        return -y * lack if lack > 0.0 else 0.0

    cdef double least_slope(self, double y) noexcept nogil:
        return -INFINITY if y > 0.0 else 0.0

    cdef double largest_slope(self, double y) noexcept nogil:
        return 0.0 if y > 0.0 else INFINITY

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        return 1.0 if y * eta < 1.0 else 0.0

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        cdef double lack = 1.0 - y * eta, pull = y * v
        if pull > BEYOND:
            return INFINITY
        if pull > 0.0:
            return (0.5 * lack * lack if lack > 0.0 else 0.0) + price(pull, lack)
        return 0.5 * (lack + pull) * (lack + pull) if lack > 0.0 else pull * (0.5 * pull + lack)
