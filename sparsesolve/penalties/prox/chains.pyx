"""Total variation along a chain, and of an image by proxes of its rows and columns.

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

The prox of an image V,

    argmin_B  |B - V|^2 / 2 + t_0 sum |B_(i+1,j) - B_ij| + t_1 sum |B_(i,j+1) - B_ij|,

is approached by accelerated dual steps with one direction eliminated (`DualSteps`). The dual
problem is min |V - Z - Q|^2 / 2 over Z in t_1 times the unit ball of the dual norm of total
variation along rows, and Q in t_0 times that along columns. For given Q the best Z leaves V - Q - Z
= the prox along rows of V - Q, whose derivative in Q has Lipschitz constant 1. A step is two exact
proxes of chains:

    X = prox_rows(Y),   Q+ = Y' + X - prox_columns(Y' + X),    Y = V - Y',

from a point Y' that is extrapolated as by Nesterov, and not after |P| has grown. For
P = prox_columns(Y' + X) the pair (Z, Q+) is feasible and V - Z - Q+ = P, so that P is a primal
candidate with the duality gap t_1 TV_rows(P) - <Z, P>. Each chain is solved as a whole by one
thread, sums over chains are taken in order: any number of threads gives the same bits.
References: Chambolle, Pock, "A remark on accelerated block coordinate descent for computing the
proximity operators of a sum of convex functions" (2015); O'Donoghue, Candes (2015) on restarts.
"""
from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY, fabs, sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from sparsesolve.penalties.prox.flows import components

# The direct scan may visit at most this many values again for each value that it has settled. It
# takes half the time of the taut string where t is a tenth of the noise and 0.8 of it at 10 times
# the noise; at 100 times it is abandoned (benchmarks/structured/norms.py).
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
            if not nu > before * (1.0 + 1e-14):
                break
    return nu


# This many unused numbers lie between two columns, so that their distance is no power of two, at
# which they would compete for the same places in the cache.
DEF APART = 8
# This many columns are taken at once, since they share the cache lines of each row.
DEF WIDE = 16
# A gap is computed after every so many steps, since it reads the image once more.
cdef int BETWEEN = 5


