"""Block step: minimisation over one working group, the others fixed.

    minimise over b_g   |r|^2 / 2 + lam Omega_g(b_g),   r = y - Z b,   lower <= b_g <= upper

Given: g_g = Z_g'r through a subclass, and the group's own inner products Z_g'Z_g.
Returned: b_g near the minimum, never above its start. A penalty of the length of b_g alone is
minimised exactly, along the axes of Z_g'Z_g. For any other a step with h I in place of Z_g'Z_g, h
at least its largest eigenvalue, decides whether the group is zero; then Newton steps follow along
the directions in which Omega_g is smooth.
Invariant: z = Z_g'r during a step.
Reference: Tseng and Yun (2009), "A coordinate gradient descent method for nonsmooth separable
minimization".
"""
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy, memset
from scipy.linalg.cython_lapack cimport dsyev

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.working.columns import roomier
from sparsesolve.linalg.kernels.small cimport small_factor, small_solve
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.penalties.blocks cimport MOVING, BlockPenalty
from sparsesolve.solvers.subproblem.group_coefficients cimport GroupCoefficients

# Newton steps for one block in a sweep: two reach rounding where the block's model is exact.
DEF POLISHING = 3
cdef int MOST_POLISHED = costs.subproblem.MOST_POLISHED
cdef double POLISH_UNTIL = costs.subproblem.POLISH_UNTIL
cdef double VIOLATION = costs.rounding.VIOLATION
cdef double VOID_STEP = costs.rounding.VOID_STEP
cdef double PIVOT = costs.rounding.PIVOT
cdef double EIGENVALUE = costs.rounding.EIGENVALUE


