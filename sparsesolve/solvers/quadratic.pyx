"""Second order on the support for penalised least squares over the working columns.

    minimise over b   |r|^2 / 2 + sum_j value_j(b_j),   r = y - Z b,   lower_j <= b_j <= upper_j

with value_j the elastic net's. Given: columns Z through a subclass (a Gram matrix, or the data), a warm start b with
g = Z'r. Returned: b and g with a duality gap over the working columns at most `target`, or the reason why not.
Invariant: g = Z'r at the current b. Each round takes a Newton step for the current signs, coefficients that would
change sign stopping at zero, until the signs stand; then a sweep of one-coordinate minimisations lets violators in.
Every step decreases the objective, and there are finitely many sign patterns.
Reference: Bach et al. 2012, sections 4 and 6 (active sets); math.md, section 4, "second order on the support".
"""
from libc.math cimport INFINITY, copysign, fabs, sqrt

import numpy as np

from sparsesolve.penalties.elastic_net cimport ElasticNet, conjugate, feasible_scale, prox, value
from sparsesolve.linalg.design cimport Design

DEF ROUNDS = 30             # Newton steps between two sweeps
cdef double ROUNDING = 1e-14
cdef double EPSILON = 4e-16         # of one product, relative
cdef double NO_WAY = 1e-6           # a step along a clipped direction below which its slope is taken for rounding
cdef double NO_PENALTY = 1e-14      # on the scale of the response
cdef double SHAKY = 1e-8            # eigenvalue below which rounding is given its due, relative
cdef double RANK = 1e-14            # least eigenvalue of unpenalised columns that is not rounding, relative


