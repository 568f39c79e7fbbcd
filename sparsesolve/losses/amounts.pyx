"""Losses of counts and amounts with the log link: Poisson, gamma, Tweedie, negative binomial.

Each is minus a log-likelihood up to a constant: a count; a positive response, without its shape
parameter; a point mass at 0 and positive amounts of variance mu^power; counts of variance
mu + mu^2 / theta.
"""
from libc.math cimport INFINITY, NAN, exp, expm1, fabs, isnan, log, log1p

import numpy as np

from sparsesolve.losses.entropy cimport SS_BEYOND, divergence, price, x_log_x
from sparsesolve.losses.separable cimport Separable


cdef class Poisson(Separable):
    """value(y, eta) = exp(eta) - y eta, for y >= 0."""

    # exp(o) is the exposure, the time or the number observed.
    linear_in_y = exposes = True

    cdef double rounding

    def __init__(self, y, w):
        super().__init__(y, w)
        self.rounding = SS_BEYOND * np.dot(self.w, self.y) / (np.sum(self.w) or 1.0)

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
        if s < -SS_BEYOND:
            return INFINITY
        return divergence(s, ratio, log_ratio, s - ratio) + price(-s, log_ratio)


cdef class Tweedie(Separable):
    """value(y, eta) = integral from o to eta of (exp(t) - y) exp((1 - power) t) dt, for y >= 0.

    This is half the unit deviance, up to a constant that keeps it finite as power tends to 1
    (Poisson) or 2 (gamma). The origin o is the logarithm of the mean response, less 1: values from
    there have the size of deviances in all units of y, and the least one tells what rounding is.

    Parameters
    ----------
    y, w : as in Separable; y >= 0
    power : exponent of the variance function, between 1 and 2, both excluded
    origin : o; NAN: that of y. Parts of the rows need that of all
    """

    linear_in_y = True

    cdef readonly double power

    def __init__(self, y, w, double power=1.5, double origin=NAN):
        cdef double mean = np.dot(w, y)
        self.power, self.origin = power, origin
        if isnan(origin):
            self.origin = log(mean) - 1.0 if mean > 0.0 else 0.0
        super().__init__(y, w)

    def parameters(self):
        return self.power, self.origin

    cdef double value(self, double y, double eta) noexcept nogil:
        cdef double a = 2.0 - self.power, b = self.power - 1.0, o = self.origin
        cdef double total = exp(a * o) * expm1(a * (eta - o)) / a
        if y == 0.0:    # avoid 0 times infinity
            return total
        return total + y * exp(-b * o) * expm1(-b * (eta - o)) / b

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double rising = exp((2.0 - self.power) * eta)
        return rising - y * exp((1.0 - self.power) * eta) if y > 0.0 else rising

    cdef double least_slope(self, double y) noexcept nogil:
        return 0.0 if y == 0.0 else -INFINITY

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        cdef double a = 2.0 - self.power, b = self.power - 1.0, total = a * exp(a * eta)
        return total + b * y * exp(-b * eta) if y > 0.0 else total

    cdef double least(self, double y) noexcept nogil:
        cdef double a = 2.0 - self.power
        return self.value(y, log(y)) if y > 0.0 else -exp(a * self.origin) / a

    cdef double above(self, double y, double eta, double t, double v) noexcept nogil:
        """Sum positive terms from the tangent at t.

        For a large y the two values are far larger than their difference.
        """
        cdef double a = 2.0 - self.power, b = self.power - 1.0
        cdef double total = ((self.slope(y, t) - v) * (eta - t)
                             + exp(a * t) / a * exp_above_tangent(a * (eta - t)))
        return total + y * exp(-b * t) / b * exp_above_tangent(-b * (eta - t)) if y > 0.0 else total


cdef inline double exp_above_tangent(double x) noexcept nogil:
    """Return exp(x) - 1 - x >= 0."""
    cdef double rest = 0.0
    cdef int k
    if fabs(x) > 0.5:
        return expm1(x) - x
    for k in range(15, 1, -1):
        rest = x / k * (1.0 + rest)
    return x * rest


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
        self.rounding = SS_BEYOND * np.dot(self.w, self.y) / (np.sum(self.w) or 1.0)

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
        """Sum the divergences of both shares of y + theta from those at eta, `few` <= `many`."""
        cdef double s = v + y, rest = self.theta - v
        cdef double size = y + self.theta, x = eta - self.log_theta
        cdef double odds, few, log_many
        if s < -self.rounding or rest < -SS_BEYOND * size:
            return INFINITY
        odds = exp(eta) / self.theta if x <= 0.0 else self.theta * exp(-eta)
        few, log_many = size * (odds / (1.0 + odds)), log(size) - log1p(odds)
        if x > 0.0:
            s, rest = rest, s
        return (divergence(s, few, log_many - fabs(x), s - few)
                + divergence(rest, size / (1.0 + odds), log_many, few - s)
                + price(-min(s, rest), eta))