cdef class BlockStep(GroupCoefficients):

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.curvature = np.zeros(penalty.n_groups)
        self.n_tangents = np.zeros(penalty.n_groups, dtype=np.intc)
        self.place = np.zeros(penalty.n_groups + 1, dtype=np.intp)
        self.blocks, self.axes, self.hessians, self.factors = np.zeros((4, 256))
        self.levels, self.room = np.zeros((2, 0))
        self._make_block_room()

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            GroupCoefficients.reserve(self, capacity)
            self._make_block_room()
        return 0

    def _make_block_room(self):
        levels = np.zeros(self.capacity)
        levels[:self.levels.shape[0]] = self.levels
        self.levels, (self.sign, self.slope, self.z) = levels, np.zeros((3, self.capacity))
        self.tangent_of = np.zeros(self.capacity, dtype=np.intc)

    cdef int measure_blocks(self, int first) except -1:
        """Inner products within the groups from `first` on, their eigenvalues and axes."""
        cdef int k, i, s, begin, room, info = 0
        cdef Py_ssize_t total = self.place[first]
        for k in range(first, self.n_groups):
            total += (self.first[k + 1] - self.first[k]) ** 2
            self.place[k + 1] = total
        if total > self.blocks.shape[0]:
            self.blocks = roomier(self.blocks, 2 * total, self.place[first])
            self.axes = roomier(self.axes, 2 * total, self.place[first])
            self.hessians, self.factors = np.zeros((2, 2 * total))
        for k in range(first, self.n_groups):
            begin, s = self.first[k], self.first[k + 1] - self.first[k]
            self.block_products(k, &self.blocks[self.place[k]])
            for i in range(s):
                self.diag[begin + i] = self.blocks[self.place[k] + i * (s + 1)]
            memcpy(&self.axes[self.place[k]], &self.blocks[self.place[k]],
                   <Py_ssize_t> s * s * sizeof(double))
            room = 8 * s
            if self.room.shape[0] < room:
                self.room = np.empty(room)
            dsyev("V", "L", &s, &self.axes[self.place[k]], &s, &self.levels[begin], &self.room[0],
                  &room, &info)
            if info != 0:
                raise ArithmeticError(
                        "the eigenvalues of a group's inner products did not converge")
            self.curvature[k] = self.levels[begin + s - 1] * (1.0 + 1e-12)
            self.largest = max(self.largest, self.curvature[k])
            for i in range(s):
                if self.levels[begin + i] <= EIGENVALUE * s * self.levels[begin + s - 1]:
                    self.levels[begin + i] = 0.0
        return 0

    cdef bint block_step(self, int k, double lam) noexcept nogil:
        """Minimise over one block, approximately; return whether it moved."""
        cdef int j, first = self.first[k], last = self.first[k + 1], tries
        cdef double size, begun
        cdef bint moved = False
        self.meet(k)
        if self.below(k, lam * (1.0 + VIOLATION)):
            return False
        memcpy(&self.old[first], &self.b[first], (last - first) * sizeof(double))
        if self.penalty.is_round(self.group[k]):
            self.residual_square -= self.turn(k, lam)
        else:
            memcpy(&self.z[first], &self.g[first], (last - first) * sizeof(double))
            begun = self.shrink(k, lam)
            for tries in range(POLISHING):
                size = self.polish(k, lam)
                begun = max(begun, size)
                if size <= POLISH_UNTIL * begun:
                    break
            for j in range(first, last):
                self.residual_square -= (self.b[j] - self.old[j]) * (self.g[j] + self.z[j])
        for j in range(first, last):
            self.d[j] = self.b[j] - self.old[j]
            moved = moved or self.d[j] != 0.0
        if moved:
            self.move(k)
            self.touch(first, last)
        return moved

    cdef void touch(self, int first, int last) noexcept nogil:
        """Count the rounding of a step d of these columns: similar columns may go far in opposite
        ways.
        """
        cdef int j
        cdef double length = 0.0
        for j in range(first, last):
            length += fabs(self.d[j]) * sqrt(self.diag[j])
        self.rounding_steps += (1.0 + length / sqrt(self.residual_square)
                                if self.residual_square > 0.0 else INFINITY)

    cdef bint below(self, int k, double lam) noexcept nogil:
        """Return True if a block is zero and would stay so at lam, by its known products."""
        cdef int j
        for j in range(self.first[k], self.first[k + 1]):
            if self.b[j] != 0.0:
                return False
        return self.penalty.block_polar(self.group[k], &self.g[self.first[k]], MOVING) <= lam

    cdef double turn(self, int k, double lam) noexcept nogil:
        """Minimise over a block whose penalty is a function of its length, along the axes of
        Z_g'Z_g.

        Returns the decrease of |r|^2.
        """
        cdef int i, j, first = self.first[k], s = self.first[k + 1] - first
        cdef const double* axis = &self.axes[self.place[k]]
        cdef const double* level = &self.levels[first]
        cdef const double* z = &self.g[first]
        cdef double* pulls = &self.z[first]
        cdef double* b = &self.b[first]
        cdef double* d = &self.d[first]
        cdef double* x = &self.x[first]
        cdef double* along = &self.slope[first]
        cdef double pull, old, square = 0.0, lost = 0.0
        cdef bint stays = False
        for i in range(s):
            pull = old = 0.0
            for j in range(s):
                pull += axis[j] * z[j]
                old += axis[j] * b[j]
            along[i], pulls[i] = old, pull
            square += old * old
            d[i] = pull + level[i] * old
            axis += s
        self.penalty.diagonal_prox(self.group[k], level, d, lam, sqrt(square), x)
        memset(d, 0, s * sizeof(double))
        axis = &self.axes[self.place[k]]
        for i in range(s):
            stays = stays or x[i] != 0.0
            old = x[i] - along[i]
            lost += old * (2.0 * pulls[i] - level[i] * old)
            for j in range(s):
                d[j] += old * axis[j]
            axis += s
        for i in range(s):
            b[i] = b[i] + d[i] if stays else 0.0
        return lost

    cdef double shrink(self, int k, double lam) noexcept nogil:
        """A proximal step with a multiple of the identity as Hessian; returns its length."""
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
        """b_g += d, and z to match; returns |d|."""
        cdef int j, first = self.first[k], s = self.first[k + 1] - first
        cdef double size = 0.0
        for j in range(s):
            if d[j] != 0.0:
                axpy(s, -d[j], &self.blocks[self.place[k] + <Py_ssize_t> j * s], &self.z[first])
                size += d[j] * d[j]
                self.b[first + j] += d[j]
        return sqrt(size)

    cdef double polish(self, int k, double lam) noexcept nogil:
        """A Newton step of the block along the directions where its penalty is smooth, if that
        pays.

        Returns its length.
        """
        cdef int j, first = self.first[k], last = self.first[k + 1], g = self.group[k]
        cdef double change, size
        if self.linearise(k, &self.z[first], lam) > MOST_POLISHED:
            return 0.0
        self.factorise(k)
        small_solve(self.n_tangents[k], &self.factors[self.place[k]], &self.slope[first])
        for j in range(first, last):
            self.d[j] = (self.sign[j] * self.slope[first + self.tangent_of[j]]
                         if self.tangent_of[j] >= 0 else 0.0)
            # of a singular factor
            if not fabs(self.d[j]) < VOID_STEP:
                return 0.0
        self.truncate_at_kinks(k, lam)
        change = -self.penalty.block_value(g, &self.b[first], lam)
        for j in range(first, last):
            change -= 0.5 * self.d[j] * self.z[j]
        size = self.take(k, &self.d[first])
        # the quadratic's part: -d'(z before + z after) / 2
        for j in range(first, last):
            change -= 0.5 * self.d[j] * self.z[j]
        change += self.penalty.block_value(g, &self.b[first], lam)
        if change < 0.0:
            return size
        for j in range(first, last):
            self.d[j] = -self.d[j]
        self.take(k, &self.d[first])
        return 0.0

    cdef int linearise(self, int k, const double* z, double lam) noexcept nogil:
        """Directions in which the block's penalty is smooth, slopes along them, and its Hessian.

        Returns how many directions there are.
        """
        cdef int first = self.first[k], g = self.group[k]
        self.n_tangents[k] = self.penalty.tangent(g, &self.b[first], z, lam,
                &self.tangent_of[first], &self.sign[first], &self.slope[first])
        self.second_derivative(k, lam)
        return self.n_tangents[k]

    cdef void second_derivative(self, int k, double lam) noexcept nogil:
        """The second derivative of the block's penalty along these directions."""
        cdef int n = self.n_tangents[k]
        memset(&self.hessians[self.place[k]], 0, <Py_ssize_t> n * n * sizeof(double))
        self.penalty.second_derivative(self.group[k], &self.b[self.first[k]], lam,
                &self.tangent_of[self.first[k]], &self.hessians[self.place[k]], n)

    cdef void factorise(self, int k) noexcept nogil:
        """Factorise the block's second derivative along these directions."""
        cdef int first = self.first[k], s = self.first[k + 1] - first, i, j, n = self.n_tangents[k]
        cdef double* out = &self.factors[self.place[k]]
        cdef const double* column
        memcpy(out, &self.hessians[self.place[k]], <Py_ssize_t> n * n * sizeof(double))
        for j in range(s):
            if n == 0 or self.tangent_of[first + j] < 0:
                continue
            column = &self.blocks[self.place[k] + <Py_ssize_t> j * s]
            for i in range(s):
                if self.tangent_of[first + i] >= 0:
                    out[self.tangent_of[first + i] + <Py_ssize_t> self.tangent_of[first + j]
                        * n] += (self.sign[first + i] * self.sign[first + j] * column[i])
        small_factor(n, out, PIVOT)

    cdef void truncate_at_kinks(self, int k, double lam) noexcept nogil:
        """Stop coefficients at 0 or at a limit where they would cross it; groups that turn round,
        at 0.
        """
        cdef int j, g = self.group[k]
        cdef double product = 0.0
        for j in range(self.first[k], self.first[k + 1]):
            product += self.b[j] * (self.b[j] + self.d[j])
            if lam * self.penalty.l1[g] > 0.0 and self.b[j] * (self.b[j] + self.d[j]) < 0.0:
                self.d[j] = -self.b[j]
            elif self.b[j] + self.d[j] > self.upper[j]:
                self.d[j] = self.upper[j] - self.b[j]
            elif self.b[j] + self.d[j] < self.lower[j]:
                self.d[j] = self.lower[j] - self.b[j]
        if product < 0.0 and lam * self.penalty.weight[g] > 0.0:
            for j in range(self.first[k], self.first[k + 1]):
                self.d[j] = -self.b[j]

    # For subclasses.

    cdef void block_products(self, int k, double* out) noexcept nogil:
        """Z_g'Z_g of a working group."""

    cdef void meet(self, int k) noexcept nogil:
        """Recompute g of a block at the current b."""

    cdef void move(self, int k) noexcept nogil:
        """Update what depends on b after a move of the block by d."""
