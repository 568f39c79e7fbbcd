"""Block coordinate descent on a quadratic model of the loss of K responses.

    minimise over B   <Z(B - B0), H Z(B - B0)> / 2 - <g, B - B0>  +  lam Omega(B)

Given: Z, B = B0, g and H. With dense columns H is one number for each response (DenseModel). Z is
then given by weighted columns or by inner products, whichever rows are shorter. With sparse
columns H is F'' itself (SparseModel).
Returned: B, the minimiser up to the requested accuracy.
Invariant: the image of B - B0 under Z, or under Z'Z.
ResponseQuadratic is squared error itself, in double precision, with the certificate.
Reference: Tseng and Yun 2009; Friedman, Hastie and Tibshirani 2010.
"""
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy

import numpy as np
from scipy.linalg.cython_blas cimport dgemm

from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.elastic_net cimport prox, value
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows, row_norm, row_square
from sparsesolve.solvers.certificate.gap cimport ScaledDual, assembled, squares_gap

cdef extern from "single.h" nogil:
    void ss_dots_single(Py_ssize_t n, int K, const float* x, const float* v, Py_ssize_t ld,
                        float* out) noexcept
    void ss_axpys_single(Py_ssize_t n, int K, const float* a, const float* x, float* v,
                         Py_ssize_t ld) noexcept


cdef class ResponseModel:
    """Minimise the model from B0; a subclass multiplies by Z and H.

    Parameters
    ----------
    curvature : (K, m) curvature of the model along each coefficient, or an upper bound
    B, g : (K, m)
    """
    cdef const double[:, ::1] curvature, g
    cdef readonly double[:, ::1] start, B
    cdef double[::1] work

    def __init__(self, curvature, B, g):
        self.curvature, self.g = curvature, g
        self.start, self.B, self.work = B, np.array(B), np.empty(4 * len(B))

    # A subclass defines these methods.

    cdef void meet(self, Py_ssize_t j, double* product) noexcept nogil:
        """Set pull_k = z_j'(H Z(B - B0))_k."""

    cdef void add(self, Py_ssize_t j, const double* step) noexcept nogil:
        """Update the image of B after `step` (K,) in row j."""

    def step_curvature(self):
        """Return <Z(B - B0), H Z(B - B0)>."""

    def solution(self):
        """Return B."""
        return np.asarray(self.B)

    # Descent.

    cdef double move(self, Py_ssize_t j, ElasticNetRows net, double lam,
                     double least) noexcept nogil:
        """Minimise over row j; return twice the gain without the penalty's curvature.

        Do nothing and return 0 if this gain is at most `least`.
        """
        cdef int K = <int> self.B.shape[0], k
        cdef double* x = &self.work[0]
        cdef double* h = x + K
        cdef double* b = h + K
        cdef double* product = b + K
        cdef double gain = 0.0
        self.meet(j, product)
        for k in range(K):
            h[k] = self.curvature[k, j]
            x[k] = h[k] * self.B[k, j] + self.g[k, j] - product[k]
        net.row_prox(j, lam, K, x, h, b)
        for k in range(K):
            x[k] = b[k] - self.B[k, j]
            gain += h[k] * x[k] * x[k]
        if gain <= least:
            return 0.0
        for k in range(K):
            self.B[k, j] = b[k]
        self.add(j, x)
        return gain

    cdef double sweep(self, ElasticNetRows net, double lam, bint whole,
                      double least) noexcept nogil:
        """Minimise over all rows, or over the nonzero rows, in turn; return the sum of gains."""
        cdef Py_ssize_t j, k
        cdef double gained = 0.0
        cdef bint zero
        for j in range(self.B.shape[1]):
            if self.curvature[0, j] <= 0.0:
                continue
            zero = not whole
            if zero:
                for k in range(self.B.shape[0]):
                    zero = zero and self.B[k, j] == 0.0
            if not zero:
                gained += self.move(j, net, lam, least)
        return gained

    def descend(self, ElasticNetRows net, double lam, int most, double enough):
        """Sweep until one sweep gains at most the fraction `enough` of all gains.

        Make at most `most` sweeps and return their number. Sweeps cover the nonzero rows until
        these converge, then all rows.
        """
        cdef int sweeps = 0
        cdef double gained, total = 0.0, least = 0.0
        cdef bint whole = True
        while sweeps < most:
            with nogil:
                gained = self.sweep(net, lam, whole, least)
            sweeps += 1
            total += gained
            # Rows that gain less than this part of a row's average gain are left out of the last
            # sweeps.
            least = 0.1 * enough * total / self.B.shape[1]
            if gained <= enough * total:
                if whole:
                    break
                whole = True
                continue
            whole = False
        return sweeps


