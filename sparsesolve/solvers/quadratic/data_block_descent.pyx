"""Block descent by products with the columns: sparse designs, or more columns than samples.

Invariant: u + u[n] * sqrt(w) = sqrt(w) (y - Zb), so sparse columns never fill in. The Newton step
comes from conjugate gradients, the radial step from the images of whole groups, where columns are
dense.
Reference: Hestenes, Stiefel (1952), "Methods of conjugate gradients for solving linear systems".
"""
from libc.math cimport fabs, sqrt
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.gram.products cimport share_dots, share_subtract
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.small cimport small_solve
from sparsesolve.linalg.kernels.vector cimport axpy, dot, ss_scale
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.quadratic.block_descent cimport GroupBlockDescent

cdef double FORCING = tolerances.FORCING
cdef double ROUNDING = tolerances.ROUNDING
# Share of the target gap that a radial step may leave.
# Iterations at 0.1 and 0.9: logistic groups 1.00 and 1.06, groups 1.00 and 1.04.
cdef double RADIAL_SHARE = 0.3


cdef class RadialSubspace:
    """A joint step along a few directions d_k, each of which moves many columns.

        minimise over s   |r - W s|^2 / 2 + sum_k (slope_k s_k + hessian_k s_k^2 / 2),   W_k = Z d_k

    Given: r, the image W_k of every direction, and the penalty's slope and second derivative along
    it. Returned: s, by conjugate gradients until the possible decrease along every ray is small
    compared with its weight, truncated at -limit_k.
    """

    cdef Py_ssize_t n
    cdef int n_threads
    cdef int count, capacity
    cdef double[::1] images             # (n, capacity + 1) column by column, and one to work in
    cdef double[:, ::1] table           # which holds, by ray:
    cdef double* step                   # how far to go,
    cdef double* residual                   # what is left to be gained along it,
    cdef double* slope                   # the penalty's slope,
    cdef double* hessian                   # and second derivative,
    cdef double* weight                  # what a residual is measured by,
    cdef double* limit                  # how far back it may go,
    cdef double* square                 # its image's,
    cdef double* direction                    # and what conjugate gradients work on
    cdef double* product
    cdef double* z

    def __cinit__(self, Py_ssize_t n, int n_threads):
        self.n, self.n_threads = n, n_threads
        self.images, self.table = np.zeros(0), np.zeros((10, 0))

    cdef int reserve(self, int rays) except -1:
        """Make room for so many rays."""
        cdef int old = self.capacity
        if rays <= old:
            return 0
        self.capacity = max(rays, 2 * old)
        self.images = np.empty(self.n * (<Py_ssize_t> self.capacity + 1))
        self.table = np.zeros((10, self.capacity))
        cdef double[:, ::1] t = self.table
        self.step, self.residual, self.slope, self.hessian = &t[0, 0], &t[1, 0], &t[2, 0], &t[3, 0]
        self.weight, self.limit, self.square = &t[4, 0], &t[5, 0], &t[6, 0]
        self.direction, self.product, self.z = &t[7, 0], &t[8, 0], &t[9, 0]
        return 0

    cdef double* add(self, double slope, double hessian, double weight,
                     double limit) noexcept nogil:
        """Add a ray with the penalty's slope and second derivative along it, its weight and its
        limit; return where its image goes, now 0.
        """
        cdef int k = self.count
        self.count += 1
        self.slope[k], self.hessian[k] = slope, hessian
        self.weight[k], self.limit[k] = weight, limit
        memset(&self.images[self.n * k], 0, self.n * sizeof(double))
        return &self.images[self.n * k]

    cdef void apply(self, const double* step, double* out) noexcept nogil:
        """out = W step; `product` is used up."""
        ss_scale(self.count, -1.0, step, self.product)
        memset(out, 0, self.n * sizeof(double))
        share_subtract(self.n, self.count, self.product, &self.images[0], NULL, out, self.n_threads)

    cdef void _apply_transposed(self, const double* x, double* out) noexcept nogil:
        """out = W'x."""
        share_dots(self.n, self.count, &self.images[0], NULL, x, out, self.n_threads)

    cdef double* _room(self) noexcept nogil:
        """Workspace of n numbers."""
        return &self.images[self.n * self.count]

    cdef void solve(self, const double* r, double least, double* out) noexcept nogil:
        """Step until the residual is at most `least` of the weight on every ray; out = W step."""
        cdef int k, tries
        cdef bint cut = False
        cdef double rho, last, t, curvature
        cdef const double* image
        for k in range(self.count):
            image = &self.images[self.n * k]
            self.square[k] = dot(self.n, image, image)
        self._apply_transposed(r, self.residual)
        axpy(self.count, -1.0, self.slope, self.residual)
        memset(self.step, 0, self.count * sizeof(double))
        memset(out, 0, self.n * sizeof(double))
        rho = self._precondition()
        memcpy(self.direction, self.z, self.count * sizeof(double))
        # no more than sweeps of the same price
        for tries in range(40):
            if not (rho > 0.0 and self._left(least)):
                break
            self.apply(self.direction, self._room())
            self._apply_transposed(self._room(), self.product)
            curvature = 0.0
            for k in range(self.count):
                self.product[k] += self.hessian[k] * self.direction[k]
                curvature += self.product[k] * self.direction[k]
            if not curvature > 0.0:
                break
            t = rho / curvature
            axpy(self.count, t, self.direction, self.step)
            axpy(self.n, t, self._room(), out)
            axpy(self.count, -t, self.product, self.residual)
            last, rho = rho, self._precondition()
            for k in range(self.count):
                self.direction[k] = self.z[k] + rho / last * self.direction[k]
        for k in range(self.count):
            if self.step[k] < -self.limit[k]:
                self.step[k], cut = -self.limit[k], True
        if cut:
            self.apply(self.step, out)

    cdef bint _left(self, double least) noexcept nogil:
        """Return True if more can be gained along a ray."""
        cdef int k
        for k in range(self.count):
            if fabs(self.residual[k]) > least * self.weight[k]:
                return True
        return False

    cdef double _precondition(self) noexcept nogil:
        """z from the residual, by the diagonal; returns z'r."""
        cdef int k
        cdef double diag
        for k in range(self.count):
            diag = self.square[k] + self.hessian[k]
            self.z[k] = self.residual[k] / diag if diag > 0.0 else 0.0
        return dot(self.count, self.z, self.residual)


