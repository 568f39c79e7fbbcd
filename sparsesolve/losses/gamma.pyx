"""Gamma loss with the log link: minus the log-likelihood of a positive response.

It leaves out a constant and the shape parameter.
"""
from libc.math cimport INFINITY, exp, log

from sparsesolve.losses.separable cimport Separable
from sparsesolve.losses.entropy cimport divergence, price

# A ratio of y to its mean that is negative by at most BEYOND is rounding error.
cdef double BEYOND = 1e-12


cdef class Gamma(Separable):
    """value(y, eta) = y exp(-eta) + eta, for y > 0."""

    linear_in_y = True

    cdef double value(self, double y, double eta) noexcept nogil:
        return y * exp(-eta) + eta

    cdef double slope(self, double y, double eta) noexcept nogil:
        return 1.0 - y * exp(-eta)

    cdef double largest_slope(self, double y) noexcept nogil:
        return 1.0

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        return y * exp(-eta)

    cdef double least(self, double y) noexcept nogil:
        return log(y) + 1.0

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        # The line of slope v touches the loss where y exp(-eta) = s.
        cdef double s = 1.0 - v, ratio = y * exp(-eta), log_ratio = log(y) - eta
        if s < -BEYOND:
            return INFINITY
        return divergence(s, ratio, log_ratio, s - ratio) + price(-s, log_ratio)
