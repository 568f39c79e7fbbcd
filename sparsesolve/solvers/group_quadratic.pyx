"""Penalised least squares over working groups: block coordinate descent, and second order where the penalty is smooth.

    minimise over b   |r|^2 / 2 + lam sum_g Omega_g(b_g),   r = y - Z b,   lower <= b <= upper

Given: columns Z through a subclass (their inner products, or the data), a warm start b with g = Z'r.  Returned: b and
g with a duality gap over the working groups at most `target`, or the reason why not.  Invariant: g = Z'r between two
sweeps.  A sweep minimises over one group after the other: a step of the model with h I for the block's curvature,

    b_g <- argmin_d  -g_g'(d - b_g) + h |d - b_g|^2 / 2 + lam Omega_g(d),   h at least the curvature along the step,

which tells whether the group is zero, then Newton's steps along the directions in which Omega_g is smooth.  Where
sweeps creep a Newton step takes all groups together, shortened until the objective decreases as Armijo asks.
Reference: Tseng and Yun, "A coordinate gradient descent method for nonsmooth separable minimization" (2009).
"""
from libc.math cimport INFINITY, exp, fabs, log, sqrt
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.linalg.packed cimport Packed
from sparsesolve.linalg.small cimport small_factor, small_solve
from sparsesolve.linalg.vector cimport axpy, dot
from sparsesolve.penalties.blocks cimport MOVING, BlockPenalty
from sparsesolve.solvers.group_columns cimport GroupColumns
from sparsesolve.solvers.working_columns cimport CONVERGED, MAX_ITER, STALLED

DEF MEMORY = 4                      # sweeps that an extrapolation looks back on
DEF POLISHING = 3                   # Newton steps for one block
DEF HALVINGS = 6                    # of a Newton step for all, stopped where the penalty bends
DEF MANY_HALVINGS = 20              # of one that goes through, before sweeps are left to go on
DEF MOST_SWEEPS = 4                 # between two looks at the gap
DEF POLISHED = 64                   # directions of a block, up to which that pays
cdef double QUICK = 0.9             # of the gap, left by a sweep: slower is left to Newton steps
cdef double FAR = 0.9               # of lam: groups below it are looked at after a sweep only
cdef double SETTLED = 1e-2          # of a block's first step: shorter ones wait for the next sweep
cdef double REGULAR = 1e-10         # of the sweeps' inner products: what makes them regular
cdef double LIMITLESS = 1e30        # in units where coefficients are about 1: a step that far, or NaN, is none
cdef double ROUNDING = 1e-14
cdef double ARMIJO = 0.1
cdef double TINY = 1e-12            # of a diagonal: a smaller pivot is rounding


