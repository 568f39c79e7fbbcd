"""The hinge loss of support vector machines, for solvers that ask for no curvature."""
from libc.math cimport INFINITY

import numpy as np

from sparsesolve.losses.base cimport Separable

cdef double BEYOND = 1e-12      # of the margin: rounding outside [-1, 0]


cdef class Hinge(Separable):
    """value(y, eta) = max(0, 1 - y eta), for y = -1 or 1; at the kink the slope is that of the flat side."""

    @property
    def responses(self):
        """y (n,)."""
        return np.asarray(self.y)

    cdef double value(self, double y, double eta) noexcept nogil:
        cdef double lack = 1.0 - y * eta
        return lack if lack > 0.0 else 0.0

    cdef double slope(self, double y, double eta) noexcept nogil:
        return -y if y * eta < 1.0 else 0.0

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        cdef double pull = y * v
        return self.value(y, eta) + pull - v * eta if -1.0 - BEYOND <= pull <= BEYOND else INFINITY
