"""The quantile (pinball) loss; at 1/2 it is half the absolute error."""
from sparsesolve.losses.kinked cimport Kinked


cdef class Quantile(Kinked):
    """value(y, eta) = q r where r = y - eta > 0, else (q - 1) r.

    Parameters
    ----------
    y, w : as in Separable; y real
    q : the quantile, in (0, 1)
    """

    cdef readonly double q

    def __init__(self, y, w, double q=0.5):
        self.q = q
        super().__init__(y, w)

    def parameters(self):
        return (self.q,)

    cdef double least_slope(self, double y) noexcept nogil:
        return -self.q

    cdef double largest_slope(self, double y) noexcept nogil:
        return 1.0 - self.q
