"""Complementary log-log loss: -log-likelihood of successes of probability 1 - exp(-exp(eta))."""
from libc.math cimport INFINITY, exp, expm1, log, log1p

from sparsesolve.losses.separable cimport Separable
from sparsesolve.losses.entropy cimport two_sided_entropy

# If m = exp(eta) is below TINY, two terms of a series are exact up to rounding.
cdef double TINY = 1e-8
# If m is below SMALL, five terms are exact up to rounding.
cdef double SMALL = 0.1
# If m is above LARGE, exp(-m) is 0 in every sum.
cdef double LARGE = 700.0


cdef inline double log_success(double m, double eta) noexcept nogil:
    """Return log(1 - exp(-m)) for m = exp(eta)."""
    if m < TINY:
        return eta - 0.5 * m
    return log(-expm1(-m)) if m < 1.0 else log1p(-exp(-m))


cdef inline double slope_of_success(double m) noexcept nogil:
    """Return the derivative of log(1 - exp(-m)) in log m, m / (exp(m) - 1), from 1 down to 0."""
    if m < TINY:
        return 1.0 - 0.5 * m
    return m / expm1(m) if m < LARGE else 0.0


cdef inline double success_second_derivative(double m) noexcept nogil:
    """Return minus the second derivative of log(1 - exp(-m)) in log m: q (q + m - 1).

    q = slope_of_success(m) is the first derivative.
    """
    cdef double q = slope_of_success(m), mm = m * m
    # q + m - 1 would cancel, so sum its series in Bernoulli numbers.
    if m < SMALL:
        return q * (0.5 * m + mm
                    * (1 / 12.0 - mm * (1 / 720.0 - mm * (1 / 30240.0 - mm / 1209600.0))))
    return q * (q + m - 1.0) if m < LARGE else 0.0


cdef class Cloglog(Separable):
    """value(y, eta) = -y log(1 - exp(-m)) + (1 - y) m with m = exp(eta), y in [0, 1].

    y is the share of successes.
    """

    linear_in_y = True

    cdef double value(self, double y, double eta) noexcept nogil:
        # An infinite term must not be multiplied by 0.
        cdef double m = exp(eta), total = 0.0
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

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        cdef double m = exp(eta)
        return ((1.0 - y) * m if y < 1.0 else 0.0) + y * success_second_derivative(m)

    cdef double least(self, double y) noexcept nogil:
        return two_sided_entropy(y)
