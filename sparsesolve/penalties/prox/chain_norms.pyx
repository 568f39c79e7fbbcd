"""Total variation along a chain: its value and its dual norms.

The dual norm of z is the least nu with z'b <= nu Omega(b) for all b. For total variation alone it
is the largest |z_1 + .. + z_k| / w_k. With mu |b|_1 added, extreme points are intervals I, and
the largest ratio |sum_I z| / (mu |I| + w at the ends of I) is found by Dinkelbach's iteration
with Kadane's scan.
"""
from libc.math cimport INFINITY, fabs

# Relative difference up to which two values of nu count as equal.
cdef double CLOSE = 1e-14


def chain_value(const double[::1] b, const double[::1] weights=None):
    """Return sum_i w_i |b_(i+1) - b_i|."""
    cdef double total = 0.0
    cdef Py_ssize_t i
    for i in range(b.shape[0] - 1):
        total += fabs(b[i + 1] - b[i]) * (1.0 if weights is None else weights[i])
    return total


def chain_polar(const double[::1] z, const double[::1] weights=None):
    """Return the largest |z_1 + .. + z_k| / w_k over k < n; inf if a sum is not 0 where w_k is."""
    cdef double total = 0.0, size = 0.0, largest = 0.0, w
    cdef Py_ssize_t i
    for i in range(z.shape[0] - 1):
        total += z[i]
        size += fabs(z[i])
        w = 1.0 if weights is None else weights[i]
        if w > 0.0:
            largest = max(largest, fabs(total) / w)
        elif fabs(total) > 1e-12 * size:
            return INFINITY
    return largest


cdef double _best_interval(const double[::1] z, double side, double nu, double mu,
                           const double[::1] w,
                           Py_ssize_t* first, Py_ssize_t* last) noexcept nogil:
    """Return the largest side * sum_I z - nu (mu |I| + w at the ends of I) over intervals I."""
    cdef Py_ssize_t n = z.shape[0], i, begin = 0
    cdef double best = -INFINITY, here = -INFINITY, opened, edge, found
    for i in range(n):
        opened = 0.0 if i == 0 else -nu * w[i - 1]
        if opened > here:
            here, begin = opened, i
        here += side * z[i] - nu * mu
        edge = 0.0 if i == n - 1 else nu * w[i]
        found = here - edge
        if found > best:
            best, first[0], last[0] = found, begin, i
    return best


def sparse_chain_polar(const double[::1] z, double mu, const double[::1] weights):
    """Return the dual norm of sum_i w_i |b_(i+1) - b_i| + mu |b|_1, mu > 0."""
    cdef Py_ssize_t n = z.shape[0], first = 0, last = 0, i
    cdef double nu = 0.0, side, total, size, found, before
    for side in (1.0, -1.0):
        while True:
            before = nu
            found = _best_interval(z, side, nu, mu, weights, &first, &last)
            if not found > 0.0:
                break
            total, size = 0.0, mu * (last + 1 - first)
            for i in range(first, last + 1):
                total += side * z[i]
            size += 0.0 if first == 0 else weights[first - 1]
            size += 0.0 if last == n - 1 else weights[last]
            nu = max(nu, total / size)
            if not nu > before * (1.0 + CLOSE):
                break
    return nu
