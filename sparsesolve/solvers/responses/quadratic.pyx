"""Squared error of K responses from inner products alone, with rows grouped by the l2 norm.

    minimise over B (K, m)   sum_k |y_k - Z B_k|^2 / 2 + lam sum_j (l1_j |b_j| + l2_j |b_j|^2 / 2)

with b_j the column j of B. Invariant: g = C - BG along the working rows, G = Z'Z and C = Y'Z. One
G serves all responses, and a row is minimised in closed form. With L the penalty's curvature
across the direction u_j of each row, the Hessian along the m nonzero rows is I (x) (G + L) -
U L U'. Woodbury's identity inverts it by two matrices of order m in place of one of order K m.
These are (G + L)^-1 and the factor of L^-1 - (G + L)^-1 o u'u, where o multiplies entries.
Reference: Bach et al. 2012, section 4; Simon, Friedman and Hastie 2013.
"""
from libc.math cimport INFINITY, sqrt
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport dgemm
from scipy.linalg.cython_lapack cimport dpotrf, dpotri, dpotrs

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.elastic_net cimport conjugate, feasible_scale, value
from sparsesolve.solvers.certificate.gap cimport assembled, squares_gap

# Attempts to factor a numerically singular matrix. Each multiplies the ridge by a hundred.
DEF REPAIRS = 6
# 2^-12 of a step of blocks gains less than the next sweep.
DEF HALVINGS = 12
cdef double REPAIR_RIDGE = costs.rounding.REPAIR_RIDGE
cdef double FLAT_ROW = costs.responses.FLAT_ROW
cdef double NO_PENALTY = costs.rounding.NO_PENALTY


