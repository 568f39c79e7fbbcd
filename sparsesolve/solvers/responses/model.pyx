"""Block coordinate descent on a quadratic model whose Hessian all responses share.

    minimise over B   sum_k s_k |Z(B_k - B0_k)|^2 / 2 - g_k'(B_k - B0_k)  +  lam Omega(B)

Given: the columns of Z or their inner products Z'Z, whichever are the shorter rows, with scales s (K,), B = B0 and g.
Invariant: the image Y_k of B_k - B0_k under Z, or under Z'Z.  A row of B, the K coefficients of a feature, is minimised
at once: in closed form, for its block of the Hessian is diagonal.
Reference: Tseng and Yun 2009; Friedman, Hastie and Tibshirani 2010; Bertrand and Massias 2021 (extrapolation).
"""
import numpy as np

from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows

cdef extern from "single.h" nogil:
    void ss_dots_single(Py_ssize_t n, int K, const float* x, const float* v, float* out) noexcept
    void ss_axpys_single(Py_ssize_t n, int K, const float* a, const float* x, float* v) noexcept

DEF DEPTH = 5               # sweeps that are carried on together
FURTHEST = 1e3      # times as far as sweeps have come: beyond, rounding grows with it
cdef double IDLE = 0.1      # of what a row gains on average in a sweep that is the last one: rows with less stay


cdef class ResponseModel:
    """The model from B0 on; a subclass knows how to multiply.

    Parameters
    ----------
    squares : (m,) squares of the columns
    scales, B, g : (K,), (K, m), (K, m)
    """
    cdef const double[::1] squares, scales
    cdef const double[:, ::1] g
    cdef readonly double[:, ::1] start, B
    cdef double[::1] work

    def __init__(self, squares, scales, B, g):
        self.squares, self.scales, self.g = squares, scales, g
        self.start, self.B, self.work = B, np.array(B), np.empty(4 * len(B))

    # what a subclass says

    cdef void meet(self, Py_ssize_t j, double* pull) noexcept nogil:
        """pull_k = z_j'Z(B_k - B0_k)."""

    cdef void add(self, Py_ssize_t j, const double* step) noexcept nogil:
        """The image of B after `step` (K,) in its row j."""

    def image_at(self, B):
        """The image of that B; a pair of it with B goes into `_value` and `_go_to`."""

    def _bend(self, B, image):
        """sum_k s_k |Z(B_k - B0_k)|^2."""

    def _here(self):
        """The image of the B at hand."""

    def _go_to(self, B, image):
        self.B = B

    # descent

    cdef double move(self, Py_ssize_t j, ElasticNetRows net, double lam, double least) noexcept nogil:
        """Minimise row j, unless twice what the model gains without its penalty's curvature is less than `least`.

        Returns the gain.
        """
        cdef int K = <int> self.B.shape[0], k
        cdef double* x = &self.work[0]
        cdef double* h = x + K
        cdef double* b = h + K
        cdef double* pull = b + K
        cdef double gain = 0.0
        self.meet(j, pull)
        for k in range(K):
            h[k] = self.scales[k] * self.squares[j]
            x[k] = h[k] * self.B[k, j] + self.g[k, j] - self.scales[k] * pull[k]
        net.prox(j, lam, K, x, h, b)
        for k in range(K):
            x[k] = b[k] - self.B[k, j]
            gain += h[k] * x[k] * x[k]
        if gain <= least:
            return 0.0
        for k in range(K):
            self.B[k, j] = b[k]
        self.add(j, x)
        return gain

    cdef double sweep(self, ElasticNetRows net, double lam, bint whole, double least) noexcept nogil:
        """Minimise row after row, all of them or those that are not zero; returns the gains."""
        cdef Py_ssize_t j, k
        cdef double gained = 0.0
        cdef bint zero
        for j in range(self.B.shape[1]):
            if self.squares[j] <= 0.0:
                continue
            zero = not whole
            if zero:
                for k in range(self.B.shape[0]):
                    zero = zero and self.B[k, j] == 0.0
            if not zero:
                gained += self.move(j, net, lam, least)
        return gained

    def descend(self, ElasticNetRows net, double lam, int most, double enough):
        """Sweep until a sweep gains at most the fraction `enough` of all gains, at most `most` times; returns sweeps.

        Sweeps go over the rows that are not zero until these have settled, then over all.  What five sweeps have done
        is carried on as far as it lowers the model (Anderson's extrapolation).
        """
        cdef int sweeps = 0
        cdef double gained, total = 0.0, least = 0.0
        cdef bint whole = True
        passed = []
        while sweeps < most:
            with nogil:
                gained = self.sweep(net, lam, whole, least)
            sweeps += 1
            total += gained
            least = IDLE * enough * total / self.B.shape[1]
            if gained <= enough * total:
                if whole:
                    break
                whole = True
                continue
            whole = False
            passed.append(np.array(self.B))
            if len(passed) > DEPTH:
                self._extrapolate(passed, net, lam)
                passed = [np.array(self.B)]
        return sweeps

    def bend(self):
        """sum_k s_k |Z(B_k - B0_k)|^2."""
        return self._bend(np.asarray(self.B), self._here())

    def _value(self, B, image, net, lam):
        return net.value(B, lam) + 0.5 * self._bend(B, image) - np.vdot(self.g, np.subtract(B, self.start))

    def _extrapolate(self, passed, net, lam):
        """Go where sweeps lead that came by `passed`, if the model is lower there."""
        points = np.array(passed).reshape(len(passed), -1)
        steps = np.diff(points, axis=0)
        inner = steps @ steps.T
        np.fill_diagonal(inner, inner.diagonal() + 1e-10 * inner.trace())
        if not inner.trace() > 0.0:
            return
        shares = np.linalg.solve(inner, np.ones(len(inner)))
        shares /= shares.sum()
        if not np.abs(shares).sum() < FURTHEST:
            return
        further = (shares @ points[1:]).reshape(passed[0].shape)
        image = self.image_at(further)
        if self._value(further, image, net, lam) < self._value(self.B, self._here(), net, lam):
            self._go_to(further, image)


