"""Penalised least squares over working groups: sweeps of block steps, and second order where they creep.

    minimise over b   |r|^2 / 2 + lam sum_g Omega_g(b_g),   r = y - Z b,   lower <= b <= upper

Given: columns Z through a subclass (their inner products, or the data), a warm start b with g = Z'r.  Returned: b and
g with a duality gap over the working groups at most `target`, or the reason why not.  Invariant: g = Z'r between two
rounds.  A round sweeps over the groups (`blocks`), carries the sweeps on by Anderson's extrapolation, brings lengths to
their best together (`lengths`), and where they creep takes a Newton step along the directions in which Omega is smooth,
all groups together, shortened until the objective decreases as Armijo asks.  Where lengths are not brought to their
best, sweeps go on until they gain little beside `target`, whether or not the gap has come to it: at a start from the
last lams it often has, and yet a sweep makes a far better solution of it.
Reference: Tseng and Yun (2009); Bertrand and Massias, "Anderson acceleration of coordinate descent" (2021).
"""
from libc.math cimport INFINITY, exp, fabs, log
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.small cimport small_factor, small_solve
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.subproblem.radial_step cimport RadialStep
from sparsesolve.solvers.subproblem.coefficients cimport CONVERGED, MAX_ITER, STALLED

DEF MEMORY = 4                      # sweeps that an extrapolation looks back on
DEF HALVINGS = 6                    # of a step for all, stopped where the penalty bends
DEF MANY_HALVINGS = 20              # of one that goes through, before sweeps are left to go on
DEF MOST_SWEEPS = 4                 # between two looks at the gap
cdef double QUICK = 0.9             # of the gap, left by a sweep: no more is reckoned with
cdef double SLOW = 0.95             # slower is left to Newton steps,
DEF LONG = 20                       # where so many sweeps would not do
# nor have done, where lengths are brought to their best after them
DEF EARLY = 20
# of the gap asked for: while a sweep gains more, another is worth its price
cdef double QUIET = 2e-4
# the same where lengths are: the gap is not worth a look before,
cdef double LOUD = 2.0
cdef double NOTABLE = 3e-6          # nor before sweeps gain less than this of the objective
cdef double BARELY = 0.99           # of the least gap: more is no fall
DEF PATIENCE = 500                  # looks at a gap and an objective that do not fall
cdef double FAR = 0.9               # of lam: groups below it are looked at after a sweep only
cdef double REGULAR = 1e-10         # of the sweeps' inner products: what makes them regular
cdef double ROUNDING = 1e-14
cdef double ARMIJO = 0.1
# of a Newton step: directions in which the penalty bends before,
cdef double AT_ONCE = 1e-2
# and so near beside the largest coefficient of a group, are given up
cdef double NEAR = 1e-4
DEF ANSWERS = 20                    # directions looked for then
# of the largest coefficient: longer steps end where the penalty bends
cdef double LENGTHS = 10.0
cdef double TINY = 1e-12            # of a diagonal: a smaller pivot is rounding


