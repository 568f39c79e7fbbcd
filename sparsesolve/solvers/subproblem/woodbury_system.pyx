"""Newton directions of elastic nets with more active columns than rows, by a system of n x n.

    (Z'Z + lam D) d = rhs  on the support,   d of the held columns given,   Z (n, k) dense

Given: an active set with support, right-hand side and held columns; D is the diagonal of its l2,
positive on all but a few columns.
Returned: its d, v = Z d and q = Z'v on the support, and the length of what v leaves of the system
below. With v = Z d (Woodbury's identity)

    (K + lam I) v = Z D^-1 rhs,   K = sum_j z_j z_j' / l2_j,   d = D^-1 (rhs - Z'v) / lam,

an n x n system. Columns F without a ridge are eliminated: v = M^-1 (c + lam Z_F d_F) with
M = K + lam I, and lam Z_F' M^-1 Z_F d_F = rhs_F - Z_F' M^-1 c. Held coefficients H add
lam Z_H d_H to the right-hand side. A Cholesky factor of M is kept from lam to lam and from
support to support: it preconditions conjugate gradients on vectors of n, and is recomputed once
their steps have cost as much.
Invariant: K is the sum over the columns marked `inside`, which follow the support.
Reference: Hager (1989), "Updating the inverse of a matrix"; Li, Sun, Toh (2018), "A highly
efficient semismooth Newton augmented Lagrangian method for solving lasso problems", section 3.3.
"""
from libc.math cimport INFINITY, sqrt
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport dsymv, dsyrk, dtrsv
from scipy.linalg.cython_lapack cimport dpotrf

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.factors.cholesky cimport Cholesky
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.linalg.working.dense cimport DensePackedColumns
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic

# Columns that enter K, or leave it, at a time: a block stays in cache.
DEF WIDTH = 64
# Columns without a ridge that are eliminated: room for their Schur complement.
DEF MOST_WITHOUT_RIDGE = 32
# Conjugate gradients at most; a factor is made again long before.
DEF STEPS = 60
cdef double IMAGE = costs.rounding.IMAGE
cdef double FAILED_SYSTEM = costs.subproblem.FAILED_SYSTEM
cdef int FACTOR_STEPS = costs.subproblem.FACTOR_STEPS
cdef int EXPECTED_STEPS = costs.subproblem.EXPECTED_STEPS
cdef int CHANGES_BEFORE_SUM = costs.subproblem.CHANGES_BEFORE_SUM
cdef double SCHUR_PIVOT = costs.rounding.SCHUR_PIVOT