cdef class Quadratic:

    def __cinit__(self, *args, **kwargs):
        self.capacity = 0
        self.size = 0
        self.slack = 0.0
        Quadratic.reserve(self, 64)

    cdef int reserve(self, int capacity) except -1:
        """Make room for `capacity` working columns."""
        cdef int old = self.capacity
        if capacity <= old:
            return 0
        capacity = max(capacity, 2 * old)
        table, integers = np.zeros((10, capacity)), np.zeros((5, capacity), dtype=np.intc)
        if old:
            table[:, :old] = self.table
            integers[:, :old] = self.integers
        self.table, self.integers, self.capacity = table, integers, capacity
        self.b, self.g, self.d, self.q = &self.table[0, 0], &self.table[1, 0], &self.table[2, 0], &self.table[3, 0]
        self.l1, self.l2, self.rhs = &self.table[4, 0], &self.table[5, 0], &self.table[6, 0]
        self.lower, self.upper, self.diag = &self.table[7, 0], &self.table[8, 0], &self.table[9, 0]
        self.index, self.support = &self.integers[0, 0], &self.integers[1, 0]
        self.order, self.position = &self.integers[2, 0], &self.integers[3, 0]
        self.held = &self.integers[4, 0]
        return 0

    cdef int add(self, Design design, ElasticNet penalty, const int* which, const double* start,
                 const double* gradient, int count) except -1:
        """Add working columns with their coefficients and gradients; the subclass fills `diag`."""
        cdef int k, j, m = self.size
        self.reserve(m + count)
        for k in range(count):
            j = which[k]
            self.index[m + k] = j
            self.position[m + k] = -1
            self.b[m + k] = start[k]
            self.g[m + k] = gradient[k]
            self.l1[m + k], self.l2[m + k] = penalty.l1[j], penalty.l2[j]
            self.lower[m + k], self.upper[m + k] = penalty.lower[j], penalty.upper[j]
        self.size = m + count
        return 0

    def members(self):
        """Feature numbers and coefficients of the working columns, in the order they came in."""
        cdef int k
        which, values = np.empty(self.size, dtype=np.intc), np.empty(self.size)
        for k in range(self.size):
            which[k], values[k] = self.index[k], self.b[k]
        return which, values

    def coefficients(self):
        """Feature numbers and values of the nonzero coefficients, in ascending order of feature."""
        cdef int j, count = 0
        which, values = np.empty(self.size, dtype=np.intc), np.empty(self.size)
        cdef int[::1] w = which
        cdef double[::1] v = values
        for j in range(self.size):
            if self.b[j] != 0.0:
                w[count], v[count] = self.index[j], self.b[j]
                count += 1
        rank = np.argsort(which[:count])
        return which[rank], values[rank]

    cdef int solve(self, double lam, double target, long budget) noexcept nogil:
        """Bring the gap over the working columns to `target`; returns an Outcome."""
        cdef long limit = self.iterations + budget
        cdef bint moved
        if self.solved(lam, target):
            return CONVERGED
        while True:
            moved = self.newton(lam)
            if self.solved(lam, target):
                return CONVERGED
            if self.iterations >= limit:
                return MAX_ITER
            if self.sweep(lam, False) == 0 and not moved and self.sweep(lam, True) == 0:
                return STALLED

    cdef bint free(self, int j, double lam) noexcept nogil:
        """Whether nothing holds column j back: no penalty, or less than rounding, and no limit that it presses on."""
        return (lam * self.l1[j] <= NO_PENALTY * sqrt(self.diag[j]) and lam * self.l2[j] <= NO_PENALTY * self.diag[j]
                and not (self.b[j] >= self.upper[j] and self.g[j] >= 0.0)
                and not (self.b[j] <= self.lower[j] and self.g[j] <= 0.0))

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        """The largest s <= 1 that makes s r dual feasible on the working columns; strict: feasible for the lasso."""
        cdef double s = 1.0, limit
        cdef int j
        for j in range(self.size):
            if not self.free(j, lam):
                limit = INFINITY if strict else self.upper[j] if self.g[j] > 0 else -self.lower[j]
                s = min(s, feasible_scale(fabs(self.g[j]) + self.slack * sqrt(self.diag[j]), lam * self.l1[j],
                                          0.0 if strict else lam * self.l2[j], 0.0, limit))
        return s

    cdef double gap(self, double lam, double scale) noexcept nogil:
        """Duality gap at the better of two dual points: scale * r, and zero.

        A sum of terms none of which is negative in exact arithmetic. With unpenalised columns the dual point is
        scale * (r - its projection on them), whose length is `slack`.
        """
        cdef double square = max(self.residual_square, 0.0), primal = 0.5 * square, z, term, off
        cdef double total = (1.0 - scale) * sqrt(square) + scale * self.slack
        cdef int j
        total *= 0.5 * total
        for j in range(self.size):
            term = value(self.b[j], lam * self.l1[j], lam * self.l2[j])
            primal += term
            total += term
            if self.free(j, lam):       # the dual point is orthogonal to it
                continue
            off = scale * self.slack * sqrt(self.diag[j]) if self.slack > 0.0 else 0.0
            z = scale * self.g[j]
            total += off * fabs(self.b[j]) - z * self.b[j] + conjugate(
                z + copysign(off, z), lam * self.l1[j], lam * self.l2[j], self.lower[j], self.upper[j])
        return primal if self.slack == INFINITY else min(total, primal)

    cdef double best_gap(self, double lam) noexcept nogil:
        """The gap over the working columns at the better of the two scales."""
        cdef double loose = self.scale(lam, False), strict = self.scale(lam, True)
        cdef double gap = self.gap(lam, loose)
        return gap if strict == loose else min(gap, self.gap(lam, strict))

    cdef bint solved(self, double lam, double target) noexcept nogil:
        """Whether the gap over the working columns is at most `target`."""
        self.estimate_slack(lam)
        return self.best_gap(lam) <= target

    cdef void estimate_slack(self, double lam) noexcept nogil:
        """A current stand-in for `slack` between two calls of settle: as if free columns were orthogonal."""
        cdef int j
        cdef double total = 0.0
        for j in range(self.size):
            if self.diag[j] > 0.0 and self.free(j, lam):
                total += self.g[j] * self.g[j] / self.diag[j]
        self.slack = sqrt(total)

    cdef void settle(self, double lam) noexcept:
        """Set `slack`, the length of the residual's projection on the columns that nothing penalises or stops."""
        cdef int j
        self.slack = 0.0
        free = []
        for j in range(self.size):
            if self.free(j, lam):
                free.append(j)
        if free:
            gradient = np.array([self.g[j] for j in free])
            inner = np.array([[self.inner(i, j) for j in free] for i in free])
            level, axes = np.linalg.eigh(inner)
            most = level.max()
            # along nearly dependent columns a gradient of zero may hide what rounding hides
            along = np.abs(axes.T @ gradient) + (level < SHAKY * most) * EPSILON * np.sqrt(most)
            kept = level > RANK * most
            self.slack = sqrt(np.sum(along[kept] ** 2 / level[kept]))
            if np.any(along[~kept] > 250 * EPSILON * np.sqrt(most)):     # more than rounding, where nothing can be told
                self.slack = INFINITY

    cdef bint newton(self, double lam) noexcept nogil:
        """Newton steps on the support until no sign changes; returns whether anything moved."""
        cdef int rounds, stopped
        cdef double t
        cdef bint moved = False
        for rounds in range(ROUNDS):
            if self.collect(lam) <= ROUNDING:
                break
            self.direction(lam)
            stopped = self.n_held = 0
            while self.clip(lam) > 0:       # the others' best answer to the coordinates that stop
                stopped = self.n_held
                self.direction(lam)
            self.iterations += 1
            t = self.line_step(lam)
            if t <= 0.0 or (stopped > 0 and t < NO_WAY):
                # the stopped coordinates turned the direction uphill: go only as far as the first of them
                self.collect(lam)
                self.direction(lam)
                self.rescale(min(self.first_event(lam), 1.0))
                t = self.line_step(lam)
                if t <= 0.0:
                    break
                stopped = 1
            self.advance(lam, t)
            moved = True
            if stopped == 0 and not self.unbind(lam):
                break
        return moved

    cdef double collect(self, double lam) noexcept nogil:
        """List the free coefficients and their right-hand side; returns its largest entry over lam's scale."""
        cdef int j
        cdef double slope, largest = 0.0, level
        self.n_support = self.n_held = 0
        for j in range(self.size):
            level = lam * self.l1[j]
            self.d[j] = 0.0
            self.held[j] = False
            if self.b[j] == 0.0 and level > 0.0:
                continue
            slope = self.g[j] - lam * self.l2[j] * self.b[j]
            if self.b[j] > 0.0:
                slope -= level
            elif self.b[j] < 0.0:
                slope += level
            if (self.b[j] >= self.upper[j] and slope >= 0.0) or (self.b[j] <= self.lower[j] and slope <= 0.0):
                continue
            self.rhs[j] = slope
            self.support[self.n_support] = j
            self.n_support += 1
            largest = max(largest, fabs(slope))
        return largest

    cdef int clip(self, double lam) noexcept nogil:
        """Hold coefficients whose step would pass zero or a limit, with a step that ends there; how many are new."""
        cdef int k, j, before = self.n_held
        cdef double target
        for k in range(self.n_support):
            j = self.support[k]
            if self.held[j]:
                continue
            target = self.b[j] + self.d[j]
            if lam * self.l1[j] > 0.0 and target * self.b[j] < 0.0:
                target = 0.0
            target = min(max(target, self.lower[j]), self.upper[j])
            if target != self.b[j] + self.d[j]:
                self.d[j] = target - self.b[j]
                self.held[j] = True
                self.n_held += 1
        return self.n_held - before

    cdef double first_event(self, double lam) noexcept nogil:
        """The step along d at which a coefficient first reaches zero or a limit; INFINITY when none does."""
        cdef int k, j
        cdef double t = INFINITY, end
        for k in range(self.n_support):
            j = self.support[k]
            if self.d[j] == 0.0:
                continue
            end = self.upper[j] if self.d[j] > 0 else self.lower[j]
            if lam * self.l1[j] > 0.0 and self.d[j] * self.b[j] < 0.0:
                end = 0.0
            t = min(t, (end - self.b[j]) / self.d[j])
        return t

    cdef void rescale(self, double t) noexcept nogil:
        """d <- t d."""
        cdef int k
        for k in range(self.n_support):
            self.d[self.support[k]] *= t

    cdef double line_step(self, double lam) noexcept nogil:
        """Exact step length in [0, 1] along d; leaves q = Z'Z d."""
        cdef int k, j
        cdef double slope = 0.0, curvature = 0.0
        for k in range(self.n_support):
            j = self.support[k]
            slope += self.d[j] * self.rhs[j]
        if not slope > 0.0:
            return 0.0
        self.image()
        for k in range(self.n_support):
            j = self.support[k]
            curvature += self.d[j] * (self.q[j] + lam * self.l2[j] * self.d[j])
        if slope >= curvature * (1.0 - 1e-9):
            return 1.0
        return slope / curvature

    cdef double minimiser(self, int j, double lam) noexcept nogil:
        """The best value of coefficient j with the others held."""
        cdef double h = self.diag[j]
        if h + lam * self.l2[j] <= 0.0:
            return self.b[j]
        return prox(self.g[j] + h * self.b[j], h, lam * self.l1[j], lam * self.l2[j], self.lower[j], self.upper[j])

    cdef bint worth(self, int j, double new, double lam, bint whole) noexcept nogil:
        """Whether a sweep moves coefficient j: the Newton step looks after those whose sign stands."""
        cdef double old = self.b[j]
        if new == old:
            return False
        return (whole or old == 0.0 or new * old < 0.0 or (new == 0.0 and lam * self.l1[j] > 0.0)
                or old == self.upper[j] or old == self.lower[j])

    # what a subclass says

    cdef double effort(self) noexcept:
        """Inner steps per Newton direction since the last call; 0 where there are none, or too few to tell."""
        return 0.0

    cdef double inner(self, int i, int j) noexcept nogil:
        """z_i'z_j of two working columns."""
        return 0.0

    cdef void refresh(self, const double* response, double* r) noexcept nogil:
        """r = response - Z b, and from it g and residual_square, without accumulated rounding."""

    cdef void direction(self, double lam) noexcept nogil:
        """d on the support: (Z'Z + lam l2) d = rhs, nearly, with the d of the held coefficients given."""

    cdef void image(self) noexcept nogil:
        """q = Z'Z d on all working columns."""

    cdef void advance(self, double lam, double t) noexcept nogil:
        """b += t d, g -= t q, coefficients that reach zero or a limit landing on it exactly."""
        cdef int k, j
        cdef double old, new
        for k in range(self.n_support):
            j = self.support[k]
            old = self.b[j]
            new = old + t * self.d[j]
            if lam * self.l1[j] > 0.0 and (new * old <= 0.0 or fabs(new) < ROUNDING * fabs(old)):
                new = 0.0
            self.b[j] = min(max(new, self.lower[j]), self.upper[j])

    cdef int sweep(self, double lam, bint whole) noexcept nogil:
        """One-coordinate minimisations where signs change (everywhere when `whole`); returns how many moved."""
        return 0

    cdef bint unbind(self, double lam) noexcept nogil:
        """Treat coefficients that the second-order model cannot hold; returns whether anything moved."""
        return False
