"""Entropies with their limits at 0, the excess of an exponential over a supporting line, and what rounding costs."""
from libc.math cimport exp, fabs, log


cdef inline double x_log_x(double x) noexcept nogil:
    return x * log(x) if x > 0.0 else 0.0


cdef inline double two_sided_entropy(double share) noexcept nogil:
    """The least value of minus a Bernoulli log-likelihood whose responses are a share of successes."""
    return -(x_log_x(share) + x_log_x(1.0 - share))


cdef inline double price(double beyond, double eta) noexcept nogil:
    """Of a dual value so far outside its domain by rounding, which is taken for the edge: what it may cost to give the
    rest to another sample."""
    return beyond * (1.0 + fabs(eta)) if beyond > 0.0 else 0.0


cdef inline double excess_of_exp(double eta, double s) noexcept nogil:
    """exp(eta) - s - s (eta - log s), which is 0 at eta = log s and positive elsewhere; 0 log 0 = 0."""
    cdef double t, rest = 0.0
    cdef int k
    if s <= 0.0:
        return exp(eta)
    t = eta - log(s)
    if fabs(t) > 0.5:
        return exp(eta) - s - s * t
    # near the point of contact: s (exp(t) - 1 - t) by its series, since a difference, however written, may be
    # reassociated by the compiler into one of terms far larger than itself
    for k in range(15, 1, -1):
        rest = t / k * (1.0 + rest)
    return s * t * rest