cdef class WoodburySystem:

    def __cinit__(self, Py_ssize_t n):
        self.n = n
        self.K, self.factor = np.zeros((n, n)), np.zeros((n, n))
        self.block = np.zeros((WIDTH, n))
        self.inside = np.zeros(0, dtype=np.intc)
        self.answers, self.corner = np.zeros((0, n)), np.zeros(MOST_WITHOUT_RIDGE**2)
        self.vectors, self.schur = np.zeros((4, n)), Cholesky(MOST_WITHOUT_RIDGE)
        self.without_ridge = np.zeros(MOST_WITHOUT_RIDGE, dtype=np.intc)

    cdef int reserve(self, int capacity) except -1:
        """Make room for so many working columns, and keep which are in K."""
        known = np.zeros((2, capacity), dtype=np.intc)
        known[0, :self.inside.shape[0]] = self.inside
        self.inside, self.wanted = known
        return 0

    cdef void restart(self) noexcept nogil:
        """Forget K: there are no working columns."""
        self.turnover, self.factor_level, self.exact = 0, 0.0, False
        memset(&self.inside[0], 0, self.inside.shape[0] * sizeof(int))
        memset(&self.K[0, 0], 0, self.n * self.n * sizeof(double))

    cdef double solve(self, ActiveSetQuadratic active, double lam, double* v) noexcept nogil:
        """d, v = Z d and q = Z'v on the support; returns the length of what v leaves of its
        system, INFINITY where that has no answer.
        """
        cdef int k, j, count = 0
        cdef double residual, goal
        cdef double* c = &self.vectors[3, 0]
        if lam <= 0.0 or self._list_without_ridge(active) < 0:
            return INFINITY
        self._update(active)
        if self.factor_level <= 0.0 and not self._factorise(lam):
            self.turnover = CHANGES_BEFORE_SUM * <int> self.n      # summed again the next time
            return INFINITY
        for k in range(active.n_support):               # c = Z_S D^-1 rhs + lam Z_H d_H
            j = active.support[k]
            if active.held[j] and active.d[j] != 0.0:
                active.which[count], active.values[count] = j, -lam * active.d[j]
                count += 1
            elif not active.held[j] and active.l2[j] > 0.0:
                active.which[count], active.values[count] = j, -active.rhs[j] / active.l2[j]
                count += 1
        memset(c, 0, self.n * sizeof(double))
        active.columns.subtract_listed(active.which, count, active.values, c)
        active.passes += 2
        goal = IMAGE * lam * sqrt(max(active.residual_square, 0.0))
        residual = self._solve(lam, c, goal, v)
        if not residual <= FAILED_SYSTEM * sqrt(dot(self.n, c, c)):
            return INFINITY
        if self.n_without_ridge > 0 and not self._solve_without_ridge(active, lam, IMAGE * lam, v):
            return INFINITY
        v[self.n] = 0.0
        active.columns.correlate_listed(active.support, active.n_support, v, 0.0, active.values)
        for k in range(active.n_support):
            j = active.support[k]
            active.q[j] = active.values[k]
            if not active.held[j] and active.l2[j] > 0.0:
                active.d[j] = (active.rhs[j] - active.q[j]) / (lam * active.l2[j])
        if self.n_without_ridge > 0:
            self._multiply(lam, v, &self.vectors[0, 0])
            axpy(self.n, -1.0, &self.vectors[0, 0], c)
            for k in range(self.n_without_ridge):
                j = self.without_ridge[k]
                active.columns.axpy(j, lam * active.d[j], c)
            residual = sqrt(dot(self.n, c, c))
        return residual

    # K and its factor

    cdef void _update(self, ActiveSetQuadratic active) noexcept nogil:
        """Bring K to the columns of the support that have a ridge and are not held."""
        cdef int k, j, count, total = 0, changes = 0, sign
        memset(&self.wanted[0], 0, active.size * sizeof(int))
        for k in range(active.n_support):
            j = active.support[k]
            if not active.held[j] and active.l2[j] > 0.0:
                self.wanted[j] = True
                total += 1
        for j in range(active.size):
            changes += self.wanted[j] != self.inside[j]
        if changes == 0:
            return
        if changes > total or self.turnover + changes > CHANGES_BEFORE_SUM * self.n:
            memset(&self.K[0, 0], 0, self.n * self.n * sizeof(double))
            memset(&self.inside[0], 0, active.size * sizeof(int))
            self.turnover = -total
        for sign in range(1, -2, -2):
            count = 0
            for j in range(active.size):
                if self.wanted[j] - self.inside[j] == sign:
                    active.which[count] = j
                    count += 1
            self._add(active, count, sign)
            self.turnover += count
            self.updates += count
        memcpy(&self.inside[0], &self.wanted[0], active.size * sizeof(int))
        self.exact = False

    cdef void _add(self, ActiveSetQuadratic active, int count, double sign) noexcept nogil:
        """K += sign * sum of z_j z_j' / l2_j over the first listed columns."""
        cdef int n = <int> self.n, start, width, k, j
        cdef double one = 1.0, factor
        cdef Py_ssize_t i
        cdef const double* z
        for start in range(0, count, WIDTH):
            width = min(WIDTH, count - start)
            for k in range(width):
                j = active.which[start + k]
                z = (<DensePackedColumns> active.columns).Z + self.n * j
                factor = 1.0 / sqrt(active.l2[j])
                for i in range(self.n):
                    self.block[k, i] = factor * z[i]
            dsyrk("L", "N", &n, &width, &sign, &self.block[0, 0], &n, &one, &self.K[0, 0], &n)

    cdef bint _factorise(self, double lam) noexcept nogil:
        """L L' = K + lam I; False where rounding makes that indefinite."""
        cdef int n = <int> self.n, info = 0
        cdef Py_ssize_t i
        memcpy(&self.factor[0, 0], &self.K[0, 0], self.n * self.n * sizeof(double))
        for i in range(self.n):
            self.factor[i, i] += lam
        dpotrf("L", &n, &self.factor[0, 0], &n, &info)
        self.factor_level, self.exact = lam if info == 0 else 0.0, info == 0
        self.excess = 0
        self.factorisations += 1
        return info == 0

    cdef void _multiply(self, double lam, const double* x, double* out) noexcept nogil:
        """out = (K + lam I) x."""
        cdef int n = <int> self.n, one = 1
        cdef double unit = 1.0
        memcpy(out, x, self.n * sizeof(double))
        dsymv("L", &n, &unit, &self.K[0, 0], &n, <double*> x, &one, &lam, out, &one)

    cdef double _solve(self, double lam, const double* c, double goal, double* v) noexcept nogil:
        """v = (K + lam I)^-1 c by conjugate gradients with the factor; returns the residual's
        length.

        An old factor is replaced once its steps have cost as much.
        """
        cdef int n = <int> self.n, one = 1, step, idle = 0
        cdef double rho, last = 0.0, curvature, size, least = INFINITY, t
        cdef double* e = &self.vectors[0, 0]
        cdef double* z = &self.vectors[1, 0]
        cdef double* p = &self.vectors[2, 0]
        cdef Py_ssize_t i
        memset(v, 0, self.n * sizeof(double))
        memset(p, 0, self.n * sizeof(double))
        memcpy(e, c, self.n * sizeof(double))
        for step in range(STEPS):
            size = sqrt(dot(self.n, e, e))
            idle = 0 if size < 0.5 * least else idle + 1
            least = min(least, size)
            if size <= goal or (self.exact and idle > EXPECTED_STEPS) or not size < INFINITY:
                break
            if not self.exact and self.excess > FACTOR_STEPS:
                if not self._factorise(lam):
                    return INFINITY
                last = 0.0
            memcpy(z, e, self.n * sizeof(double))
            dtrsv("L", "N", "N", &n, &self.factor[0, 0], &n, z, &one)
            dtrsv("L", "T", "N", &n, &self.factor[0, 0], &n, z, &one)
            rho = dot(self.n, e, z)
            t = rho / last if last > 0.0 else 0.0
            for i in range(self.n):
                p[i] = z[i] + t * p[i]
            self._multiply(lam, p, z)
            curvature = dot(self.n, p, z)
            if not curvature > 0.0:
                break
            axpy(self.n, rho / curvature, p, v)
            axpy(self.n, -rho / curvature, z, e)
            last = rho
            self.excess += step >= EXPECTED_STEPS
        self._multiply(lam, v, z)
        for i in range(self.n):
            e[i] = c[i] - z[i]
        return sqrt(dot(self.n, e, e))

    # columns without a ridge

    cdef int _list_without_ridge(self, ActiveSetQuadratic active) noexcept nogil:
        """List the columns of the support without a ridge; how many, -1 if too many."""
        cdef int k, j
        self.n_without_ridge = 0
        for k in range(active.n_support):
            j = active.support[k]
            if active.l2[j] <= 0.0 and not active.held[j]:
                if self.n_without_ridge == MOST_WITHOUT_RIDGE:
                    return -1
                self.without_ridge[self.n_without_ridge] = j
                self.n_without_ridge += 1
        if self.n_without_ridge > self.answers.shape[0]:
            with gil:
                self.answers = np.zeros((MOST_WITHOUT_RIDGE, self.n))
        return self.n_without_ridge

    cdef bint _solve_without_ridge(self, ActiveSetQuadratic active, double lam, double goal,
                                   double* v) noexcept nogil:
        """d of the columns without a ridge, and v += lam M^-1 Z_F d_F, for v = M^-1 c; False
        where they depend on each other."""
        cdef int count = self.n_without_ridge, k, i
        cdef double* G = &self.corner[0]
        cdef double* z
        cdef double[MOST_WITHOUT_RIDGE] scale
        cdef int[MOST_WITHOUT_RIDGE] accepted
        for k in range(count):
            z = (<DensePackedColumns> active.columns).Z + self.n * self.without_ridge[k]
            if not (self._solve(lam, z, goal, &self.answers[k, 0])
                    <= FAILED_SYSTEM * sqrt(dot(self.n, z, z))):
                return False
            active.values[k] = (active.rhs[self.without_ridge[k]] - dot(self.n, z, v)) / lam
            for i in range(k + 1):
                G[i + k * count] = G[k + i * count] = dot(self.n, z, &self.answers[i, 0])
            scale[k] = G[k + k * count]
        self.schur.truncate(0)
        if self.schur.append(count, NULL, G, scale, SCHUR_PIVOT, accepted) < count:
            return False
        self.schur.solve(active.values)
        for k in range(count):
            active.d[self.without_ridge[k]] = active.values[k]
            axpy(self.n, lam * active.values[k], &self.answers[k, 0], v)
        return True