cdef class GroupQuadratic(GroupColumns):

    def __cinit__(self, Packed columns, BlockPenalty penalty):
        self.curvature, self.pace = np.zeros(penalty.n_groups), 0.2
        self.n_ways = np.zeros(penalty.n_groups, dtype=np.intc)
        self.place = np.zeros(penalty.n_groups + 1, dtype=np.intp)
        self.blocks, self.axes, self.bends, self.factors = np.zeros((4, 256))
        self.levels = np.zeros(0)
        self._make_room()

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            GroupColumns.reserve(self, capacity)
            self._make_room()
        return 0

    def _make_room(self):
        self.trail_b = np.zeros((MEMORY + 1, self.capacity))
        levels = np.zeros(self.capacity)
        levels[:self.levels.shape[0]] = self.levels
        self.levels, (self.sign, self.slope, self.z) = levels, np.zeros((3, self.capacity))
        self.way = np.zeros(self.capacity, dtype=np.intc)

    cdef int measure_blocks(self, int first) except -1:
        """Inner products within the groups from `first` on, and their largest eigenvalues, from below."""
        cdef int k, i, j, s, begin
        cdef Py_ssize_t total = self.place[first]
        for k in range(first, self.n_groups):
            total += (self.first[k + 1] - self.first[k]) ** 2
            self.place[k + 1] = total
        if total > self.blocks.shape[0]:
            self.blocks, self.axes = np.resize(self.blocks, 2 * total), np.resize(self.axes, 2 * total)
            self.bends, self.factors = np.zeros((2, 2 * total))
        for k in range(first, self.n_groups):
            begin, s = self.first[k], self.first[k + 1] - self.first[k]
            block = np.zeros((s, s))
            for i in range(s):
                for j in range(i + 1):
                    block[i, j] = block[j, i] = self.inner(begin + i, begin + j)
                self.diag[begin + i] = block[i, i]
            levels, axes = np.linalg.eigh(block) if s > 1 else (block[0], np.ones((1, 1)))
            np.asarray(self.levels)[begin:begin + s] = np.maximum(levels, 0.0)
            self.curvature[k] = levels.max() * (1.0 + 1e-12)
            np.asarray(self.blocks)[self.place[k]:self.place[k + 1]] = block.ravel()
            np.asarray(self.axes)[self.place[k]:self.place[k + 1]] = axes.T.ravel()
        return 0

    cdef int solve(self, double lam, double target, long budget) noexcept nogil:
        cdef long limit = self.iterations + budget
        cdef int moved, k, sweeps
        cdef double gap, last, pace
        self.n_trail = 0
        self.estimate_slack(lam)
        gap = self.best_gap(lam)
        while gap > target:
            if self.iterations >= limit:
                return MAX_ITER
            sweeps, moved, last = 1, 0, gap
            if gap < INFINITY:      # between two looks at the gap, as many as the last ones let expect to be needed
                sweeps = min(max(<int> (log(target / gap) / log(self.pace) + 0.5), 1), MOST_SWEEPS)
            for k in range(sweeps):
                if not self.penalty.limited:        # which a combination might not keep
                    self.remember()
                moved += self.sweep(lam)
                if self.n_trail == MEMORY:
                    self.remember()
                    self.extrapolate(lam)
                    self.n_trail = 0
            self.renew()
            self.iterations += sweeps
            self.estimate_slack(lam)
            gap = self.best_gap(lam)
            pace = exp(log(max(gap / last, 1e-8)) / sweeps)
            self.pace = min(max(0.5 * (self.pace + pace), 0.05), QUICK)
            if gap > target and pace > QUICK:
                moved += self.newton(lam)
                self.estimate_slack(lam)
                gap = self.best_gap(lam)
            if gap > target and not moved:
                return STALLED
        return CONVERGED

    # block coordinate descent

    cdef int sweep(self, double lam) noexcept nogil:
        """One step for each block that is not far from moving; returns how many moved."""
        cdef int k, j, moved = 0
        cdef bint zero
        for k in range(self.n_groups):
            zero = True
            for j in range(self.first[k], self.first[k + 1]):
                zero = zero and self.b[j] == 0.0
            if zero and self.penalty.block_polar(self.group[k], &self.g[self.first[k]], MOVING) < FAR * lam:
                continue
            moved += self.block_step(k, lam)
        return moved

    cdef bint block_step(self, int k, double lam) noexcept nogil:
        """Minimise over one block, nearly; whether it moved."""
        cdef int j, first = self.first[k], last = self.first[k + 1], tries
        cdef double size, begun
        cdef bint moved = False
        self.meet(k)
        for j in range(first, last):
            self.z[j], self.old[j] = self.g[j], self.b[j]
        if self.penalty.round_(self.group[k]):
            self.turn(k, lam)
        else:
            begun = self.shrink(k, lam)
            for tries in range(POLISHING):
                size = self.polish(k, lam)
                begun = max(begun, size)
                if size <= SETTLED * begun:
                    break
        for j in range(first, last):
            self.d[j] = self.b[j] - self.old[j]
            moved = moved or self.d[j] != 0.0
            self.residual_square -= self.d[j] * (self.g[j] + self.z[j])
        if moved:
            self.move(k)
        return moved

    cdef void turn(self, int k, double lam) noexcept nogil:
        """Minimise over a block whose penalty knows no directions, along the axes of its Gram matrix."""
        cdef int i, first = self.first[k], s = self.first[k + 1] - first
        cdef const double* axes = &self.axes[self.place[k]]
        for i in range(s):
            self.d[first + i] = (dot(s, axes + i * <Py_ssize_t> s, &self.z[first])
                                 + self.levels[first + i] * dot(s, axes + i * <Py_ssize_t> s, &self.b[first]))
        self.penalty.diagonal_prox(self.group[k], &self.levels[first], &self.d[first], lam, &self.x[first])
        for i in range(s):
            self.d[first + i] = -self.b[first + i]
        for i in range(s):
            axpy(s, self.x[first + i], axes + i * <Py_ssize_t> s, &self.d[first])
        self.take(k, &self.d[first])

    cdef double shrink(self, int k, double lam) noexcept nogil:
        """A step of the block's model with a multiple of the identity; how far it went."""
        cdef int j, first = self.first[k], last = self.first[k + 1], g = self.group[k]
        cdef double h = self.curvature[k]
        if h + lam * self.penalty.ridge[g] <= 0.0:
            return 0.0
        for j in range(first, last):
            self.x[j] = h * self.b[j] + self.z[j]
        self.penalty.block_prox(g, h, &self.x[first], lam, &self.d[first])
        for j in range(first, last):
            self.d[j] -= self.b[j]
        return self.take(k, &self.d[first])

    cdef double take(self, int k, const double* d) noexcept nogil:
        """b_g += d, z to match; |d|."""
        cdef int j, first = self.first[k], s = self.first[k + 1] - first
        cdef double size = 0.0
        for j in range(s):
            if d[j] != 0.0:
                axpy(s, -d[j], &self.blocks[self.place[k] + <Py_ssize_t> j * s], &self.z[first])
                size += d[j] * d[j]
                self.b[first + j] += d[j]
        return sqrt(size)

    cdef double polish(self, int k, double lam) noexcept nogil:
        """A Newton step of the block along the directions where its penalty is smooth, if that pays; how far it went."""
        cdef int j, first = self.first[k], last = self.first[k + 1], g = self.group[k]
        cdef double change, size
        self.factorise(k, &self.b[first], &self.z[first], lam)
        small_solve(self.n_ways[k], &self.factors[self.place[k]], &self.slope[first])
        for j in range(first, last):
            self.d[j] = self.sign[j] * self.slope[first + self.way[j]] if self.way[j] >= 0 else 0.0
            if not fabs(self.d[j]) < LIMITLESS:     # of a singular factor
                return 0.0
        self.stop_short(k, self.b, lam)
        change = -self.penalty.block_value(g, &self.b[first], lam)
        for j in range(first, last):
            change -= 0.5 * self.d[j] * self.z[j]
        size = self.take(k, &self.d[first])
        for j in range(first, last):        # of the quadratic: -d'(z before + z after) / 2
            change -= 0.5 * self.d[j] * self.z[j]
        change += self.penalty.block_value(g, &self.b[first], lam)
        if change < 0.0:
            return size
        for j in range(first, last):
            self.d[j] = -self.d[j]
        self.take(k, &self.d[first])
        return 0.0

    cdef void factorise(self, int k, const double* b, const double* z, double lam) noexcept nogil:
        """The factor of the block along its directions, and its slopes."""
        cdef int first = self.first[k], s = self.first[k + 1] - first, i, j, n
        cdef double* bend = &self.bends[self.place[k]]
        cdef double* out = &self.factors[self.place[k]]
        cdef const double* column
        n = self.n_ways[k] = self.penalty.tangent(self.group[k], b, z, lam, &self.way[first], &self.sign[first],
                                                  &self.slope[first])
        memset(bend, 0, <Py_ssize_t> n * n * sizeof(double))
        self.penalty.bend(self.group[k], b, lam, &self.way[first], bend, n)
        memcpy(out, bend, <Py_ssize_t> n * n * sizeof(double))
        for j in range(s):
            if self.way[first + j] < 0:
                continue
            column = &self.blocks[self.place[k] + <Py_ssize_t> j * s]
            for i in range(s):
                if self.way[first + i] >= 0:
                    out[self.way[first + i] + <Py_ssize_t> self.way[first + j] * n] += (
                        self.sign[first + i] * self.sign[first + j] * column[i])
        small_factor(n, out, TINY)

    cdef void stop_short(self, int k, const double* b, double lam) noexcept nogil:
        """Coefficients end where they would change sign against an l1 norm, or at a limit; groups that would turn, at 0."""
        cdef int j, g = self.group[k]
        cdef double product = 0.0
        for j in range(self.first[k], self.first[k + 1]):
            product += b[j] * (b[j] + self.d[j])
            if lam * self.penalty.l1[g] > 0.0 and b[j] * (b[j] + self.d[j]) < 0.0:
                self.d[j] = -b[j]
            elif b[j] + self.d[j] > self.upper[j]:
                self.d[j] = self.upper[j] - b[j]
            elif b[j] + self.d[j] < self.lower[j]:
                self.d[j] = self.lower[j] - b[j]
        if product < 0.0 and lam * self.penalty.weight[g] > 0.0:
            for j in range(self.first[k], self.first[k + 1]):
                self.d[j] = -b[j]

    # the sweeps carried on

    cdef void remember(self) noexcept nogil:
        """Where the sweeps are."""
        memcpy(&self.trail_b[self.n_trail, 0], self.b, self.size * sizeof(double))
        memcpy(&self.trail_r[self.n_trail, 0], self.carried(), self.n_carried * sizeof(double))
        self.n_trail += 1

    cdef bint extrapolate(self, double lam) noexcept nogil:
        """Go to the combination of the last sweeps' ends whose steps cancel best, if the objective is lower there.

        Anderson's extrapolation (Bertrand and Massias, 2021): what is linear in b is combined alike, so that no
        product is needed.
        """
        cdef int i, j, M = MEMORY
        cdef Py_ssize_t k
        cdef double[MEMORY * MEMORY] inner
        cdef double[MEMORY] weights
        cdef double total = 0.0, trace = 0.0, before = 0.5 * self.residual_square + self.penalty_value(lam)
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
        if not total > 0.0:
            return False
        memset(self.b, 0, self.size * sizeof(double))
        memset(self.carried(), 0, self.n_carried * sizeof(double))
        for i in range(M):
            axpy(self.size, weights[i] / total, &self.trail_b[i + 1, 0], self.b)
            axpy(self.n_carried, weights[i] / total, &self.trail_r[i + 1, 0], self.carried())
        total = self.residual_square
        self.residual_square = self.square(&self.trail_b[M, 0], &self.trail_r[M, 0])
        if 0.5 * self.residual_square + self.penalty_value(lam) < before:
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
            self.factorise(k, &self.b[j], &self.g[j], lam)
            for j in range(self.first[k], self.first[k] + self.n_ways[k]):
                largest = max(largest, fabs(self.slope[j]))
        if largest <= ROUNDING or not self.direction(lam):
            return False
        memcpy(&self.x[0], self.d, self.size * sizeof(double))
        for k in range(self.n_groups):
            self.stop_short(k, self.b, lam)
        if self.descend(lam, self.image(), HALVINGS):
            return True
        # what was stopped may lead nowhere, a little of the step itself leads down
        memcpy(self.d, &self.x[0], self.size * sizeof(double))
        self.stay_inside()
        return self.descend(lam, self.image(), MANY_HALVINGS)

    cdef void stay_inside(self) noexcept nogil:
        """Shorten d until it keeps all limits."""
        cdef double t = 1.0
        cdef int j
        for j in range(self.size):
            if self.d[j] > 0.0 and self.d[j] * t > self.upper[j] - self.b[j]:
                t = (self.upper[j] - self.b[j]) / self.d[j]
            elif self.d[j] < 0.0 and self.d[j] * t < self.lower[j] - self.b[j]:
                t = (self.lower[j] - self.b[j]) / self.d[j]
        for j in range(self.size):
            self.d[j] = min(max(t * self.d[j], self.lower[j] - self.b[j]), self.upper[j] - self.b[j])

    cdef bint descend(self, double lam, double square, int halvings) noexcept nogil:
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

    cdef void meet(self, int k) noexcept nogil:
        """g of a block at the current b."""

    cdef void move(self, int k) noexcept nogil:
        """The block has moved by d."""

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
