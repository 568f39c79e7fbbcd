"""Active-set Newton steps with all inner products of the working columns known.

    L L' = G + lam L2  over the free columns that do not depend on those before them

Nothing here depends on the number of samples. The Newton direction comes from the factor L of the
support's Gram matrix G, kept as columns come and go; L2 is the diagonal of l2. Columns that depend
on those in L are refused by it. They move along the null direction of the dependence until a
coefficient reaches zero.
Reference: Golub, Van Loan (2013), "Matrix Computations", section 6.5.
"""
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memset

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.factors.cholesky cimport Cholesky
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.gram.products cimport subtract_all
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.solvers.quadratic.active_set cimport ActiveSetQuadratic

cdef double ROUNDING = tolerances.ROUNDING
# An old ridge in the factor serves up to this relative change of lambda, with refinement steps in
# place of a new factor.
cdef double STALE_RIDGE = 4.0
# A flop of a block operation is this much faster than one of a rotation, by which a column leaves
# a factor.
# Iterations at 2.66667 and 24: ridge part 1.18 and 0.90.
cdef double BLOCK_SPEED = 8.0
# Rows that enter the factor at a time: a block of 64 x 64 doubles stays in the first cache.
DEF CHUNK = 64


cdef class GramActiveSet(ActiveSetQuadratic):
    """The working columns, with room for as many as `gram` has room for.

    `order` holds the column of each row of L, and `position` the row of each column, -1 without
    one. Rows enter L in blocks and leave by rotations; it is recomputed only where that is cheaper.
    """

    cdef readonly Cholesky cholesky     # L
    cdef double ridge                   # the lam whose ridge is in L, not necessarily the last
    cdef double lam                     # the last one
    cdef int refined                    # directions so far for what L's old ridge left of others
    cdef int n_refused                  # support columns that depend on L's,
    cdef int[::1] refused               # and which
    cdef double[::1] cross, corner
    cdef int[::1] accepted

    def __cinit__(self, Gram gram, PackedColumns columns=None):
        self.gram, self.columns, self.cholesky = gram, columns, Cholesky(64)
        self.corner, self.accepted = np.empty(CHUNK * CHUNK), np.empty(CHUNK, dtype=np.intc)
        ActiveSetQuadratic.reserve(self, gram.capacity)
        self._make_room()

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            ActiveSetQuadratic.reserve(self, capacity)
            self._make_room()
        return 0

    def _make_room(self):
        self.cholesky.reserve(self.capacity)
        self.cross = np.empty(<Py_ssize_t> self.capacity * CHUNK)
        self.refused = np.empty(self.capacity, dtype=np.intc)

    cdef void restart(self) noexcept nogil:
        ActiveSetQuadratic.restart(self)
        self.n_refused = 0
        self.cholesky.truncate(0)

    cdef void direction(self, double lam) noexcept nogil:
        cdef int k, i, j
        cdef const double* column
        self._update_factor(lam)
        for k in range(self.cholesky.size):
            self.values[k] = self.rhs[self.order[k]]
        if self.n_held > 0:
            for i in range(self.n_support):
                j = self.support[i]
                if self.held[j] and self.d[j] != 0.0:
                    column = self.gram.G + <Py_ssize_t> j * self.gram.capacity
                    for k in range(self.cholesky.size):
                        self.values[k] -= self.d[j] * column[self.order[k]]
        self.cholesky.solve(self.values)
        for k in range(self.cholesky.size):
            self.d[self.order[k]] = self.values[k]

    cdef void image(self) noexcept nogil:
        cdef int k, j, count = 0
        for k in range(self.n_support):
            j = self.support[k]
            if self.d[j] != 0.0:
                self.which[count], self.values[count] = j, -self.d[j]
                count += 1
        memset(self.q, 0, self.size * sizeof(double))
        subtract_all(self.size, count, self.values, self.gram.G, self.which,
                        self.gram.capacity, self.q)

    cdef void advance(self, double lam, double t) noexcept nogil:
        cdef int k, j
        cdef double distance = 0.0
        for k in range(self.n_support):
            j = self.support[k]
            distance += fabs(self.d[j]) * sqrt(self.diag[j])
        ActiveSetQuadratic.advance(self, lam, t)
        self.count_rounding(t * distance)

    cdef void move(self, int j, double new) noexcept nogil:
        cdef double step = new - self.b[j]
        self.residual_square += step * (step * self.diag[j] - 2.0 * self.g[j])
        self.count_rounding(fabs(step) * sqrt(self.diag[j]))
        self.b[j] = new
        axpy(self.size, -step, self.gram.G + <Py_ssize_t> j * self.gram.capacity, self.g)

    cdef int piecewise_step(self, double lam) noexcept nogil:
        """Step along d, each coefficient stopping at zero or a limit, until the objective rises.

        A Newton step of nearly dependent columns sends many coefficients far past zero, and
        holding them all turns it uphill. Most of its gain is made on the way, at one product with
        a column per stop.
        """
        cdef int k, j, first, stopped = 0
        cdef double slope, curvature, event, distance, end, step
        self.image()
        while True:
            slope = curvature = 0.0
            distance, first = INFINITY, -1
            for k in range(self.n_support):
                j = self.support[k]
                slope += self.d[j] * self.rhs[j]
                curvature += self.d[j] * (self.q[j] + lam * self.l2[j] * self.d[j])
                event = self.event(j, lam)
                if event < distance:
                    distance, first = event, j
            if not slope > 0.0:
                break
            end = self.end(first, lam) if first >= 0 else INFINITY
            if distance > 0.0:
                step = self.exact_step(slope, curvature, distance, lam)
                if step <= 0.0:
                    break
                self.advance(lam, step)
                if step < distance or first < 0:
                    return stopped
                for k in range(self.n_support):
                    j = self.support[k]
                    self.rhs[j] -= step * (self.q[j] + lam * self.l2[j] * self.d[j])
            self.b[first] = end
            axpy(self.size, -self.d[first], self.gram.G + <Py_ssize_t> first * self.gram.capacity,
                 self.q)
            self.d[first] = 0.0
            stopped += 1
        return stopped if stopped > 0 else -1

    # The factor.

    cdef void _update_factor(self, double lam) noexcept nogil:
        """Bring the factor to the columns of the support, as far as they are independent."""
        cdef int k, j, count = 0, size = self.cholesky.size
        if self._factor_is_stale(lam):
            for k in range(size):
                self.position[self.order[k]] = -1
            self.cholesky.truncate(0)
        if self.cholesky.size == 0:
            self.ridge, self.refined = lam, 0
        self._shrink_factor()
        for k in range(self.n_support):
            j = self.support[k]
            if self.position[j] < 0 and not self.held[j]:
                self.which[count] = j
                count += 1
        self.n_refused = 0
        self.refined += (lam == self.lam != self.ridge and count == 0
                         and self.cholesky.size == size)
        self.lam = lam
        self._extend_factor(count)

    cdef bint _factor_is_stale(self, double lam) noexcept nogil:
        """Return True if an old ridge in the factor has cost as much as a new factor.

        A step costs s^2, a factor s^3 / 3 in blocks.
        """
        cdef int k
        if (fabs(lam - self.ridge) <= STALE_RIDGE * lam
                and 3.0 * BLOCK_SPEED * self.refined <= self.cholesky.size):
            return False
        for k in range(self.n_support):
            if self.l2[self.support[k]] > 0.0:
                return True
        return False

    cdef void _shrink_factor(self) noexcept nogil:
        """Remove from the factor the columns that have left the support."""
        cdef int k, j, first = -1, leaving = 0, s = self.cholesky.size, kept
        cdef double below, rotations, rebuilt
        for k in range(s):
            # in the factor, not known to be in the support
            self.position[self.order[k]] = -2
        for k in range(self.n_support):
            j = self.support[k]
            if self.position[j] == -2 and not self.held[j]:
                self.position[j] = 0
        rotations = 0.0
        for k in range(s):
            if self.position[self.order[k]] == -2:
                leaving += 1
                rotations += 2.0 * (s - k) * (s - k) + 1.0 * k * (s - k)
                if first < 0:
                    first = k
        if leaving > 0:
            below = s - first - leaving
            rebuilt = (below * below * (first + below / 3.0) + 64.0 * below * first) / BLOCK_SPEED
            if rebuilt < rotations:
                self.cholesky.truncate(first)
            else:
                for k in range(s - 1, first - 1, -1):
                    if self.position[self.order[k]] == -2:
                        self.cholesky.remove(k)
        kept = 0
        for k in range(s):
            j = self.order[k]
            if self.position[j] == -2 or kept >= self.cholesky.size:
                self.position[j] = -1
            else:
                self.order[kept] = j
                self.position[j] = kept
                kept += 1

    cdef void _extend_factor(self, int count) noexcept nogil:
        """Append the columns which[0..count) to the factor, chunk by chunk."""
        cdef int start, width, k, t, j, s
        cdef Py_ssize_t ld = self.gram.capacity
        cdef const double* G = self.gram.G
        for start in range(0, count, CHUNK):
            width = min(CHUNK, count - start)
            s = self.cholesky.size
            for k in range(width):
                j = self.which[start + k]
                for t in range(s):
                    self.cross[t + k * s] = G[self.order[t] + j * ld]
                for t in range(width):
                    self.corner[t + k * width] = G[self.which[start + t] + j * ld]
                self.corner[k + k * width] += self.ridge * self.l2[j]
                self.values[k] = self.corner[k + k * width]
            self.cholesky.append(width, &self.cross[0], &self.corner[0], self.values, ROUNDING,
                                 &self.accepted[0])
            for k in range(width):
                j = self.which[start + k]
                if self.accepted[k]:
                    self.order[s] = j
                    self.position[j] = s
                    s += 1
                else:
                    self.refused[self.n_refused] = j
                    self.n_refused += 1

    # Columns that the factor refused.

    cdef bint release_bounds(self, double lam) noexcept nogil:
        cdef int k, count
        cdef long before = self.iterations
        if self.n_refused == 0:
            return False
        # the last step changed the support: the factor must follow
        self.free_gradient(lam)
        self._update_factor(lam)
        count = self.n_refused
        # until no column of the factor reaches zero or a limit
        for k in range(count):
            self.null_direction_step(self.refused[k], lam)
            if self.iterations > before and not self._all_free(lam):
                break
        self.n_refused = 0
        return self.iterations > before

    cdef bint _all_free(self, double lam) noexcept nogil:
        """Return True if all columns of the factor are still free."""
        cdef int k, count = 0
        self.free_gradient(lam)
        for k in range(self.n_support):
            count += self.position[self.support[k]] >= 0
        return count == self.cholesky.size

    cdef void null_direction_step(self, int j, double lam) noexcept nogil:
        """Move along e_j - (its combination of the factor's columns), where Z d is nearly 0, to a
        kink.
        """
        cdef int k, i
        cdef double slope = 0.0, size = 0.0, t
        if self.free_gradient(lam) <= 0.0 or (self.b[j] == 0.0 and lam * self.l1[j] > 0.0):
            return
        for k in range(self.cholesky.size):
            self.values[k] = -self.gram.G[self.order[k] + <Py_ssize_t> j * self.gram.capacity]
        self.cholesky.solve(self.values)
        for k in range(self.cholesky.size):
            # less is rounding: that column has no part in the dependence
            if fabs(self.values[k]) > 1e-9:
                self.d[self.order[k]] = self.values[k]
        self.d[j] = 1.0
        for k in range(self.n_support):
            i = self.support[k]
            slope += self.d[i] * self.rhs[i]
            size += fabs(self.d[i]) * (1e-10 * (lam * self.l1[i] + fabs(self.g[i]))
                                       + 1e-14 * sqrt(self.diag[i]))
        # what cancels in it, and rounding on the scale of the response
        if fabs(slope) <= size:
            if lam * self.l1[j] == 0.0:
                return
            # flat: remove the dependent column itself
            slope = -1.0 if self.b[j] > 0.0 else 1.0
        if slope < 0.0:
            self.rescale(-1.0)
        t = self.first_event(lam)
        if t == INFINITY or t <= 0.0:
            return
        self.rescale(t)
        self.iterations += 1
        t = self.line_step(lam)
        # flat: the objective stays, the number of coefficients falls
        if t <= 0.0:
            self.image()
            t = 1.0
        self.advance(lam, t)
