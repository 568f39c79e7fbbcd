"""Active-set Newton method for penalised least squares over the working columns.

    minimise over b   |r|^2 / 2 + sum_j value_j(b_j),   r = y - Z b,   lower_j <= b_j <= upper_j

with value_j the elastic net's.
Given: columns Z through a subclass (a Gram matrix, or the data), and a warm start b with g = Z'r.
Returned: b and g with a duality gap over the working columns of at most `target`, or the reason
why not.
Invariant: g = Z'r at the current b. Each round takes Newton steps for the current signs, in which
coefficients that would change sign stop at zero, until the signs stay. Then a sweep of
one-coordinate minimisations adds violators to the support. Every step decreases the objective,
and there are finitely many sign patterns.
Reference: Bach et al. 2012, sections 4 and 6 (active sets).
"""
from libc.math cimport INFINITY, fabs

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.penalties.elastic_net cimport prox
from sparsesolve.solvers.quadratic.coefficients cimport (
    CONVERGED,
    MAX_ITER,
    STALLED,
    NetCoefficients,
)

cdef double LAST_DIGITS = tolerances.LAST_DIGITS


cdef class ActiveSetQuadratic(NetCoefficients):
    """The solver over working columns; a subclass multiplies with them and solves for the
    direction.
    """

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

    def newton_direction(self, double lam):
        """The free columns, their gradients and the step that is tried first, for tests."""
        self.free_gradient(lam)
        self.direction(lam)
        free = [self.support[k] for k in range(self.n_support)]
        return free, self.table[6].take(free), self.table[2].take(free)

    cdef bint newton(self, double lam) noexcept nogil:
        """Newton steps on the support until no sign changes; returns whether anything moved."""
        cdef int rounds, stopped
        cdef bint moved = False
        # each changes the support: more would cycle
        for rounds in range(30):
            if self.free_gradient(lam) <= LAST_DIGITS:
                break
            self.direction(lam)
            self.iterations += 1
            stopped = self.go(lam)
            if stopped < 0:
                break
            moved = True
            # the minimum without those that stopped: others may enter
            if stopped > 0 and self.whole:
                break
            if stopped == 0 and not self.release_bounds(lam):
                break
        return moved

    cdef int go(self, double lam) noexcept nogil:
        """Step along d, with coefficients stopping at zero or a limit; returns how many, -1 if
        none moved.
        """
        cdef int stopped = 0, more = self.hold_at_kinks(lam)
        cdef double t = 0.0
        self.whole = False
        # the best of the others, given the coordinates that stop; where inner products are known a
        # walk from stop to stop costs less
        if self.wants_residual or more <= 0.05 * self.n_support:
            while more > 0:
                stopped = self.n_held
                self.direction(lam)
                more = self.hold_at_kinks(lam)
            t = self.line_step(lam)
        # those that stop are many, or turn the direction uphill
        # a slope with held coefficients is rounding below it
        if t <= 0.0 or (stopped > 0 and t < 1e-6):
            self.free_gradient(lam)
            self.direction(lam)
            return self.piecewise_step(lam)
        self.advance(lam, t)
        self.whole = t == 1.0
        return stopped

    cdef double free_gradient(self, double lam) noexcept nogil:
        """List the free coefficients and their right-hand side; returns its largest entry."""
        cdef int j
        cdef double slope, largest = 0.0, threshold
        self.n_support = self.n_held = 0
        for j in range(self.size):
            threshold = lam * self.l1[j]
            self.d[j] = 0.0
            self.held[j] = False
            if self.b[j] == 0.0 and threshold > 0.0:
                continue
            slope = self.g[j] - lam * self.l2[j] * self.b[j]
            if self.b[j] > 0.0:
                slope -= threshold
            elif self.b[j] < 0.0:
                slope += threshold
            if (self.b[j] >= self.upper[j] and slope >= 0.0) or (self.b[j] <= self.lower[j]
                    and slope <= 0.0):
                continue
            self.rhs[j] = slope
            self.support[self.n_support] = j
            self.n_support += 1
            largest = max(largest, fabs(slope))
        return largest

    cdef int hold_at_kinks(self, double lam) noexcept nogil:
        """Hold coefficients whose step would pass zero or a limit, with a step that ends there.

        Returns how many are new.
        """
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

    cdef int block(self, double lam) noexcept nogil:
        """Hold coefficients that are almost at the zero or limit of their step; returns how many
        are new.
        """
        cdef int k, j, before = self.n_held
        for k in range(self.n_support):
            j = self.support[k]
            # at once: the step counts as none
            if not self.held[j] and self.event(j, lam) < 1e-10:
                self.d[j] = 0.0
                self.held[j] = True
                self.n_held += 1
        return self.n_held - before

    cdef double end(self, int j, double lam) noexcept nogil:
        """The zero or limit to which d leads coefficient j; a coefficient that is 0 is there."""
        if lam * self.l1[j] > 0.0 and self.d[j] * self.b[j] <= 0.0:
            return 0.0
        return self.upper[j] if self.d[j] > 0.0 else self.lower[j]

    cdef double event(self, int j, double lam) noexcept nogil:
        """The step along d at which coefficient j reaches zero or a limit."""
        return (self.end(j, lam) - self.b[j]) / self.d[j] if self.d[j] != 0.0 else INFINITY

    cdef double first_event(self, double lam) noexcept nogil:
        """The step along d at which the first coefficient reaches zero or a limit, or INFINITY."""
        cdef int k
        cdef double t = INFINITY
        for k in range(self.n_support):
            t = min(t, self.event(self.support[k], lam))
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
        return self.exact_step(slope, curvature, 1.0, lam)

    cdef double exact_step(self, double slope, double curvature, double longest,
                           double lam) noexcept nogil:
        """The best step in [0, longest] for a slope and a curvature along d.

        0 if the objective would fall by more than it is: slope and curvature are rounding then.
        """
        cdef double t = longest if slope >= longest * curvature * (1.0
                - 1e-9) else slope / curvature
        # a larger decrease than the objective is rounding
        return t if 0.5 * t * slope <= 2.0 * self.primal(lam) else 0.0

    cdef double minimiser(self, int j, double lam) noexcept nogil:
        """The best value of coefficient j, the others fixed."""
        cdef double h = self.diag[j]
        if h + lam * self.l2[j] <= 0.0:
            return self.b[j]
        return prox(self.g[j] + h * self.b[j], h, lam * self.l1[j], lam * self.l2[j], self.lower[j],
                    self.upper[j])

    cdef bint worth(self, int j, double new, double lam, bint whole) noexcept nogil:
        """Return True if a sweep moves coefficient j; Newton steps move those whose sign stays."""
        cdef double old = self.b[j]
        if new == old:
            return False
        return (whole or old == 0.0 or new * old < 0.0 or (new == 0.0 and lam * self.l1[j] > 0.0)
                or old == self.upper[j] or old == self.lower[j])

    cdef int sweep(self, double lam, bint whole) noexcept nogil:
        """One-coordinate minimisations where signs change, or everywhere; returns how many moved.
        """
        cdef int j, moved = 0
        for j in range(self.size):
            # by the gradient from before the sweep: cheap, and nearly always right
            if not self.worth(j, self.minimiser(j, lam), lam, whole):
                continue
            self.meet(j)
            if self.worth(j, self.minimiser(j, lam), lam, whole):
                self.move(j, self.minimiser(j, lam))
                moved += 1
        if moved:
            self.renew()
            self.iterations += 1
        return moved

    cdef void restart(self) noexcept nogil:
        NetCoefficients.restart(self)
        self.n_support = self.n_held = 0

    # For subclasses.

    cdef void direction(self, double lam) noexcept nogil:
        """d on the support: (Z'Z + lam l2) d = rhs, approximately, given the d of held
        coefficients.
        """

    cdef void image(self) noexcept nogil:
        """q = Z'Z d on all working columns."""

    cdef void advance(self, double lam, double t) noexcept nogil:
        """b += t d, g -= t q; coefficients that reach zero or a limit land on it exactly."""
        cdef int k, j
        cdef double old, new, change = 0.0      # of |r - t Z d|^2
        for k in range(self.n_support):
            j = self.support[k]
            change += self.d[j] * (t * self.q[j] - 2.0 * self.g[j])
            old = self.b[j]
            new = old + t * self.d[j]
            if lam * self.l1[j] > 0.0 and (new * old <= 0.0 or fabs(new) < LAST_DIGITS * fabs(old)):
                new = 0.0
            # a rounding error away is not at a limit
            if self.held[j] and t == 1.0 and new != 0.0 and self.d[j] != 0.0:
                new = self.upper[j] if self.d[j] > 0.0 else self.lower[j]
            self.b[j] = min(max(new, self.lower[j]), self.upper[j])
        self.residual_square += t * change
        axpy(self.size, -t, self.q, self.g)

    cdef void meet(self, int j) noexcept nogil:
        """Bring g_j up to date during a sweep."""

    cdef void move(self, int j, double new) noexcept nogil:
        """Set b_j during a sweep, with what depends on it."""

    cdef void renew(self) noexcept nogil:
        """Bring g up to date after a sweep."""

    cdef int piecewise_step(self, double lam) noexcept nogil:
        """Step along d at least to the first kink; returns how many stopped, -1 if none moved."""
        cdef double t
        while self.block(lam) > 0:
            self.direction(lam)
        self.rescale(min(self.first_event(lam), 1.0))
        t = self.line_step(lam)
        if t <= 0.0:
            return -1
        self.advance(lam, t)
        return 1

    cdef bint release_bounds(self, double lam) noexcept nogil:
        """Treat coefficients that the second-order model cannot hold; returns whether anything
        moved.
        """
        return False
