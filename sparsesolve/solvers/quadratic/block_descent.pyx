"""Block coordinate descent on the working groups, with second-order steps where sweeps are slow.

    minimise over b   |r|^2 / 2 + lam sum_g Omega_g(b_g),   r = y - Z b,   lower <= b <= upper

Given: columns Z through a subclass (their inner products, or the data), and a warm start b with g
= Z'r.
Returned: b and g with a duality gap over the working groups of at most `target`, or the reason
why not.
Invariant: g = Z'r between two rounds. A round sweeps over the groups (block_step), extrapolates
the sweeps (Anderson), takes a radial step and, where sweeps are slow, a Newton step for all groups
along the directions in which Omega is smooth (tangents), with an Armijo line search. Without radial
steps, sweeps go on until they gain little compared with `target`, even if the gap is met: a warm
start often meets it, and one sweep more makes a much better solution.

A radial step minimises over the lengths of all groups together, their directions fixed:

    minimise over s >= -|b_g|   |r - sum_g s_g Z_g b_g / |b_g||^2 / 2
                                + lam sum_g (Omega_g at |b_g| + s_g)

It serves penalties of the lengths of groups. Sweeps leave errors along a group's ray and across
it. The norm of the gradient sees an error across the ray by its square. It sees one along the ray
at once, and the gap with it, whose dual point is shrunk by it. So once the lengths are optimal,
the gap is of second order in the distance to the solution, as the objective is.
Reference: Tseng and Yun (2009), "A coordinate gradient descent method for nonsmooth separable
minimization"; Bertrand and Massias (2021), "Anderson acceleration of coordinate descent".
"""
from libc.math cimport INFINITY, exp, fabs, log, sqrt
from libc.string cimport memcpy, memset
from scipy.linalg.cython_lapack cimport dpotrf, dpotrs

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.kernels.small cimport small_factor, small_solve
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.penalties.blocks cimport MOVING, BlockPenalty
from sparsesolve.solvers.quadratic.block_step cimport BlockStep
from sparsesolve.solvers.quadratic.coefficients cimport (
    CONVERGED,
    MAX_ITER,
    STALLED,
    GroupCoefficients,
)

cdef double ARMIJO = tolerances.ARMIJO
cdef double LAST_DIGITS = tolerances.LAST_DIGITS
cdef double PROGRESS = tolerances.PROGRESS
cdef double ROUNDING = tolerances.ROUNDING
# Sweeps over groups between two evaluations of the gap, which costs about half a sweep.
# Iterations at 1 and 12: groups 0.79 and 1.05, logistic groups 0.85 and 1.06.
cdef int SWEEPS_BETWEEN_GAPS = 4
# Sweeps go on while one lowers the objective by more than this fraction of the target gap. A
# larger value stops earlier and leaves suboptimality near the gap; a smaller one wastes sweeps.
cdef double SWEEP_UNTIL_DECREASE = 2e-4


