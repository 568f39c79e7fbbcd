"""Squared error of K responses from inner products alone, with rows grouped by the l2 norm.

    minimise over B (K, m)   sum_k |y_k - Z B_k|^2 / 2 + lam sum_j (l1_j |b_j| + l2_j |b_j|^2 / 2)

with b_j the column j of B. Invariant: g = C - BG along the working rows, G = Z'Z and C = Y'Z. One
G serves all responses, and a row is minimised in closed form. For second order see
`grouped_hessian`. Reference: Bach et al. 2012, section 4; Simon, Friedman and Hastie 2013.
"""
from libc.math cimport INFINITY, sqrt
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport dgemm

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.elastic_net cimport conjugate, feasible_scale, value
from sparsesolve.penalties.elastic_net_rows cimport row_norm, row_square
from sparsesolve.solvers.certificate.gap cimport ScaledDual, assembled, squares_gap

cdef double NO_PENALTY = costs.rounding.NO_PENALTY


cdef class ResponseQuadratic(ScaledDual):
    """Hold the inner products and the working rows, which are the first m.

    Parameters
    ----------
    G : (p, p) inner products of the columns
    C : (K, p) inner products of the responses and the columns
    total : float
        The squared norm of the responses.
    l1, l2 : (p,) factors of the penalty
    """

    def __init__(self, G, C, double total, l1, l2):
        self.K, self.p, self.total = <int> C.shape[0], <int> C.shape[1], total
        self.G, self.C, self.l1, self.l2 = G, C, l1, l2
        self.B, self.g = np.zeros((2, self.K, self.p))
        self.sizes, self.x = np.zeros((3, self.p)), np.zeros(self.K)
        self.refresh()

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
        cdef double total = 0.0
        cdef int j
        for j in range(self.m):
            total += value(row_norm(self.B, j), lam * self.l1[j], lam * self.l2[j])
        return total

    cdef double objective(self, double lam) noexcept nogil:
        """Return half the squared residual plus lam Omega(B)."""
        return 0.5 * self.residual_square + self.penalty(lam)

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
                inner[j] += self.B[k, j] * self.g[k, j]
            b[j] = row_norm(self.B, j)
            off = slack * sqrt(self.G[j, j]) if 0.0 < slack < INFINITY else 0.0
            g[j], inner[j] = row_norm(self.g, j) + off, inner[j] - off * b[j]
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

    cdef void swap(self, int i, int j) noexcept nogil:
        """Exchange the rows at places i and j, where B is 0."""
        cdef int k
        if i == j:
            return
        for k in range(self.p):
            self.G[i, k], self.G[j, k] = self.G[j, k], self.G[i, k]
        for k in range(self.p):
            self.G[k, i], self.G[k, j] = self.G[k, j], self.G[k, i]
        for k in range(self.K):
            self.C[k, i], self.C[k, j] = self.C[k, j], self.C[k, i]
            self.g[k, i], self.g[k, j] = self.g[k, j], self.g[k, i]
        self.l1[i], self.l1[j] = self.l1[j], self.l1[i]
        self.l2[i], self.l2[j] = self.l2[j], self.l2[i]

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
