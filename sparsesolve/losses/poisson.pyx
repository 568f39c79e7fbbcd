"""Poisson loss with the log link: minus the log-likelihood of a count, up to a constant."""
from libc.math cimport INFINITY, exp

import numpy as np

from sparsesolve.losses.separable cimport Separable
from sparsesolve.losses.entropy cimport divergence, price, x_log_x

# A mean response that is negative by at most BEYOND, relative to the mean of y, is rounding
# error.
cdef double BEYOND = 1e-12


cdef class Poisson(Separable):
    """value(y, eta) = exp(eta) - y eta, for y >= 0."""

    # exp(o) is the exposure, the time or the number observed.
    linear_in_y = exposes = True

    cdef double rounding

    def __init__(self, y, w):
        super().__init__(y, w)
        self.rounding = BEYOND * np.dot(self.w, self.y)

    cdef double value(self, double y, double eta) noexcept nogil:
        return exp(eta) - y * eta

    cdef double slope(self, double y, double eta) noexcept nogil:
        return exp(eta) - y

    cdef double least_slope(self, double y) noexcept nogil:
        return -y

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        return exp(eta)

    cdef double least(self, double y) noexcept nogil:
        return y - x_log_x(y)

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        cdef double s = v + y, mean = exp(eta)
        if s < -self.rounding:
            return INFINITY
        return divergence(s, mean, eta, s - mean) + price(-s, eta)