cdef class GroupBlockDescent(RadialStep):

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.pace = 0.2
        self.trail_b = np.zeros((MEMORY + 1, self.capacity))

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            RadialStep.reserve(self, capacity)
            self.trail_b = np.zeros((MEMORY + 1, self.capacity))
        return 0

    cdef int solve(self, double lam, double target, long budget) noexcept nogil:
        cdef long limit = self.iterations + budget, early = self.iterations
        cdef int moved = self.n_groups, k, sweeps, idle = 0
        cdef double gap = INFINITY, gain = INFINITY, least = INFINITY, lowest = INFINITY, last
        cdef double pace, value, quiet
        value = 0.5 * self.residual_square + self.penalty_value(lam)
        cdef bint takes_radial_steps = self.takes_radial_steps and self.radial_step_pays()
        if takes_radial_steps:
            quiet, early = min(LOUD * target, NOTABLE * value), self.iterations + EARLY
        else:
            quiet = QUIET * target + ROUNDING * value
        self.n_trail = 0
        if budget <= 0 or self.n_groups == 0:
            self.estimate_slack(lam)
            gap = self.gap(lam)
        while gap > target or (moved and gain > quiet and not takes_radial_steps):
            if self.iterations >= limit:
                return MAX_ITER if gap > target else CONVERGED
            sweeps, moved, last, k = 1, 0, gap, 0
            # between two looks at the gap, as many as are likely to be needed
            if target < gap < INFINITY:
                sweeps = min(max(<int> (log(target / gap) / log(self.pace) + 0.5), 1), MOST_SWEEPS)
            while k < sweeps or (moved and gain > quiet and k < MOST_SWEEPS):
                if not self.penalty.limited:        # which a combination might not keep
                    self.remember()
                moved += self.sweep(lam, takes_radial_steps)
                if self.n_trail == MEMORY:
                    self.remember()
                    self.anderson_extrapolate(lam)
                    self.n_trail = 0
                gain, value = value, 0.5 * self.residual_square + self.penalty_value(lam)
                gain -= value
                k += 1
            sweeps = k
            if takes_radial_steps:
                self.radial_step(lam, target)
                self.n_trail = 0
                value = 0.5 * self.residual_square + self.penalty_value(lam)
            else:
                self.renew()
            self.iterations += sweeps
            self.passes += sweeps
            self.estimate_slack(lam)
            gap = self.gap(lam)
            if last == INFINITY:
                continue
            # groups alike, whose lengths are not told apart
            if takes_radial_steps and self.iterations >= early:
                takes_radial_steps = False
                quiet = QUIET * target + ROUNDING * value
            pace = exp(log(max(gap / last, 1e-8)) / sweeps)
            self.pace = min(max(0.5 * (self.pace + pace), 0.05), QUICK)
            if pace > SLOW and self.iterations >= early and gap * pace ** LONG > target:
                moved += self.newton(lam)
                self.estimate_slack(lam)
                gap = self.gap(lam)
                value = 0.5 * self.residual_square + self.penalty_value(lam)
            idle = 0 if gap < BARELY * least or value < lowest - ROUNDING * value else idle + 1
            least, lowest = min(least, gap), min(lowest, value)
            if gap > target and (not moved or idle == PATIENCE):
                return STALLED
        return CONVERGED

    cdef int sweep(self, double lam, bint newest_first) noexcept nogil:
        """One step for each block that is not far from moving; returns how many moved.

        Those that came in last have farthest to go.  Where they are first the others meet what they did, and lengths
        then need fewer sweeps; where sweeps alone are to lead to the end, the order in which groups came does better.
        """
        cdef int k, t, moved = 0
        for t in range(self.n_groups):
            k = self.n_groups - 1 - t if newest_first else t
            if not self.below(k, FAR * lam):
                moved += self.block_step(k, lam)
        return moved

    # the sweeps carried on

    cdef void remember(self) noexcept nogil:
        """Where the sweeps are."""
        memcpy(&self.trail_b[self.n_trail, 0], self.b, self.size * sizeof(double))
        memcpy(&self.trail_r[self.n_trail, 0], self.carried(), self.n_carried * sizeof(double))
        self.n_trail += 1

    cdef bint anderson_extrapolate(self, double lam) noexcept nogil:
        """Go to the combination of the last sweeps' ends whose steps cancel best, if the objective is lower there.

        Anderson's extrapolation (Bertrand and Massias, 2021): what is linear in b is combined alike, so that no
        product is needed.
        """
        cdef int i, j, M = MEMORY
        cdef Py_ssize_t k
        cdef double[MEMORY * MEMORY] inner
        cdef double[MEMORY] weights
        cdef double total = 0.0, size = 0.0, trace = 0.0
        cdef double before = 0.5 * self.residual_square + self.penalty_value(lam)
        for i in range(M):
            for k in range(self.size):
                self.x[k] = self.trail_b[i + 1, k] - self.trail_b[i, k]
            for j in range(i, M):
                inner[j + i * M] = 0.0
                for k in range(self.size):
                    inner[j + i * M] += self.x[k] * (self.trail_b[j + 1, k] - self.trail_b[j, k])
            trace += inner[i + i * M]
            weights[i] = 1.0
        for i in range(M):
            inner[i + i * M] += REGULAR * trace
        small_factor(M, &inner[0], TINY)
        small_solve(M, &inner[0], &weights[0])
        for i in range(M):
            total += weights[i]
            size += fabs(weights[i])
        if not total > 0.0:
            return False
        memset(self.b, 0, self.size * sizeof(double))
        memset(self.carried(), 0, self.n_carried * sizeof(double))
        for i in range(M):
            axpy(self.size, weights[i] / total, &self.trail_b[i + 1, 0], self.b)
            axpy(self.n_carried, weights[i] / total, &self.trail_r[i + 1, 0], self.carried())
        size /= total
        total = self.residual_square
        self.residual_square = self.square(&self.trail_b[M, 0], &self.trail_r[M, 0])
        if 0.5 * self.residual_square + self.penalty_value(lam) < before:
            self.rounding_steps *= size        # so much was rounding combined, too
            return True
        memcpy(self.b, &self.trail_b[M, 0], self.size * sizeof(double))
        memcpy(self.carried(), &self.trail_r[M, 0], self.n_carried * sizeof(double))
        self.residual_square = total
        return False

    # second order, all groups together

    cdef bint newton(self, double lam) noexcept nogil:
        """A step along the directions in which the penalty is smooth; whether it was taken."""
        cdef int k, j
        cdef double largest = 0.0
        for k in range(self.n_groups):
            j = self.first[k]
            self.linearise(k, &self.g[j], lam)
            for j in range(self.first[k], self.first[k] + self.n_tangents[k]):
                largest = max(largest, fabs(self.slope[j]))
        if largest <= ROUNDING:
            return False
        for k in range(ANSWERS):
            if not self.direction(lam):
                return False
            self.cap_step()
            if not self.merge(lam):
                break
        memcpy(&self.x[0], self.d, self.size * sizeof(double))
        for k in range(self.n_groups):
            self.penalty.stop(self.group[k], &self.b[self.first[k]], &self.d[self.first[k]])
            self.truncate_at_kinks(k, lam)
        if self.descend(lam, self.image()):
            return True
        # what was stopped may lead nowhere, a little of the step itself leads down
        memcpy(self.d, &self.x[0], self.size * sizeof(double))
        self.truncate_to_limits()
        return self.descend(lam, self.image(), MANY_HALVINGS)

    cdef bint merge(self, double lam) noexcept nogil:
        """Give up directions along which the penalty bends at once; whether there were any."""
        cdef int k, j, lost
        cdef bint any = False
        for k in range(self.n_groups):
            j = self.first[k]
            if self.n_tangents[k] > 0:
                lost = self.penalty.merge(self.group[k], &self.b[j], &self.d[j], AT_ONCE, NEAR,
                                          &self.tangent_of[j], &self.sign[j], &self.slope[j])
                if lost > 0:
                    self.n_tangents[k] -= lost
                    self.second_derivative(k, lam)
                    any = True
        return any

    cdef void cap_step(self) noexcept nogil:
        """Shorten d to some lengths of b: it is as long as rounding has it where columns depend on one another."""
        cdef double largest = 0.0, longest = 0.0
        cdef int j
        for j in range(self.size):
            largest, longest = max(largest, fabs(self.b[j])), max(longest, fabs(self.d[j]))
        if longest > LENGTHS * largest > 0.0:
            for j in range(self.size):
                self.d[j] *= LENGTHS * largest / longest

    cdef void truncate_to_limits(self) noexcept nogil:
        """Shorten d until it keeps all limits."""
        cdef double t = 1.0
        cdef int j
        for j in range(self.size):
            if self.d[j] > 0.0 and self.d[j] * t > self.upper[j] - self.b[j]:
                t = (self.upper[j] - self.b[j]) / self.d[j]
            elif self.d[j] < 0.0 and self.d[j] * t < self.lower[j] - self.b[j]:
                t = (self.lower[j] - self.b[j]) / self.d[j]
        for j in range(self.size):
            self.d[j] = min(max(t * self.d[j], self.lower[j] - self.b[j]),
                            self.upper[j] - self.b[j])

    cdef bint descend(self, double lam, double square, int halvings=HALVINGS) noexcept nogil:
        """b += t d with the largest t = 1, 1/2, ... that decreases the objective as Armijo asks; whether there is one.

        square = |Z d|^2.
        """
        cdef int j, tries
        cdef double linear = 0.0, t = 1.0, decrease, least
        memcpy(&self.old[0], self.b, self.size * sizeof(double))
        for j in range(self.size):
            linear += self.d[j] * self.g[j]
            self.b[j] = self.old[j] + self.d[j]
        least = ARMIJO * (self.charge(&self.old[0], lam) - linear)      # Delta of Tseng and Yun
        for tries in range(halvings):
            decrease = t * (0.5 * t * square - linear) + self.charge(&self.old[0], lam)
            if decrease < 0.0 and decrease <= t * least:
                self.residual_square += t * (t * square - 2.0 * linear)
                self.advance(t)
                self.touch(0, self.size)
                return True
            t *= 0.5
            for j in range(self.size):
                self.b[j] = self.old[j] + t * self.d[j]
        memcpy(self.b, &self.old[0], self.size * sizeof(double))
        return False

    # what a subclass says

    cdef double* carried(self) noexcept nogil:
        """What is linear in b and kept up to date: n_carried numbers."""
        return self.g

    cdef double square(self, const double* b, const double* carried) noexcept nogil:
        """|r|^2 after a move from b, where it stands in residual_square."""
        return 0.0

    cdef void renew(self) noexcept nogil:
        """g of all working columns at the current b."""

    cdef bint direction(self, double lam) noexcept nogil:
        """d of all working columns: the Newton step, nearly; False where there is none."""
        return False

    cdef double image(self) noexcept nogil:
        """|Z d|^2."""
        return 0.0

    cdef void advance(self, double t) noexcept nogil:
        """b has moved by t d."""
