"""Squared error."""
from sparsesolve.losses.separable cimport Separable


cdef class Gaussian(Separable):
    """value(y, eta) = (y - eta)^2 / 2, for real y."""

    cdef double value(self, double y, double eta) noexcept nogil:
        return 0.5 * (y - eta) * (y - eta)

    cdef double slope(self, double y, double eta) noexcept nogil:
        return eta - y

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        return 1.0

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        return 0.5 * (y - eta + v) * (y - eta + v)
