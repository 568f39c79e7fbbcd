"""Block descent by the inner products of all working columns, or by products with the columns."""
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.linalg.gram.products cimport share_gram, subtract_all
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.small cimport small_solve
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.quadratic.block_descent cimport GroupBlockDescent

cdef double FORCING = tolerances.FORCING


cdef class GramBlockDescent(GroupBlockDescent):
    """Working groups whose inner products are all known: nothing depends on the samples.

    The Newton step is solved by a Cholesky factor of the Gram matrix along the directions in which
    the penalty is smooth. `columns` extend `gram` as they come; without columns it holds all from
    the start.
    """

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.gram = Gram()
        self.has_radial_step = penalty.all_round()

    cdef int describe(self, penalty, int first) except -1:
        GroupBlockDescent.describe(self, penalty, first)
        return self.reserve_matrix(self.size)

    cdef void block_products(self, int k, double* out) noexcept nogil:
        cdef int j, first = self.first[k], s = self.first[k + 1] - first
        for j in range(s):
            memcpy(out + j * <Py_ssize_t> s, self.gram.G + first
                   + (first + j) * <Py_ssize_t> self.gram.capacity, s * sizeof(double))

    cdef void move(self, int k) noexcept nogil:
        self._subtract_products(self.first[k], self.first[k + 1], 1.0, self.g)

    cdef void _subtract_products(self, int first, int last, double t, double* out) noexcept nogil:
        """Subtract t times Z'Z d of the columns first..last from out."""
        cdef int j, count = 0
        for j in range(first, last):
            if self.d[j] != 0.0:
                self.support[count], self.rhs[count] = j, t * self.d[j]
                count += 1
        subtract_all(self.size, count, self.rhs, self.gram.G, self.support, self.gram.capacity,
                     out)

    cdef double square(self, const double* b, const double* carried) noexcept nogil:
        """|r - Z d|^2 = |r|^2 - d'(g before + g after)."""
        cdef double total = self.residual_square
        cdef int j
        for j in range(self.size):
            total -= (self.b[j] - b[j]) * (self.g[j] + carried[j])
        return total

    cdef double image(self) noexcept nogil:
        cdef int j
        cdef double square = 0.0
        memset(self.q, 0, self.size * sizeof(double))
        self._subtract_products(0, self.size, -1.0, self.q)
        for j in range(self.size):
            square += self.d[j] * self.q[j]
        return square

    cdef void advance(self, double t) noexcept nogil:
        axpy(self.size, -t, self.q, self.g)

    cdef bint direction(self, double lam) noexcept nogil:
        return self.factored_direction()

    cdef void add_ray(self, int k, int rays) noexcept nogil:
        cdef int first = self.first[k]
        self.step.add_products(k, self.g + first, &self.step.slope[first])

    cdef int assemble(self) noexcept nogil:
        """Fill in T'Z'Z T + H of all directions T; return its order."""
        cdef int n = 0, base = 0, moving = 0, k, i, j, s
        cdef const int* of = &self.step.tangent_of[0]
        cdef const double* sign = &self.step.sign[0]
        cdef const double* hessian
        cdef double* out
        for k in range(self.n_groups):
            for j in range(self.first[k], self.first[k + 1]):
                if self.step.count[k] > 0 and of[j] >= 0:
                    self.support[moving], self.position[moving] = j, n + of[j]
                    moving += 1
            n += self.step.count[k]
        memset(&self.matrix[0], 0, <Py_ssize_t> n * n * sizeof(double))
        for k in range(self.n_groups):
            hessian = &self.step.hessians[self.place[k]]
            for s in range(self.step.count[k]):
                # the products of all working columns with the direction
                memset(self.q, 0, self.size * sizeof(double))
                for j in range(self.first[k], self.first[k + 1]):
                    if of[j] == s:
                        axpy(self.size, sign[j],
                             self.gram.G + j * <Py_ssize_t> self.gram.capacity, self.q)
                out = &self.matrix[(base + s) * <Py_ssize_t> n]
                for i in range(moving):
                    out[self.position[i]] += sign[self.support[i]] * self.q[self.support[i]]
                for i in range(self.step.count[k]):
                    out[base + i] += hessian[i + s * <Py_ssize_t> self.step.count[k]]
            base += self.step.count[k]
        return n