cdef class Anderson:
    """An extrapolation of the last sweeps, by the combination w in which their steps cancel best.

        minimise over w   |sum_i w_i (b_i - b_(i-1))|^2,   sum_i w_i = 1

    With the points b_0, ..., b_m goes what is linear in them (a gradient, or a residual), so that
    no product is needed. Whether the objective is lower there is the caller's to say.
    """

    cdef int reserve(self, Py_ssize_t coefficients, Py_ssize_t images) except -1:
        """Make room for points of so many coefficients, with images of so many numbers."""
        self.coefficients = np.zeros((MEMORY + 1, coefficients))
        self.images, self.step = np.zeros((MEMORY + 1, images)), np.zeros(coefficients)
        self.count = 0
        return 0

    cdef void remember(self, Py_ssize_t size, const double* b, Py_ssize_t extent,
                       const double* image) noexcept nogil:
        """Remember a point after a sweep."""
        memcpy(&self.coefficients[self.count, 0], b, size * sizeof(double))
        memcpy(&self.images[self.count, 0], image, extent * sizeof(double))
        self.count += 1

    cdef double combine(self, Py_ssize_t size, double* b, Py_ssize_t extent,
                        double* image) noexcept nogil:
        """Go to the best combination; returns the sum of the sizes of its weights.

        0: the steps do not cancel, and b stays.
        """
        cdef int i, j
        cdef Py_ssize_t k
        cdef double[MEMORY * MEMORY] inner
        cdef double[MEMORY] weights
        cdef double total = 0.0, sizes = 0.0, trace = 0.0
        for i in range(MEMORY):
            for k in range(size):
                self.step[k] = self.coefficients[i + 1, k] - self.coefficients[i, k]
            for j in range(i, MEMORY):
                inner[j + i * MEMORY] = 0.0
                for k in range(size):
                    inner[j + i * MEMORY] += self.step[k] * (self.coefficients[j + 1, k]
                                                             - self.coefficients[j, k])
            trace += inner[i + i * MEMORY]
            weights[i] = 1.0
        for i in range(MEMORY):
            # differences of sweeps become parallel as they converge
            inner[i + i * MEMORY] += 1e-10 * trace
        small_factor(MEMORY, &inner[0], ROUNDING)
        small_solve(MEMORY, &inner[0], &weights[0])
        for i in range(MEMORY):
            total += weights[i]
            sizes += fabs(weights[i])
        if not total > 0.0:
            return 0.0
        memset(b, 0, size * sizeof(double))
        memset(image, 0, extent * sizeof(double))
        for i in range(MEMORY):
            axpy(size, weights[i] / total, &self.coefficients[i + 1, 0], b)
            axpy(extent, weights[i] / total, &self.images[i + 1, 0], image)
        return sizes / total

    cdef void recall(self, Py_ssize_t size, double* b, Py_ssize_t extent,
                     double* image) noexcept nogil:
        """Go back to the last point."""
        memcpy(b, &self.coefficients[MEMORY, 0], size * sizeof(double))
        memcpy(image, &self.images[MEMORY, 0], extent * sizeof(double))


