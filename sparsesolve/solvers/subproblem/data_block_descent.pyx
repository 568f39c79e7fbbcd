"""Block descent by products with the columns: sparse designs, or more columns than samples.

Invariant: u + u[n] * sqrt(w) = sqrt(w) (y - Zb), so sparse columns never fill in. The Newton step
comes from conjugate gradients, the radial step from the images of whole groups, where columns are
dense.
"""
from libc.math cimport sqrt
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.working.columns import roomier
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.subproblem.block_descent cimport GroupBlockDescent
from sparsesolve.solvers.subproblem.group_conjugate_gradients cimport GroupConjugateGradients
from sparsesolve.solvers.subproblem.radial_subspace cimport RadialSubspace

cdef double RADIAL_SHARE = costs.subproblem.RADIAL_SHARE
cdef double TURN = costs.subproblem.TURN
cdef double LARGEST_TURN = costs.subproblem.LARGEST_TURN
cdef double RAY_SHORTENED = costs.subproblem.RAY_SHORTENED
cdef double DECREASE = costs.rounding.DECREASE


cdef class DataBlockDescent(GroupBlockDescent):

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.v = np.zeros(columns.n + 1)
        self._work_on_residual()
        self.iterative = GroupConjugateGradients()
        self.rays = RadialSubspace(columns.n, columns.n_threads)
        self.has_radial_step = columns.dense and penalty.all_round()
        self.length, self.heading = np.zeros(penalty.n_groups), np.zeros(0)
        self.trail.reserve(self.capacity, columns.n + 1)
        self._make_room()

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            GroupBlockDescent.reserve(self, capacity)
            self._make_room()
        return 0

    def _make_room(self):
        self.iterative.reserve(self.capacity)
        self.heading = roomier(self.heading, self.capacity, self.size)

    cpdef int append(self, Design design, penalty, const int[::1] which, const double[::1] start,
                     const double[::1] gradient) except -1:
        """Append whole groups of columns."""
        cdef int count = which.shape[0], before = self.n_groups
        if count == 0:
            return 0
        if self.columns.size == self.size:
            self.columns.append(design, &which[0], count)
        self.add_groups(which, start, gradient)
        self.measure_blocks(before)
        if self.has_radial_step:
            self.rays.reserve(self.n_groups)
        return 0

    cdef void restart(self) noexcept nogil:
        GroupBlockDescent.restart(self)
        self.rays.restart()

    cdef void inner_with(self, int j, const int* which, int count, double* out) noexcept nogil:
        self._column(j)
        self.columns.correlate_listed(which, count, &self.v[0], self.v[self.columns.n], out)

    cdef void _column(self, int j) noexcept nogil:
        """v = Z_j."""
        cdef Py_ssize_t n = self.columns.n
        memset(&self.v[0], 0, n * sizeof(double))
        self.v[n] = self.columns.axpy(j, 1.0, &self.v[0])

    cdef Py_ssize_t extent(self, int size) noexcept nogil:
        return self.columns.n + 1

    cdef double* carried(self) noexcept nogil:
        return &self.u[0]

    cdef double square(self, const double* b, const double* carried) noexcept nogil:
        cdef Py_ssize_t n = self.columns.n
        cdef double shift = self.u[n], total = dot(n, &self.u[0], &self.u[0])
        if shift != 0.0:
            total += shift * (shift + 2.0 * dot(n, &self.u[0], &self.columns.root_w[0]))
        return total

    cdef void block_products(self, int k, double* out) noexcept nogil:
        cdef int i, j, first = self.first[k], s = self.first[k + 1] - first
        for j in range(s):
            self._column(first + j)
            self.columns.correlate_some(first, j + 1, &self.v[0], self.v[self.columns.n],
                                        out + j * <Py_ssize_t> s)
            # the same numbers on both sides of the diagonal
            for i in range(j):
                out[j + i * <Py_ssize_t> s] = out[i + j * <Py_ssize_t> s]

    cdef void meet(self, int k) noexcept nogil:
        cdef int first = self.first[k]
        self.columns.correlate_some(first, self.first[k + 1] - first, &self.u[0],
                                    self.u[self.columns.n], &self.g[first])

    cdef void move(self, int k) noexcept nogil:
        cdef int first = self.first[k]
        self.u[self.columns.n] += self.columns.subtract_some(first, self.first[k + 1] - first,
                                                             &self.d[first], &self.u[0])

    cdef void renew(self) noexcept nogil:
        self.columns.correlate(&self.u[0], self.u[self.columns.n], self.g)

    cdef double image(self) noexcept nogil:
        """|Z d|^2; leaves v = -Z d and q = Z'Z d."""
        cdef Py_ssize_t n = self.columns.n
        cdef int j
        cdef double square = 0.0
        self.passes += 1
        memset(&self.v[0], 0, n * sizeof(double))
        self.v[n] = self.columns.subtract(self.d, &self.v[0])
        self.columns.correlate(&self.v[0], self.v[n], self.q)
        for j in range(self.size):
            self.q[j] = -self.q[j]
            square += self.d[j] * self.q[j]
        return square

    cdef void advance(self, double t) noexcept nogil:
        axpy(self.columns.n + 1, t, &self.v[0], &self.u[0])
        axpy(self.size, -t, self.q, self.g)

    cdef bint direction(self, double lam) noexcept nogil:
        return self.iterative.solve(self, lam)

    cdef void radial_step(self, double lam, double target) noexcept nogil:
        cdef Py_ssize_t n = self.columns.n
        cdef double square, linear, charge = self.penalty_value(lam)
        cdef double least = max(RADIAL_SHARE * target / charge,
                                DECREASE) if charge > 0.0 else DECREASE
        self._gather(lam, min(TURN * least, LARGEST_TURN))
        if self.rays.count > 0:
            self.rays.solve(&self.u[0], least, &self.v[0])
            square, linear = dot(n, &self.v[0], &self.v[0]), dot(n, &self.v[0], &self.u[0])
            if 0.5 * square - linear + self._go_along(lam) <= 0.0:
                axpy(n, -1.0, &self.v[0], &self.u[0])
                self.residual_square += square - 2.0 * linear
                self.touch(0, self.size)
            else:
                memcpy(self.b, &self.old[0], self.size * sizeof(double))
        self.renew()

    cdef void _gather(self, double lam, double turned) noexcept nogil:
        """Collect the rays of all working groups; a ray serves until 1 - cos of its turn exceeds
        `turned`.

        Along a ray d from b, |b + s d|^2 = |b|^2 + 2 s b'd + s^2.
        """
        cdef int k, j, first, s, g
        cdef double ahead, cosine, weight, back
        for k in range(self.n_groups):
            first, s, g = self.first[k], self.first[k + 1] - self.first[k], self.group[k]
            self.length[k] = self.tangents.take_ray(k, &self.b[first], lam)
            if self.length[k] == 0.0:
                self.rays.drop(k)
                continue
            ahead = dot(s, &self.heading[first], self.b + first) if self.rays.ray[k] >= 0 else 0.0
            back = RAY_SHORTENED * ahead
            if ahead < (1.0 - turned) * self.length[k]:
                ahead = back = self.length[k]
                for j in range(first, first + s):
                    self.heading[j], self.d[j] = self.tangents.sign[j], -self.tangents.sign[j]
                memset(self.rays.draw(k), 0, self.columns.n * sizeof(double))
                self.columns.subtract_some(first, s, &self.d[first], self.rays.draw(k))
                self.rays.measure(k)
            cosine, weight = ahead / self.length[k], lam * self.penalty.weight[g]
            self.rays.aim(k, lam * self.penalty.ridge[g] * ahead + weight * cosine,
                          lam * self.penalty.ridge[g] + weight * max(1.0 - cosine * cosine,
                                  0.0) / self.length[k], weight, back)

    cdef double _go_along(self, double lam) noexcept nogil:
        """d = the step of the rays, column by column, and b += d from `old`; returns the
        penalty's change.

        A group that reaches the end of its own ray is set to zero.
        """
        cdef int k, j, g, first, s
        cdef double step, old, square, charge = 0.0
        memcpy(&self.old[0], self.b, self.size * sizeof(double))
        for k in range(self.n_groups):
            g, first, s = self.group[k], self.first[k], self.first[k + 1] - self.first[k]
            step, old = (self.rays.step[self.rays.ray[k]] if self.length[k] > 0.0 else 0.0,
                         self.length[k])
            if step == 0.0:
                memset(&self.d[first], 0, s * sizeof(double))
                continue
            # the change of |b_g|^2
            square = step * (2.0 * dot(s, &self.heading[first], self.b + first) + step)
            charge += 0.5 * self.penalty.ridge[g] * square
            charge += self.penalty.weight[g] * square / (old + sqrt(max(old * old + square, 0.0)))
            for j in range(first, first + s):
                self.d[j] = -self.b[j] if step == -old else step * self.heading[j]
                self.b[j] += self.d[j]
        return lam * charge
