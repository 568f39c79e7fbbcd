"""Active sets by the inner products of all working columns, or by products with the columns.

GramActiveSet serves dense columns, and sparse ones while they are few; DataActiveSet serves many
sparse columns, and more columns than rows under a ridge. L2 is the diagonal of l2.
"""
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy, memset

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
# Rows that enter the factor at a time: a block of 64 x 64 doubles stays in the first cache.
DEF CHUNK = 64


cdef class GramActiveSet(ActiveSetQuadratic):
    """Working columns by all their inner products, with room for as many as `gram` has room for.

        L L' = G + lam L2  over the free columns that do not depend on those before them

    Nothing here depends on the number of samples. The Newton direction comes from the factor L of
    the support's Gram matrix G, kept as columns come and go. Columns that depend on those in L are
    refused by it. They move along the null direction of the dependence until a coefficient
    reaches zero (Golub, Van Loan 2013, "Matrix Computations", section 6.5).

    `order` holds the column of each row of L, and `position` the row of each column, -1 without
    one. Rows enter L in blocks and leave by rotations.
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
        self.reserve(gram.capacity)

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity or self.refused.shape[0] == 0:
            ActiveSetQuadratic.reserve(self, capacity)
            self.cholesky.reserve(self.capacity)
            self.cross = np.empty(<Py_ssize_t> self.capacity * CHUNK)
            self.refused = np.empty(self.capacity, dtype=np.intc)
        return 0

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

        A step costs s^2, a factor s^3 / 3 in blocks, which are eight times as fast.
        """
        cdef int k
        if (fabs(lam - self.ridge) <= STALE_RIDGE * lam
                and 24.0 * self.refined <= self.cholesky.size):
            return False
        for k in range(self.n_support):
            if self.l2[self.support[k]] > 0.0:
                return True
        return False

    cdef void _shrink_factor(self) noexcept nogil:
        """Remove from the factor the columns that have left the support."""
        cdef int k, j, s = self.cholesky.size, kept = 0
        for k in range(s):
            # in the factor, not known to be in the support
            self.position[self.order[k]] = -2
        for k in range(self.n_support):
            j = self.support[k]
            if self.position[j] == -2 and not self.held[j]:
                self.position[j] = 0
        for k in range(s - 1, -1, -1):
            if self.position[self.order[k]] == -2:
                self.cholesky.remove(k)
        for k in range(s):
            j = self.order[k]
            if self.position[j] == -2:
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
        """Move to a kink along e_j less its combination of the factor's columns: Z d is about 0."""
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


