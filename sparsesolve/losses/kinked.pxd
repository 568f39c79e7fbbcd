"""Piecewise linear losses: kinks at the ends of an interval, and two bounds of the slope."""
from sparsesolve.losses.separable cimport Separable

cdef class Kinked(Separable):
    # epsilon: half the length of the flat piece; 0 with one kink
    cdef readonly double width
    cdef object held_pieces

    cdef double centre(self, double y) noexcept nogil
    cdef double best_slope(self, double y, double r) noexcept nogil
