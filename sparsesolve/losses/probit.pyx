"""Probit loss: minus the log-likelihood of successes of probability Phi(eta).

Phi is the normal distribution function and phi its density.
"""
from libc.math cimport INFINITY, erfc, exp, log, log1p

from sparsesolve.losses.separable cimport Separable
from sparsesolve.losses.entropy cimport two_sided_entropy

# sqrt(1/2), log sqrt(2 pi) and sqrt(2/pi), rounded to double precision.
cdef double SQRT_HALF = 0.70710678118654752440
cdef double LOG_SQRT_TWO_PI = 0.91893853320467274178
cdef double SQRT_TWO_OVER_PI = 0.79788456080286535588
# From FAR on, 30 terms of the continued fraction are exact up to rounding.
cdef double FAR = 5.0
# From FARTHER on, 14 terms are.
cdef double FARTHER = 10.0
# From ZERO_DENSITY on, phi(x) is 0.
cdef double ZERO_DENSITY = 39.0


cdef double far_hazard(double x) noexcept nogil:
    """Return phi(x) / Phi(-x) - x for x >= FAR.

    Laplace's continued fraction for it is 1/(x + 2/(x + 3/(x + ...))).
    """
    cdef int k
    cdef double rest = 0.0
    for k in range(30 if x < FARTHER else 14, 0, -1):
        rest = k / (x + rest)
    return rest


cdef inline double log_Phi(double eta) noexcept nogil:
    if eta > 0.0:
        return log1p(-0.5 * erfc(SQRT_HALF * eta))
    if eta > -FAR:
        return log(0.5 * erfc(-SQRT_HALF * eta))
    return -0.5 * eta * eta - LOG_SQRT_TWO_PI - log(far_hazard(-eta) - eta)


cdef inline double hazard(double eta) noexcept nogil:
    """Return phi(eta) / Phi(eta), the derivative of log Phi; it approaches -eta far below 0."""
    # exp underflows slowly, so do not call it.
    if eta > ZERO_DENSITY:
        return 0.0
    if eta > -FAR:
        return SQRT_TWO_OVER_PI * exp(-0.5 * eta * eta) / erfc(-SQRT_HALF * eta)
    return far_hazard(-eta) - eta


cdef inline double log_second_derivative(double eta) noexcept nogil:
    """Return minus the second derivative of log Phi, hazard (hazard + eta), between 0 and 1."""
    cdef double slope
    if eta > -FAR:
        slope = hazard(eta)
        return slope * (slope + eta) if slope > 0.0 else 0.0
    # hazard + eta would cancel.
    slope = far_hazard(-eta)
    return slope * (slope - eta)


cdef class Probit(Separable):
    """value(y, eta) = -y log Phi(eta) - (1 - y) log Phi(-eta), for y in [0, 1].

    y is the share of successes.
    """

    linear_in_y = True

    cdef double value(self, double y, double eta) noexcept nogil:
        # An infinite term must not be multiplied by 0.
        cdef double total = 0.0
        if y > 0.0:
            total -= y * log_Phi(eta)
        if y < 1.0:
            total -= (1.0 - y) * log_Phi(-eta)
        return total

    cdef double slope(self, double y, double eta) noexcept nogil:
        if y == 0.0 or y == 1.0:
            return hazard(-eta) if y == 0.0 else -hazard(eta)
        return (1.0 - y) * hazard(-eta) - y * hazard(eta)

    cdef double least_slope(self, double y) noexcept nogil:
        return 0.0 if y == 0.0 else -INFINITY

    cdef double largest_slope(self, double y) noexcept nogil:
        return 0.0 if y == 1.0 else INFINITY

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        if y == 0.0 or y == 1.0:
            return log_second_derivative(-eta) if y == 0.0 else log_second_derivative(eta)
        return y * log_second_derivative(eta) + (1.0 - y) * log_second_derivative(-eta)

    cdef double least(self, double y) noexcept nogil:
        return two_sided_entropy(y)