cdef class DenseModel(ResponseModel):
    """Rows in single precision: rounding of the image is small compared with the step.

    Parameters
    ----------
    rows : (m, n) columns of Z, or (m, m) their inner products
    inner : bool
        True if rows are the inner products.
    squares : (m,) squared norms of the columns
    scales : (K,) the diagonal of H
    """
    cdef const float[:, :] rows
    cdef const double[::1] scales
    cdef bint inner
    cdef readonly float[:, ::1] image
    cdef float[::1] few         # (K,) workspace, one value per response

    def __init__(self, rows, inner, squares, scales, B, g):
        ResponseModel.__init__(self, np.outer(scales, squares), B, g)
        self.rows, self.inner, self.scales = rows, inner, scales
        self.image, self.few = (np.zeros(shape, dtype=np.float32)
                                for shape in ((len(B), rows.shape[1]), len(B)))

    cdef void meet(self, Py_ssize_t j, double* product) noexcept nogil:
        cdef int K = <int> self.B.shape[0], k
        cdef Py_ssize_t length = self.image.shape[1]
        if not self.inner:
            ss_dots_single(length, K, &self.rows[j, 0], &self.image[0, 0], length, &self.few[0])
        for k in range(K):
            product[k] = self.scales[k] * (self.image[k, j] if self.inner else self.few[k])

    cdef void add(self, Py_ssize_t j, const double* step) noexcept nogil:
        cdef int K = <int> self.B.shape[0], k
        cdef Py_ssize_t length = self.image.shape[1]
        for k in range(K):
            self.few[k] = <float> step[k]
        ss_axpys_single(length, K, &self.few[0], &self.rows[j, 0], &self.image[0, 0], length)

    def step_curvature(self):
        other = np.subtract(self.B, self.start) if self.inner else self.image
        return float(np.dot(self.scales, np.einsum("kj,kj->k", other, self.image, dtype=float)))