cdef class DataActiveSet(ActiveSetQuadratic):
    """Working columns by products with themselves.

        (Z'Z + lam L2) d = rhs  on the support,   d of the held columns given

    On sparse columns coordinate descent goes first: where they have little in common, as in text,
    nothing is faster. Newton directions come from conjugate gradients on the support (Hestenes,
    Stiefel 1952), until no gradient is off by more than `enough` of its threshold.
    Invariant: u + u[n] * sqrt(w) = sqrt(w) (y - Zb), and v as u stands for the image of d, so
    sparse columns never fill in; residual = rhs - q - lam l2 d.
    """

    # (n + 1,) sqrt(w) Z d less a multiple of sqrt(w), as u; the image of a conjugate direction
    cdef double[::1] v, w
    cdef double enough                  # violation relative to lam that the target allows for

    def __cinit__(self, PackedColumns columns):
        self.columns = columns
        self.v, self.w = np.zeros((2, columns.n + 1))
        self._work_on_residual()

    cdef int solve(self, double lam, double target, long budget) noexcept nogil:
        """Coordinate descent until the signs stay, on sparse columns; then Newton steps."""
        cdef long limit = self.iterations + budget
        cdef int j, count, changed = 0
        # It shrinks the dual point by a fraction, and costs the gap that fraction of the penalty.
        self.enough = 0.8 * target / max(self.penalty_value(lam), target)
        if self.columns.dense or self.solved(lam, target):
            return ActiveSetQuadratic.solve(self, lam, target, budget)
        for j in range(self.size):
            changed += self.worth(j, self.minimiser(j, lam), lam, False)
        # Cycles of coordinate descent before a Newton direction, on sparse columns.
        for count in range(12):
            # until hardly a sign changes
            if changed <= 2e-3 * self.size or self.iterations >= limit:
                break
            changed = self.cd_cycle(lam)
            self.iterations += 1
        if count > 0:
            self.renew()
        return ActiveSetQuadratic.solve(self, lam, target, limit - self.iterations)

    cdef int cd_cycle(self, double lam) noexcept nogil:
        """One cycle of coordinate descent over all columns that are near moving; g is left stale.

        Returns how many coefficients reached zero or left it.
        """
        cdef int j, changed = 0
        cdef double new
        self.passes += 1
        for j in range(self.size):
            # far columns are examined after the cycles
            if self.b[j] == 0.0 and fabs(self.g[j]) < 0.9 * lam * self.l1[j]:
                continue
            self.meet(j)
            new = self.minimiser(j, lam)
            if new != self.b[j]:
                changed += (self.b[j] == 0.0) != (new == 0.0)
                self.move(j, new)
        return changed

    cdef void direction(self, double lam) noexcept nogil:
        """d on the support with v = Z d and q = Z'v; with coefficients held, from the current d."""
        cdef int k, j
        cdef Py_ssize_t n = self.columns.n
        for k in range(self.n_support):
            j = self.support[k]
            self.x[k] = self.conjugate[k] = self.d[j] if self.n_held > 0 else 0.0
            self.product[k] = 0.0
        if self.n_held > 0:
            self.times_conjugate(lam)
            memcpy(&self.v[0], &self.w[0], (n + 1) * sizeof(double))
        else:
            memset(&self.v[0], 0, (n + 1) * sizeof(double))
        for k in range(self.n_support):
            self.conjugate[k] = 0.0
            self.residual[k] = self.rhs[self.support[k]] - self.product[k]
        # with more steps, signs change before the direction is used
        self.conjugate_gradients(self.n_support, self.x, 60, lam,
                                 1e-2 if self.n_held == 0 else 0.0)
        for k in range(self.n_support):
            j = self.support[k]
            self.d[j] = self.x[k]
            self.q[j] = self.rhs[j] - self.residual[k] - lam * self.l2[j] * self.d[j]

    cdef void follow(self, double t) noexcept nogil:
        axpy(self.columns.n + 1, t, &self.w[0], &self.v[0])

    cdef double times_conjugate(self, double lam) noexcept nogil:
        """product = (Z'Z + lam L2) p, with w = Z p."""
        cdef int k, j, count = 0
        cdef Py_ssize_t n = self.columns.n
        cdef double curvature = 0.0, size = 0.0, p
        self.passes += 1
        memset(&self.w[0], 0, n * sizeof(double))
        for k in range(self.n_support):
            if self.conjugate[k] != 0.0:
                self.which[count], self.values[count] = self.support[k], -self.conjugate[k]
                count += 1
        self.w[n] = self.columns.subtract_listed(self.which, count, self.values, &self.w[0])
        self.columns.correlate_listed(self.support, self.n_support, &self.w[0], self.w[n],
                                      self.product)
        for k in range(self.n_support):
            j, p = self.support[k], self.conjugate[k]
            self.product[k] += lam * self.l2[j] * p
            curvature += p * self.product[k]
            size += p * p * (self.diag[j] + lam * self.l2[j])
        # columns depend on one another along it
        return curvature if curvature > 1e-9 * size else 0.0

    cdef double precondition(self, double last, double lam) noexcept nogil:
        cdef int k, j
        cdef double rho = 0.0, most = 0.0, curvature, e, threshold
        for k in range(self.n_support):
            j, e = self.support[k], self.residual[k]
            curvature, threshold = self.diag[j] + lam * self.l2[j], lam * self.l1[j]
            if curvature > 0.0 and not self.held[j]:
                rho += e * e / curvature
                most = max(most, fabs(e) / threshold if threshold > 0.0 else INFINITY)
        if last > 0.0 and most <= self.enough:
            return 0.0
        for k in range(self.n_support):
            j = self.support[k]
            curvature = self.diag[j] + lam * self.l2[j]
            if curvature > 0.0 and not self.held[j]:
                self.conjugate[k] = (self.residual[k] / curvature
                                     + (rho / last * self.conjugate[k] if last > 0.0 else 0.0))
        return rho

    cdef void rescale(self, double t) noexcept nogil:
        cdef int k
        cdef Py_ssize_t i
        ActiveSetQuadratic.rescale(self, t)
        for i in range(self.columns.n + 1):
            self.v[i] *= t
        for k in range(self.n_support):
            self.q[self.support[k]] *= t

    cdef void image(self) noexcept nogil:
        """q off the support; the direction has left it on the support."""
        cdef int k, j, count = 0
        for k in range(self.n_support):
            self.position[self.support[k]] = 0
        for j in range(self.size):
            if self.position[j] < 0:
                self.which[count] = j
                count += 1
            self.position[j] = -1
        self.columns.correlate_listed(self.which, count, &self.v[0], self.v[self.columns.n],
                                      self.values)
        for k in range(count):
            self.q[self.which[k]] = self.values[k]

    cdef void advance(self, double lam, double t) noexcept nogil:
        axpy(self.columns.n + 1, -t, &self.v[0], &self.u[0])
        self.rounding_steps += self.size
        ActiveSetQuadratic.advance(self, lam, t)

    cdef void meet(self, int j) noexcept nogil:
        self.g[j] = self.columns.dot(j, &self.u[0], self.u[self.columns.n])

    cdef void move(self, int j, double new) noexcept nogil:
        cdef double step = new - self.b[j]
        self.residual_square += step * (step * self.diag[j] - 2.0 * self.g[j])
        self.u[self.columns.n] += self.columns.axpy(j, -step, &self.u[0])
        self.rounding_steps += 1.0
        self.b[j] = new

    cdef void renew(self) noexcept nogil:
        self.columns.correlate(&self.u[0], self.u[self.columns.n], self.g)
