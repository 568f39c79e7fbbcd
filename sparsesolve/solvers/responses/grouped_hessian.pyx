"""Newton steps on the nonzero rows of K responses, for squared error by inner products.

    solve (I (x) (G + L) - U L U') D = g - (lam Omega)'(B)   along the m nonzero rows of B

Given: a ResponseQuadratic. Returned: its coefficients after a step. L is the penalty's curvature
across the direction u_j of each row. Woodbury's identity inverts the Hessian by two matrices of
order m in place of one of order K m. These are (G + L)^-1 and the factor of
L^-1 - (G + L)^-1 o u'u, where o multiplies entries. Invariant: both are those of the rows `at`,
at an earlier point.
Reference: Bach et al. 2012, section 4.
"""
from libc.math cimport INFINITY
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport dgemm
from scipy.linalg.cython_lapack cimport dpotrf, dpotri, dpotrs

import numpy as np

from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.elastic_net_rows cimport row_norm, row_square
from sparsesolve.solvers import costs
from sparsesolve.solvers.responses.quadratic cimport ResponseQuadratic

# Attempts to factor a numerically singular matrix. Each multiplies the ridge by a hundred.
DEF REPAIRS = 6
# 2^-12 of a step of blocks gains less than the next sweep.
DEF HALVINGS = 12
cdef double REPAIR_RIDGE = costs.rounding.REPAIR_RIDGE
cdef double FLAT_ROW = costs.responses.FLAT_ROW


