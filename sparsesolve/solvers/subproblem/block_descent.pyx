"""Block coordinate descent on the working groups, with second-order steps where sweeps are slow.

    minimise over b   |r|^2 / 2 + lam sum_g Omega_g(b_g),   r = y - Z b,   lower <= b <= upper

Given: columns Z through a subclass (their inner products, or the data), and a warm start b with g
= Z'r.
Returned: b and g with a duality gap over the working groups of at most `target`, or the reason
why not.
Invariant: g = Z'r between two rounds. A round sweeps over the groups (block_step), extrapolates
the sweeps (Anderson), minimises over the lengths of the groups together (radial_step) and, where
sweeps are slow, takes a Newton step for all groups along the directions in which Omega is smooth,
with an Armijo line search. Without radial steps, sweeps go on until they gain little compared
with `target`, even if the gap is met: a warm start often meets it, and one sweep more makes a
much better solution.
Reference: Tseng and Yun (2009); Bertrand and Massias (2021), "Anderson acceleration of coordinate
descent".
"""
from libc.math cimport INFINITY, exp, fabs, log
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.small cimport small_factor, small_solve
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.subproblem.radial_step cimport RadialStep
from sparsesolve.solvers.subproblem.coefficients cimport CONVERGED, MAX_ITER, STALLED

