"""Entropies with their limits at 0, divergences to their last digits, and the cost of rounding."""
from libc.math cimport fabs, log

cdef extern from "exponential.h" nogil:
    const double SS_FARTHER
    # A dual value outside its range by at most this fraction of it is rounding error.
    const double SS_BEYOND


cdef inline double x_log_x(double x) noexcept nogil:
    return x * log(x) if x > 0.0 else 0.0


cdef inline double two_sided_entropy(double share) noexcept nogil:
    """Return the infimum of minus a Bernoulli log-likelihood of a share of successes."""
    return -(x_log_x(share) + x_log_x(1.0 - share))


cdef inline double price(double beyond, double eta) noexcept nogil:
    """Bound the cost of moving a dual value, outside its domain by rounding, to the edge.

    The rest, `beyond`, has to go to another sample.
    """
    return beyond * (1.0 + SS_FARTHER * fabs(eta)) if beyond > 0.0 else 0.0


cdef inline double divergence(double s, double p, double log_p, double off) noexcept nogil:
    """Return s log(s / p) - s + p >= 0, with 0 log 0 = 0.

    off = s - p is passed separately, because s and p may have lost digits of it.
    """
    cdef double z, rest = 0.0
    cdef int k
    if s <= 0.0:
        return p
    z = off / (s + p)
    if not fabs(z) < 0.2:               # p may have overflowed or underflowed
        return s * (log(s) - log_p) - off
    # s log(s / p) = 2 s artanh(z), and `off` is the first term of the series.
    for k in range(27, 1, -2):
        rest = 1.0 / k + z * z * rest
    return off * z * (1.0 + z * (1.0 + z) * rest)
