"""Active-set Newton steps by products with the columns: sparse designs, or many working columns.

    (Z'Z + lam L2) d = rhs  on the support,   d of the held columns given

Coordinate descent goes first: on columns that have little in common, as in text, nothing is
faster. Newton directions come from conjugate gradients on the support: L2 is the diagonal of l2,
and no gradient is off by more than `enough` of its threshold, where STEPS suffice.
Invariant: u + u[n] * sqrt(w) = sqrt(w) (y - Zb), and v as u stands for the image of d, so sparse
columns never fill in; residual = rhs - q - lam l2 d.
Reference: Hestenes, Stiefel (1952), "Methods of conjugate gradients for solving linear systems".
"""
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.solvers.quadratic.active_set cimport ActiveSetQuadratic

cdef double LAST_DIGITS = tolerances.LAST_DIGITS
# Conjugate gradients in a Newton direction: with more, signs change before the direction is used.
DEF STEPS = 60
# Relative residual that conjugate gradients leave at most.
cdef double RESIDUAL_FORCING = 1e-2


cdef class DataActiveSet(ActiveSetQuadratic):

    # (n + 1,) sqrt(w) Z d less a multiple of sqrt(w), as u; the image of a conjugate direction
    cdef double[::1] v, w
    cdef double enough                  # violation relative to lam that the target allows for
    # of each column of the support: a conjugate direction, its product with Z'Z, what d leaves
    cdef double[::1] conjugate, product, residual
    cdef double most                    # residual relative to its threshold
    cdef double goal                    # of the residual's square

    def __cinit__(self, PackedColumns columns):
        self.columns = columns
        self.v, self.w = np.zeros((2, columns.n + 1))
        self._work_on_residual()
        self._make_room()

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            ActiveSetQuadratic.reserve(self, capacity)
            self._make_room()
        return 0

    def _make_room(self):
        self.conjugate, self.product, self.residual = np.zeros((3, self.capacity))

    cdef int solve(self, double lam, double target, long budget) noexcept nogil:
        """Coordinate descent until the signs stay, on sparse columns; then Newton steps."""
        cdef long limit = self.iterations + budget
        cdef int count, changed
        self.leave(lam, target)
        if self.columns.dense or self.solved(lam, target):
            return ActiveSetQuadratic.solve(self, lam, target, budget)
        changed = self.n_violating(lam)
        # Cycles of coordinate descent before a Newton direction, on sparse columns.
        for count in range(12):
            # until hardly a sign changes
            if changed <= 2e-3 * self.size or self.iterations >= limit:
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
        self.enough = 0.8 * target / max(self.penalty_value(lam), target)

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
        self.passes += 1
        for j in range(self.size):
            # far columns are examined after the cycles
            if self.b[j] == 0.0 and fabs(self.g[j]) < 0.9 * lam * self.l1[j]:
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
        if self.free_gradient(lam) <= LAST_DIGITS:
            return False
        self.direction(lam)
        self.iterations += 1
        memcpy(self.values, self.d, self.size * sizeof(double))
        if self.hold_at_kinks(lam) > 0:
            self._follow_clip()
        t = self.line_step(lam)
        # a shorter one is not worth having
        if t < 0.1:
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
        """d on the support with v = Z d and q = Z'v, by conjugate gradients preconditioned by the
        diagonal; with coefficients held, from the current d.
        """
        cdef int step, k, j
        cdef Py_ssize_t n = self.columns.n
        cdef double rho, curvature, t
        cdef double* p = &self.conjugate[0]
        cdef double* product = &self.product[0]
        cdef double* v = &self.v[0]
        cdef double* w = &self.w[0]
        rho = self._begin(lam)
        for step in range(STEPS):
            if rho <= self.goal or (step > 0 and self.most <= self.enough):
                break
            self.passes += 1
            self._apply(w)
            self.columns.correlate_listed(self.support, self.n_support, w, w[n], product)
            curvature = self._curvature(lam)
            if curvature <= 0.0:
                break
            t = rho / curvature
            axpy(n + 1, t, w, v)
            for k in range(self.n_support):
                j = self.support[k]
                self.d[j] += t * p[k]
                self.q[j] += t * product[k]
                self.residual[k] -= t * (product[k] + lam * self.l2[j] * p[k])
            rho = self._precondition(lam, rho)

    cdef double _begin(self, double lam) noexcept nogil:
        """The first conjugate direction, from d = 0 or with coefficients held; returns the
        residual's square.
        """
        cdef int k, j, count = self.n_support
        cdef double rho
        cdef double* v = &self.v[0]
        for k in range(count):
            j = self.support[k]
            if self.n_held == 0:
                self.d[j] = 0.0
            self.conjugate[k] = self.d[j]
        self._apply(v)
        if self.n_held > 0:
            self.columns.correlate_listed(self.support, count, v, v[self.columns.n],
                                            &self.product[0])
        else:
            memset(&self.product[0], 0, count * sizeof(double))
        for k in range(count):
            j = self.support[k]
            self.conjugate[k], self.q[j] = 0.0, self.product[k]
            self.residual[k] = self.rhs[j] - self.q[j] - lam * self.l2[j] * self.d[j]
        rho = self._precondition(lam, 0.0)
        if self.n_held == 0:
            self.goal = RESIDUAL_FORCING * RESIDUAL_FORCING * rho
        return rho

    cdef void _apply(self, double* v) noexcept nogil:
        """v = Z p of the conjugate direction p."""
        cdef int k, count = 0
        cdef Py_ssize_t n = self.columns.n
        memset(v, 0, n * sizeof(double))
        for k in range(self.n_support):
            if self.conjugate[k] != 0.0:
                self.which[count], self.values[count] = self.support[k], -self.conjugate[k]
                count += 1
        v[n] = self.columns.subtract_listed(self.which, count, self.values, v)

    cdef double _curvature(self, double lam) noexcept nogil:
        """The curvature along p, 0 if it does not exceed rounding."""
        cdef int k, j
        cdef double curvature = 0.0, size = 0.0, p
        for k in range(self.n_support):
            j, p = self.support[k], self.conjugate[k]
            curvature += p * (self.product[k] + lam * self.l2[j] * p)
            size += p * p * (self.diag[j] + lam * self.l2[j])
        # columns depend on one another along it
        return curvature if curvature > 1e-9 * size else 0.0

    cdef double _precondition(self, double lam, double last) noexcept nogil:
        """The next conjugate direction; returns the residual's square in the preconditioned norm.

        `most` is the largest residual relative to its threshold, infinite while it is unknown.
        """
        cdef int k, j
        cdef double rho = 0.0, scale, e, level
        self.most = 0.0
        for k in range(self.n_support):
            j, e = self.support[k], self.residual[k]
            scale, level = self.diag[j] + lam * self.l2[j], lam * self.l1[j]
            if scale > 0.0 and not self.held[j]:
                rho += e * e / scale
                self.most = max(self.most, fabs(e) / level if level > 0.0 else INFINITY)
        for k in range(self.n_support):
            j = self.support[k]
            scale = self.diag[j] + lam * self.l2[j]
            if scale > 0.0 and not self.held[j]:
                self.conjugate[k] = (self.residual[k] / scale
                                     + (rho / last * self.conjugate[k] if last > 0.0 else 0.0))
        return rho

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
