"""Total variation along a chain: its prox, by the taut string or the direct scan, and its norms.

    argmin_b  |b - v|^2 / 2 + sum_i t w_i |b_(i+1) - b_i|

Given: v (n,), radii t w (n - 1,) >= 0. Returned: the exact minimum, in O(n) whatever t.
With r_k = v_1 + .. + v_k, b are the slopes of the shortest path from (0, 0) to (n, r_n) that keeps
within t w_k of r_k at each k between: a string pulled taut. From the last knot on we keep the
greatest convex minorant of the upper boundary and the least concave majorant of the lower one, as
stacks of vertices. While the first slope of the minorant is no less than that of the majorant, a
straight piece may go on; where they cross, the piece ends at the first vertex of the other stack.
Each point enters and leaves each stack once.
Where t is small and pieces are short, Condat's scan is faster. It keeps the two slopes between
which the piece may end, and goes back where they no longer fit; it is abandoned where it goes
back too often. Each of its sums is over one piece, so it is also more accurate on long chains.
References: Davies, Kovac, "Local extremes, runs, strings and multiresolution" (2001); Condat, "A
direct algorithm for 1-D total variation denoising" (2013).

The dual norm of z is the least nu with z'b <= nu Omega(b) for all b. For total variation alone it
is the largest |z_1 + .. + z_k| / w_k. With mu |b|_1 added, extreme points are intervals I, and
the largest ratio |sum_I z| / (mu |I| + w at the ends of I) is found by Dinkelbach's iteration
with Kadane's scan.
"""
from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

# The direct scan may visit at most this many values again for each value that it has settled. It
# takes half the time of the taut string where t is a tenth of the noise and 0.8 of it at 10 times
# the noise; at 100 times it is abandoned (benchmarks/structured/norms.py prox).
cdef double MOST_AGAIN = 3.0
# This many visits are allowed at first, so that a short chain is not abandoned.
cdef Py_ssize_t FIRST_AGAIN = 4096


cdef struct Hull:               # vertices of a boundary's hull from the last knot on, it first
    Py_ssize_t* place
    double* height
    double* slope               # slope of the piece that ends at the vertex
    Py_ssize_t first, last


cdef inline void _restart(Hull* hull, Py_ssize_t place, double height) noexcept nogil:
    hull.first = hull.last = 0
    hull.place[0], hull.height[0] = place, height


cdef inline void _add(Hull* hull, Py_ssize_t place, double height, double side) noexcept nogil:
    """Append a vertex. With side 1 slopes must increase (convex), with -1 decrease (concave)."""
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


cdef inline Py_ssize_t _pull(Hull* single, Hull* other, double* b, double side) noexcept nogil:
    """Emit pieces of `other` while its first slope is beyond that of the single piece of
    `single`.

    Returns the last knot.
    """
    cdef Py_ssize_t knot = single.place[single.first], next, end = single.place[single.last]
    cdef double height = single.height[single.last], slope = single.slope[single.last]
    while other.last > other.first and side * (other.slope[other.first + 1] - slope) > 0.0:
        next = other.first + 1
        if other.place[next] >= end:
            break
        _fill(b, knot, other.place[next], other.slope[next])
        other.first, knot = next, other.place[next]
        slope = (height - other.height[next]) / (end - knot)
    single.first, single.last = 0, 1
    single.place[0], single.height[0] = knot, other.height[other.first]
    single.place[1], single.height[1], single.slope[1] = end, height, slope
    return knot


cdef int taut_string(Py_ssize_t n, const double* v, double t, const double* w,
                     double* b) except -1 nogil:
    """Write the solution b; w NULL means weights of 1."""
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
    # The path ends at (n, r). Both hulls do so too, and the last pieces are those of one of them.
    for k in range(upper.first + 1, upper.last + 1):
        _fill(b, upper.place[k - 1], upper.place[k], upper.slope[k])
    free(room)
    free(places)
    return 0


cdef bint direct_scan(Py_ssize_t n, const double* v, double t, double* b) noexcept nogil:
    """Write the solution b for weights of 1; return False if the taut string would be faster."""
    cdef Py_ssize_t first = 0, k, low = 0, high = 0, again = 0
    cdef double least, most, under, over, total = 0.0
    for k in range(n):
        total += fabs(v[k])
    # For larger t b is constant, and t would absorb digits of v.
    t = min(t, total)
    least, most, under, over, k = v[0] - t, v[0] + t, t, -t, 0
    while True:
        # 1. At the end of the chain: finish the last pieces.
        if k == n - 1:
            if under < 0.0:                 # the piece ends with a step down
                _fill(b, first, low + 1, least)
                again += k - low
                first = k = low = low + 1
                least, under = v[k], t
                over = v[k] + t - most
            elif over > 0.0:                # the piece ends with a step up
                _fill(b, first, high + 1, most)
                again += k - high
                first = k = high = high + 1
                most, over = v[k], -t
                under = v[k] - t - least
            else:
                _fill(b, first, n, least + under / (k - first + 1))
                return True
        elif v[k + 1] + under < least - t:  # 2. the piece ends with a step down
            _fill(b, first, low + 1, least)
            again += k - low
            first = k = low = high = low + 1
            least, most, under, over = v[k], v[k] + 2.0 * t, t, -t
        elif v[k + 1] + over > most + t:    # or with a step up
            _fill(b, first, high + 1, most)
            again += k - high
            first = k = low = high = high + 1
            least, most, under, over = v[k] - 2.0 * t, v[k], t, -t
        else:                               # 3. the piece goes on, between tighter slopes
            k += 1
            under += v[k] - least
            over += v[k] - most
            if under >= t:
                least += (under - t) / (k - first + 1)
                under, low = t, k
            if over <= -t:
                most += (over + t) / (k - first + 1)
                over, high = -t, k
        if again > MOST_AGAIN * first + FIRST_AGAIN:
            return False


cdef int prox_row(Py_ssize_t n, const double* v, double t, double* b) except -1 nogil:
    """b = argmin |b - v|^2 / 2 + t sum_i |b_(i+1) - b_i|, for arrays of n numbers."""
    if n < 2 or not t > 0.0:
        memcpy(b, v, n * sizeof(double))
    elif not direct_scan(n, v, t, b):
        taut_string(n, v, t, NULL, b)
    return 0


def prox_chain(const double[::1] v, double t, const double[::1] weights=None):
    """Return argmin_b |b - v|^2 / 2 + t sum_i w_i |b_(i+1) - b_i|, a new array (n,).

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
            if w != NULL or not direct_scan(n, &v[0], t, &b[0]):
                taut_string(n, &v[0], t, w, &b[0])
    return out


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