cdef class GroupedHessian:
    """Hold the inverse Hessian of an earlier point of K responses and p features."""

    def __init__(self, int K, int p):
        self.u, self.d, self.q, self.left, self.y = np.zeros((5, K, p))
        self.curvature, self.along = np.zeros((2, p))
        self.at, self.inverse, self.schur = np.zeros(p, dtype=np.intc), np.zeros(0), np.zeros(0)

    cdef int refresh(self, ResponseQuadratic rows, double lam) except -1:
        """Factor the Hessian at the current point along the nonzero rows.

        If it is singular, no rows are left, and `step` does nothing.
        """
        cdef int j, k, i, c, n = 0, info = 1, tries
        cdef Py_ssize_t square
        cdef double size, most = 0.0, added = 0.0
        cdef double* column
        for j in range(rows.m):
            size = row_norm(rows.B, j)
            if size == 0.0 and not rows.free(j, lam):
                continue
            self.at[n], self.curvature[n] = j, lam * rows.l1[j] / size if size > 0.0 else 0.0
            for k in range(rows.K):
                self.u[k, n] = rows.B[k, j] / size if self.curvature[n] > 0.0 else 0.0
            most = max(most, rows.G[j, j])
            n += 1
        self.count = 0
        if n == 0:
            return 0
        square = <Py_ssize_t> n * n
        if self.inverse.shape[0] < square:
            self.inverse, self.schur = np.empty(3 * square // 2), np.empty(3 * square // 2)
        with nogil:
            for tries in range(REPAIRS):
                for c in range(n):
                    column = &self.inverse[c * <Py_ssize_t> n]
                    for i in range(c, n):
                        column[i] = rows.G[self.at[c], self.at[i]]
                    column[c] += self.curvature[c] + lam * rows.l2[self.at[c]] + added * most
                    # Unpenalised dependent columns need a ridge.
                    if self.curvature[c] == 0.0:
                        column[c] += REPAIR_RIDGE * rows.G[self.at[c], self.at[c]]
                dpotrf("L", &n, &self.inverse[0], &n, &info)
                if info == 0:
                    dpotri("L", &n, &self.inverse[0], &n, &info)
                if info == 0:
                    self._complement(n, max(added, FLAT_ROW))
                    dpotrf("L", &n, &self.schur[0], &n, &info)
                if info == 0:
                    break
                added = max(REPAIR_RIDGE, 100.0 * added)
        self.count = n if info == 0 else 0
        return 0

    cdef void _complement(self, int n, double added) noexcept nogil:
        """Set schur = L^-1 - (G + L)^-1 o u'u, with a small ridge for dependent columns."""
        cdef int i, c, k
        cdef double* column
        memset(&self.schur[0], 0, <Py_ssize_t> n * n * sizeof(double))
        for c in range(n):
            column = &self.schur[c * <Py_ssize_t> n]
            for k in range(self.u.shape[0]):
                axpy(n - c, -self.u[k, c], &self.u[k, c], column + c)
            for i in range(c, n):
                column[i] *= self.inverse[i + c * <Py_ssize_t> n]
                # Copy the computed triangle to the other one.
                self.inverse[c + i * <Py_ssize_t> n] = self.inverse[i + c * <Py_ssize_t> n]
            column[c] += (1.0 + added) / self.curvature[c] if self.curvature[c] > 0.0 else 1.0

    cdef bint step(self, ResponseQuadratic rows, double lam) noexcept nogil:
        """Take a step by the last Hessian on its rows that are still nonzero.

        Return True if the objective fell.
        """
        cdef int i, j, k, n = self.count, K = rows.K, p = rows.p, one = 1, info
        cdef double size, zero = 0.0, unit = 1.0
        if n == 0:
            return False
        rows.iterations += 1
        for i in range(n):
            j, size = self.at[i], row_norm(rows.B, self.at[i])
            size = lam * rows.l2[j] + (lam * rows.l1[j] / size if size > 0.0 else INFINITY
                                       if rows.l1[j] > 0.0 else 0.0)
            for k in range(K):
                self.left[k, i] = rows.g[k, j] - size * rows.B[k, j] if size < INFINITY else 0.0
        dgemm("N", "N", &n, &K, &n, &unit, &self.inverse[0], &n, &self.left[0, 0], &p, &zero,
              &self.y[0, 0], &p)
        for i in range(n):
            self.along[i] = 0.0
            for k in range(K):
                self.along[i] += self.u[k, i] * self.y[k, i]
        dpotrs("L", &n, &one, &self.schur[0], &n, &self.along[0], &n, &info)
        for k in range(K):
            for i in range(n):
                self.left[k, i] = self.u[k, i] * self.along[i]
        dgemm("N", "N", &n, &K, &n, &unit, &self.inverse[0], &n, &self.left[0, 0], &p, &unit,
              &self.y[0, 0], &p)
        # Stop a row that would change direction at zero. If the objective does not fall, try the
        # step itself.
        return self._descend(rows, lam, True) or self._descend(rows, lam, False)

    cdef bint _descend(self, ResponseQuadratic rows, double lam, bint stopped) noexcept nogil:
        """Step along y by the largest t = 1, 1/2, ... that lowers the objective.

        If `stopped`, rows that would change direction stop at zero. Return False if no t serves.
        """
        cdef int i, j, k, K = rows.K, p = rows.p, m = rows.m, tries
        cdef double product, linear = 0.0, curvature = 0.0, t = 1.0
        cdef double before = rows.penalty(lam)
        cdef double zero = 0.0, unit = 1.0
        memset(&self.d[0, 0], 0, <Py_ssize_t> K * p * sizeof(double))
        for i in range(self.count):
            j, product = self.at[i], 0.0
            if lam * rows.l1[j] > 0.0 and row_square(rows.B, j) == 0.0:
                continue
            for k in range(K):
                product += rows.B[k, j] * (rows.B[k, j] + self.y[k, i])
            for k in range(K):
                self.d[k, j] = (-rows.B[k, j] if stopped
                                and product < 0.0 < lam * rows.l1[j] else self.y[k, i])
        dgemm("N", "N", &m, &K, &m, &unit, &rows.G[0, 0], &p, &self.d[0, 0], &p, &zero,
              &self.q[0, 0], &p)
        for k in range(K):
            linear += dot(m, &self.d[k, 0], &rows.g[k, 0])
            curvature += dot(m, &self.d[k, 0], &self.q[k, 0])
            memcpy(&self.left[k, 0], &rows.B[k, 0], m * sizeof(double))
        for tries in range(HALVINGS):
            for k in range(K):
                for j in range(m):
                    rows.B[k, j] = self.left[k, j] + t * self.d[k, j]
            if t * (0.5 * t * curvature - linear) + rows.penalty(lam) < before:
                rows.residual_square += t * (t * curvature - 2.0 * linear)
                for k in range(K):
                    axpy(m, -t, &self.q[k, 0], &rows.g[k, 0])
                return True
            t *= 0.5
        for k in range(K):
            memcpy(&rows.B[k, 0], &self.left[k, 0], m * sizeof(double))
        return False

    def stepped(self, ResponseQuadratic rows, B, double lam):
        """Return the coefficients (K, p) after a step from B, all rows working, for tests."""
        rows.m = rows.p
        np.asarray(rows.B)[:] = B
        rows.refresh()
        self.refresh(rows, lam)
        self.step(rows, lam)
        return np.array(rows.B)