cdef class DataBlockDescent(GroupBlockDescent):
    """The quadratic over working groups, by products with the columns themselves."""

    cdef double[::1] v                  # (n + 1,) an image, less v[n] sqrt(w), then v[n]
    cdef RadialSubspace rays
    cdef double[::1] length             # (G,) of each group's coefficients
    # conjugate gradients along each direction, group by group: the step, what it leaves, and
    # preconditioned; a conjugate direction, and its product
    cdef double[::1] along, left, z, conjugate, product

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.v = np.zeros(columns.n + 1)
        self._work_on_residual()
        self.rays = RadialSubspace(columns.n, columns.n_threads)
        self.has_radial_step = columns.dense and penalty.all_round()
        self.length = np.zeros(penalty.n_groups)
        self.trail.reserve(self.capacity, columns.n + 1)
        self._make_room()

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            GroupBlockDescent.reserve(self, capacity)
            self._make_room()
        return 0

    def _make_room(self):
        self.along, self.left, self.z, self.conjugate, self.product = np.zeros((5, self.capacity))

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
        """Conjugate gradients, preconditioned by each group's own block.

            (T'Z'Z T + H) t = slope,   d = T t

        T are the directions in which the penalty is smooth, H its second derivative along them.
        """
        cdef int step, k
        cdef double rho, goal, curvature
        for k in range(self.n_groups):
            self.step.factorise(k)
        memset(&self.along[0], 0, self.size * sizeof(double))
        memcpy(&self.left[0], &self.tangents.slope[0], self.size * sizeof(double))
        rho = self._precondition(0.0)
        goal = FORCING * FORCING * rho
        # no more than sweeps of the same price
        for step in range(30):
            if rho <= goal:
                break
            curvature = self._curvature_along()
            if curvature <= 0.0:
                break
            axpy(self.size, rho / curvature, &self.conjugate[0], &self.along[0])
            axpy(self.size, -rho / curvature, &self.product[0], &self.left[0])
            rho = self._precondition(rho)
        if step == 0:
            return False
        for k in range(self.n_groups):
            self.tangents.spread(k, &self.along[self.first[k]], &self.d[self.first[k]])
        return True

    cdef double _curvature_along(self) noexcept nogil:
        """product = (T'Z'Z T + H) conjugate; returns the curvature. It uses d and its image."""
        cdef int k, j, first, n
        cdef const double* hessian
        for k in range(self.n_groups):
            first = self.first[k]
            self.tangents.spread(k, &self.conjugate[first], &self.d[first])
        self.image()
        memset(&self.product[0], 0, self.size * sizeof(double))
        for k in range(self.n_groups):
            first, n = self.first[k], self.tangents.count[k]
            hessian = &self.tangents.hessians[self.place[k]]
            self.tangents.add_products(k, &self.q[first], &self.product[first])
            for j in range(n):
                axpy(n, self.conjugate[first + j], hessian + j * <Py_ssize_t> n,
                     &self.product[first])
        return dot(self.size, &self.conjugate[0], &self.product[0])

    cdef double _precondition(self, double last) noexcept nogil:
        """The next conjugate direction; returns the preconditioned square of what is left."""
        cdef int k, i, first, n
        cdef double rho = 0.0, ratio
        for k in range(self.n_groups):
            first, n = self.first[k], self.tangents.count[k]
            memcpy(&self.z[first], &self.left[first], n * sizeof(double))
            small_solve(n, &self.step.factors[self.place[k]], &self.z[first])
            rho += dot(n, &self.z[first], &self.left[first])
        ratio = rho / last if last > 0.0 else 0.0
        for k in range(self.n_groups):
            first, n = self.first[k], self.tangents.count[k]
            for i in range(first, first + n):
                self.conjugate[i] = self.z[i] + ratio * self.conjugate[i]
            for i in range(first + n, self.first[k + 1]):
                self.conjugate[i] = 0.0
        return rho

    cdef void radial_step(self, double lam, double target) noexcept nogil:
        cdef Py_ssize_t n = self.columns.n
        cdef double square, linear, charge = self.penalty_value(lam)
        cdef double least = max(RADIAL_SHARE * target / charge,
                                ROUNDING) if charge > 0.0 else ROUNDING
        self._gather(lam)
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

    cdef void _gather(self, double lam) noexcept nogil:
        """Collect the rays of all groups that are not zero."""
        cdef int k, j, first, s, g
        cdef double weight, ridge
        self.rays.count = 0
        for k in range(self.n_groups):
            first, s, g = self.first[k], self.first[k + 1] - self.first[k], self.group[k]
            self.length[k] = self.tangents.take_ray(k, &self.b[first], lam)
            if self.length[k] > 0.0:
                for j in range(first, first + s):
                    self.d[j] = -self.tangents.sign[j]
                weight, ridge = lam * self.penalty.weight[g], lam * self.penalty.ridge[g]
                self.columns.subtract_some(first, s, &self.d[first], self.rays.add(
                    ridge * self.length[k] + weight, ridge, weight, self.length[k]))

    cdef double _go_along(self, double lam) noexcept nogil:
        """d = the step of the rays, column by column, and b += d from `old`; returns the
        penalty's change.

        A group that reaches the end of its own ray is set to zero.
        """
        cdef int k, j, g, first, s, ray = 0
        cdef double step, charge = 0.0
        memcpy(&self.old[0], self.b, self.size * sizeof(double))
        for k in range(self.n_groups):
            g, first, s = self.group[k], self.first[k], self.first[k + 1] - self.first[k]
            step = 0.0
            if self.length[k] > 0.0:
                step, ray = self.rays.step[ray], ray + 1
            charge += step * (self.penalty.weight[g]
                              + 0.5 * self.penalty.ridge[g] * (2.0 * self.length[k] + step))
            for j in range(first, first + s):
                self.d[j] = (-self.b[j] if step == -self.length[k]
                             else step * self.tangents.sign[j])
                self.b[j] += self.d[j]
        return lam * charge
