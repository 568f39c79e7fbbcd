"""The quadratic over working columns by products with the columns: for sparse designs and very many working columns.

Newton directions come from conjugate gradients on the support, begun at the last step scaled to this one, since the
path is piecewise linear in lam.  Invariant: u + shift * w = w (y - Zb), so a sparse column never fills in.
"""
from libc.math cimport fabs, sqrt
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg cimport column as col
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.vector cimport axpy, dot
from sparsesolve.penalties.elastic_net cimport ElasticNet, prox
from sparsesolve.solvers.quadratic cimport Quadratic

DEF STEPS = 60                      # of conjugate gradients per Newton direction
cdef double FORCING = 1e-2          # relative residual left by them: the next Newton step finishes


cdef class DataQuadratic(Quadratic):

    def __cinit__(self, Design design, double[::1] w):
        self.design = design
        self.w = w
        self.u, self.v = np.zeros(design.n), np.zeros(design.n)
        self._make_room()

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            Quadratic.reserve(self, capacity)
            self._make_room()
        return 0

    def _make_room(self):
        self.residual, self.product = np.zeros(self.capacity), np.zeros(self.capacity)
        self.conjugate_direction = np.zeros(self.capacity)

    cdef double inner(self, int i, int j) noexcept nogil:
        cdef int k
        memset(&self.v[0], 0, self.design.n * sizeof(double))
        self.image_shift = col.weighted_axpy(&self.design.columns[self.index[j]], 1.0, &self.w[0], &self.v[0])
        return col.dot(&self.design.columns[self.index[i]], &self.v[0], -self.image_shift)

    cdef void refresh(self, const double* response, double* r) noexcept nogil:
        """Also leaves u; r comes in and goes out as sqrt(w) (y - Zb)."""
        cdef Py_ssize_t i
        cdef int k
        cdef double root
        self.shift = 0.0
        for i in range(self.design.n):
            self.u[i] = response[i] * sqrt(self.w[i])
        for k in range(self.size):
            if self.b[k] != 0.0:
                self.shift += col.weighted_axpy(&self.design.columns[self.index[k]], -self.b[k], &self.w[0], &self.u[0])
        for i in range(self.design.n):
            root = sqrt(self.w[i])
            r[i] = self.u[i] / root + self.shift * root if root > 0.0 else 0.0
        self.residual_square = dot(self.design.n, r, r)
        self._correlate()

    cdef void _correlate(self) noexcept nogil:
        cdef int k
        for k in range(self.size):
            self.g[k] = col.dot(&self.design.columns[self.index[k]], &self.u[0], -self.shift)

    cdef void apply(self, const double* d, double* out, bint everywhere) noexcept nogil:
        """out = Z'W Z d on the support, or on all working columns; v is left as w Z d."""
        cdef int k, j
        memset(&self.v[0], 0, self.design.n * sizeof(double))
        self.image_shift = 0.0
        for k in range(self.n_support):
            j = self.support[k]
            if d[j] != 0.0:
                self.image_shift += col.weighted_axpy(&self.design.columns[self.index[j]], d[j], &self.w[0], &self.v[0])
        if everywhere:
            for k in range(self.size):
                out[k] = col.dot(&self.design.columns[self.index[k]], &self.v[0], -self.image_shift)
        else:
            for k in range(self.n_support):
                j = self.support[k]
                out[j] = col.dot(&self.design.columns[self.index[j]], &self.v[0], -self.image_shift)

    cdef void direction(self, double lam) noexcept nogil:
        """Conjugate gradients on (Z'WZ + lam l2) d = rhs, preconditioned by the diagonal."""
        cdef int step, k, j
        cdef double rho = 0.0, last, curvature, t, goal = 0.0, scale
        cdef double* p = &self.conjugate_direction[0]
        cdef double* e = &self.residual[0]
        cdef double* h = &self.product[0]
        for k in range(self.n_support):
            j = self.support[k]
            e[j] = self.rhs[j]
            scale = self.diag[j] + lam * self.l2[j]
            p[j] = e[j] / scale if scale > 0.0 else 0.0
            rho += e[j] * p[j]
        goal = FORCING * FORCING * rho
        for step in range(STEPS):
            if rho <= goal:
                break
            self.apply(p, h, False)
            curvature = 0.0
            for k in range(self.n_support):
                j = self.support[k]
                h[j] += lam * self.l2[j] * p[j]
                curvature += p[j] * h[j]
            if curvature <= 0.0:
                break
            t = rho / curvature
            last, rho = rho, 0.0
            for k in range(self.n_support):
                j = self.support[k]
                self.d[j] += t * p[j]
                e[j] -= t * h[j]
                scale = self.diag[j] + lam * self.l2[j]
                if scale > 0.0:
                    rho += e[j] * e[j] / scale
            for k in range(self.n_support):
                j = self.support[k]
                scale = self.diag[j] + lam * self.l2[j]
                if scale > 0.0:
                    p[j] = e[j] / scale + rho / last * p[j]

    cdef void image(self) noexcept nogil:
        self.apply(self.d, self.q, True)

    cdef void advance(self, double lam, double t) noexcept nogil:
        cdef int k, j
        cdef double change = 0.0
        for k in range(self.n_support):
            j = self.support[k]
            change += self.d[j] * (t * self.q[j] - 2.0 * self.g[j])
        self.residual_square += t * change
        axpy(self.design.n, -t, &self.v[0], &self.u[0])
        self.shift -= t * self.image_shift
        axpy(self.size, -t, self.q, self.g)
        Quadratic.advance(self, lam, t)

    cdef int sweep(self, double lam, bint whole) noexcept nogil:
        cdef int j, moved = 0
        cdef double new
        for j in range(self.size):
            new = self.minimiser(j, lam)        # by the gradient from before the sweep: cheap, and nearly always right
            if not self.worth(j, new, lam, whole):
                continue
            self.g[j] = col.dot(&self.design.columns[self.index[j]], &self.u[0], -self.shift)
            new = self.minimiser(j, lam)
            if self.worth(j, new, lam, whole):
                self.residual_square += (new - self.b[j]) * ((new - self.b[j]) * self.diag[j] - 2.0 * self.g[j])
                self.shift += col.weighted_axpy(&self.design.columns[self.index[j]], self.b[j] - new, &self.w[0],
                                                &self.u[0])
                self.b[j] = new
                moved += 1
        if moved:
            self._correlate()
            self.iterations += 1
        return moved

    def append(self, Design design, ElasticNet penalty, int[::1] which, double[::1] root_w, double[::1] start,
               double[::1] gradient):
        """Take in columns of the design."""
        cdef int count = which.shape[0], m = self.size, k
        if count == 0:
            return
        self.add(design, penalty, &which[0], &start[0], &gradient[0], count)
        for k in range(m, self.size):
            self.diag[k] = col.weighted_square(&design.columns[self.index[k]], &self.w[0], 1.0)

    def take_over(self, Quadratic other, ElasticNet penalty):
        """Continue from another quadratic's working columns and coefficients."""
        cdef int k
        which, start = np.empty(other.size, dtype=np.intc), np.empty(other.size)
        for k in range(other.size):
            which[k], start[k] = other.index[k], other.b[k]
        self.append(self.design, penalty, which, None, start, np.zeros(other.size))
        self.iterations = other.iterations