cdef class SparseModel(ResponseModel):
    """Use the stored values of sparse columns and F'' itself, diag(a) - r aa' for every sample.

    A whole row is minimised at once, by a bound on its block of F''. So the K image values of a
    sample are adjacent in memory. If r is 0, columns x_j - c_j are centred. Otherwise the
    intercept compensates for c_j.

    Parameters
    ----------
    columns : SparseColumns
    intercept : bool
        True if the intercept's column comes first. Without it no column is centred.
    A, r : (K, n), (n,)
    """
    cdef object matrix
    cdef bint intercept             # True if its column is multiplied like any other
    # back: offsets for which the intercept compensates
    cdef const double[::1] values, offset, r, back
    cdef const int[::1] rows
    cdef const long long[::1] starts
    cdef const double[:, ::1] A, sums   # sums (m, K): x_j'a_k
    cdef double[:, ::1] image           # (n, K) image under the x_j, before offsets
    cdef double[::1] along              # (n,) a'image
    cdef double[::1] shift, total       # (K,) constant added to the image; a_k'image
    cdef const double[::1] whole        # (K,) sums of A

    def __init__(self, columns, intercept, A, r, B, g):
        self.intercept = intercept and r.any()
        self.matrix, self.r, offset, slope = columns.matrix, r, columns.offset, g
        if self.intercept:
            offset = np.where(np.arange(len(offset)) > 0, offset, 0.0)
            self.back, slope = offset, g + np.outer(g[:, 0], offset)
            offset = np.zeros(len(offset))
        self.offset, self.sums, self.whole = offset, self.matrix.T @ A.T, A.sum(axis=1)
        self.shift, self.total = np.zeros((2, len(B)))
        curvature = self._curvature(A, r)
        ResponseModel.__init__(self, np.maximum(curvature,
                                                # rounding of sums over samples
                                                1e-10 * curvature.max(initial=0.0),
                                                order="C"), B, slope)
        self.values, self.rows = self.matrix.data, self.matrix.indices.astype(np.intc)
        self.starts = self.matrix.indptr.astype(np.longlong)
        self._place(A)

    def _squares(self, H):
        """Return the squared norms (K, m) of the columns under weights H (K, n)."""
        out = (self.matrix.power(2).T @ H.T).T
        if self.intercept:
            out[:, 0] = H.sum(axis=1)
        return out - self.offset * (2.0 * (self.matrix.T @ H.T).T - np.outer(H.sum(axis=1),
                self.offset))

    def _curvature(self, A, r):
        """Return a bound on the curvature of each whole row, (K, m)."""
        return np.tile(self._squares(A).max(axis=0), (len(A), 1))

    def _place(self, A):
        self.A, self.along = np.ascontiguousarray(A.T), np.zeros(A.shape[1])
        self.image = np.zeros((A.shape[1], A.shape[0]))

    def solution(self):
        B = np.array(self.B)
        if self.intercept:
            B[:, 0] += np.subtract(B, self.start) @ self.back
        return B

    cdef void meet(self, Py_ssize_t j, double* product) noexcept nogil:
        cdef Py_ssize_t K = self.B.shape[0], k
        cdef long long at
        cdef int i
        cdef double value, back
        cdef const double* a
        cdef const double* image
        for k in range(K):
            product[k] = (self.shift[k] * self.sums[j, k]
                       - self.offset[j] * (self.total[k] + self.shift[k] * self.whole[k]))
        if j == 0 and self.intercept:
            for i in range(self.image.shape[0]):
                for k in range(K):
                    product[k] += self.A[i, k] * (self.image[i, k] - self.r[i] * self.along[i])
        for at in range(self.starts[j], self.starts[j + 1]):
            i, value = self.rows[at], self.values[at]
            a, image, back = &self.A[i, 0], &self.image[i, 0], self.r[i] * self.along[i]
            for k in range(K):
                product[k] += value * a[k] * (image[k] - back)

    cdef void add(self, Py_ssize_t j, const double* step) noexcept nogil:
        cdef Py_ssize_t K = self.B.shape[0], k
        cdef long long at
        cdef int i
        cdef double value, change
        cdef const double* a
        cdef double* image
        for k in range(K):
            self.shift[k] -= self.offset[j] * step[k]
            self.total[k] += self.sums[j, k] * step[k]
        if j == 0 and self.intercept:
            for i in range(self.image.shape[0]):
                for k in range(K):
                    self.image[i, k] += step[k]
                    self.along[i] += self.A[i, k] * step[k]
        for at in range(self.starts[j], self.starts[j + 1]):
            i, value, change = self.rows[at], self.values[at], 0.0
            a, image = &self.A[i, 0], &self.image[i, 0]
            for k in range(K):
                image[k] += value * step[k]
                change += a[k] * step[k]
            self.along[i] += value * change

    def step_curvature(self):
        square = np.vdot(self.A, np.square(self.image)) - self.r @ np.square(self.along)
        return float(square + self.shift @ (2.0 * np.asarray(self.total)
                                            + np.multiply(self.shift, self.whole)))


