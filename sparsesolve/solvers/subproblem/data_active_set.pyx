"""Active-set Newton steps by products with the columns: sparse designs, or many working columns.

Coordinate descent goes first: on columns that have little in common, as in text, nothing is
faster. Newton directions come from conjugate gradients on the support or, for more active columns
than rows under a ridge, from a system of n x n.
Invariant: u + u[n] * sqrt(w) = sqrt(w) (y - Zb), so sparse columns never fill in.
"""
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic
from sparsesolve.solvers.subproblem.conjugate_gradients cimport ConjugateGradients
from sparsesolve.solvers.subproblem.woodbury_system cimport WoodburySystem

cdef double GRADIENT = costs.rounding.GRADIENT
cdef double CLIPPED_STEP = costs.subproblem.CLIPPED_STEP
# Cycles of coordinate descent before a Newton direction, on sparse columns.
DEF CYCLES = 12
cdef double CHANGING_SIGNS = costs.subproblem.CHANGING_SIGNS
cdef double PRODUCT = costs.rounding.PRODUCT
cdef double FAR_COLUMN = costs.subproblem.FAR_COLUMN
cdef double GRADIENT_SHARE = costs.subproblem.GRADIENT_SHARE


cdef class DataActiveSet(ActiveSetQuadratic):

    def __cinit__(self, PackedColumns columns, bint by_rows=False):
        self.columns, self.wants_start = columns, True
        self.v = np.zeros(columns.n + 1)
        self.iterative = ConjugateGradients(columns.n)
        self.rows = WoodburySystem(columns.n) if by_rows else None
        self._work_on_residual()
        self._make_room()

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            ActiveSetQuadratic.reserve(self, capacity)
            self._make_room()
        return 0

    def _make_room(self):
        self.iterative.reserve(self.capacity)
        if self.rows is not None:
            self.rows.reserve(self.capacity)

    cdef void restart(self) noexcept nogil:
        ActiveSetQuadratic.restart(self)
        if self.rows is not None:
            self.rows.restart()

    cdef void inner_with(self, int j, const int* which, int count, double* out) noexcept nogil:
        cdef double* v = &self.v[0]
        memset(v, 0, self.columns.n * sizeof(double))
        self.columns.correlate_listed(which, count, v, self.columns.axpy(j, 1.0, v), out)

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
            self.columns.correlate(&self.u[0], self.u[self.columns.n], self.g)
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
        self.iterative.applications += 1
        self.passes += 1
        for j in range(self.size):
            if self.b[j] == 0.0 and fabs(self.g[j]) < FAR_COLUMN * lam * self.l1[j]:
                continue
            self.g[j] = self.columns.dot(j, &self.u[0], self.u[self.columns.n])
            new = self.minimiser(j, lam)
            step = new - self.b[j]
            if step != 0.0:
                changed += (self.b[j] == 0.0) != (new == 0.0)
                self.residual_square += step * (step * self.diag[j] - 2.0 * self.g[j])
                self.u[self.columns.n] += self.columns.axpy(j, -step, &self.u[0])
                self.rounding_steps += 1.0
                self.b[j] = new
        return changed

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
        memcpy(self.values, self.d, self.size * sizeof(double))
        if self.hold_at_kinks(lam) > 0:
            self._follow_clip()
        t = self.line_step(lam)
        if t < CLIPPED_STEP:
            return ActiveSetQuadratic.newton(self, lam)
        self.advance(lam, t)
        return True

    cdef void _follow_clip(self) noexcept nogil:
        """v = Z d and q = Z'v for the d that the stops have left, `values` being the one before."""
        cdef int k, j
        cdef Py_ssize_t n = self.columns.n
        for k in range(self.n_support):
            j = self.support[k]
            if self.held[j]:
                self.v[n] += self.columns.axpy(j, self.d[j] - self.values[j], &self.v[0])
        self.columns.correlate_listed(self.support, self.n_support, &self.v[0], self.v[n],
                                      self.values)
        for k in range(self.n_support):
            self.q[self.support[k]] = self.values[k]

    cdef void direction(self, double lam) noexcept nogil:
        """d on the support with v = Z d and q = Z'v, by the n x n system where it has an answer."""
        cdef double left = INFINITY
        if self.rows is not None:
            left = self.rows.solve(self, lam, &self.v[0])
        if not left < INFINITY:
            self.iterative.solve(self, lam, self.enough, &self.v[0])
        elif self.residual_square > 0.0:        # v is the image of d but for left / lam
            self.rounding_steps += left / (lam * PRODUCT * sqrt(self.residual_square))

    cdef void rescale(self, double t) noexcept nogil:
        cdef int k
        cdef Py_ssize_t i
        ActiveSetQuadratic.rescale(self, t)
        for i in range(self.columns.n + 1):
            self.v[i] *= t
        for k in range(self.n_support):
            self.q[self.support[k]] *= t

    cdef void image(self) noexcept nogil:
        """q off the support; the direction has left it on the support."""
        cdef int k, j, count = 0
        for k in range(self.n_support):
            self.position[self.support[k]] = 0
        for j in range(self.size):
            if self.position[j] < 0:
                self.which[count] = j
                count += 1
            self.position[j] = -1
        self.columns.correlate_listed(self.which, count, &self.v[0], self.v[self.columns.n],
                                      self.values)
        for k in range(count):
            self.q[self.which[k]] = self.values[k]

    cdef void advance(self, double lam, double t) noexcept nogil:
        axpy(self.columns.n + 1, -t, &self.v[0], &self.u[0])
        self.rounding_steps += self.size
        ActiveSetQuadratic.advance(self, lam, t)

    cdef int sweep(self, double lam, bint whole) noexcept nogil:
        cdef int j, moved = 0
        cdef double new
        for j in range(self.size):
            # by the gradient from before the sweep: cheap, and nearly always right
            new = self.minimiser(j, lam)
            if not self.worth(j, new, lam, whole):
                continue
            self.g[j] = self.columns.dot(j, &self.u[0], self.u[self.columns.n])
            new = self.minimiser(j, lam)
            if self.worth(j, new, lam, whole):
                self.residual_square += (new - self.b[j]) * ((new - self.b[j]) * self.diag[j]
                        - 2.0 * self.g[j])
                self.u[self.columns.n] += self.columns.axpy(j, self.b[j] - new, &self.u[0])
                self.rounding_steps += 1.0
                self.b[j] = new
                moved += 1
        if moved:
            self.columns.correlate(&self.u[0], self.u[self.columns.n], self.g)
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
        return self.iterative.effort() if self.rows is None else 0.0