cdef class ResponseQuadratic:
    """Hold and solve the working rows.

    A subclass chooses the rows and fills in G, C and the penalty.
    """

    def __cinit__(self, problem, *args):
        cdef int K = problem.loss.n_responses, p = problem.design.p
        self.K, self.p, self.m = K, p, 0
        self.B, self.g, self.d, self.q, self.u, self.left, self.y = np.zeros((7, K, p))
        self.sizes, self.curvature, self.x = np.zeros((3, p)), np.zeros(p), np.zeros(K)
        self.at, self.inverse, self.schur = np.zeros(p, dtype=np.intc), np.zeros(0), np.zeros(0)

    cdef bint free(self, int j, double lam) noexcept nogil:
        """Return True if a row has no penalty beyond rounding."""
        return lam * self.l1[j] <= NO_PENALTY and lam * self.l2[j] <= NO_PENALTY

    cdef void sweep(self, double lam) noexcept nogil:
        """Minimise over each working row in turn."""
        cdef int j, k, K = self.K, m = self.m
        cdef double h, norm, l1, change
        cdef double* x = &self.x[0]
        for j in range(m):
            h, norm, l1 = self.G[j, j], 0.0, lam * self.l1[j]
            for k in range(K):
                x[k] = h * self.B[k, j] + self.g[k, j]
                norm += x[k] * x[k]
            norm = sqrt(norm)
            norm = (1.0 - l1 / norm) / (h + lam * self.l2[j]) if norm > l1 else 0.0
            for k in range(K):
                change = norm * x[k] - self.B[k, j]
                if change != 0.0:
                    self.residual_square -= change * (2.0 * self.g[k, j] - h * change)
                    self.B[k, j] = norm * x[k]
                    axpy(m, -change, &self.G[j, 0], &self.g[k, 0])
        self.iterations += 1

    cdef double penalty(self, double lam) noexcept nogil:
        """Return lam Omega(B)."""
        cdef double total = 0.0, size
        cdef int j, k
        for j in range(self.m):
            size = 0.0
            for k in range(self.K):
                size += self.B[k, j] * self.B[k, j]
            total += value(sqrt(size), lam * self.l1[j], lam * self.l2[j])
        return total

    cdef double rows_gap(self, double lam, int count, double slack) noexcept nogil:
        """Return the gap over the first `count` rows, at the best of some residual multiples.

        `slack` is the length of the residual's projection on the unpenalised rows. Removing this
        projection from the dual point changes the product of another column by at most `slack`
        times the length of that column.
        """
        cdef double at_zero, off
        cdef double* b = &self.sizes[0, 0]
        cdef double* g = &self.sizes[1, 0]
        cdef double* inner = &self.sizes[2, 0]
        cdef int j, k
        self.n_rows, self.slack, self.charge = count, slack, 0.0
        for j in range(count):
            b[j] = g[j] = inner[j] = 0.0
            if self.free(j, lam):
                continue
            for k in range(self.K):
                g[j] += self.g[k, j] * self.g[k, j]
                b[j] += self.B[k, j] * self.B[k, j]
                inner[j] += self.B[k, j] * self.g[k, j]
            b[j] = sqrt(b[j])
            off = slack * sqrt(self.G[j, j]) if 0.0 < slack < INFINITY else 0.0
            g[j], inner[j] = sqrt(g[j]) + off, inner[j] - off * b[j]
            self.charge += value(b[j], lam * self.l1[j], lam * self.l2[j])
        at_zero = 0.5 * self.residual_square + self.charge
        return at_zero if slack == INFINITY else min(at_zero, self.gap(lam))

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        cdef double s = 1.0
        cdef int j
        for j in range(self.n_rows):
            if self.sizes[1, j] > 0.0:
                s = min(s, feasible_scale(self.sizes[1, j], lam * self.l1[j],
                                          0.0 if strict else lam * self.l2[j], 0.0, INFINITY))
        return s

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        cdef double total = self.charge
        cdef int j
        for j in range(self.n_rows):
            if self.sizes[1, j] > 0.0:
                total += conjugate(scale * self.sizes[1, j], lam * self.l1[j], lam * self.l2[j],
                                   0.0, INFINITY)
                total -= scale * self.sizes[2, j]
        return assembled(squares_gap(self.residual_square, scale, self.slack), total, 0.0, INFINITY)

    # Second order.

    cdef int refresh_hessian(self, double lam) except -1:
        """Factor the Hessian at the current point along the nonzero rows.

        Return False if it is singular or if there are no such rows.
        """
        cdef int j, k, i, c, n = 0, info = 1, tries
        cdef Py_ssize_t square
        cdef double size, most = 0.0, added = 0.0
        cdef double* column
        for j in range(self.m):
            size = 0.0
            for k in range(self.K):
                size += self.B[k, j] * self.B[k, j]
            if size == 0.0 and not self.free(j, lam):
                continue
            size = sqrt(size)
            self.at[n], self.curvature[n] = j, lam * self.l1[j] / size if size > 0.0 else 0.0
            for k in range(self.K):
                self.u[k, n] = self.B[k, j] / size if self.curvature[n] > 0.0 else 0.0
            most = max(most, self.G[j, j])
            n += 1
        self.count = 0
        if n == 0:
            return False
        square = <Py_ssize_t> n * n
        if self.inverse.shape[0] < square:
            self.inverse, self.schur = np.empty(3 * square // 2), np.empty(3 * square // 2)
        with nogil:
            for tries in range(REPAIRS):
                for c in range(n):
                    column = &self.inverse[c * <Py_ssize_t> n]
                    for i in range(c, n):
                        column[i] = self.G[self.at[c], self.at[i]]
                    column[c] += self.curvature[c] + lam * self.l2[self.at[c]] + added * most
                    # Unpenalised dependent columns need a ridge.
                    if self.curvature[c] == 0.0:
                        column[c] += REPAIR_RIDGE * self.G[self.at[c], self.at[c]]
                dpotrf("L", &n, &self.inverse[0], &n, &info)
                if info == 0:
                    dpotri("L", &n, &self.inverse[0], &n, &info)
                if info == 0:
                    self._complement(n, max(added, FLAT_ROW))
                    dpotrf("L", &n, &self.schur[0], &n, &info)
                if info == 0:
                    break
                added = max(REPAIR_RIDGE, 100.0 * added)
        if info == 0:
            self.count = n
        return info == 0

    cdef void _complement(self, int n, double added) noexcept nogil:
        """Set schur = L^-1 - (G + L)^-1 o u'u, with a small ridge for dependent columns."""
        cdef int i, c, k
        cdef double* column
        memset(&self.schur[0], 0, <Py_ssize_t> n * n * sizeof(double))
        for c in range(n):
            column = &self.schur[c * <Py_ssize_t> n]
            for k in range(self.K):
                axpy(n - c, -self.u[k, c], &self.u[k, c], column + c)
            for i in range(c, n):
                column[i] *= self.inverse[i + c * <Py_ssize_t> n]
                # Copy the computed triangle to the other one.
                self.inverse[c + i * <Py_ssize_t> n] = self.inverse[i + c * <Py_ssize_t> n]
            column[c] += (1.0 + added) / self.curvature[c] if self.curvature[c] > 0.0 else 1.0

    cdef bint newton(self, double lam) noexcept nogil:
        """Take a step by the last Hessian on its rows that are still nonzero.

        Return True if the objective fell.
        """
        cdef int i, j, k, n = self.count, K = self.K, p = self.p, one = 1, info
        cdef double size, zero = 0.0, unit = 1.0
        if n == 0:
            return False
        self.iterations += 1
        for i in range(n):
            j, size = self.at[i], 0.0
            for k in range(K):
                size += self.B[k, j] * self.B[k, j]
            size = lam * self.l2[j] + (lam * self.l1[j] / sqrt(size) if size > 0.0 else INFINITY
                                       if self.l1[j] > 0.0 else 0.0)
            for k in range(K):
                self.left[k, i] = self.g[k, j] - size * self.B[k, j] if size < INFINITY else 0.0
        dgemm("N", "N", &n, &K, &n, &unit, &self.inverse[0], &n, &self.left[0, 0], &p, &zero,
              &self.y[0, 0], &p)
        for i in range(n):
            self.sizes[0, i] = 0.0
            for k in range(K):
                self.sizes[0, i] += self.u[k, i] * self.y[k, i]
        dpotrs("L", &n, &one, &self.schur[0], &n, &self.sizes[0, 0], &n, &info)
        for k in range(K):
            for i in range(n):
                self.left[k, i] = self.u[k, i] * self.sizes[0, i]
        dgemm("N", "N", &n, &K, &n, &unit, &self.inverse[0], &n, &self.left[0, 0], &p, &unit,
              &self.y[0, 0], &p)
        # Stop a row that would change direction at zero. If the objective does not fall, try the
        # step itself.
        return self._descend(lam, True) or self._descend(lam, False)

    cdef bint _descend(self, double lam, bint stopped) noexcept nogil:
        """Step along y by the largest t = 1, 1/2, ... that lowers the objective.

        If `stopped`, rows that would change direction stop at zero. Return False if no t serves.
        """
        cdef int i, j, k, K = self.K, p = self.p, m = self.m, tries
        cdef double size, product, linear = 0.0, curvature = 0.0, t = 1.0
        cdef double before = self.penalty(lam)
        cdef double zero = 0.0, unit = 1.0
        memset(&self.d[0, 0], 0, <Py_ssize_t> K * p * sizeof(double))
        for i in range(self.count):
            j, size, product = self.at[i], 0.0, 0.0
            for k in range(K):
                size += self.B[k, j] * self.B[k, j]
                product += self.B[k, j] * (self.B[k, j] + self.y[k, i])
            if lam * self.l1[j] > 0.0 and size == 0.0:
                continue
            for k in range(K):
                self.d[k, j] = (-self.B[k, j] if stopped
                                and product < 0.0 < lam * self.l1[j] else self.y[k, i])
        dgemm("N", "N", &m, &K, &m, &unit, &self.G[0, 0], &p, &self.d[0, 0], &p, &zero,
              &self.q[0, 0], &p)
        for k in range(K):
            linear += dot(m, &self.d[k, 0], &self.g[k, 0])
            curvature += dot(m, &self.d[k, 0], &self.q[k, 0])
            memcpy(&self.left[k, 0], &self.B[k, 0], m * sizeof(double))
        for tries in range(HALVINGS):
            for k in range(K):
                for j in range(m):
                    self.B[k, j] = self.left[k, j] + t * self.d[k, j]
            if t * (0.5 * t * curvature - linear) + self.penalty(lam) < before:
                self.residual_square += t * (t * curvature - 2.0 * linear)
                for k in range(K):
                    axpy(m, -t, &self.q[k, 0], &self.g[k, 0])
                return True
            t *= 0.5
        for k in range(K):
            memcpy(&self.B[k, 0], &self.left[k, 0], m * sizeof(double))
        return False

    cdef void refresh(self) noexcept nogil:
        """Compute g of all rows and the squared residual, without accumulated rounding."""
        cdef int k, K = self.K, p = self.p, m = self.m
        cdef double less = -1.0, unit = 1.0
        memcpy(&self.g[0, 0], &self.C[0, 0], <Py_ssize_t> K * p * sizeof(double))
        if m > 0:
            dgemm("N", "N", &p, &K, &m, &less, &self.G[0, 0], &p, &self.B[0, 0], &p, &unit,
                  &self.g[0, 0], &p)
        self.residual_square = self.total
        for k in range(K):
            self.residual_square -= dot(m, &self.B[k, 0], &self.C[k, 0]) + dot(m, &self.B[k, 0],
                    &self.g[k, 0])
        self.residual_square = max(self.residual_square, 0.0)
