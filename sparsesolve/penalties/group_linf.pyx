"""Groups by the largest of their coefficients, whose active coefficients tend to one size.

    N_g(b) = d_g |b|_inf
"""
from libc.math cimport INFINITY, fabs, sqrt

from sparsesolve.penalties.blocks cimport BlockPenalty

# A coefficient within this relative distance of the largest one of its group counts as equal to
# it.
cdef double TIED = 1e-11
# Numbers that differ by at most this fraction are equal up to rounding.
cdef double CLOSE = 4e-16


cdef class GroupLinf(BlockPenalty):
    r"""The l-infinity group lasso: each group by its largest coefficient.

    :math:`\Omega(b) = \sum_g d_g \lVert b_g \rVert_\infty`.

    Parameters
    ----------
    groups : sequence or mapping
        Groups as :class:`GroupL2` takes them.
    weights : array-like (G,) or mapping from labels, default None
        d_g, as :class:`GroupL2` takes them.

    Raises
    ------
    ValueError, TypeError
        When a path is fitted: if groups overlap or do not fit its features, or a weight is
        negative.

    References
    ----------
    Bach, Jenatton, Mairal, Obozinski (2012), sections 1.3 and 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> y = X[:, 0] + X[:, 1]
    >>> fit = ss.path(X, y, penalty=ss.penalties.GroupLinf([[0, 1], [2, 3]]))
    >>> fit.nonzero(0.5 * fit.lambdas[0])
    array([0, 1])
    """

    evens_out = True
    lazy_kind = "norm"

    cdef double norm(self, Py_ssize_t g, const double* b) noexcept nogil:
        cdef double largest = 0.0
        cdef Py_ssize_t j
        for j in range(self.size(g)):
            largest = max(largest, fabs(b[j]))
        return self.weight[g] * largest

    cdef double dual_norm(self, Py_ssize_t g, const double* z) noexcept nogil:
        cdef double total = 0.0
        cdef Py_ssize_t j
        for j in range(self.size(g)):
            total += fabs(z[j])
        if self.weight[g] == 0.0:
            return INFINITY if total > 0.0 else 0.0
        return total / self.weight[g]

    cdef double reach(self, Py_ssize_t g) noexcept nogil:
        return sqrt(<double> self.size(g)) / self.weight[g] if self.weight[g] > 0.0 else INFINITY

    cdef void block_prox(self, Py_ssize_t g, double h, const double* x, double lam,
                         double* b) noexcept nogil:
        """Clip at t, where the excess over t adds up to the level.

        The excess is x_j - r b_j, summed over the coordinates that t clips.
        """
        cdef Py_ssize_t j, first = self.start[g], s = self.size(g)
        cdef double r = h + lam * self.ridge[g], level = lam * self.weight[g], t, free
        # The minimum of each coordinate without the norm.
        for j in range(s):
            free = self.limit(first + j, x[j])
            if r > 0.0:
                free = min(free, fabs(x[j]) / r)
            b[j] = 0.0 if x[j] == 0.0 else free if x[j] > 0.0 else -free
        t = self._cut(g, r, x, level, b)
        for j in range(s):
            b[j] = min(max(b[j], -t), t)

    cdef double _cut(self, Py_ssize_t g, double r, const double* x, double level,
                     const double* b) noexcept nogil:
        """Return the threshold t of block_prox, INFINITY where nothing is clipped.

        The excess is piecewise linear and falls with t. Without limits it is convex, and Newton's
        method from the left ends at the root. Limits make it jump; the next jump bounds a step.
        """
        cdef Py_ssize_t j
        cdef double t = 0.0, over, slope, next, end
        if level == 0.0:
            return INFINITY
        while True:
            over, slope, end = -level, 0.0, INFINITY
            for j in range(self.size(g)):
                # An end that is nearer would not shorten the step.
                if fabs(b[j]) > t * (1.0 + CLOSE):
                    over += fabs(x[j]) - r * t
                    slope += r
                    if self.limited:
                        end = min(end, fabs(b[j]))
            # The second condition holds where the sum equals the level up to rounding.
            if over <= 0.0 or r == 0.0 and end == INFINITY:
                return t
            next = min(t + over / slope if slope > 0.0 else INFINITY, end)
            if not next > t * (1.0 + CLOSE):
                return t
            t = next

    cdef int tangent(self, Py_ssize_t g, const double* b, const double* z, double lam,
                     int* tangent_of, double* sign, double* slope) noexcept nogil:
        """The coefficients of largest size move together, each of the others by itself.

        If they grow, those at a limit stay. If the others would not grow alone, all move.
        """
        cdef Py_ssize_t j, first = self.start[g], s = self.size(g)
        cdef double largest = 0.0, rest, pull
        cdef int count = 0
        for j in range(s):
            tangent_of[j], sign[j] = -1, 1.0
            largest = max(largest, fabs(b[j]))
        if largest == 0.0 and self.weight[g] > 0.0:
            return 0
        if self.weight[g] == 0.0:
            largest = INFINITY
        else:
            pull = -lam * self.weight[g]
            for j in range(s):
                if fabs(b[j]) >= largest * (1.0 - TIED):
                    tangent_of[j], sign[j] = 0, 1.0 if b[j] > 0.0 else -1.0
                    pull += sign[j] * (z[j] - lam * self.ridge[g] * b[j])
            if self.limited and pull > 0.0:
                for j in range(s):
                    if tangent_of[j] == 0 and fabs(b[j]) >= self.limit(first + j, b[j]):
                        tangent_of[j] = -1
                        pull -= sign[j] * (z[j] - lam * self.ridge[g] * b[j])
                count = pull > 0.0
                for j in range(s):
                    tangent_of[j] = min(tangent_of[j], count - 1)
            else:
                count = 1
            slope[0] = pull
        for j in range(s):
            rest = z[j] - lam * self.ridge[g] * b[j]
            if fabs(b[j]) < largest * (1.0 - TIED) and ((b[j] < self.upper[first + j] or rest < 0.0)
                    and (b[j] > self.lower[first + j] or rest > 0.0)):
                tangent_of[j], slope[count] = count, rest
                count += 1
        return count

    cdef int merge(self, Py_ssize_t g, const double* b, const double* d, double t, double near,
                 int* tangent_of, double* sign, double* slope) noexcept nogil:
        """Merge the coefficients that reach the largest size with those that have it."""
        cdef Py_ssize_t j, i, s = self.size(g)
        cdef double largest = 0.0, rate = -INFINITY, side
        cdef int lost = 0, last = -1, old, together = -1
        if self.weight[g] == 0.0:
            return 0
        for j in range(s):
            largest, last = max(largest, fabs(b[j])), max(last, tangent_of[j])
        for j in range(s):
            if fabs(b[j]) >= largest * (1.0 - TIED):
                rate, together = max(rate, sign[j] * d[j]), max(together, tangent_of[j])
        for j in range(s):
            side = 1.0 if b[j] > 0.0 or (b[j] == 0.0 and d[j] > 0.0) else -1.0
            if tangent_of[j] > together and largest - fabs(b[j]) < min(t * (side * d[j] - rate),
                    near * largest):
                old, tangent_of[j], sign[j] = tangent_of[j], together, side
                if together == 0:
                    slope[0] += side * slope[old]
                for i in range(old, last):
                    slope[i] = slope[i + 1]
                for i in range(s):
                    tangent_of[i] -= tangent_of[i] > old
                last -= 1
                lost += 1
        return lost

    cdef void stop(self, Py_ssize_t g, const double* b, double* d) noexcept nogil:
        """Stop the coefficients below the largest size where they reach it."""
        cdef Py_ssize_t j, s = self.size(g)
        cdef double largest = 0.0, level = 0.0
        if self.weight[g] == 0.0:
            return
        for j in range(s):
            largest = max(largest, fabs(b[j]))
        for j in range(s):
            if fabs(b[j]) >= largest * (1.0 - TIED):
                level = max(level, fabs(b[j] + d[j]))
        for j in range(s):
            if fabs(b[j] + d[j]) > level:
                d[j] = (level if b[j] + d[j] > 0.0 else -level) - b[j]

    cdef void second_derivative(self, Py_ssize_t g, const double* b, double lam,
                                const int* tangent_of, double* H, int ld) noexcept nogil:
        cdef Py_ssize_t j
        for j in range(self.size(g)):
            if tangent_of[j] >= 0:
                H[tangent_of[j] + <Py_ssize_t> tangent_of[j] * ld] += lam * self.ridge[g]