# Anderson extrapolation combines this many sweeps: the small system of that order is solved by
# hand.
DEF MEMORY = 4
# Halvings of a Newton step whose coefficients stop at kinks: a sweep is cheaper than more.
DEF HALVINGS = 6
# Halvings of a Newton step that passes kinks, before sweeps go on instead.
DEF MANY_HALVINGS = 20
cdef int SWEEPS_BETWEEN_GAPS = costs.subproblem.SWEEPS_BETWEEN_GAPS
cdef double SLOWEST_PACE = costs.subproblem.SLOWEST_PACE
cdef double SLOW_SWEEP = costs.subproblem.SLOW_SWEEP
cdef int MANY_SWEEPS = costs.subproblem.MANY_SWEEPS
cdef int RADIAL_SWEEPS = costs.subproblem.RADIAL_SWEEPS
cdef double SWEEP_UNTIL_DECREASE = costs.subproblem.SWEEP_UNTIL_DECREASE
cdef double GAP_CHECK_AFTER_DECREASE = costs.subproblem.GAP_CHECK_AFTER_DECREASE
cdef double GAP_CHECK_AFTER_FALL = costs.subproblem.GAP_CHECK_AFTER_FALL
cdef double PROGRESS = costs.newton.PROGRESS
cdef int SWEEP_PATIENCE = costs.subproblem.SWEEP_PATIENCE
cdef double FAR_GROUP = costs.subproblem.FAR_GROUP
cdef double REGULAR = costs.rounding.REGULAR
cdef double OBJECTIVE = costs.rounding.OBJECTIVE
cdef double GRADIENT = costs.rounding.GRADIENT
cdef double ARMIJO = costs.newton.ARMIJO
cdef double MERGE_WITHIN = costs.subproblem.MERGE_WITHIN
cdef double MERGE_NEAR = costs.subproblem.MERGE_NEAR
# Tries to find a Newton step without coefficients that stop at once; each merges or holds at
# least one coefficient.
DEF ANSWERS = 20
cdef double LONG_STEP = costs.subproblem.LONG_STEP
cdef double PIVOT = costs.rounding.PIVOT


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
        """Reach gap <= target over the working groups; returns an Outcome."""
        cdef long limit = self.iterations + budget, radial_until = self.iterations
        cdef int moved = self.n_groups, k, sweeps, idle = 0
        cdef double gap = INFINITY, gain = INFINITY, least = INFINITY, lowest = INFINITY, last
        cdef double pace, value, enough
        value = 0.5 * self.residual_square + self.penalty_value(lam)
        cdef bint takes_radial_steps = self.takes_radial_steps and self.radial_step_pays()
        if takes_radial_steps:
            enough = min(GAP_CHECK_AFTER_DECREASE * target, GAP_CHECK_AFTER_FALL * value)
            radial_until = self.iterations + RADIAL_SWEEPS
        else:
            enough = SWEEP_UNTIL_DECREASE * target + OBJECTIVE * value
        self.n_trail = 0
        if budget <= 0 or self.n_groups == 0:
            self.estimate_unpenalised_norm(lam)
            gap = self.gap(lam)
        while gap > target or (moved and gain > enough and not takes_radial_steps):
            if self.iterations >= limit:
                return MAX_ITER if gap > target else CONVERGED
            # 1. Sweeps: as many as the pace of the gap promises to need, extrapolated. All but the
            # first pass over groups at zero that the last known products leave there.
            sweeps, moved, last, k = 1, 0, gap, 0
            if target < gap < INFINITY:
                sweeps = min(max(<int> (log(target / gap) / log(self.pace) + 0.5), 1),
                             SWEEPS_BETWEEN_GAPS)
            while k < sweeps or (moved and gain > enough and k < SWEEPS_BETWEEN_GAPS):
                # an extrapolation might leave the limits
                if not self.penalty.limited:
                    self.remember()
                moved += self.sweep(lam, takes_radial_steps, FAR_GROUP if k == 0 else 1.0)
                if self.n_trail == MEMORY:
                    self.remember()
                    self.anderson_extrapolate(lam)
                    self.n_trail = 0
                gain, value = value, 0.5 * self.residual_square + self.penalty_value(lam)
                gain -= value
                k += 1
            sweeps = k
            # 2. Radial step: minimise over the lengths of all groups.
            if takes_radial_steps:
                self.radial_step(lam, target)
                self.n_trail = 0
                value = 0.5 * self.residual_square + self.penalty_value(lam)
            else:
                self.renew()
            self.iterations += sweeps
            self.passes += sweeps
            # 3. Certificate over the working groups.
            self.estimate_unpenalised_norm(lam)
            gap = self.gap(lam)
            if last == INFINITY:
                continue
            # the lengths of groups that are alike cannot be told apart
            if takes_radial_steps and self.iterations >= radial_until:
                takes_radial_steps = False
                enough = SWEEP_UNTIL_DECREASE * target + OBJECTIVE * value
            # 4. Newton step where sweeps are slow.
            pace = exp(log(max(gap / last, 1e-8)) / sweeps)
            self.pace = min(max(0.5 * (self.pace + pace), 0.05), SLOWEST_PACE)
            if (pace > SLOW_SWEEP and self.iterations >= radial_until
                    and gap * pace ** MANY_SWEEPS > target):
                moved += self.newton(lam)
                self.estimate_unpenalised_norm(lam)
                gap = self.gap(lam)
                value = 0.5 * self.residual_square + self.penalty_value(lam)
            # 5. Stop without progress.
            idle = 0 if gap < PROGRESS * least or value < lowest - OBJECTIVE * value else idle + 1
            least, lowest = min(least, gap), min(lowest, value)
            if gap > target and (not moved or idle == SWEEP_PATIENCE):
                return STALLED
        return CONVERGED

    cdef int sweep(self, double lam, bint newest_first, double far) noexcept nogil:
        """One block step for each group that is near moving at `far` lam; returns how many moved.

        Groups that came in last have farthest to go. With radial steps they are first, so that
        the others see their moves and fewer sweeps are needed. With sweeps alone the order of
        entry does better.
        """
        cdef int k, t, moved = 0
        for t in range(self.n_groups):
            k = self.n_groups - 1 - t if newest_first else t
            if not self.below(k, far * lam):
                moved += self.block_step(k, lam)
        return moved

    # Anderson extrapolation.

    cdef void remember(self) noexcept nogil:
        """Remember the point after a sweep."""
        memcpy(&self.trail_b[self.n_trail, 0], self.b, self.size * sizeof(double))
        memcpy(&self.trail_r[self.n_trail, 0], self.carried(), self.n_carried * sizeof(double))
        self.n_trail += 1

    cdef bint anderson_extrapolate(self, double lam) noexcept nogil:
        """Go to the combination of the last sweeps whose steps cancel best, if the objective is
        lower.

        What is linear in b is combined in the same way, so no product is needed (Bertrand and
        Massias, 2021).
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
        small_factor(M, &inner[0], PIVOT)
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
            # rounding is combined as well
            self.rounding_steps *= size
            return True
        memcpy(self.b, &self.trail_b[M, 0], self.size * sizeof(double))
        memcpy(self.carried(), &self.trail_r[M, 0], self.n_carried * sizeof(double))
        self.residual_square = total
        return False

    # Second order, all groups together.

    cdef bint newton(self, double lam) noexcept nogil:
        """Take a step along the directions in which the penalty is smooth; return whether it was
        taken.
        """
        cdef int k, j
        cdef double largest = 0.0
        for k in range(self.n_groups):
            j = self.first[k]
            self.linearise(k, &self.g[j], lam)
            for j in range(self.first[k], self.first[k] + self.n_tangents[k]):
                largest = max(largest, fabs(self.slope[j]))
        if largest <= GRADIENT:
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
        # a step with many coefficients stopped may not descend; a small part of the whole step
        # does
        memcpy(self.d, &self.x[0], self.size * sizeof(double))
        self.truncate_to_limits()
        return self.descend(lam, self.image(), MANY_HALVINGS)

    cdef bint merge(self, double lam) noexcept nogil:
        """Merge directions that reach a kink at once; return whether there were any."""
        cdef int k, j, lost
        cdef bint any = False
        for k in range(self.n_groups):
            j = self.first[k]
            if self.n_tangents[k] > 0:
                lost = self.penalty.merge(self.group[k], &self.b[j], &self.d[j], MERGE_WITHIN,
                                          MERGE_NEAR,
                                          &self.tangent_of[j], &self.sign[j], &self.slope[j])
                if lost > 0:
                    self.n_tangents[k] -= lost
                    self.second_derivative(k, lam)
                    any = True
        return any

    cdef void cap_step(self) noexcept nogil:
        """Shorten d to some lengths of b: with dependent columns its length is rounding."""
        cdef double largest = 0.0, longest = 0.0
        cdef int j
        for j in range(self.size):
            largest, longest = max(largest, fabs(self.b[j])), max(longest, fabs(self.d[j]))
        if longest > LONG_STEP * largest > 0.0:
            for j in range(self.size):
                self.d[j] *= LONG_STEP * largest / longest

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
        """b += t d with the largest t = 1, 1/2, ... of the Armijo rule; return whether there is
        one.

        square = |Z d|^2.
        """
        cdef int j, tries
        cdef double linear = 0.0, t = 1.0, decrease, least
        memcpy(&self.old[0], self.b, self.size * sizeof(double))
        for j in range(self.size):
            linear += self.d[j] * self.g[j]
            self.b[j] = self.old[j] + self.d[j]
        # Delta of Tseng and Yun
        least = ARMIJO * (self.charge(&self.old[0], lam) - linear)
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

    # For subclasses.

    cdef double* carried(self) noexcept nogil:
        """What is linear in b and kept up to date: n_carried numbers."""
        return self.g

    cdef double square(self, const double* b, const double* carried) noexcept nogil:
        """|r|^2 after a move from b, where it was residual_square."""
        return 0.0

    cdef void renew(self) noexcept nogil:
        """Recompute g of all working columns at the current b."""

    cdef bint direction(self, double lam) noexcept nogil:
        """The Newton step d of all working columns, approximately; False if there is none."""
        return False

    cdef double image(self) noexcept nogil:
        """|Z d|^2."""
        return 0.0

    cdef void advance(self, double t) noexcept nogil:
        """Update what depends on b after a move by t d."""
