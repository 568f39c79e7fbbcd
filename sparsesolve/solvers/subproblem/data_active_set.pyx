"""Active-set Newton steps by products with the columns: sparse designs, or many working columns.

Coordinate descent goes first: on columns that have little in common, as in text, nothing is
faster. Newton directions come from conjugate gradients on the support.
Invariant: u + u[n] * sqrt(w) = sqrt(w) (y - Zb), so sparse columns never fill in.
"""
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic

cdef double GRADIENT = costs.rounding.GRADIENT
cdef double CLIPPED_STEP = costs.subproblem.CLIPPED_STEP
# Conjugate gradients in a Newton direction: with more, signs change before the direction is used.
DEF STEPS = 60
# Cycles of coordinate descent before a Newton direction, on sparse columns.
DEF CYCLES = 12
cdef double CHANGING_SIGNS = costs.subproblem.CHANGING_SIGNS
cdef double FAR_COLUMN = costs.subproblem.FAR_COLUMN
cdef double FLAT_DIRECTION = costs.rounding.FLAT_DIRECTION
cdef double RESIDUAL_FORCING = costs.subproblem.RESIDUAL_FORCING
cdef double GRADIENT_SHARE = costs.subproblem.GRADIENT_SHARE


cdef class DataActiveSet(ActiveSetQuadratic):

    def __cinit__(self, PackedColumns columns):
        self.columns, self.n, self.wants_start = columns, columns.n, True
        self.v, self.w = np.zeros((2, self.n))
        self._work_on_residual()
        self._make_room()

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            ActiveSetQuadratic.reserve(self, capacity)
            self._make_room()
        return 0

    def _make_room(self):
        self.residual, self.product = np.zeros(self.capacity), np.zeros(self.capacity)
        self.conjugate_direction, self.part = np.zeros((2, self.capacity))
        self.listed = np.zeros(self.capacity, dtype=np.intc)

    cdef void inner_with(self, int j, const int* which, int count, double* out) noexcept nogil:
        memset(&self.v[0], 0, self.n * sizeof(double))
        self.image_shift = self.columns.axpy(j, 1.0, &self.v[0])
        self.columns.correlate_listed(which, count, &self.v[0], self.image_shift, out)

    cdef void sync_residual(self, const double* response, const double* missing, double drift,
                            double* r) noexcept nogil:
        ActiveSetQuadratic.sync_residual(self, response, missing, drift, r)
        self.columns.correlate(r, 0.0, self.g)

    cdef int solve(self, double lam, double target, long budget) noexcept nogil:
        """Coordinate descent until the signs stay, on sparse columns; then Newton steps."""
        cdef long limit = self.iterations + budget
        cdef int count, changed
        self.leave(lam, target)
        if self.columns.dense or self.solved(lam, target):
            return ActiveSetQuadratic.solve(self, lam, target, budget)
        changed = self.n_violating(lam)
        for count in range(CYCLES):
            if changed <= CHANGING_SIGNS * self.size or self.iterations >= limit:
                break
            changed = self.cd_cycle(lam)
            self.iterations += 1
        if count > 0:
            self.columns.correlate(&self.u[0], self.u[self.n], self.g)
        return ActiveSetQuadratic.solve(self, lam, target, limit - self.iterations)

    cdef void leave(self, double lam, double target) noexcept nogil:
        """Set the violation of the optimality conditions, relative to lam, that the target
        allows.

        It shrinks the dual point by its share, and costs the gap that share of the penalty.
        """
        self.enough = GRADIENT_SHARE * target / max(self.penalty_value(lam), target)

    cdef int n_violating(self, double lam) noexcept nogil:
        """How many coefficients would leave zero or reach it, each by itself."""
        cdef int j, count = 0
        for j in range(self.size):
            count += self.worth(j, self.minimiser(j, lam), lam, False)
        return count

    cdef int cd_cycle(self, double lam) noexcept nogil:
        """One cycle of coordinate descent over all columns that are near moving; g is left stale.

        Returns how many coefficients reached zero or left it.
        """
        cdef int j, changed = 0
        cdef double new, step
        self.applications += 1
        self.passes += 1
        for j in range(self.size):
            if self.b[j] == 0.0 and fabs(self.g[j]) < FAR_COLUMN * lam * self.l1[j]:
                continue
            self.g[j] = self.columns.dot(j, &self.u[0], self.u[self.n])
            new = self.minimiser(j, lam)
            step = new - self.b[j]
            if step != 0.0:
                changed += (self.b[j] == 0.0) != (new == 0.0)
                self.residual_square += step * (step * self.diag[j] - 2.0 * self.g[j])
                self.u[self.n] += self.columns.axpy(j, -step, &self.u[0])
                self.rounding_steps += 1.0
                self.b[j] = new
        return changed

    cdef double apply(self, const double* d, double* v) noexcept nogil:
        """v = Z d of the support's columns; returns its shift."""
        cdef int k, j, count = 0
        memset(v, 0, self.n * sizeof(double))
        for k in range(self.n_support):
            j = self.support[k]
            if d[j] != 0.0:
                self.listed[count], self.part[count] = j, -d[j]
                count += 1
        return self.columns.subtract_listed(&self.listed[0], count, &self.part[0], v)

    cdef void meet(self, const double* v, double shift, double* out) noexcept nogil:
        """out = Z'(v + shift * sqrt(w)) of the support's columns."""
        cdef int k
        self.columns.correlate_listed(self.support, self.n_support, v, shift, &self.part[0])
        for k in range(self.n_support):
            out[self.support[k]] = self.part[k]

    cdef bint newton(self, double lam) noexcept nogil:
        """One Newton step on sparse columns, in which coefficients stop at zero or a limit.

        What they leave undone is left to cycles and to the next step, which is cheaper than to
        solve again for the others. Where that leads uphill, and on dense columns, which may be
        dependent, the others are solved for again.
        """
        cdef double t
        if self.columns.dense:
            return ActiveSetQuadratic.newton(self, lam)
        if self.free_gradient(lam) <= GRADIENT:
            return False
        self.direction(lam)
        self.iterations += 1
        memcpy(&self.product[0], self.d, self.size * sizeof(double))
        if self.hold_at_kinks(lam) > 0:
            self._follow_clip()
        t = self.line_step(lam)
        if t < CLIPPED_STEP:
            return ActiveSetQuadratic.newton(self, lam)
        self.advance(lam, t)
        return True

    cdef void _follow_clip(self) noexcept nogil:
        """v = Z d and q = Z'v for the d that the stops have left, product being the one before."""
        cdef int k, j
        for k in range(self.n_support):
            j = self.support[k]
            if self.held[j]:
                self.image_shift += self.columns.axpy(j, self.d[j] - self.product[j], &self.v[0])
        self.meet(&self.v[0], self.image_shift, self.q)

    cdef void direction(self, double lam) noexcept nogil:
        """Conjugate gradients on (Z'Z + lam l2) d = rhs, scaled by the diagonal, with v = Z d and
        q.

        They end once no gradient is off by more than `enough`. With coefficients held they
        continue from the current d.
        """
        cdef int step, k, j
        cdef double rho, curvature, t, shift
        cdef double* p = &self.conjugate_direction[0]
        cdef double* e = &self.residual[0]
        self.directions += 1
        rho = self._begin(lam)
        for step in range(STEPS):
            if rho <= self.goal or (step > 0 and self.most <= self.enough):
                break
            self.applications += 1
            self.passes += 1
            shift = self.apply(p, &self.w[0])
            self.meet(&self.w[0], shift, &self.product[0])
            curvature = self._curvature(lam)
            if curvature <= 0.0:
                break
            t = rho / curvature
            axpy(self.n, t, &self.w[0], &self.v[0])
            self.image_shift += t * shift
            for k in range(self.n_support):
                j = self.support[k]
                self.d[j] += t * p[j]
                self.q[j] += t * self.product[j]
                e[j] -= t * (self.product[j] + lam * self.l2[j] * p[j])
            rho = self.precondition(lam, rho)

    cdef double _begin(self, double lam) noexcept nogil:
        """The first conjugate direction, from d = 0 or with coefficients held; returns the
        residual's square.
        """
        cdef int k, j
        cdef double rho
        memset(&self.conjugate_direction[0], 0, self.size * sizeof(double))
        for k in range(self.n_support):
            j = self.support[k]
            self.q[j] = 0.0
            if self.n_held == 0:
                self.d[j] = 0.0
        self.image_shift = self.apply(self.d, &self.v[0])
        if self.n_held > 0:
            self.meet(&self.v[0], self.image_shift, self.q)
        for k in range(self.n_support):
            j = self.support[k]
            self.residual[j] = self.rhs[j] - self.q[j] - lam * self.l2[j] * self.d[j]
        rho = self.precondition(lam, 0.0)
        if self.n_held == 0:
            self.goal = RESIDUAL_FORCING * RESIDUAL_FORCING * rho
        return rho

    cdef double _curvature(self, double lam) noexcept nogil:
        """The curvature along p, 0 if it does not exceed rounding."""
        cdef int k, j
        cdef double curvature = 0.0, size = 0.0
        cdef double* p = &self.conjugate_direction[0]
        for k in range(self.n_support):
            j = self.support[k]
            curvature += p[j] * (self.product[j] + lam * self.l2[j] * p[j])
            size += p[j] * p[j] * (self.diag[j] + lam * self.l2[j])
        return curvature if curvature > FLAT_DIRECTION * size else 0.0

    cdef double precondition(self, double lam, double last) noexcept nogil:
        """The next conjugate direction; returns the residual's square in the preconditioned norm.

        `most` is the largest residual relative to lam, infinite while it is unknown.
        """
        cdef int k, j
        cdef double rho = 0.0, scale, e, most = 0.0
        for k in range(self.n_support):
            j = self.support[k]
            scale = self.diag[j] + lam * self.l2[j]
            if scale > 0.0 and not self.held[j]:
                e = self.residual[j]
                rho += e * e / scale
                most = max(most,
                           fabs(e) / (lam * self.l1[j]) if lam * self.l1[j] > 0.0 else INFINITY)
        for k in range(self.n_support):
            j = self.support[k]
            scale = self.diag[j] + lam * self.l2[j]
            if scale > 0.0 and not self.held[j]:
                self.conjugate_direction[j] = (self.residual[j] / scale
                                               + (rho / last * self.conjugate_direction[j]
                                                  if last > 0.0 else 0.0))
        self.most = most
        return rho

    cdef void rescale(self, double t) noexcept nogil:
        cdef int k
        cdef Py_ssize_t i
        ActiveSetQuadratic.rescale(self, t)
        self.image_shift *= t
        for i in range(self.n):
            self.v[i] *= t
        for k in range(self.n_support):
            self.q[self.support[k]] *= t

    cdef void image(self) noexcept nogil:
        """q off the support; conjugate gradients have left it on the support."""
        cdef int k, j, count = 0
        for k in range(self.n_support):
            self.position[self.support[k]] = 0
        for j in range(self.size):
            if self.position[j] < 0:
                self.listed[count] = j
                count += 1
            self.position[j] = -1
        self.columns.correlate_listed(&self.listed[0], count, &self.v[0], self.image_shift,
                                      &self.part[0])
        for k in range(count):
            self.q[self.listed[k]] = self.part[k]

    cdef void advance(self, double lam, double t) noexcept nogil:
        cdef int k, j
        cdef double change = 0.0
        for k in range(self.n_support):
            j = self.support[k]
            change += self.d[j] * (t * self.q[j] - 2.0 * self.g[j])
        self.residual_square += t * change
        axpy(self.n, -t, &self.v[0], &self.u[0])
        self.u[self.n] -= t * self.image_shift
        self.rounding_steps += self.size
        axpy(self.size, -t, self.q, self.g)
        ActiveSetQuadratic.advance(self, lam, t)

    cdef int sweep(self, double lam, bint whole) noexcept nogil:
        cdef int j, moved = 0
        cdef double new
        for j in range(self.size):
            # by the gradient from before the sweep: cheap, and nearly always right
            new = self.minimiser(j, lam)
            if not self.worth(j, new, lam, whole):
                continue
            self.g[j] = self.columns.dot(j, &self.u[0], self.u[self.n])
            new = self.minimiser(j, lam)
            if self.worth(j, new, lam, whole):
                self.residual_square += (new - self.b[j]) * ((new - self.b[j]) * self.diag[j]
                        - 2.0 * self.g[j])
                self.u[self.n] += self.columns.axpy(j, self.b[j] - new, &self.u[0])
                self.rounding_steps += 1.0
                self.b[j] = new
                moved += 1
        if moved:
            self.columns.correlate(&self.u[0], self.u[self.n], self.g)
            self.iterations += 1
        return moved

    cpdef int append(self, Design design, penalty, const int[::1] which, const double[::1] start,
                     const double[::1] gradient) except -1:
        """Append columns of the design."""
        cdef int count = which.shape[0], m = self.size, k
        if count == 0:
            return 0
        if self.columns.size == m:
            self.columns.append(design, &which[0], count)
        self.add(&which[0], &start[0], &gradient[0], count)
        self.take_penalty(penalty, m)
        for k in range(m, self.size):
            self.diag[k] = self.columns.square(k)
        return 0

    cdef double effort(self) noexcept:
        if self.directions < 8:
            return 0.0
        steps = <double> self.applications / self.directions
        self.applications = self.directions = 0
        return steps