cdef class SeparateModel(SparseModel):
    """Minimise the model of a softmax over one coefficient at a time.

    The n image values of a response are adjacent in memory. Of the coefficients at zero, the first
    sweep takes only those that the gradient moves.
    """
    cdef bint moved

    def _curvature(self, A, r):
        curvature = self._squares(A * (1.0 - r * A))
        # The other curvatures of a row are taken for at least this fraction of its largest.
        return np.maximum(curvature, 1e-3 * curvature.max(axis=0))

    def _place(self, A):
        self.A, self.image, self.along = A, np.zeros(A.shape), np.zeros(A.shape[1])

    cdef double sweep(self, ElasticNetRows net, double lam, bint whole,
                      double least) noexcept nogil:
        cdef Py_ssize_t k, j
        cdef double h, b, step, slope, gained = 0.0
        for k in range(self.B.shape[0]):
            for j in range(self.B.shape[1]):
                h, b, slope = self.curvature[k, j], self.B[k, j], self.g[k, j]
                if h <= 0.0 or (b == 0.0 and not (whole
                        and (self.moved or fabs(slope) > lam * net.l1[j]))):
                    continue
                slope -= self._meet_one(j, k)
                step = prox(h * b + slope, h, lam * net.l1[j], lam * net.l2[j], net.lower[j],
                            net.upper[j]) - b
                if h * step * step > least:
                    self.B[k, j] = b + step
                    self._add_one(j, k, step)
                    gained += h * step * step
        self.moved = True
        return gained

    cdef double _meet_one(self, Py_ssize_t j, Py_ssize_t k) noexcept nogil:
        cdef const double* a = &self.A[k, 0]
        cdef const double* image = &self.image[k, 0]
        cdef double total = 0.0
        cdef Py_ssize_t i
        cdef long long at
        if j == 0 and self.intercept:
            for i in range(self.image.shape[1]):
                total += a[i] * (image[i] - self.r[i] * self.along[i])
        for at in range(self.starts[j], self.starts[j + 1]):
            i = self.rows[at]
            total += self.values[at] * a[i] * (image[i] - self.r[i] * self.along[i])
        return total

    cdef void _add_one(self, Py_ssize_t j, Py_ssize_t k, double step) noexcept nogil:
        cdef const double* a = &self.A[k, 0]
        cdef double* image = &self.image[k, 0]
        cdef double change
        cdef Py_ssize_t i
        cdef long long at
        if j == 0 and self.intercept:
            for i in range(self.image.shape[1]):
                image[i] += step
                self.along[i] += a[i] * step
        for at in range(self.starts[j], self.starts[j + 1]):
            i, change = self.rows[at], self.values[at] * step
            image[i] += change
            self.along[i] += a[i] * change


cdef class ResponseQuadratic(ScaledDual):
    """Hold the inner products and the working rows, which are the first m.

    Parameters
    ----------
    G : (p, p) inner products of the columns
    C : (K, p) inner products of the responses and the columns
    total : float
        The squared norm of the responses.
    net : ElasticNetRows
        The penalty, whose rows are tied and have no limits; it is put into the order of the rows.
    """

    def __init__(self, G, C, double total, ElasticNetRows net):
        self.K, self.p, self.total = <int> C.shape[0], <int> C.shape[1], total
        self.G, self.C, self.net, self.l1, self.l2 = G, C, net, net.l1, net.l2
        self.B, self.g = np.zeros((2, self.K, self.p))
        self.longer, self.x = np.zeros(self.p), np.zeros(self.K)
        self.refresh()

    cdef bint free(self, int j, double lam) noexcept nogil:
        """Return True if a row has no penalty beyond rounding."""
        return self.net.is_unpenalised(j, self.B[0, j], self.g[0, j], lam)

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
        cdef int j
        if slack == INFINITY:
            return self.objective(lam)
        self.n_rows, self.slack = count, slack
        for j in range(count):
            self.longer[j] = slack * sqrt(self.G[j, j])
        return min(self.objective(lam), self.gap(lam))

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        return self.net.scale_at(self.B[:, :self.n_rows], self.g[:, :self.n_rows], lam, strict,
                                 self.longer)

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        return assembled(squares_gap(self.residual_square, scale, self.slack),
                         self.net.excess(self.B[:, :self.n_rows], self.g[:, :self.n_rows], lam,
                                         scale, self.longer), 0.0, INFINITY)

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
