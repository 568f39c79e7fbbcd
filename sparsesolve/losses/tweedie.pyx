"""Tweedie loss with the log link: a point mass at 0 and positive amounts of variance mu^power."""
from libc.math cimport INFINITY, exp, expm1, fabs, log

from sparsesolve.losses.separable cimport Separable


cdef class Tweedie(Separable):
    """value(y, eta) = integral from 0 to eta of (exp(t) - y) exp((1 - power) t) dt, for y >= 0.

    This is half the unit deviance, up to a constant that keeps it finite as power tends to 1
    (Poisson) or 2 (gamma).

    Parameters
    ----------
    y, w : as in Separable; y >= 0
    power : exponent of the variance function, between 1 and 2, both excluded
    """

    linear_in_y = True

    cdef readonly double power

    def __init__(self, y, w, double power=1.5):
        self.power = power
        super().__init__(y, w)

    def parameters(self):
        return (self.power,)

    cdef double value(self, double y, double eta) noexcept nogil:
        cdef double a = 2.0 - self.power, b = self.power - 1.0, total = expm1(a * eta) / a
        return total + y * expm1(-b * eta) / b if y > 0.0 else total    # avoid 0 times infinity

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double rising = exp((2.0 - self.power) * eta)
        return rising - y * exp((1.0 - self.power) * eta) if y > 0.0 else rising

    cdef double least_slope(self, double y) noexcept nogil:
        return 0.0 if y == 0.0 else -INFINITY

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        cdef double a = 2.0 - self.power, b = self.power - 1.0, total = a * exp(a * eta)
        return total + b * y * exp(-b * eta) if y > 0.0 else total

    cdef double least(self, double y) noexcept nogil:
        return self.value(y, log(y)) if y > 0.0 else -1.0 / (2.0 - self.power)

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
