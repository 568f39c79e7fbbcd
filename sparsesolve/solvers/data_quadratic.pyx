"""The quadratic over working columns by products with the columns: for sparse designs and very many working columns.

Coordinate descent goes first: on columns that have little in common, as in text, nothing is quicker.  Newton
directions come from conjugate gradients on the support.  Invariant: u + shift * sqrt(w) = sqrt(w) (y - Zb): sparse
columns never fill in.
"""
from libc.math cimport fabs
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.packed cimport Packed
from sparsesolve.linalg.vector cimport axpy, dot
from sparsesolve.penalties.elastic_net cimport ElasticNet, prox
from sparsesolve.solvers.quadratic cimport Quadratic

DEF STEPS = 60                      # of conjugate gradients per Newton direction
cdef double QUICK = 0.5             # of the gap, left by two cycles of descent: slower is left to Newton steps
cdef double ROUGH = 10.0            # times the target: from here Newton steps, which end on signs and limits exactly
cdef double FAR = 0.9               # of the threshold: correlations below it are looked at after a cycle only
cdef double FORCING = 5e-2          # relative residual left by them: the next Newton step finishes


cdef class DataQuadratic(Quadratic):

    def __cinit__(self, Packed columns):
        self.columns, self.n, self.wants_residual = columns, columns.n, True
        self.u, self.v = np.zeros(self.n), np.zeros(self.n)
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
        memset(&self.v[0], 0, self.n * sizeof(double))
        self.image_shift = self.columns.axpy(j, 1.0, &self.v[0])
        return self.columns.dot(i, &self.v[0], self.image_shift)

    cdef void refresh(self, const double* response, double* r) noexcept nogil:
        memcpy(&self.u[0], response, self.n * sizeof(double))
        self.shift = self.columns.subtract(self.b, &self.u[0])
        memcpy(r, &self.u[0], self.n * sizeof(double))
        if self.shift != 0.0:
            axpy(self.n, self.shift, &self.columns.root_w[0], r)
        self.residual_square = dot(self.n, r, r)
        self.columns.correlate(&self.u[0], self.shift, self.g)

    cdef void receive(self, const double* r) noexcept nogil:
        memcpy(&self.u[0], r, self.n * sizeof(double))
        self.shift = 0.0
        self.columns.correlate(r, 0.0, self.g)
        self.residual_square = dot(self.n, r, r)

    cdef int solve(self, double lam, double target, long budget) noexcept nogil:
        """On sparse columns coordinate descent while it is quick; then Newton steps."""
        cdef long limit = self.iterations + budget
        cdef double gap, last
        if self.columns.dense:
            return Quadratic.solve(self, lam, target, budget)
        self.estimate_slack(lam)
        last = self.best_gap(lam)
        while last > ROUGH * target and self.iterations < limit:
            self.cycle(lam)
            self.cycle(lam)
            self.columns.correlate(&self.u[0], self.shift, self.g)
            self.iterations += 1
            self.estimate_slack(lam)
            gap = self.best_gap(lam)
            if gap > QUICK * last:
                break
            last = gap
        return Quadratic.solve(self, lam, target, limit - self.iterations)

    cdef void cycle(self, double lam) noexcept nogil:
        """One-coordinate minimisations of all columns that are not far from moving; g is left out of date."""
        cdef int j
        cdef double new
        for j in range(self.size):
            if self.b[j] == 0.0 and fabs(self.g[j]) < FAR * lam * self.l1[j]:
                continue
            self.g[j] = self.columns.dot(j, &self.u[0], self.shift)
            new = self.minimiser(j, lam)
            if new != self.b[j]:
                self.residual_square += (new - self.b[j]) * ((new - self.b[j]) * self.diag[j] - 2.0 * self.g[j])
                self.shift += self.columns.axpy(j, self.b[j] - new, &self.u[0])
                self.b[j] = new

    cdef void apply(self, const double* d, double* out, bint everywhere) noexcept nogil:
        """out = Z'Z d on the support, or on all working columns; v is left as Z d."""
        cdef int k, j
        self.applications += 1
        memset(&self.v[0], 0, self.n * sizeof(double))
        self.image_shift = 0.0
        for k in range(self.n_support):
            j = self.support[k]
            if d[j] != 0.0:
                self.image_shift += self.columns.axpy(j, d[j], &self.v[0])
        if everywhere:
            self.columns.correlate(&self.v[0], self.image_shift, out)
        else:
            for k in range(self.n_support):
                j = self.support[k]
                out[j] = self.columns.dot(j, &self.v[0], self.image_shift)

    cdef void direction(self, double lam) noexcept nogil:
        """Conjugate gradients on (Z'Z + lam l2) d = rhs, preconditioned by the diagonal."""
        cdef int step, k, j
        cdef double rho, last, curvature, t, goal
        cdef double* p = &self.conjugate_direction[0]
        cdef double* e = &self.residual[0]
        cdef double* h = &self.product[0]
        for k in range(self.n_support):
            h[self.support[k]] = 0.0
        if self.n_held > 0:
            for k in range(self.n_support):
                j = self.support[k]
                p[j] = self.d[j] if self.held[j] else 0.0
            self.apply(p, h, False)
        for k in range(self.n_support):
            j = self.support[k]
            e[j] = self.rhs[j] - h[j]
            p[j] = 0.0
            if not self.held[j]:
                self.d[j] = 0.0
        rho = self.precondition(lam, 0.0)
        self.directions += 1
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
            for k in range(self.n_support):
                j = self.support[k]
                if not self.held[j]:
                    self.d[j] += t * p[j]
                e[j] -= t * h[j]
            rho = self.precondition(lam, rho)

    cdef double precondition(self, double lam, double last) noexcept nogil:
        """The next conjugate direction from the residual; returns the residual's square in the preconditioned norm."""
        cdef int k, j
        cdef double rho = 0.0, scale
        for k in range(self.n_support):
            j = self.support[k]
            scale = self.diag[j] + lam * self.l2[j]
            if scale > 0.0 and not self.held[j]:
                rho += self.residual[j] * self.residual[j] / scale
        for k in range(self.n_support):
            j = self.support[k]
            scale = self.diag[j] + lam * self.l2[j]
            if scale > 0.0 and not self.held[j]:
                self.conjugate_direction[j] = (self.residual[j] / scale
                                               + (rho / last * self.conjugate_direction[j] if last > 0.0 else 0.0))
        return rho

    cdef void image(self) noexcept nogil:
        self.apply(self.d, self.q, True)

    cdef void advance(self, double lam, double t) noexcept nogil:
        cdef int k, j
        cdef double change = 0.0
        for k in range(self.n_support):
            j = self.support[k]
            change += self.d[j] * (t * self.q[j] - 2.0 * self.g[j])
        self.residual_square += t * change
        axpy(self.n, -t, &self.v[0], &self.u[0])
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
            self.g[j] = self.columns.dot(j, &self.u[0], self.shift)
            new = self.minimiser(j, lam)
            if self.worth(j, new, lam, whole):
                self.residual_square += (new - self.b[j]) * ((new - self.b[j]) * self.diag[j] - 2.0 * self.g[j])
                self.shift += self.columns.axpy(j, self.b[j] - new, &self.u[0])
                self.b[j] = new
                moved += 1
        if moved:
            self.columns.correlate(&self.u[0], self.shift, self.g)
            self.iterations += 1
        return moved

    def append(self, Design design, ElasticNet penalty, int[::1] which, double[::1] start, double[::1] gradient):
        """Take in columns of the design."""
        cdef int count = which.shape[0], m = self.size, k
        if count == 0:
            return
        if self.columns.size == m:
            self.columns.append(design, &which[0], count)
        self.add(&which[0], &start[0], &gradient[0], count)
        self.take_penalty(penalty, m)
        for k in range(m, self.size):
            self.diag[k] = self.inner(k, k)

    cdef double effort(self) noexcept:
        if self.directions < 8:
            return 0.0
        steps = <double> self.applications / self.directions
        self.applications = self.directions = 0
        return steps