cdef class DenseModel(ResponseModel):
    """By rows in single precision: what rounding does to the image is small beside the step.

    Parameters
    ----------
    rows : (m, n) columns of Z, or (m, m) their inner products
    inner : bool
        Whether they are the inner products.
    """
    cdef const float[:, :] rows
    cdef bint inner
    cdef readonly float[:, ::1] image
    cdef float[::1] few         # values, one a response

    def __init__(self, rows, inner, squares, scales, B, g):
        ResponseModel.__init__(self, squares, scales, B, g)
        self.rows, self.inner = rows, inner
        self.image, self.few = (np.zeros(shape, dtype=np.float32) for shape in ((len(B), rows.shape[1]), len(B)))

    cdef void meet(self, Py_ssize_t j, double* pull) noexcept nogil:
        cdef int K = <int> self.B.shape[0], k
        if not self.inner:
            ss_dots_single(self.image.shape[1], K, &self.rows[j, 0], &self.image[0, 0], &self.few[0])
        for k in range(K):
            pull[k] = self.image[k, j] if self.inner else self.few[k]

    cdef void add(self, Py_ssize_t j, const double* step) noexcept nogil:
        cdef int K = <int> self.B.shape[0], k
        for k in range(K):
            self.few[k] = <float> step[k]
        ss_axpys_single(self.image.shape[1], K, &self.few[0], &self.rows[j, 0], &self.image[0, 0])

    def image_at(self, B):
        return np.subtract(B, self.start).astype(np.float32) @ np.asarray(self.rows)

    def _bend(self, B, image):
        other = np.subtract(B, self.start) if self.inner else image
        return float(np.dot(self.scales, np.einsum("kj,kj->k", other, image, dtype=float)))

    def _here(self):
        return np.asarray(self.image)

    def _go_to(self, B, image):
        self.B, self.image = B, image


cdef class SparseModel(ResponseModel):
    """By the stored values of columns x_j - c_j, under weights h, each row of the image side by side.

    Parameters
    ----------
    matrix : csc array (n, m)
    offset : (m,) c
    h : (n,)
    """
    cdef object matrix
    cdef const double[::1] values, weighted, sums, offset, h    # x, h x, h'x_j
    cdef const int[::1] rows
    cdef const long long[::1] starts
    cdef double[:, ::1] image       # (n, K) of the x_j, from which the offsets take
    cdef double[::1] shift, total   # (K,) so much in every row; h'image
    cdef double whole               # sum of h

    def __init__(self, matrix, offset, h, squares, scales, B, g):
        ResponseModel.__init__(self, squares, scales, B, g)
        self.matrix, self.offset, self.h, self.whole = matrix, offset, h, h.sum()
        self.values, self.weighted, self.sums = matrix.data, matrix.data * h[matrix.indices], matrix.T @ h
        self.rows, self.starts = matrix.indices.astype(np.intc), matrix.indptr.astype(np.longlong)
        self.image, (self.shift, self.total) = np.zeros((len(h), len(B))), np.zeros((2, len(B)))

    cdef void meet(self, Py_ssize_t j, double* pull) noexcept nogil:
        cdef Py_ssize_t K = self.B.shape[0], k
        cdef long long at
        cdef const double* row
        for k in range(K):
            pull[k] = self.shift[k] * self.sums[j] - self.offset[j] * (self.total[k] + self.shift[k] * self.whole)
        for at in range(self.starts[j], self.starts[j + 1]):
            row = &self.image[self.rows[at], 0]
            for k in range(K):
                pull[k] += self.weighted[at] * row[k]

    cdef void add(self, Py_ssize_t j, const double* step) noexcept nogil:
        cdef Py_ssize_t K = self.B.shape[0], k
        cdef long long at
        cdef double* row
        for k in range(K):
            self.shift[k] -= self.offset[j] * step[k]
            self.total[k] += self.sums[j] * step[k]
        for at in range(self.starts[j], self.starts[j + 1]):
            row = &self.image[self.rows[at], 0]
            for k in range(K):
                row[k] += self.values[at] * step[k]

    def image_at(self, B):
        step = np.subtract(B, self.start)
        return self.matrix @ step.T, -step @ self.offset, step @ self.sums

    def _bend(self, B, image):
        product, shift, total = image
        square = np.asarray(self.h) @ np.square(product) + shift * (2.0 * total + shift * self.whole)
        return float(np.dot(self.scales, square))

    def _here(self):
        return np.asarray(self.image), np.asarray(self.shift), np.asarray(self.total)

    def _go_to(self, B, image):
        self.B = B
        self.image, self.shift, self.total = image
