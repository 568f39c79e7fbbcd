"""Numbers of any size, f exp(BAND k): sums of exponentials that neither overflow nor underflow.

Most sums have terms of one band only, which are added as plain doubles. BAND is a power of two,
so multiples of it are exact. It is small enough for products and squares of a few f to be
doubles.
"""
from libc.math cimport INFINITY, exp, rint

cdef enum:
    BAND = 128

cdef struct Wide:
    double f
    double k        # an integer; -INFINITY, with f = 0, if nothing has been added


cdef inline Wide nothing() noexcept nogil:
    cdef Wide zero
    zero.f = 0.0
    zero.k = -INFINITY
    return zero


cdef inline Wide exponential(double x) noexcept nogil:
    """Return exp(x) with f in [exp(-BAND / 2), exp(BAND / 2)] and without rounding before exp."""
    cdef Wide result
    cdef double rest
    result.k = rint(x / BAND)
    rest = x - BAND * result.k
    # x is so large that its last digit exceeds BAND.
    if rest < -0.5 * BAND:
        rest = -0.5 * BAND
    elif rest > 0.5 * BAND:
        rest = 0.5 * BAND
    result.f = exp(rest)
    return result


cdef inline double in_band(Wide x, double k) noexcept nogil:
    """Return f of x in units of exp(BAND k), for k no less than its own."""
    return x.f if x.k == k else x.f * exp(BAND * (x.k - k))


cdef inline void add(Wide* total, Wide x) noexcept nogil:
    """Add x to total. The band of a sum is that of its largest term, whatever the f."""
    if x.k == total.k:
        total.f += x.f
    elif x.k < total.k:
        total.f += x.f * exp(BAND * (x.k - total.k))
    else:
        total.f = total.f * exp(BAND * (total.k - x.k)) + x.f
        total.k = x.k
