"""The hinge loss of support vector machines."""
from sparsesolve.losses.kinked cimport Kinked


cdef class Hinge(Kinked):
    """value(y, eta) = max(0, 1 - y eta), for y = -1 or 1; the slope at the kink is 0."""

    degree = 0

    cdef double best_slope(self, double y, double r) noexcept nogil:
        return -y if y * r < 0.0 else 0.0

    cdef double least_slope(self, double y) noexcept nogil:
        return -1.0 if y > 0.0 else 0.0

    cdef double largest_slope(self, double y) noexcept nogil:
        return 0.0 if y > 0.0 else 1.0
