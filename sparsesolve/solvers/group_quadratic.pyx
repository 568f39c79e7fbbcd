"""Penalised least squares over working groups: block coordinate descent, and second order where the penalty is smooth.

    minimise over b   |r|^2 / 2 + lam sum_g Omega_g(b_g),   r = y - Z b,   lower <= b <= upper

Given: all inner products of the columns, a warm start b with g = Z'r.  Returned: b and g with a duality gap over the
working groups at most `target`, or the reason why not.  Invariant: g = Z'r at the current b.  A round is a sweep of
block steps

    b_g <- argmin_d  g_g'(b_g - d) + h |d - b_g|^2 / 2 + lam Omega_g(d),   h at least the curvature along the step,

which finds the groups that are zero, then a Newton step along the directions in which Omega is smooth at b (for a
group under the l2 norm all of them), shortened until the objective decreases as Armijo asks.
Reference: Tseng and Yun, "A coordinate gradient descent method for nonsmooth separable minimization" (2009).
"""
from libc.math cimport fabs, sqrt
from libc.string cimport memcpy, memset
from scipy.linalg.cython_lapack cimport dpotrf, dpotrs

import numpy as np

from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.packed cimport Packed
from sparsesolve.linalg.vector cimport axpy, dot
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.group_columns cimport GroupColumns
from sparsesolve.solvers.working_columns cimport CONVERGED, MAX_ITER, STALLED

DEF POWER_STEPS = 12                # for the largest eigenvalue of a block
DEF HALVINGS = 6                    # of a Newton step, before the sweep is left to go on
DEF REPAIRS = 6                     # of a matrix that is singular in rounding
cdef double ROUNDING = 1e-14
cdef double ARMIJO = 0.1
cdef double TINY = 1e-12            # of the diagonal: what makes a singular matrix regular


