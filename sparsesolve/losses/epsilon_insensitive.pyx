"""The epsilon-insensitive loss of support vector regression."""
from libc.math cimport ldexp

from sparsesolve.losses.kinked cimport Kinked


cdef class EpsilonInsensitive(Kinked):
    """value(y, eta) = max(0, |y - eta| - epsilon).

    Parameters
    ----------
    y, w : as in Separable; y real
    epsilon : error, in units of y, that costs nothing
    """

    def __init__(self, y, w, double epsilon=0.0):
        self.width = epsilon
        super().__init__(y, w)

    def parameters(self):
        return (self.width,)

    def in_units(self, y, int exponent):
        return type(self)(y, self.w, ldexp(self.width, -exponent))

    cdef double least_slope(self, double y) noexcept nogil:
        return -1.0

    cdef double largest_slope(self, double y) noexcept nogil:
        return 1.0