cdef class GroupBlockDescent(GroupCoefficients):

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.step = BlockStep(penalty, self.first, self.group, self.place)
        self.trail = Anderson()
        self.step.reserve(self.capacity)
        self.trail.reserve(self.capacity, self.extent(self.capacity))

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            GroupCoefficients.reserve(self, capacity)
            self.step.reserve(self.capacity)
            self.trail.reserve(self.capacity, self.extent(self.capacity))
        return 0

    cdef int describe(self, penalty, int first) except -1:
        """Inner products within the groups that are new, their eigenvalues and axes."""
        cdef int k, i, s, before = self.n_groups
        cdef double* block
        GroupCoefficients.describe(self, penalty, first)
        self.step.reserve_blocks(before, self.place[self.n_groups])
        for k in range(before, self.n_groups):
            s, block = self.first[k + 1] - self.first[k], &self.step.blocks[self.place[k]]
            self.block_products(k, block)
            for i in range(s):
                self.diag[self.first[k] + i] = block[i * (s + 1)]
            self.step.decompose(k)
            self.largest = max(self.largest, self.step.curvature[k])
        return 0

    cdef bint second_order(self, bint wanted, double lam) noexcept nogil:
        """Take radial steps from now on if they are wanted and possible; returns whether they are
        taken.

        Unpenalised columns may depend on one another, and a joint step would send them far.
        """
        cdef int k
        self.takes_radial_steps = wanted and self.has_radial_step
        for k in range(self.n_groups):
            self.takes_radial_steps = self.takes_radial_steps and self.is_penalised(k, lam)
        return self.takes_radial_steps

    cdef int solve(self, double lam, double target, long budget) noexcept nogil:
        """Reach gap <= target over the working groups; returns an Outcome."""
        # Radial steps end after 60 sweeps: the lengths of groups that are alike cannot be told
        # apart. Five draws of groups of nearly equal columns, seconds at 20, 60, 120 and without
        # an end: 1.7, 0.55, 3.6, 7.2; correlated groups of five 0.055, 0.034, 0.035, 0.034.
        cdef long limit = self.iterations + budget, radial_until = self.iterations + 60
        cdef int moved = self.n_groups, k, sweeps, idle = 0
        cdef double gap = INFINITY, gain = INFINITY, least = INFINITY, lowest = INFINITY, last
        cdef double pace, value, enough
        value = 0.5 * self.residual_square + self.penalty_value(lam)
        cdef bint takes_radial_steps = self.takes_radial_steps and self.radial_step_pays()
        if takes_radial_steps:
            # no gap before a sweep gains less than this of the target and of the objective
            enough = min(2.0 * target, 3e-6 * value)
        else:
            enough = SWEEP_UNTIL_DECREASE * target + LAST_DIGITS * value
        self.trail.count = 0
        if budget <= 0 or self.n_groups == 0:
            self.estimate_unpenalised_norm(lam)
            gap = self.gap(lam)
        while gap > target or (moved and gain > enough and not takes_radial_steps):
            if self.iterations >= limit:
                return MAX_ITER if gap > target else CONVERGED
            # 1. Sweeps, extrapolated; a start may need one alone.
            sweeps, moved, last, k = SWEEPS_BETWEEN_GAPS if gap < INFINITY else 1, 0, gap, 0
            while k < sweeps or (moved and gain > enough and k < SWEEPS_BETWEEN_GAPS):
                # an extrapolation might leave the limits
                if not self.penalty.limited:
                    self.trail.remember(self.size, self.b, self.extent(self.size), self.carried())
                moved += self.sweep(lam)
                if self.trail.count == MEMORY:
                    self.trail.remember(self.size, self.b, self.extent(self.size), self.carried())
                    self.extrapolate_sweeps(lam)
                    self.trail.count = 0
                gain, value = value, 0.5 * self.residual_square + self.penalty_value(lam)
                gain -= value
                k += 1
            sweeps = k
            # 2. Radial step: minimise over the lengths of all groups.
            if takes_radial_steps:
                self.radial_step(lam)
                self.trail.count = 0
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
            if takes_radial_steps and self.iterations >= radial_until:
                takes_radial_steps = False
                enough = SWEEP_UNTIL_DECREASE * target + LAST_DIGITS * value
            # 4. Newton step where sweeps are slow.
            pace = exp(log(max(gap / last, 1e-8)) / sweeps)
            # slow sweeps, unless some twenty of them reach the target
            if pace > 0.95 and gap * pace ** 20 > target:
                moved += self.newton(lam)
                self.estimate_unpenalised_norm(lam)
                gap = self.gap(lam)
                value = 0.5 * self.residual_square + self.penalty_value(lam)
            # 5. Stop without progress.
            idle = 0 if gap < PROGRESS * least or value < lowest - LAST_DIGITS * value else idle + 1
            least, lowest = min(least, gap), min(lowest, value)
            # sweeps on nearly dependent groups may pause for hundreds of rounds, each cheap
            if gap > target and (not moved or idle == 500):
                return STALLED
        return CONVERGED

    cdef int sweep(self, double lam) noexcept nogil:
        """One block step for each group that may move; return how many moved."""
        cdef int k, moved = 0
        for k in range(self.n_groups):
            if not self.below(k, lam):
                moved += self.block_step(k, lam)
        return moved

    cdef bint below(self, int k, double lam) noexcept nogil:
        """Return True if a block is zero and would stay so at lam, by its known products."""
        cdef int j
        for j in range(self.first[k], self.first[k + 1]):
            if self.b[j] != 0.0:
                return False
        return self.penalty.block_polar(self.group[k], &self.g[self.first[k]], MOVING) <= lam

    cdef bint block_step(self, int k, double lam) noexcept nogil:
        """Minimise over one block, approximately; return whether it moved."""
        cdef int j, first = self.first[k], last = self.first[k + 1]
        self.meet(k)
        if self.below(k, lam * (1.0 + ROUNDING)):
            return False
        self.residual_square -= self.step.minimise(k, &self.g[first], lam, &self.b[first],
                                                   &self.d[first])
        for j in range(first, last):
            if self.d[j] != 0.0:
                self.move(k)
                self.count_step(first, last)
                return True
        return False

    cdef void count_step(self, int first, int last) noexcept nogil:
        """Count the rounding of a step: similar columns may go far in opposite ways."""
        cdef int j
        cdef double length = 0.0
        for j in range(first, last):
            length += fabs(self.d[j]) * sqrt(self.diag[j])
        self.count_rounding(length)

    cdef bint extrapolate_sweeps(self, double lam) noexcept nogil:
        """Extrapolate the last sweeps if the objective is lower there; return whether it is."""
        cdef double before = 0.5 * self.residual_square + self.penalty_value(lam)
        cdef double square = self.residual_square, sizes
        sizes = self.trail.combine(self.size, self.b, self.extent(self.size), self.carried())
        if sizes == 0.0:
            return False
        self.residual_square = self.square(&self.trail.coefficients[MEMORY, 0],
                                           &self.trail.images[MEMORY, 0])
        if 0.5 * self.residual_square + self.penalty_value(lam) < before:
            self.rounding_steps *= sizes                    # rounding is combined as well
            return True
        self.trail.recall(self.size, self.b, self.extent(self.size), self.carried())
        self.residual_square = square
        return False

    # Second order, all groups together.

    cdef bint newton(self, double lam) noexcept nogil:
        """Step along the directions in which the penalty is smooth; return whether b moved."""
        cdef int k, g, j, first, merged
        cdef double largest = 0.0
        for k in range(self.n_groups):
            first = self.first[k]
            self.step.linearise(k, &self.b[first], &self.g[first], lam)
            for j in range(first, first + self.step.count[k]):
                largest = max(largest, fabs(self.step.slope[j]))
        if largest <= LAST_DIGITS:
            return False
        # each merges or holds at least one coefficient
        for k in range(20):
            if not self.direction(lam):
                return False
            self.cap_step()
            merged = 0
            for g in range(self.n_groups):
                j = self.first[g]
                merged += self.step.merge(g, &self.b[j], &self.d[j], lam)
            if merged == 0:
                break
        memcpy(&self.x[0], self.d, self.size * sizeof(double))
        for k in range(self.n_groups):
            first = self.first[k]
            self.penalty.stop(self.group[k], &self.b[first], &self.d[first])
            self.step.truncate(k, &self.b[first], &self.d[first], lam)
        if self.descend(lam, self.image()):
            return True
        # a step with many coefficients stopped may not descend; a small part of the whole step
        # does
        memcpy(self.d, &self.x[0], self.size * sizeof(double))
        self.truncate_to_limits()
        return self.descend(lam, self.image(), 20)

    cdef int reserve_matrix(self, int order) except -1:
        """Make room for the Hessian along so many directions."""
        cdef Py_ssize_t before = 0 if self.right is None else self.right.shape[0]
        if order > before:
            self.right = np.zeros(max(order, 2 * before))
            self.matrix = np.empty(self.right.shape[0] * self.right.shape[0])
        return 0

    cdef bint factored_direction(self) noexcept nogil:
        """The step d of all working columns by a Cholesky factor; return False if it fails."""
        cdef int n = 0, one = 1, info = 1, tries, k, i, base = 0
        cdef double added = 0.0, most = 0.0
        # each multiplies the ridge by a hundred
        for tries in range(6):
            n = self.assemble()
            for i in range(n):
                most = max(most, self.matrix[i + <Py_ssize_t> i * n])
                self.matrix[i + <Py_ssize_t> i * n] += added
            dpotrf("U", &n, &self.matrix[0], &n, &info)
            if info == 0:
                break
            added = max(ROUNDING * most, 100.0 * added)
        if info != 0:
            return False
        for k in range(self.n_groups):
            memcpy(&self.right[base], &self.step.slope[self.first[k]],
                   self.step.count[k] * sizeof(double))
            base += self.step.count[k]
        dpotrs("U", &n, &one, &self.matrix[0], &n, &self.right[0], &n, &info)
        base = 0
        for k in range(self.n_groups):
            self.step.spread(k, &self.right[base], &self.d[self.first[k]])
            base += self.step.count[k]
        return True

    cdef void radial_step(self, double lam) noexcept nogil:
        """Minimise over the lengths of all groups, their directions fixed, and recompute g."""
        cdef int k, first
        self.n_rays = 0
        for k in range(self.n_groups):
            first = self.first[k]
            if self.step.take_ray(k, &self.b[first], lam) > 0.0:
                self.add_ray(k, self.n_rays)
                self.n_rays += 1
        if self.n_rays > 0 and self.factored_direction():
            for k in range(self.n_groups):
                first = self.first[k]
                self.step.truncate(k, &self.b[first], &self.d[first], lam)
            self.descend(lam, self.image_of_rays())
        self.renew()

    cdef bint radial_step_pays(self) noexcept nogil:
        """Return True if a factor for the lengths costs no more than some hundred sweeps."""
        cdef int k, j
        cdef double m = 0.0
        for k in range(self.n_groups):
            for j in range(self.first[k], self.first[k + 1]):
                if self.b[j] != 0.0:
                    m += 1.0
                    break
        return m * m * m <= 600.0 * self.size * self.size

    cdef void cap_step(self) noexcept nogil:
        """Shorten d to some lengths of b: with dependent columns its length is rounding."""
        cdef double largest = 0.0, longest = 0.0
        cdef int j
        for j in range(self.size):
            largest, longest = max(largest, fabs(self.b[j])), max(longest, fabs(self.d[j]))
        # the model is not trusted farther
        if longest > 10.0 * largest > 0.0:
            for j in range(self.size):
                self.d[j] *= 10.0 * largest / longest

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

    cdef bint descend(self, double lam, double square, int halvings=6) noexcept nogil:
        """b += t d, t = 1, 1/2, ... by the Armijo rule; return whether one holds.

        square = |Z d|^2.
        """
        cdef int j, tries
        cdef double linear = 0.0, t = 1.0, decrease, least
        memcpy(&self.old[0], self.b, self.size * sizeof(double))
        for j in range(self.size):
            linear += self.d[j] * self.g[j]
            self.b[j] = self.old[j] + self.d[j]
        # Delta of Tseng and Yun
        least = ARMIJO * (self.penalty_change(&self.old[0], lam) - linear)
        for tries in range(halvings):
            decrease = t * (0.5 * t * square - linear) + self.penalty_change(&self.old[0], lam)
            if decrease < 0.0 and decrease <= t * least:
                self.residual_square += t * (t * square - 2.0 * linear)
                self.advance(t)
                self.count_step(0, self.size)
                return True
            t *= 0.5
            for j in range(self.size):
                self.b[j] = self.old[j] + t * self.d[j]
        memcpy(self.b, &self.old[0], self.size * sizeof(double))
        return False

    # For subclasses.

    cdef void block_products(self, int k, double* out) noexcept nogil:
        """Z_g'Z_g of a working group."""

    cdef void meet(self, int k) noexcept nogil:
        """Recompute g of a block at the current b."""

    cdef void move(self, int k) noexcept nogil:
        """Update what depends on b after a move of the block by d."""

    cdef int assemble(self) noexcept nogil:
        """Fill in the upper triangle of the Hessian along all directions; return its order."""
        return 0

    cdef void add_ray(self, int k, int rays) noexcept nogil:
        """Complete the slope along the ray of group k, which follows so many others."""

    cdef double image_of_rays(self) noexcept nogil:
        """|Z d|^2 for d along the rays."""
        return self.image()

    cdef double* carried(self) noexcept nogil:
        """What is linear in b and kept up to date."""
        return self.g

    cdef Py_ssize_t extent(self, int size) noexcept nogil:
        """How many numbers `carried` has for so many columns."""
        return size

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
