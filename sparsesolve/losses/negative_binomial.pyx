"""Negative binomial loss with the log link: counts whose variance is mu + mu^2 / theta."""
from libc.math cimport INFINITY, exp, fabs, log, log1p

import numpy as np

from sparsesolve.losses.separable cimport Separable
from sparsesolve.losses.entropy cimport divergence, price

# A dual value outside [0, y + theta] is rounding error if it is outside by at most BEYOND times
# the mean response, or times y + theta.
cdef double BEYOND = 1e-12


cdef class NegativeBinomial(Separable):
    """value(y, eta) = (y + theta) log(1 + exp(eta) / theta) - y eta, for y >= 0.

    Parameters
    ----------
    y, w : as in Separable; y >= 0
    theta : size; the loss tends to Poisson's as theta grows
    """

    linear_in_y = True

    cdef readonly double theta
    cdef double log_theta, rounding

    def __init__(self, y, w, double theta=1.0):
        self.theta, self.log_theta = theta, log(theta)
        super().__init__(y, w)
        self.rounding = BEYOND * np.dot(self.w, self.y)

    def parameters(self):
        return (self.theta,)

    cdef double value(self, double y, double eta) noexcept nogil:
        if eta <= self.log_theta:
            return (y + self.theta) * log1p(exp(eta) / self.theta) - y * eta
        return (self.theta * (eta - self.log_theta) + (y + self.theta)
                * log1p(self.theta * exp(-eta))
                - y * self.log_theta)

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double e
        if eta <= self.log_theta:
            e = exp(eta)
            return (e - y) / (1.0 + e / self.theta)
        e = exp(-eta)
        return self.theta * (1.0 - y * e) / (1.0 + self.theta * e)

    cdef double least_slope(self, double y) noexcept nogil:
        return -y

    cdef double largest_slope(self, double y) noexcept nogil:
        return self.theta

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        cdef double odds = (exp(eta) / self.theta if eta <= self.log_theta
                            else self.theta * exp(-eta))
        return (y + self.theta) * (odds / ((1.0 + odds) * (1.0 + odds)))

    cdef double least(self, double y) noexcept nogil:
        cdef double size = y + self.theta
        if y <= 0.0:
            return 0.0
        return -y * (self.log_theta + log(y / size)) - self.theta * (
            log1p(-y / size) if y < self.theta else log(self.theta / size))

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        """Sum the divergences of the two shares of y + theta from those at eta, `few` <= `many`.
        """
        cdef double s = v + y, rest = self.theta - v
        cdef double size = y + self.theta, x = eta - self.log_theta
        cdef double odds, few, log_many
        if s < -self.rounding or rest < -BEYOND * size:
            return INFINITY
        odds = exp(eta) / self.theta if x <= 0.0 else self.theta * exp(-eta)
        few, log_many = size * (odds / (1.0 + odds)), log(size) - log1p(odds)
        if x > 0.0:
            s, rest = rest, s
        return (divergence(s, few, log_many - fabs(x), s - few)
                + divergence(rest, size / (1.0 + odds), log_many, few - s)
                + price(-min(s, rest), eta))
