"""Gamma loss with the log link: minus the log-likelihood of a positive response, up to a constant and its shape."""
from libc.math cimport INFINITY, exp, log

from sparsesolve.losses.base cimport Separable
from sparsesolve.losses.entropy cimport divergence, price

cdef double BEYOND = 1e-12      # of the ratio of y to its mean: rounding below 0


cdef class Gamma(Separable):
    """value(y, eta) = y exp(-eta) + eta, for y > 0."""

    linear_in_y = True

    cdef double value(self, double y, double eta) noexcept nogil:
        return y * exp(-eta) + eta

    cdef double slope(self, double y, double eta) noexcept nogil:
        return 1.0 - y * exp(-eta)

    cdef double largest_slope(self, double y) noexcept nogil:
        return 1.0

    cdef double bend(self, double y, double eta) noexcept nogil:
        return y * exp(-eta)

    cdef double least(self, double y) noexcept nogil:
        return log(y) + 1.0

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        cdef double s = 1.0 - v, ratio = y * exp(-eta), log_ratio = log(y) - eta    # s: where the line touches
        return INFINITY if s < -BEYOND else divergence(s, ratio, log_ratio, s - ratio) + price(-s, log_ratio)