cdef class DataBlockDescent(GroupBlockDescent):
    """Working groups by products with their columns: sparse ones, or more columns than samples.

    The Newton step comes from conjugate gradients (Hestenes, Stiefel 1952), the radial step from
    inner products of the images of whole groups, where columns are dense.
    Invariant: u + u[n] * sqrt(w) = sqrt(w) (y - Zb), so sparse columns never fill in.
    """

    cdef double[::1] v                  # (n + 1,) an image, less v[n] sqrt(w), then v[n]
    cdef double[::1] images             # (n, working groups) -W_k of the groups that are not zero

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
        memcpy(self.residual, &self.step.slope[0], self.size * sizeof(double))
        # no more than sweeps of the same price
        if self.conjugate_gradients(self.size, self.x, 30, lam, FORCING) == 0:
            return False
        for k in range(self.n_groups):
            self.step.spread(k, &self.x[self.first[k]], &self.d[self.first[k]])
        return True

    cdef double times_conjugate(self, double lam) noexcept nogil:
        """product = (T'Z'Z T + H) conjugate. It uses d and its image."""
        cdef int k, j, first, n
        cdef const double* hessian
        for k in range(self.n_groups):
            first = self.first[k]
            self.step.spread(k, &self.conjugate[first], &self.d[first])
        self.image()
        memset(self.product, 0, self.size * sizeof(double))
        for k in range(self.n_groups):
            first, n = self.first[k], self.step.count[k]
            hessian = &self.step.hessians[self.place[k]]
            self.step.add_products(k, &self.q[first], &self.product[first])
            for j in range(n):
                axpy(n, self.conjugate[first + j], hessian + j * <Py_ssize_t> n,
                     &self.product[first])
        return dot(self.size, self.conjugate, self.product)

    cdef double precondition(self, double last, double lam) noexcept nogil:
        cdef int k, i, first, n
        cdef double rho = 0.0, ratio
        memcpy(self.values, self.residual, self.size * sizeof(double))
        for k in range(self.n_groups):
            first, n = self.first[k], self.step.count[k]
            small_solve(n, &self.step.factors[self.place[k]], &self.values[first])
            rho += dot(n, &self.values[first], &self.residual[first])
        ratio = rho / last if last > 0.0 else 0.0
        for k in range(self.n_groups):
            first, n = self.first[k], self.step.count[k]
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
            if self.step.count[k] > 0:
                self.matrix[rays * <Py_ssize_t> (count + 1)] += self.step.hessians[
                    self.place[k]]
                rays += 1
        return count

    cdef void add_ray(self, int k, int rays) noexcept nogil:
        cdef Py_ssize_t n = self.columns.n
        cdef int first = self.first[k], s = self.first[k + 1] - first
        cdef double* image = &self.images[n * rays]
        cdef double along
        memset(image, 0, n * sizeof(double))
        self.columns.subtract_some(first, s, &self.step.sign[first], image)
        along = -dot(n, image, &self.u[0])
        self.step.slope[first] += along
        # the part of Z_g'r along the ray, which is all that a step along it meets
        memset(self.g + first, 0, s * sizeof(double))
        axpy(s, along, &self.step.sign[first], &self.g[first])

    cdef double image_of_rays(self) noexcept nogil:
        """|Z d|^2 for d along the rays; leaves v = -Z d."""
        cdef Py_ssize_t n = self.columns.n
        cdef int k, first, rays = 0
        memset(&self.v[0], 0, (n + 1) * sizeof(double))
        for k in range(self.n_groups):
            if self.step.count[k] > 0:
                first = self.first[k]
                axpy(n, dot(self.first[k + 1] - first, &self.d[first], &self.step.sign[first]),
                     &self.images[n * rays], &self.v[0])
                rays += 1
        return dot(n, &self.v[0], &self.v[0])
