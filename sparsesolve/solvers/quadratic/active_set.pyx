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
from libc.math cimport INFINITY, copysign, fabs, sqrt

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.penalties.elastic_net cimport (
    ElasticNet,
    feasible_scale,
    fenchel_young,
    prox,
    value,
)
from sparsesolve.solvers.quadratic.coefficients cimport (
    CONVERGED,
    MAX_ITER,
    STALLED,
    WorkingCoefficients,
)

cdef double LAST_DIGITS = tolerances.LAST_DIGITS


cdef inline bint within(double z, double slack, double square, double bound) noexcept nogil:
    """Return True if |z| + slack * sqrt(square) <= bound."""
    cdef double left = bound - fabs(z)
    return left >= 0.0 and left * left >= slack * slack * square


cdef class ActiveSetQuadratic(WorkingCoefficients):
    """Under the elastic net; a subclass multiplies with columns and solves for the direction."""

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

    cdef bint newton(self, double lam) noexcept nogil:
        """Newton steps on the support until no sign changes; return whether anything moved."""
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
        """Step along d; return how many coefficients stopped at a kink, -1 if none moved."""
        cdef int stopped = 0, more = self.hold_at_kinks(lam)
        cdef double t = 0.0
        self.whole = False
        # the best of the others, given the coordinates that stop; where many columns would leave a
        # factor, a step to the first stop costs less
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

    cdef int piecewise_step(self, double lam) noexcept nogil:
        """Step along d at least to the first kink; returns how many stopped, -1 if none moved."""
        cdef int k, j, more = 1
        cdef double t
        while more > 0:
            # hold coefficients that are almost at the end of their step
            more = 0
            for k in range(self.n_support):
                j = self.support[k]
                if not self.held[j] and self.event(j, lam) < 1e-10:
                    self.d[j], self.held[j], more = 0.0, True, more + 1
            self.n_held += more
            if more > 0:
                self.direction(lam)
        self.rescale(min(self.first_event(lam), 1.0))
        t = self.line_step(lam)
        if t <= 0.0:
            return -1
        self.advance(lam, t)
        return 1

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
        cdef double t = longest
        if not slope >= longest * curvature * (1.0 - 1e-9):
            t = slope / curvature
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
        """Minimise over each coordinate where signs change, or all; return how many moved."""
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
        WorkingCoefficients.restart(self)
        self.n_support = self.n_held = 0

    # The elastic net: Omega(b) = sum_j l1_j |b_j| + l2_j b_j^2 / 2.

    cdef int describe(self, penalty, int first) except -1:
        cdef ElasticNet net = penalty
        cdef int k, j
        for k in range(first, self.size):
            j = self.index[k]
            self.diag[k] = (self.columns.square(k) if self.gram is None else
                            self.gram.G[k + <Py_ssize_t> k * self.gram.capacity])
            self.l1[k], self.l2[k] = net.l1[j], net.l2[j]
            self.lower[k], self.upper[k] = net.lower[j], net.upper[j]
            self.plain = (self.plain and self.l2[k] == 0.0 and self.lower[k] == -INFINITY
                          and self.upper[k] == INFINITY)
        return 0

    cdef bint free(self, int j, double lam) noexcept nogil:
        cdef double threshold = lam * self.l1[j]
        return (threshold * threshold <= LAST_DIGITS * LAST_DIGITS * self.diag[j]
                and lam * self.l2[j] <= LAST_DIGITS * self.diag[j]
                and not (self.b[j] >= self.upper[j] and self.g[j] >= 0.0)
                and not (self.b[j] <= self.lower[j] and self.g[j] <= 0.0))

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        cdef double s = 1.0, limit
        cdef int j
        for j in range(self.size):
            if not (within(self.g[j], self.unpenalised_norm, self.diag[j], lam * self.l1[j])
                    or ActiveSetQuadratic.free(self, j, lam)):
                limit = self.upper[j] if self.g[j] > 0 else -self.lower[j]
                if strict and (self.b[j] if self.g[j] > 0 else -self.b[j]) < limit:
                    limit = INFINITY
                s = min(s,
                        feasible_scale(fabs(self.g[j]) + self.unpenalised_norm * sqrt(self.diag[j]),
                                       lam * self.l1[j],
                                          0.0 if strict else lam * self.l2[j], 0.0, limit))
        return s

    cdef double penalty_value(self, double lam) noexcept nogil:
        cdef double total = 0.0
        cdef int j
        for j in range(self.size):
            total += value(self.b[j], lam * self.l1[j], lam * self.l2[j])
        return total

    cdef double column_gap(self, double lam, double scale) noexcept nogil:
        cdef double total = 0.0, z, off
        cdef int j
        for j in range(self.size):
            if self.b[j] == 0.0 and within(scale * self.g[j], scale * self.unpenalised_norm,
                                           self.diag[j], lam * self.l1[j]):
                continue
            if ActiveSetQuadratic.free(self, j, lam):       # the dual point is orthogonal to it
                total += value(self.b[j], lam * self.l1[j], lam * self.l2[j])
                continue
            z = scale * self.g[j]
            off = (scale * self.unpenalised_norm * sqrt(self.diag[j]) if self.unpenalised_norm > 0.0
                   else 0.0)
            total += fenchel_young(self.b[j], z + copysign(off, z), z * self.b[j] - off * fabs(
                    self.b[j]), lam * self.l1[j], lam * self.l2[j], self.lower[j], self.upper[j])
        return max(total, 0.0)      # a negative total is rounding

    cdef double penalty_change(self, const double* before, double lam) noexcept nogil:
        cdef int k
        cdef double total = 0.0, old, new
        for k in range(self.size):
            old, new = before[k], self.b[k]
            total += (lam * self.l1[k] * (fabs(new) - fabs(old)) + 0.5 * lam * self.l2[k]
                      * (new - old) * (new + old))
        return total

    cdef bint extrapolate(self, int count, const double* change, double lam) noexcept nogil:
        cdef int k
        cdef double old, new, stop
        cdef bint whole = True
        for k in range(count):
            old = self.b[k]
            new = old + change[k]
            stop = min(max(new, self.lower[k]), self.upper[k])
            if old * stop <= 0.0 and self.l1[k] > 0.0:
                stop = 0.0
            self.b[k] = stop
            whole = whole and stop == new
        return whole

    # For subclasses.

    cdef void direction(self, double lam) noexcept nogil:
        """d on the support: (Z'Z + lam l2) d = rhs, approximately, given that of held ones."""

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

    cdef bint release_bounds(self, double lam) noexcept nogil:
        """Move what the second-order model cannot hold; return whether anything moved."""
        return False
