"""Block coordinate descent on a quadratic model whose Hessian all responses share.

    minimise over B   sum_k s_k |Z(B_k - B0_k)|^2 / 2 - g_k'(B_k - B0_k)  +  lam Omega(B)

Given: the columns of Z or their inner products Z'Z, whichever are the shorter rows, with scales s (K,), B = B0 and g.
Invariant: the image Y_k of B_k - B0_k under Z, or under Z'Z, in single precision: what rounding does to it is small
beside the step.  A row of B, the K coefficients of a feature, is minimised at once: in closed form, for its block of
the Hessian is diagonal.
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
    """The model from B0 on.

    Parameters
    ----------
    rows : (m, n) columns of Z, or (m, m) their inner products
    inner : bool
        Whether they are the inner products.
    squares : (m,) squares of the columns
    scales, B, g : (K,), (K, m), (K, m)
    """
    cdef const float[:, :] rows
    cdef bint inner
    cdef const double[::1] squares, scales
    cdef const double[:, ::1] g
    cdef readonly double[:, ::1] start, B
    cdef readonly float[:, ::1] image
    cdef double[::1] work
    cdef float[::1] pull        # of a row, and its step

    def __init__(self, rows, inner, squares, scales, B, g):
        self.rows, self.inner, self.squares, self.scales, self.g = rows, inner, squares, scales, g
        self.start, self.B = B, np.array(B)
        self.image, self.pull = (np.zeros(shape, dtype=np.float32) for shape in ((len(B), rows.shape[1]), len(B)))
        self.work = np.empty(3 * len(B))

    cdef double move(self, Py_ssize_t j, ElasticNetRows net, double lam, double least) noexcept nogil:
        """Minimise row j, unless twice what the model gains without its penalty's curvature is less than `least`.

        Returns the gain.
        """
        cdef int K = <int> self.B.shape[0], k
        cdef const float* row = &self.rows[j, 0]
        cdef double* x = &self.work[0]
        cdef double* h = x + K
        cdef double* b = h + K
        cdef double gain = 0.0
        if not self.inner:
            ss_dots_single(self.image.shape[1], K, row, &self.image[0, 0], &self.pull[0])
        for k in range(K):
            h[k] = self.scales[k] * self.squares[j]
            x[k] = h[k] * self.B[k, j] + self.g[k, j]
            x[k] -= self.scales[k] * (self.image[k, j] if self.inner else self.pull[k])
        net.prox(j, lam, K, x, h, b)
        for k in range(K):
            x[k] = b[k] - self.B[k, j]
            gain += h[k] * x[k] * x[k]
        if gain <= least:
            return 0.0
        for k in range(K):
            self.B[k, j] = b[k]
            self.pull[k] = <float> x[k]
        ss_axpys_single(self.image.shape[1], K, &self.pull[0], row, &self.image[0, 0])
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
        return self._bend(np.asarray(self.B), np.asarray(self.image))

    def _bend(self, B, image):
        other = np.subtract(B, self.start) if self.inner else image
        return float(np.dot(self.scales, np.einsum("kj,kj->k", other, image, dtype=float)))

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
        image = np.subtract(further, self.start).astype(np.float32) @ np.asarray(self.rows)
        if self._value(further, image, net, lam) < self._value(self.B, self.image, net, lam):
            self.B, self.image = further, image
