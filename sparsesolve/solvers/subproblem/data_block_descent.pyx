"""Block descent by products with the columns: sparse designs, or more columns than samples.

Invariant: u + u[n] * sqrt(w) = sqrt(w) (y - Zb), so sparse columns never fill in. The Newton step
comes from conjugate gradients along the directions in which the penalty is smooth, preconditioned
group by group; the radial step comes from the images of whole groups, where columns are dense.
"""
from libc.math cimport sqrt
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.working.columns import roomier
from sparsesolve.linalg.kernels.small cimport small_solve
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.subproblem.block_descent cimport GroupBlockDescent
from sparsesolve.solvers.subproblem.radial_subspace cimport RadialSubspace

# Conjugate gradients in a Newton step: as many as sweeps of the same price that they replace.
DEF STEPS = 30
cdef double FORCING = costs.newton.FORCING
cdef double RADIAL_SHARE = costs.subproblem.RADIAL_SHARE
cdef double TURN = costs.subproblem.TURN
cdef double LARGEST_TURN = costs.subproblem.LARGEST_TURN
cdef double RAY_SHORTENED = costs.subproblem.RAY_SHORTENED
cdef double DECREASE = costs.rounding.DECREASE


cdef class DataBlockDescent(GroupBlockDescent):

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.n, self.n_carried, self.v = columns.n, columns.n + 1, np.zeros(columns.n)
        self._work_on_residual()
        self.rays = RadialSubspace(columns.n, columns.n_threads)
        self.has_radial_step = columns.dense and penalty.all_round()
        self.trail.reserve(self.capacity, self.carried_room())
        self.rest, self.conjugate, self.product, self.heading = np.zeros((4, self.capacity))
        self.z, self.length = np.zeros(self.capacity), np.zeros(penalty.n_groups)

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            GroupBlockDescent.reserve(self, capacity)
            self.rest, self.conjugate, self.product, self.z = np.zeros((4, self.capacity))
            self.heading = roomier(self.heading, self.capacity, self.size)
        return 0

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
        memset(&self.v[0], 0, self.n * sizeof(double))
        self.image_shift = self.columns.axpy(j, 1.0, &self.v[0])
        self.columns.correlate_listed(which, count, &self.v[0], self.image_shift, out)

    cdef Py_ssize_t carried_room(self) noexcept:
        return self.n + 1

    cdef double* carried(self) noexcept nogil:
        return &self.u[0]

    cdef double square(self, const double* b, const double* carried) noexcept nogil:
        cdef double shift = self.u[self.n], total = dot(self.n, &self.u[0], &self.u[0])
        if shift != 0.0:
            total += shift * (shift + 2.0 * dot(self.n, &self.u[0], &self.columns.root_w[0]))
        return total

    cdef void block_products(self, int k, double* out) noexcept nogil:
        cdef int i, j, first = self.first[k], s = self.first[k + 1] - first
        for j in range(s):
            memset(&self.v[0], 0, self.n * sizeof(double))
            self.image_shift = self.columns.axpy(first + j, 1.0, &self.v[0])
            self.columns.correlate_some(first, j + 1, &self.v[0], self.image_shift,
                                        out + j * <Py_ssize_t> s)
            # the same numbers on both sides of the diagonal
            for i in range(j):
                out[j + i * <Py_ssize_t> s] = out[i + j * <Py_ssize_t> s]

    cdef void meet(self, int k) noexcept nogil:
        cdef int first = self.first[k]
        self.columns.correlate_some(first, self.first[k + 1] - first, &self.u[0], self.u[self.n],
                                    &self.g[first])

    cdef void move(self, int k) noexcept nogil:
        cdef int first = self.first[k]
        self.u[self.n] += self.columns.subtract_some(first, self.first[k + 1] - first,
                                                     &self.d[first], &self.u[0])

    cdef void renew(self) noexcept nogil:
        self.columns.correlate(&self.u[0], self.u[self.n], self.g)

    cdef void apply(self, const double* d, double* out) noexcept nogil:
        """out = Z'Z d; v is left as Z d."""
        cdef int j
        self.passes += 1
        memset(&self.v[0], 0, self.n * sizeof(double))
        self.image_shift = self.columns.subtract(d, &self.v[0])
        for j in range(self.size):
            out[j] = 0.0
        self.columns.correlate(&self.v[0], self.image_shift, out)
        for j in range(self.size):
            out[j] = -out[j]

    cdef double image(self) noexcept nogil:
        cdef int j
        cdef double square = 0.0
        self.apply(self.d, self.q)
        for j in range(self.size):
            square += self.d[j] * self.q[j]
        return square

    cdef void advance(self, double t) noexcept nogil:
        # v is -Z d
        axpy(self.n, t, &self.v[0], &self.u[0])
        self.u[self.n] += t * self.image_shift
        axpy(self.size, -t, self.q, self.g)

    cdef bint direction(self, double lam) noexcept nogil:
        cdef int step, k, j, i, first, n
        cdef double rho, goal, curvature, t
        cdef const double* hessian
        memset(self.d, 0, self.size * sizeof(double))
        for k in range(self.n_groups):
            self.step.factorise(k)
        memcpy(&self.rest[0], &self.tangents.slope[0], self.size * sizeof(double))
        rho = self.precondition(0.0)
        goal = FORCING * FORCING * rho
        for step in range(STEPS):
            if rho <= goal:
                break
            self._spread(&self.conjugate[0], self.rhs)
            self.apply(self.rhs, self.q)
            curvature = 0.0
            for k in range(self.n_groups):
                first, n = self.first[k], self.tangents.count[k]
                hessian = &self.tangents.hessians[self.place[k]]
                memset(&self.product[first], 0, n * sizeof(double))
                self.tangents.add_products(k, &self.q[first], &self.product[first])
                for j in range(n):
                    axpy(n, self.conjugate[first + j], hessian + j * <Py_ssize_t> n,
                         &self.product[first])
                curvature += dot(n, &self.conjugate[first], &self.product[first])
            if curvature <= 0.0:
                break
            t = rho / curvature
            for k in range(self.n_groups):
                first, n = self.first[k], self.tangents.count[k]
                for i in range(first, first + n):
                    self.x[i] = (self.x[i] + t * self.conjugate[i] if step > 0
                                 else t * self.conjugate[i])
                    self.rest[i] -= t * self.product[i]
            rho = self.precondition(rho)
        if step == 0:
            return False
        self._spread(&self.x[0], self.d)
        return True

    cdef void radial_step(self, double lam, double target) noexcept nogil:
        cdef double square, linear, charge = self.penalty_value(lam)
        cdef double least = max(RADIAL_SHARE * target / charge,
                                DECREASE) if charge > 0.0 else DECREASE
        self._gather(lam, min(TURN * least, LARGEST_TURN))
        if self.rays.count > 0:
            self.rays.solve(&self.u[0], least, &self.v[0])
            square, linear = dot(self.n, &self.v[0], &self.v[0]), dot(self.n, &self.v[0],
                    &self.u[0])
            if 0.5 * square - linear + self._go_along(lam) <= 0.0:
                axpy(self.n, -1.0, &self.v[0], &self.u[0])
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
                memset(self.rays.draw(k), 0, self.n * sizeof(double))
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

    cdef void _spread(self, const double* along, double* out) noexcept nogil:
        """The steps of the columns from those along the tangent directions."""
        cdef int k
        for k in range(self.n_groups):
            self.tangents.spread(k, &along[self.first[k]], &out[self.first[k]])

    cdef double precondition(self, double last) noexcept nogil:
        """The next conjugate direction; returns the residual's square in the preconditioned norm.
        """
        cdef int k, i, first, n
        cdef double rho = 0.0
        for k in range(self.n_groups):
            first, n = self.first[k], self.tangents.count[k]
            memcpy(&self.z[first], &self.rest[first], n * sizeof(double))
            small_solve(n, &self.step.factors[self.place[k]], &self.z[first])
            rho += dot(n, &self.z[first], &self.rest[first])
        for k in range(self.n_groups):
            first, n = self.first[k], self.tangents.count[k]
            for i in range(first, first + n):
                self.conjugate[i] = self.z[i] + (rho / last * self.conjugate[i] if last > 0.0
                                                 else 0.0)
        return rho
