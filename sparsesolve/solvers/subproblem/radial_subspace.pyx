"""RadialSubspace: a joint step along a few directions, each of which moves many columns.

    minimise over s   |r - W s|^2 / 2 + sum_k (pull_k s_k + hessian_k s_k^2 / 2),   W_k = Z d_k

Given: r, the image W_k of every direction d_k, which may serve from one solution to the next, and
the penalty's slope and second derivative along it.
Returned: s, until the possible decrease along every ray is small compared with its level, and
truncated at -limit_k. Conjugate gradients are preconditioned by a factor of W'W at some earlier
point: rays come, go and turn little from one solution to the next. The factor is recomputed once
the steps since then have cost as much.
"""
from libc.math cimport fabs
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport dsyrk, dtrsv
from scipy.linalg.cython_lapack cimport dpotrf

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.working.columns import roomier
from sparsesolve.linalg.gram.products cimport share_dots, share_subtract
from sparsesolve.linalg.kernels.vector cimport axpy, dot, ss_scale

# Conjugate gradients in a step: no more than sweeps of the same price.
DEF STEPS = 40
cdef double RADIAL_RIDGE = costs.rounding.RADIAL_RIDGE


cdef class RadialSubspace:

    def __cinit__(self, Py_ssize_t n, int n_threads):
        self.n, self.n_threads = n, n_threads
        self.name, self.ray, self.row = np.zeros((3, 0), dtype=np.intc)
        self.images, self.table = np.zeros(0), np.zeros((10, 0))

    def __dealloc__(self):
        free(self.factor)

    cdef int reserve(self, int rays) except -1:
        """Make room for rays named by numbers below `rays`."""
        cdef int old = self.capacity
        if rays <= old:
            return 0
        self.capacity = max(rays, 2 * old)
        names = np.full((3, self.capacity), -1, dtype=np.intc)
        names[:, :old] = self.name, self.ray, self.row
        self.name, self.ray, self.row = names
        self.images = roomier(self.images, self.n * (<Py_ssize_t> self.capacity + 1),
                              self.n * self.count)
        table = np.zeros((10, self.capacity))
        table[:, :old] = self.table
        self.table = table
        cdef double[:, ::1] t = self.table
        self.step, self.rest, self.pull, self.hessian, self.level = (&t[0, 0], &t[1, 0], &t[2, 0],
                &t[3, 0], &t[4, 0])
        self.limit, self.square, self.direction, self.product, self.z = (&t[5, 0], &t[6, 0],
                &t[7, 0], &t[8, 0], &t[9, 0])
        return 0

    cdef void restart(self) noexcept nogil:
        """Forget all rays; the factor is void."""
        cdef Py_ssize_t k
        for k in range(self.capacity):
            self.ray[k] = self.row[k] = -1
        self.count, self.factored, self.spent = 0, 0, 0.0

    cdef double* draw(self, int name) noexcept nogil:
        """Where the image of this ray goes, which may be there already."""
        if self.ray[name] < 0:
            self.ray[name], self.name[self.count] = self.count, name
            self.count += 1
        return &self.images[self.n * self.ray[name]]

    cdef void drop(self, int name) noexcept nogil:
        """Remove this ray; the last one takes its place."""
        cdef int k = self.ray[name], last = self.count - 1, i
        if k < 0:
            return
        if k < last:
            memcpy(&self.images[self.n * k], &self.images[self.n * last], self.n * sizeof(double))
            for i in range(self.table.shape[0]):
                self.table[i, k] = self.table[i, last]
            self.name[k] = self.name[last]
            self.ray[self.name[k]] = k
        self.ray[name], self.count = -1, last

    cdef void measure(self, int name) noexcept nogil:
        """Say that the image of this ray is in place."""
        cdef const double* image = &self.images[self.n * self.ray[name]]
        self.square[self.ray[name]] = dot(self.n, image, image)

    cdef void aim(self, int name, double pull, double hessian, double level,
                  double limit) noexcept nogil:
        """Set the penalty's slope and second derivative along a ray, its level and limit."""
        cdef int k = self.ray[name]
        self.pull[k], self.hessian[k], self.level[k], self.limit[k] = pull, hessian, level, limit

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
        """The step, until `rest` is at most `least` of the level along every ray; out = W step."""
        cdef int k, tries
        cdef bint cut = False
        cdef double rho, last, t, curvature
        cdef double m = self.count
        cdef double price = 2.0 * self.n * m + <double> self.factored * self.factored
        if self.spent > m * m * (0.5 * self.n + m / 6.0):
            self._factorise()
        self._apply_transposed(r, self.rest)
        axpy(self.count, -1.0, self.pull, self.rest)
        memset(self.step, 0, self.count * sizeof(double))
        memset(out, 0, self.n * sizeof(double))
        rho = self._precondition()
        memcpy(self.direction, self.z, self.count * sizeof(double))
        for tries in range(STEPS):
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
            axpy(self.count, -t, self.product, self.rest)
            last, rho = rho, self._precondition()
            for k in range(self.count):
                self.direction[k] = self.z[k] + rho / last * self.direction[k]
            self.spent += price
        for k in range(self.count):
            if self.step[k] < -self.limit[k]:
                self.step[k], cut = -self.limit[k], True
        if cut:
            self.apply(self.step, out)

    cdef bint _left(self, double least) noexcept nogil:
        """Return True if more can be gained along a ray."""
        cdef int k
        for k in range(self.count):
            if fabs(self.rest[k]) > least * self.level[k]:
                return True
        return False

    cdef double _precondition(self) noexcept nogil:
        """z from rest, by the factor for its rays and by the diagonal for others; returns their
        product.
        """
        cdef int k, row, one = 1
        cdef double diag
        # longer than the factor, see _factorise
        cdef double* x = self._room()
        memset(x, 0, self.factored * sizeof(double))
        for k in range(self.count):
            row = self.row[self.name[k]]
            if row >= 0:
                x[row] = self.rest[k]
        if self.factored:
            dtrsv("L", "N", "N", &self.factored, self.factor, &self.factored, x, &one)
            dtrsv("L", "T", "N", &self.factored, self.factor, &self.factored, x, &one)
        for k in range(self.count):
            row = self.row[self.name[k]]
            diag = self.square[k] + self.hessian[k]
            self.z[k] = x[row] if row >= 0 else self.rest[k] / diag if diag > 0.0 else 0.0
        return dot(self.count, self.z, self.rest)

    cdef void _factorise(self) noexcept nogil:
        """Factorise W'W of these rays, if there is memory for it."""
        cdef int n = <int> self.n, m = self.count, k, info = 0
        cdef double unit = 1.0, none = 0.0
        cdef double* larger
        cdef Py_ssize_t room = <Py_ssize_t> m * m
        self.spent = 0.0
        # more rays than a factor could tell apart
        if m > self.n:
            return
        if room > self.factor_room:
            larger = <double*> realloc(self.factor, 2 * room * sizeof(double))
            if larger == NULL:
                return
            self.factor, self.factor_room = larger, 2 * room
        for k in range(<int> self.row.shape[0]):
            self.row[k] = -1
        self.factored = 0
        dsyrk("L", "T", &m, &n, &unit, &self.images[0], &n, &none, self.factor, &m)
        for k in range(m):
            self.factor[k * (<Py_ssize_t> m + 1)] += (
                self.hessian[k] + RADIAL_RIDGE * (self.square[k] + self.hessian[k]))
        dpotrf("L", &m, self.factor, &m, &info)
        if info == 0:
            self.factored = m
            for k in range(m):
                self.row[self.name[k]] = k
