"""Block descent by products with the columns: sparse designs, or more columns than samples.

Invariant: u + u[n] * sqrt(w) = sqrt(w) (y - Zb), so sparse columns never fill in. The Newton step
comes from conjugate gradients, the radial step from inner products of the images of whole groups,
where columns are dense.
Reference: Hestenes, Stiefel (1952), "Methods of conjugate gradients for solving linear systems".
"""
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.gram.products cimport share_gram
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.small cimport small_solve
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.quadratic.block_descent cimport GroupBlockDescent

cdef double FORCING = tolerances.FORCING


cdef class DataBlockDescent(GroupBlockDescent):
    """The quadratic over working groups, by products with the columns themselves."""

    cdef double[::1] v                  # (n + 1,) an image, less v[n] sqrt(w), then v[n]
    cdef double[::1] images             # (n, working groups) -W_k of the groups that are not zero
    cdef int n_rays

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.v = np.zeros(columns.n + 1)
        self._work_on_residual()
        self.has_radial_step = columns.dense and penalty.all_round()
        self.trail.reserve(self.capacity, columns.n + 1)

    cdef int describe(self, penalty, int first) except -1:
        GroupBlockDescent.describe(self, penalty, first)
        if not self.has_radial_step:
            return 0
        if self.images is None or self.images.shape[0] < self.columns.n * self.n_groups:
            self.images = np.empty(2 * self.columns.n * self.n_groups)
        return self.reserve_matrix(self.n_groups)

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
        cdef int k
        for k in range(self.n_groups):
            self.step.factorise(k)
        memset(self.x, 0, self.size * sizeof(double))
        memcpy(self.residual, &self.tangents.slope[0], self.size * sizeof(double))
        # no more than sweeps of the same price
        if self.conjugate_gradients(self.size, self.x, 30, lam, FORCING) == 0:
            return False
        for k in range(self.n_groups):
            self.tangents.spread(k, &self.x[self.first[k]], &self.d[self.first[k]])
        return True

    cdef double times_conjugate(self, double lam) noexcept nogil:
        """product = (T'Z'Z T + H) conjugate. It uses d and its image."""
        cdef int k, j, first, n
        cdef const double* hessian
        for k in range(self.n_groups):
            first = self.first[k]
            self.tangents.spread(k, &self.conjugate[first], &self.d[first])
        self.image()
        memset(self.product, 0, self.size * sizeof(double))
        for k in range(self.n_groups):
            first, n = self.first[k], self.tangents.count[k]
            hessian = &self.tangents.hessians[self.place[k]]
            self.tangents.add_products(k, &self.q[first], &self.product[first])
            for j in range(n):
                axpy(n, self.conjugate[first + j], hessian + j * <Py_ssize_t> n,
                     &self.product[first])
        return dot(self.size, self.conjugate, self.product)

    cdef double precondition(self, double last, double lam) noexcept nogil:
        cdef int k, i, first, n
        cdef double rho = 0.0, ratio
        memcpy(self.values, self.residual, self.size * sizeof(double))
        for k in range(self.n_groups):
            first, n = self.first[k], self.tangents.count[k]
            small_solve(n, &self.step.factors[self.place[k]], &self.values[first])
            rho += dot(n, &self.values[first], &self.residual[first])
        ratio = rho / last if last > 0.0 else 0.0
        for k in range(self.n_groups):
            first, n = self.first[k], self.tangents.count[k]
            for i in range(first, self.first[k + 1]):
                self.conjugate[i] = (self.values[i] + ratio * self.conjugate[i]
                                     if i < first + n else 0.0)
        return rho

    # Radial steps: the direction of a group has an image W_k = Z_g b_g / |b_g|.

    cdef int assemble(self) noexcept nogil:
        """Fill in W'W, with the penalty's second derivatives on its diagonal; return its order."""
        cdef int k, rays = 0, count = self.n_rays
        memset(&self.matrix[0], 0, <Py_ssize_t> count * count * sizeof(double))
        share_gram(self.columns.n, count, &self.images[0], <int> self.columns.n, &self.matrix[0],
                   count, self.columns.n_threads)
        for k in range(self.n_groups):
            if self.tangents.count[k] > 0:
                self.matrix[rays * <Py_ssize_t> (count + 1)] += self.tangents.hessians[
                    self.place[k]]
                rays += 1
        return count

    cdef void radial_step(self, double lam) noexcept nogil:
        cdef Py_ssize_t n = self.columns.n
        cdef int k, j, first, s
        cdef double along
        cdef double* image
        self.n_rays = 0
        memset(self.g, 0, self.size * sizeof(double))
        for k in range(self.n_groups):
            first, s = self.first[k], self.first[k + 1] - self.first[k]
            if self.tangents.take_ray(k, &self.b[first], lam) > 0.0:
                image = &self.images[n * self.n_rays]
                memset(image, 0, n * sizeof(double))
                self.columns.subtract_some(first, s, &self.tangents.sign[first], image)
                along = -dot(n, image, &self.u[0])
                self.tangents.slope[first] += along
                # the part of Z_g'r along the ray, which is all that a step along it meets
                axpy(s, along, &self.tangents.sign[first], &self.g[first])
                self.n_rays += 1
        if self.n_rays > 0 and self.factored_direction():
            for k in range(self.n_groups):
                first = self.first[k]
                self.tangents.truncate(k, &self.b[first], &self.d[first], lam)
            self.descend(lam, self._image_of_rays())
        self.renew()

    cdef double _image_of_rays(self) noexcept nogil:
        """|Z d|^2 for d along the rays; leaves v = -Z d."""
        cdef Py_ssize_t n = self.columns.n
        cdef int k, first, rays = 0
        memset(&self.v[0], 0, (n + 1) * sizeof(double))
        for k in range(self.n_groups):
            if self.tangents.count[k] > 0:
                first = self.first[k]
                axpy(n, dot(self.first[k + 1] - first, &self.d[first], &self.tangents.sign[first]),
                     &self.images[n * rays], &self.v[0])
                rays += 1
        return dot(n, &self.v[0], &self.v[0])
