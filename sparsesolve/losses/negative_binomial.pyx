"""Negative binomial loss with the log link: counts whose variance is mu + mu^2 / theta."""
from libc.math cimport INFINITY, exp, log, log1p

import numpy as np

from sparsesolve.losses.base cimport Separable
from sparsesolve.losses.entropy cimport excess_of_exp, price

cdef double BEYOND = 1e-12      # of the mean response, and of y + theta: rounding outside [0, y + theta]


cdef class NegativeBinomial(Separable):
    """value(y, eta) = (y + theta) log(1 + exp(eta) / theta) - y eta, for y >= 0.

    Parameters
    ----------
    y, w : as in Separable; y >= 0
    theta : size; the loss tends to Poisson's as it grows
    """

    cdef readonly double theta
    cdef double log_theta, slack

    def __init__(self, y, w, double theta=1.0):
        self.theta, self.log_theta = theta, log(theta)
        super().__init__(y, w)
        self.slack = BEYOND * np.dot(self.w, self.y)

    cdef double value(self, double y, double eta) noexcept nogil:
        if eta <= self.log_theta:
            return (y + self.theta) * log1p(exp(eta) / self.theta) - y * eta
        return (self.theta * (eta - self.log_theta) + (y + self.theta) * log1p(self.theta * exp(-eta))
                - y * self.log_theta)

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double e
        if eta <= self.log_theta:
            e = exp(eta)
            return (e - y) / (1.0 + e / self.theta)
        e = exp(-eta)
        return self.theta * (1.0 - y * e) / (1.0 + self.theta * e)

    cdef double bend(self, double y, double eta) noexcept nogil:
        cdef double odds = exp(eta) / self.theta if eta <= self.log_theta else self.theta * exp(-eta)
        return (y + self.theta) * (odds / ((1.0 + odds) * (1.0 + odds)))

    cdef double least(self, double y) noexcept nogil:
        cdef double size = y + self.theta
        if y <= 0.0:
            return 0.0
        return -y * (self.log_theta + log(y / size)) - self.theta * (
            log1p(-y / size) if y < self.theta else log(self.theta / size))

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        """A relative entropy in two parts: of s to the share of y + theta that eta gives it, and of the rest."""
        cdef double s = v + y, rest = self.theta - v, size = log(y + self.theta), odds, cost = price(-min(s, rest), eta)
        if s < -self.slack or rest < -BEYOND * (y + self.theta):
            return INFINITY
        if eta <= self.log_theta:
            odds = log1p(exp(eta) / self.theta)
            return (excess_of_exp(size + (eta - self.log_theta) - odds, s) + excess_of_exp(size - odds, rest) + cost)
        odds = log1p(self.theta * exp(-eta))
        return excess_of_exp(size - odds, s) + excess_of_exp(size - (eta - self.log_theta) - odds, rest) + cost
