"""Losses that are piecewise linear: kinks at the ends of an interval, slopes between two numbers."""
from sparsesolve.losses.base cimport Separable

cdef class Kinked(Separable):
    cdef readonly double width              # epsilon: half the length of the flat piece, 0 where there is one kink
    cdef object held_pieces

    cdef double centre(self, double y) noexcept nogil
    cdef double best_slope(self, double y, double r) noexcept nogil
