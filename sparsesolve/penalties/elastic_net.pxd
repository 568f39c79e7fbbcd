"""The elastic net of one coefficient: lam * (l1 |b| + l2 b^2 / 2) for lower <= b <= upper."""
from libc.math cimport INFINITY, fabs


cdef inline double prox(double x, double h, double l1, double l2, double lower,
                        double upper) noexcept nogil:
    """Return argmin_b  h b^2 / 2 - x b + l1 |b| + l2 b^2 / 2  on the interval; l1, l2 include
    lam."""
    cdef double b
    if x > l1:
        b = (x - l1) / (h + l2)
    elif x < -l1:
        b = (x + l1) / (h + l2)
    else:
        b = 0.0
    return min(max(b, lower), upper)


cdef inline double value(double b, double l1, double l2) noexcept nogil:
    return l1 * fabs(b) + 0.5 * l2 * b * b


cdef inline double conjugate(double z, double l1, double l2, double lower,
                             double upper) noexcept nogil:
    """Return sup_b  z b - value(b)  on the interval; INFINITY where it is unbounded."""
    cdef double excess = fabs(z) - l1, limit = upper if z > 0 else -lower, b
    if excess <= 0.0 or limit == 0.0:
        return 0.0
    if l2 > 0.0:
        b = min(excess / l2, limit)
        return b * (excess - 0.5 * l2 * b)
    return excess * limit


cdef inline double fenchel_young(double b, double z, double inner, double l1, double l2,
                                 double lower, double upper) noexcept nogil:
    """Return value(b) + conjugate(z) - inner: the part of a coefficient in a duality gap, at
    least 0.

    inner is z b. If b and z are the lengths of two rows, it is their inner product.
    """
    return value(b, l1, l2) + conjugate(z, l1, l2, lower, upper) - inner


cdef inline double feasible_scale(double z, double l1, double l2, double lower,
                                  double upper) noexcept nogil:
    """Return the largest s <= 1 for which conjugate(s z) is finite."""
    if l2 == 0.0 and fabs(z) > l1 and (upper if z > 0 else -lower) == INFINITY:
        return l1 / fabs(z) * (1.0 - 1e-15)  # the factor keeps the product feasible after rounding
    return 1.0


cdef class ElasticNet:
    cdef readonly double alpha
    cdef readonly double[::1] factors, l1, l2, lower, upper     # (p,)
