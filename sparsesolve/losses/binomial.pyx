"""Logistic loss."""
from libc.math cimport INFINITY, exp, log1p

from sparsesolve.losses.base cimport Separable
from sparsesolve.losses.entropy cimport x_log_x

cdef double BEYOND = 1e-12      # of a probability: rounding outside [0, 1]


cdef class Binomial(Separable):
    """value(y, eta) = log(1 + exp(eta)) - y eta, for y in [0, 1]: the share of successes."""

    def __init__(self, y, w):
        super().__init__(y, w)
        self.has_conjugate = True

    cdef double value(self, double y, double eta) noexcept nogil:
        return log1p(exp(-eta)) + (1.0 - y) * eta if eta > 0.0 else log1p(exp(eta)) - y * eta

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double e
        if eta > 0.0:
            e = exp(-eta)
            return (1.0 - y) - e / (1.0 + e)        # exact where y = 1 and the probability rounds to 1
        e = exp(eta)
        return e / (1.0 + e) - y

    cdef double bend(self, double y, double eta) noexcept nogil:
        cdef double e = exp(-eta if eta > 0.0 else eta)
        return e / ((1.0 + e) * (1.0 + e))

    cdef double conjugate(self, double y, double v) noexcept nogil:
        cdef double s = v + y, rest = (1.0 - y) - v
        if s < -BEYOND or rest < -BEYOND:
            return INFINITY
        return x_log_x(s) + x_log_x(rest)