cdef class DualSteps:
    """Steps for V (m, n).

    Parameters
    ----------
    V : (m, n)
    down, right : float >= 0
        t_0 and t_1.
    threads : int
    """
    cdef const double[:, ::1] V
    cdef double[:, ::1] X, P, Q, Y, room
    cdef double[::1] length, inner
    cdef double down, right
    cdef int threads
    cdef Py_ssize_t m, n
    cdef readonly int steps

    def __init__(self, const double[:, ::1] V, double down, double right, int threads):
        cdef Py_ssize_t stripes = (V.shape[1] + WIDE - 1) // WIDE
        self.V, self.down, self.right, self.threads = V, down, right, threads
        self.m, self.n = V.shape[0], V.shape[1]
        cdef Py_ssize_t i, j
        self.P, self.X = np.empty((self.m, self.n)), np.array(V)
        self.Q, self.Y = np.zeros((2, self.m, self.n))
        self.room = np.empty((threads, 2 * WIDE * (max(self.m, self.n) + APART)))
        self.length, self.inner = np.zeros((2, stripes))

        # begin with half of what columns alone would take: rows will take about as much
        self._columns(0.0, False)
        for i in range(self.m):
            for j in range(self.n):
                self.Y[i, j] = self.Q[i, j] = 0.5 * self.Q[i, j]

    def approximate(self, double gap, int most):
        """Step until the duality gap is at most `gap`, `most` times at most; return the gap."""
        cdef double momentum = 1.0, ahead, beta, length, last = np.inf, found = np.inf
        cdef bint looks
        self.steps = 0
        while self.steps < most and found > gap:
            self.steps += 1
            looks = self.steps % BETWEEN == 0 or self.steps == most
            ahead = 0.5 * (1.0 + sqrt(1.0 + 4.0 * momentum * momentum))
            beta = 0.0 if looks and self.steps == most else (momentum - 1.0) / ahead
            with nogil:
                self._rows()
                self._columns(beta, looks)
            momentum, length = ahead, np.sum(self.length)
            if length > last:
                momentum = 1.0
            last = length
            if looks:
                found = self._gap()
        return found

    cdef int _rows(self) except -1 nogil:
        """Set X to the prox along rows of V - Y."""
        cdef Py_ssize_t i, j, n = self.n
        cdef double* row
        for i in prange(self.m, num_threads=self.threads, schedule="static"):
            row = &self.room[threadid(), 0]
            for j in range(n):
                row[j] = self.V[i, j] - self.Y[i, j]
            prox_row(n, row, self.right, &self.X[i, 0])
        return 0

    cdef int _columns(self, double beta, bint keep) except -1 nogil:
        """Compute P, Q and the next Y; store P and sum <Z, P> if `keep`."""
        cdef Py_ssize_t stripe
        for stripe in prange(self.length.shape[0], num_threads=self.threads, schedule="static"):
            self._stripe(stripe, beta, keep, &self.room[threadid(), 0])
        return 0

    cdef int _stripe(self, Py_ssize_t stripe, double beta, bint keep, double* room) except -1 nogil:
        """Do what `_columns` does for the WIDE columns from WIDE * stripe on."""
        cdef Py_ssize_t m = self.m, n = self.n, first = stripe * WIDE, i, k, far = m + APART
        cdef Py_ssize_t wide = min(<Py_ssize_t> WIDE, n - first)
        cdef double* solved = room + WIDE * far
        cdef const double* v = &self.V[0, first]
        cdef double* x = &self.X[0, first]
        cdef double* y = &self.Y[0, first]
        cdef double* q = &self.Q[0, first]
        cdef double length = 0.0, inner = 0.0, p, new
        for i in range(m):
            for k in range(wide):
                room[k * far + i] = y[i * n + k] + x[i * n + k]
        for k in range(wide):
            prox_row(m, room + k * far, self.down, solved + k * far)
        for i in range(m):
            for k in range(wide):
                p = solved[k * far + i]
                length += p * p
                new = room[k * far + i] - p
                y[i * n + k] = new + beta * (new - q[i * n + k])
                q[i * n + k] = new
        if keep:
            for i in range(m):
                for k in range(wide):
                    p = self.P[i, first + k] = solved[k * far + i]
                    inner += (v[i * n + k] - room[k * far + i]) * p
        self.length[stripe], self.inner[stripe] = length, inner
        return 0

    cdef double _gap(self):
        """Return the duality gap at P."""
        cdef Py_ssize_t i, j
        cdef double total = 0.0
        with nogil:
            for i in range(self.m):
                for j in range(self.n - 1):
                    total += fabs(self.P[i, j + 1] - self.P[i, j])
        return self.right * total - np.sum(self.inner)

    def flows(self):
        """Return flows down (m - 1, n) and right (m, n - 1), after a step that kept P."""
        cdef double[:, ::1] down = np.empty((self.m - 1, self.n))
        cdef double[:, ::1] right = np.empty((self.m, self.n - 1))
        cdef Py_ssize_t i, j
        cdef double z
        with nogil:
            for i in range(self.m - 1):
                for j in range(self.n):
                    down[i, j] = self.Q[i, j] + (down[i - 1, j] if i > 0 else 0.0)
            for i in range(self.m):
                z = 0.0
                for j in range(self.n - 1):
                    z += self.V[i, j] - self.Q[i, j] - self.P[i, j]
                    right[i, j] = z
        return np.asarray(down), np.asarray(right)

    def pieces(self):
        """Return the number of each pixel's piece, (m n,).

        Neighbours along a row are in one piece where X is equal, along a column where P is.
        """
        P, X, place = np.asarray(self.P), np.asarray(self.X), np.arange(self.m * self.n)
        place = place.reshape(self.m, self.n)
        down, right = P[1:] == P[:-1], X[:, 1:] == X[:, :-1]
        return components(np.r_[place[:-1][down], place[:, :-1][right]],
                          np.r_[place[1:][down], place[:, 1:][right]], self.m * self.n)
