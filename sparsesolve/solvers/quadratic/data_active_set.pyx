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

from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.solvers.quadratic.active_set cimport ActiveSetQuadratic

# Conjugate gradients in a Newton direction: with more, signs change before the direction is used.
DEF STEPS = 60
# Relative residual that conjugate gradients leave at most.
cdef double RESIDUAL_FORCING = 1e-2


cdef class DataActiveSet(ActiveSetQuadratic):

    # (n + 1,) sqrt(w) Z d less a multiple of sqrt(w), as u; the image of a conjugate direction
    cdef double[::1] v, w
    cdef double enough                  # violation relative to lam that the target allows for
    cdef double most                    # residual of conjugate gradients over its threshold

    def __cinit__(self, PackedColumns columns):
        self.columns = columns
        self.v, self.w = np.zeros((2, columns.n + 1))
        self._work_on_residual()

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
            self.renew()
        return ActiveSetQuadratic.solve(self, lam, target, limit - self.iterations)

    cdef void leave(self, double lam, double target) noexcept nogil:
        """Set the violation of the optimality conditions, relative to lam, that the target
        allows.

        It shrinks the dual point by a fraction, and costs the gap that fraction of the penalty.
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
        cdef double new
        self.passes += 1
        for j in range(self.size):
            # far columns are examined after the cycles
            if self.b[j] == 0.0 and fabs(self.g[j]) < 0.9 * lam * self.l1[j]:
                continue
            self.meet(j)
            new = self.minimiser(j, lam)
            if new != self.b[j]:
                changed += (self.b[j] == 0.0) != (new == 0.0)
                self.move(j, new)
        return changed

    cdef void direction(self, double lam) noexcept nogil:
        """d on the support with v = Z d and q = Z'v, by conjugate gradients preconditioned by the
        diagonal; with coefficients held, from the current d.
        """
        cdef int k, j
        cdef Py_ssize_t n = self.columns.n
        for k in range(self.n_support):
            j = self.support[k]
            self.x[k] = self.conjugate[k] = self.d[j] if self.n_held > 0 else 0.0
            self.product[k] = 0.0
        if self.n_held > 0:
            self.times_conjugate(lam)
            memcpy(&self.v[0], &self.w[0], (n + 1) * sizeof(double))
        else:
            memset(&self.v[0], 0, (n + 1) * sizeof(double))
        for k in range(self.n_support):
            self.conjugate[k] = 0.0
            self.residual[k] = self.rhs[self.support[k]] - self.product[k]
        self.conjugate_gradients(self.n_support, self.x, STEPS, lam,
                                 RESIDUAL_FORCING if self.n_held == 0 else 0.0)
        for k in range(self.n_support):
            j = self.support[k]
            self.d[j] = self.x[k]
            self.q[j] = self.rhs[j] - self.residual[k] - lam * self.l2[j] * self.d[j]

    cdef void follow(self, double t) noexcept nogil:
        axpy(self.columns.n + 1, t, &self.w[0], &self.v[0])

    cdef bint near_enough(self) noexcept nogil:
        return self.most <= self.enough

    cdef double times_conjugate(self, double lam) noexcept nogil:
        """product = (Z'Z + lam L2) p, with w = Z p."""
        cdef int k, j, count = 0
        cdef Py_ssize_t n = self.columns.n
        cdef double curvature = 0.0, size = 0.0, p
        self.passes += 1
        memset(&self.w[0], 0, n * sizeof(double))
        for k in range(self.n_support):
            if self.conjugate[k] != 0.0:
                self.which[count], self.values[count] = self.support[k], -self.conjugate[k]
                count += 1
        self.w[n] = self.columns.subtract_listed(self.which, count, self.values, &self.w[0])
        self.columns.correlate_listed(self.support, self.n_support, &self.w[0], self.w[n],
                                      self.product)
        for k in range(self.n_support):
            j, p = self.support[k], self.conjugate[k]
            self.product[k] += lam * self.l2[j] * p
            curvature += p * self.product[k]
            size += p * p * (self.diag[j] + lam * self.l2[j])
        # columns depend on one another along it
        return curvature if curvature > 1e-9 * size else 0.0

    cdef double precondition(self, double last, double lam) noexcept nogil:
        """`most` is the largest residual relative to its threshold, infinite without one."""
        cdef int k, j
        cdef double rho = 0.0, curvature, e, threshold
        self.most = 0.0
        for k in range(self.n_support):
            j, e = self.support[k], self.residual[k]
            curvature, threshold = self.diag[j] + lam * self.l2[j], lam * self.l1[j]
            if curvature > 0.0 and not self.held[j]:
                rho += e * e / curvature
                self.most = max(self.most, fabs(e) / threshold if threshold > 0.0 else INFINITY)
        for k in range(self.n_support):
            j = self.support[k]
            curvature = self.diag[j] + lam * self.l2[j]
            if curvature > 0.0 and not self.held[j]:
                self.conjugate[k] = (self.residual[k] / curvature
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

    cdef void meet(self, int j) noexcept nogil:
        self.g[j] = self.columns.dot(j, &self.u[0], self.u[self.columns.n])

    cdef void move(self, int j, double new) noexcept nogil:
        cdef double step = new - self.b[j]
        self.residual_square += step * (step * self.diag[j] - 2.0 * self.g[j])
        self.u[self.columns.n] += self.columns.axpy(j, -step, &self.u[0])
        self.rounding_steps += 1.0
        self.b[j] = new

    cdef void renew(self) noexcept nogil:
        self.columns.correlate(&self.u[0], self.u[self.columns.n], self.g)
