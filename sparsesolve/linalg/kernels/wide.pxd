"""Numbers of any size, f exp(BAND k): sums of exponentials that neither overflow nor vanish.

Terms of one band, which is the rule, are added as plain doubles.  BAND is a power of two, so that multiples of it are
exact, and small enough for products and squares of a few f to be doubles.
"""
from libc.math cimport INFINITY, exp, rint

cdef enum:
    BAND = 128

cdef struct Wide:
    double f
    double k        # a whole number; -INFINITY where nothing has been added, and f = 0


cdef inline Wide nothing() noexcept nogil:
    cdef Wide zero
    zero.f = 0.0
    zero.k = -INFINITY
    return zero


cdef inline Wide exponential(double x) noexcept nogil:
    """exp(x), without rounding before exp: f in [exp(-BAND / 2), exp(BAND / 2)]."""
    cdef Wide result
    cdef double rest
    result.k = rint(x / BAND)
    rest = x - BAND * result.k
    if rest < -0.5 * BAND:              # x so large that its digits end above BAND
        rest = -0.5 * BAND
    elif rest > 0.5 * BAND:
        rest = 0.5 * BAND
    result.f = exp(rest)
    return result


cdef inline double in_band(Wide x, double k) noexcept nogil:
    """f of x as a multiple of exp(BAND k), for k no less than its own."""
    return x.f if x.k == k else x.f * exp(BAND * (x.k - k))


cdef inline void add(Wide* total, Wide x) noexcept nogil:
    """total += x.  The band of a sum is that of its largest term, whatever the f."""
    if x.k == total.k:
        total.f += x.f
    elif x.k < total.k:
        total.f += x.f * exp(BAND * (x.k - total.k))
    else:
        total.f = total.f * exp(BAND * (total.k - x.k)) + x.f
        total.k = x.k
