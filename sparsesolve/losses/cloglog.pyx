"""Complementary log-log loss: minus the log-likelihood of successes of probability 1 - exp(-exp(eta))."""
from libc.math cimport INFINITY, exp, expm1, log, log1p

from sparsesolve.losses.base cimport Separable
from sparsesolve.losses.entropy cimport two_sided_entropy

cdef double TINY = 1e-8         # of m = exp(eta): below it two terms of a series are exact to rounding
cdef double SMALL = 0.1         # below it five are
cdef double LARGE = 700.0       # above it exp(-m) is 0 in every sum


cdef inline double log_success(double m, double eta) noexcept nogil:
    """log(1 - exp(-m)) for m = exp(eta)."""
    if m < TINY:
        return eta - 0.5 * m
    return log(-expm1(-m)) if m < 1.0 else log1p(-exp(-m))


cdef inline double slope_of_success(double m) noexcept nogil:
    """The derivative of log(1 - exp(-m)) in log m: m / (exp(m) - 1), from 1 down to 0."""
    if m < TINY:
        return 1.0 - 0.5 * m
    return m / expm1(m) if m < LARGE else 0.0


cdef inline double bend_of_success(double m) noexcept nogil:
    """Minus its second derivative: q (q + m - 1), with q the first."""
    cdef double q = slope_of_success(m), mm = m * m
    if m < SMALL:                       # q + m - 1 would cancel: its series in Bernoulli numbers
        return q * (0.5 * m + mm * (1 / 12.0 - mm * (1 / 720.0 - mm * (1 / 30240.0 - mm / 1209600.0))))
    return q * (q + m - 1.0) if m < LARGE else 0.0


cdef class Cloglog(Separable):
    """value(y, eta) = -y log(1 - exp(-m)) + (1 - y) m with m = exp(eta), for y in [0, 1]: the share of successes."""

    linear_in_y = True

    cdef double value(self, double y, double eta) noexcept nogil:
        cdef double m = exp(eta), total = 0.0   # an infinite term must not meet a factor of 0
        if y > 0.0:
            total -= y * log_success(m, eta)
        if y < 1.0:
            total += (1.0 - y) * m
        return total

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double m = exp(eta)
        return ((1.0 - y) * m if y < 1.0 else 0.0) - y * slope_of_success(m)

    cdef double least_slope(self, double y) noexcept nogil:
        return -y

    cdef double largest_slope(self, double y) noexcept nogil:
        return 0.0 if y == 1.0 else INFINITY

    cdef double bend(self, double y, double eta) noexcept nogil:
        cdef double m = exp(eta)
        return ((1.0 - y) * m if y < 1.0 else 0.0) + y * bend_of_success(m)

    cdef double least(self, double y) noexcept nogil:
        return two_sided_entropy(y)
