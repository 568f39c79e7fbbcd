"""Total variation along a chain: its proximal operator by the taut string, and dual norms.

    argmin_b  |b - v|^2 / 2 + sum_i t w_i |b_(i+1) - b_i|

Given: v (n,), radii t w (n - 1,) >= 0. Returned: the exact minimum, in O(n) whatever t.
With r_k = v_1 + .. + v_k, b are the slopes of the shortest path from (0, 0) to (n, r_n) that keeps
within t w_k of r_k at each k between: a string pulled taut. From the last knot on we keep the
greatest convex minorant of the upper boundary and the least concave majorant of the lower one, as
stacks of vertices. While the first slope of the minorant is no less than that of the majorant, a
straight piece may go on; where they cross, the piece ends at the first vertex of the other stack.
Each point enters and leaves each stack once.
Reference: Davies, Kovac, "Local extremes, runs, strings and multiresolution" (2001).

Dual norms: z'b <= nu Omega(b) for all b. Of total variation alone nu is the largest |z_1 + .. +
z_k| / w_k; with mu |b|_1 added, extreme points are intervals, and the largest ratio |sum_I z| / (mu
|I| + w at the ends of I) is found by Dinkelbach's iteration with Kadane's scan.
"""
from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free, malloc

import numpy as np

cdef double CLOSE = 1e-14       # relative: two values of nu that are one


cdef struct Hull:               # vertices of a boundary's hull from the last knot on, it first
    Py_ssize_t* place
    double* height
    double* slope               # of the piece that ends at the vertex
    Py_ssize_t first, last


cdef inline void _restart(Hull* hull, Py_ssize_t place, double height) noexcept nogil:
    hull.first = hull.last = 0
    hull.place[0], hull.height[0] = place, height


cdef inline void _add(Hull* hull, Py_ssize_t place, double height, double side) noexcept nogil:
    """Append a vertex; side is 1 where slopes must grow (convex), -1 where they must fall."""
    cdef Py_ssize_t last = hull.last
    cdef double slope = (height - hull.height[last]) / (place - hull.place[last])
    while last > hull.first and side * (slope - hull.slope[last]) <= 0.0:
        last -= 1
        slope = (height - hull.height[last]) / (place - hull.place[last])
    last += 1
    hull.place[last], hull.height[last], hull.slope[last], hull.last = place, height, slope, last


cdef inline void _fill(double* b, Py_ssize_t begin, Py_ssize_t end, double value) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(begin, end):
        b[i] = value


cdef inline Py_ssize_t _pull(Hull* bent, Hull* other, double* b, double side) noexcept nogil:
    """Emit pieces of `other` while it begins beyond the single piece of `bent`; the last knot."""
    cdef Py_ssize_t knot = bent.place[bent.first], next, end = bent.place[bent.last]
    cdef double height = bent.height[bent.last], slope = bent.slope[bent.last]
    while other.last > other.first and side * (other.slope[other.first + 1] - slope) > 0.0:
        next = other.first + 1
        if other.place[next] >= end:
            break
        _fill(b, knot, other.place[next], other.slope[next])
        other.first, knot = next, other.place[next]
        slope = (height - other.height[next]) / (end - knot)
    bent.first, bent.last = 0, 1
    bent.place[0], bent.height[0] = knot, other.height[other.first]
    bent.place[1], bent.height[1], bent.slope[1] = end, height, slope
    return knot


cdef int taut_string(Py_ssize_t n, const double* v, double t, const double* w,
                     double* b) except -1 nogil:
    """b as above; w NULL: all weights are 1."""
    cdef Hull upper, lower
    cdef double* room = <double*> malloc((4 * n + 8) * sizeof(double))
    cdef Py_ssize_t* places = <Py_ssize_t*> malloc((2 * n + 4) * sizeof(Py_ssize_t))
    cdef double r = 0.0, radius
    cdef Py_ssize_t k, knot
    if room == NULL or places == NULL:
        free(room)
        free(places)
        with gil:
            raise MemoryError
    upper.place, lower.place = places, places + n + 2
    upper.height, upper.slope = room, room + n + 2
    lower.height, lower.slope = room + 2 * n + 4, room + 3 * n + 6
    _restart(&upper, 0, 0.0)
    _restart(&lower, 0, 0.0)
    for k in range(1, n + 1):
        r += v[k - 1]
        radius = 0.0 if k == n else t if w == NULL else t * w[k - 1]
        _add(&upper, k, r + radius, 1.0)
        _add(&lower, k, r - radius, -1.0)
        if upper.last == upper.first + 1 and upper.slope[upper.last] < lower.slope[lower.first + 1]:
            _pull(&upper, &lower, b, 1.0)
        if lower.last == lower.first + 1 and lower.slope[lower.last] > upper.slope[upper.first + 1]:
            _pull(&lower, &upper, b, -1.0)
    # the path ends at (n, r): both hulls do, and what is left is one of them
    for k in range(upper.first + 1, upper.last + 1):
        _fill(b, upper.place[k - 1], upper.place[k], upper.slope[k])
    free(room)
    free(places)
    return 0


def prox_chain(const double[::1] v, double t, const double[::1] weights=None):
    """argmin_b |b - v|^2 / 2 + t sum_i w_i |b_(i+1) - b_i|, a new array (n,).

    Parameters
    ----------
    v : (n,)
    t : float >= 0
    weights : (n - 1,) >= 0, or None for ones
    """
    cdef Py_ssize_t n = v.shape[0]
    out = np.array(v)
    cdef double[::1] b = out
    cdef const double* w = NULL if weights is None or n < 2 else &weights[0]
    if n > 1 and t > 0.0:
        with nogil:
            taut_string(n, &v[0], t, w, &b[0])
    return out


def chain_value(const double[::1] b, const double[::1] weights=None):
    """sum_i w_i |b_(i+1) - b_i|."""
    cdef double total = 0.0
    cdef Py_ssize_t i
    for i in range(b.shape[0] - 1):
        total += fabs(b[i + 1] - b[i]) * (1.0 if weights is None else weights[i])
    return total


def chain_polar(const double[::1] z, const double[::1] weights=None):
    """Return the largest |z_1 + .. + z_k| / w_k over k < n; inf where only w_k is 0."""
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
    """The largest side * sum_I z - nu (mu |I| + w at the ends of I) over intervals I."""
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
    """The dual norm of sum_i w_i |b_(i+1) - b_i| + mu |b|_1, mu > 0."""
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