cdef class GroupQuadratic(GroupColumns):

    def __cinit__(self, Packed columns, BlockPenalty penalty):
        self.bound, self.base = np.zeros(penalty.n_groups), np.zeros(penalty.n_groups, dtype=np.intc)
        self._make_room()

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            GroupColumns.reserve(self, capacity)
            self._make_room()
        return 0

    def _make_room(self):
        self.sign, self.slope = np.zeros((2, self.capacity))
        self.way = np.zeros(self.capacity, dtype=np.intc)

    def append(self, Design design, BlockPenalty penalty, int[::1] which, double[::1] start, double[::1] gradient):
        """Take in whole groups of columns."""
        cdef int k, before = self.n_groups
        GroupColumns.append(self, design, penalty, which, start, gradient)
        for k in range(before, self.n_groups):
            self.bound[k] = self.block_bound(k)

    cdef int solve(self, double lam, double target, long budget) noexcept nogil:
        cdef long limit = self.iterations + budget
        cdef int moved
        if self.solved(lam, target):
            return CONVERGED
        while True:
            if self.iterations >= limit:
                return MAX_ITER
            moved = self.sweep(lam)
            moved += self.newton(lam)
            self.iterations += 1
            if self.solved(lam, target):
                return CONVERGED
            if not moved:
                return STALLED

    # block coordinate descent

    cdef double block_bound(self, int k) noexcept nogil:
        """The largest eigenvalue of a block of the Gram matrix, from below; a step that finds more says so."""
        cdef int first = self.first[k], s = self.first[k + 1] - first, tries, i
        cdef double size = 0.0, most = 0.0
        if s == 1:
            return self.diag[first]
        for i in range(s):
            self.x[i] = sqrt(self.diag[first + i]) * (1.0 + 0.1 * (i % 3))
            most = max(most, self.diag[first + i])
        for tries in range(POWER_STEPS):
            size = sqrt(dot(s, &self.x[0], &self.x[0]))
            if size == 0.0:
                break
            memset(&self.old[0], 0, s * sizeof(double))
            for i in range(s):
                axpy(s, self.x[i] / size, self.gram.G + first + <Py_ssize_t> (first + i) * self.gram.capacity, &self.old[0])
            memcpy(&self.x[0], &self.old[0], s * sizeof(double))
            most = max(most, sqrt(dot(s, &self.x[0], &self.x[0])))
        return 1.01 * most

    cdef int sweep(self, double lam) noexcept nogil:
        """One step for each block; returns how many moved."""
        cdef int k, moved = 0
        for k in range(self.n_groups):
            moved += self.block_step(k, lam)
        return moved

    cdef bint block_step(self, int k, double lam) noexcept nogil:
        """Minimise the block's model with a multiple of the identity for its curvature; whether it moved."""
        cdef int j, first = self.first[k], last = self.first[k + 1], g = self.group[k]
        cdef double h = self.bound[k], size, curvature
        cdef bint moved
        while True:
            if h + lam * self.penalty.ridge[g] <= 0.0:
                return False
            for j in range(first, last):
                self.x[j] = h * self.b[j] + self.g[j]
            self.penalty.block_prox(g, h, &self.x[first], lam, &self.old[first])
            moved, size, curvature = False, 0.0, 0.0
            for j in range(first, last):
                self.d[j] = self.old[j] - self.b[j]
                moved = moved or self.d[j] != 0.0
                size += self.d[j] * self.d[j]
            if not moved:
                return False
            for j in range(first, last):
                curvature += self.d[j] * dot(
                    last - first, &self.d[first], self.gram.G + first + <Py_ssize_t> j * self.gram.capacity)
            if curvature <= h * size * (1.0 + 1e-9) or last - first == 1:
                break
            h = self.bound[k] = 1.1 * curvature / size
        self.residual_square += curvature
        for j in range(first, last):
            self.residual_square -= 2.0 * self.d[j] * self.g[j]
        for j in range(first, last):
            if self.d[j] != 0.0:
                axpy(self.size, -self.d[j], self.gram.G + <Py_ssize_t> j * self.gram.capacity, self.g)
            self.b[j] = self.old[j]
        return True

    # second order

    cdef bint newton(self, double lam) noexcept nogil:
        """A step along the directions in which the penalty is smooth; whether it was taken."""
        cdef int k, j, base = 0, g, count
        cdef double largest = 0.0
        for k in range(self.n_groups):
            j, g = self.first[k], self.group[k]
            self.base[k] = base
            count = self.penalty.tangent(g, &self.b[j], &self.g[j], lam, &self.way[j], &self.sign[j], &self.slope[base])
            base += count
        self.n_ways = base
        for j in range(base):
            largest = max(largest, fabs(self.slope[j]))
        if largest <= ROUNDING or not self.direction(lam):
            return False
        self.stop_short(lam)
        return self.descend(lam)

    cdef bint direction(self, double lam) noexcept nogil:
        """d: the Newton step; False where its matrix cannot be made regular."""
        cdef int n = self.n_ways, one = 1, info = 1, tries, k, i, j
        cdef double added = 0.0, most = 0.0
        cdef double* H
        if not self.make_matrix_room():
            return False
        H = &self.matrix[0]
        for tries in range(REPAIRS):
            self.assemble(lam, H)
            for i in range(n):
                most = max(most, H[i + <Py_ssize_t> i * n])
            for i in range(n):
                H[i + <Py_ssize_t> i * n] += added
            dpotrf("L", &n, H, &n, &info)
            if info == 0:
                break
            added = max(TINY * most, 100.0 * added)
        if info != 0:
            return False
        dpotrs("L", &n, &one, H, &n, &self.slope[0], &n, &info)
        for k in range(self.n_groups):
            for j in range(self.first[k], self.first[k + 1]):
                self.d[j] = self.sign[j] * self.slope[self.base[k] + self.way[j]] if self.way[j] >= 0 else 0.0
        return True

    cdef bint make_matrix_room(self) noexcept nogil:
        cdef Py_ssize_t needed = <Py_ssize_t> self.n_ways * self.n_ways
        if self.matrix is None or self.matrix.shape[0] < needed:
            with gil:
                self.matrix = np.empty(max(needed, 4096) * 3 // 2)
        return True

    cdef void assemble(self, double lam, double* H) noexcept nogil:
        """The lower triangle of the Gram matrix along the directions, and the penalty's bend on its diagonal blocks."""
        cdef int n = self.n_ways, k, j, i, moving = 0, place
        cdef Py_ssize_t ld = self.gram.capacity
        cdef double* out
        cdef const double* column
        for k in range(self.n_groups):
            for j in range(self.first[k], self.first[k + 1]):
                if self.way[j] >= 0:
                    self.support[moving] = j
                    self.position[moving] = self.base[k] + self.way[j]
                    moving += 1
        if moving == n:         # each moves along a direction of its own
            for k in range(n):
                out, column = H + <Py_ssize_t> k * n, self.gram.G + self.support[k] * ld
                for i in range(k, n):
                    out[i] = column[self.support[i]]
        else:
            memset(H, 0, <Py_ssize_t> n * n * sizeof(double))
            for k in range(moving):
                j = self.support[k]
                place = self.position[k]
                out, column = H + <Py_ssize_t> place * n, self.gram.G + j * ld
                for i in range(moving):
                    if self.position[i] >= place:
                        out[self.position[i]] += self.sign[j] * self.sign[self.support[i]] * column[self.support[i]]
        for k in range(self.n_groups):
            j = self.first[k]
            self.penalty.bend(self.group[k], &self.b[j], lam, &self.way[j], H + self.base[k] * (1 + <Py_ssize_t> n), n)

    cdef void stop_short(self, double lam) noexcept nogil:
        """Coefficients end where they would change sign against an l1 norm, or at a limit; groups that would turn, at 0."""
        cdef int k, j, g
        cdef double product
        for k in range(self.n_groups):
            g = self.group[k]
            product = 0.0
            for j in range(self.first[k], self.first[k + 1]):
                product += self.b[j] * (self.b[j] + self.d[j])
                if lam * self.penalty.l1[g] > 0.0 and self.b[j] * (self.b[j] + self.d[j]) < 0.0:
                    self.d[j] = -self.b[j]
                self.d[j] = min(max(self.b[j] + self.d[j], self.lower[j]), self.upper[j]) - self.b[j]
            if product < 0.0 and lam * self.penalty.weight[g] > 0.0:
                for j in range(self.first[k], self.first[k + 1]):
                    self.d[j] = -self.b[j]

    cdef bint descend(self, double lam) noexcept nogil:
        """b += t d with the largest t = 1, 1/2, ... that decreases the objective as Armijo asks; whether there is one."""
        cdef int j, tries
        cdef double linear = 0.0, square = 0.0, t = 1.0, decrease, least
        memset(self.q, 0, self.size * sizeof(double))
        memcpy(&self.old[0], self.b, self.size * sizeof(double))
        for j in range(self.size):
            if self.d[j] != 0.0:
                axpy(self.size, self.d[j], self.gram.G + <Py_ssize_t> j * self.gram.capacity, self.q)
        for j in range(self.size):
            linear += self.d[j] * self.g[j]
            square += self.d[j] * self.q[j]
            self.b[j] = self.old[j] + self.d[j]
        least = ARMIJO * (self.charge(&self.old[0], lam) - linear)      # Delta of Tseng and Yun
        for tries in range(HALVINGS):
            decrease = t * (0.5 * t * square - linear) + self.charge(&self.old[0], lam)
            if decrease < 0.0 and decrease <= t * least:
                axpy(self.size, -t, self.q, self.g)
                self.residual_square += t * (t * square - 2.0 * linear)
                return True
            t *= 0.5
            for j in range(self.size):
                self.b[j] = self.old[j] + t * self.d[j]
        memcpy(self.b, &self.old[0], self.size * sizeof(double))
        return False
