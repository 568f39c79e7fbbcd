"""Symmetric softmax loss over K classes."""
from libc.string cimport memcpy

import numpy as np

from sparsesolve.losses.base cimport Loss

cdef extern from "softmax.h" nogil:
    Py_ssize_t SS_BLOCK
    double ss_softmax(Py_ssize_t m, Py_ssize_t K, Py_ssize_t n, const double* y, const double* w,
                      const double* eta,
                      double* u) noexcept
    void ss_softmax_curvature(Py_ssize_t m, Py_ssize_t K, Py_ssize_t n, const double* w,
                              const double* eta,
                              double* h) noexcept
    void ss_softmax_hessian_times(Py_ssize_t m, Py_ssize_t K, Py_ssize_t n, const double* w,
                                  const double* eta, const double* v, double* out) noexcept
    double ss_softmax_gap(Py_ssize_t m, Py_ssize_t K, Py_ssize_t n, const double* y,
                          const double* w,
                          const double* eta, const double* u, double* e) noexcept


cdef class Multinomial(Loss):
    """value(y, eta) = log sum_k exp(eta_k) - y'eta, for y on the simplex: the shares of the
    classes.

    Parameters
    ----------
    y : (n, K) shares, each row of sum 1
    w : (n,) weights that sum to 1; a sample of weight 0 takes no part
    """
    cdef const double[:, ::1] y     # (K, n)
    cdef const double[::1] w
    cdef const double[::1] r        # (n,) 1 / w, or 0 if w = 0
    cdef Py_ssize_t n_blocks        # number of blocks of samples
    cdef double[::1] room           # workspace for the exponentials of one block

    linear_in_y = True

    def __init__(self, y, w):
        shares = np.ascontiguousarray(np.transpose(y), dtype=float)
        self.y, self.w = shares, np.ascontiguousarray(w, dtype=float)
        self.n_responses, self.n = shares.shape
        self.n_blocks = (self.n + SS_BLOCK - 1) // SS_BLOCK
        self.room = np.empty(self.n_responses * SS_BLOCK)
        self.symmetric = self.shift_invariant = True
        with np.errstate(divide="ignore", invalid="ignore"):
            self.r = np.where(np.greater(w, 0.0), np.divide(1.0, w), 0.0)
            entropy = -np.where(shares > 0.0, shares * np.log(shares), 0.0).sum(axis=0)
        self.saturated = float(np.dot(self.w, entropy))

    def samples(self):
        return np.transpose(self.y), np.asarray(self.w)

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        return self._evaluate_blocks(0, self.n_blocks, eta, u)

    cdef double _evaluate_blocks(self, Py_ssize_t first, Py_ssize_t last, const double* eta,
                                 double* u) noexcept nogil:
        """Sum by halves: rounding errors of equal terms added one by one would have the same
        sign.
        """
        cdef Py_ssize_t begin = first * SS_BLOCK, middle = (first + last) // 2
        if last - first > 1:
            return (self._evaluate_blocks(first, middle, eta, u)
                    + self._evaluate_blocks(middle, last, eta, u))
        return ss_softmax(min(SS_BLOCK, self.n - begin), self.n_responses, self.n,
                          &self.y[0, begin], &self.w[begin],
                          eta + begin, u + begin)

    by_sample = True

    cdef double sample(self, const double* y, const double* eta, double* slope) noexcept nogil:
        cdef double weight = 1.0, value
        cdef Py_ssize_t k
        value = ss_softmax(1, self.n_responses, 1, y, &weight, eta, slope)
        for k in range(self.n_responses):
            slope[k] = -slope[k]
        return value

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        cdef Py_ssize_t k, begin
        for k in range(self.n_blocks):
            begin = k * SS_BLOCK
            ss_softmax_curvature(min(SS_BLOCK, self.n - begin), self.n_responses, self.n,
                                 &self.w[begin], eta + begin,
                                 h + begin)

    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil:
        cdef Py_ssize_t k, begin
        for k in range(self.n_blocks):
            begin = k * SS_BLOCK
            ss_softmax_hessian_times(min(SS_BLOCK, self.n - begin), self.n_responses, self.n,
                                     &self.w[begin], eta + begin, v + begin, out + begin)

    cdef void parts(self, const double* u, double* A, double* r) noexcept nogil:
        cdef Py_ssize_t i, k
        for k in range(self.n_responses):
            for i in range(self.n):
                A[k * self.n + i] = max(self.y[k, i] * self.w[i] - u[k * self.n + i], 0.0)
        memcpy(r, &self.r[0], self.n * sizeof(double))

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        """Return the divergence of s = y - u / w from the probabilities at eta."""
        cdef Py_ssize_t k, begin
        cdef double total = 0.0
        for k in range(self.n_blocks):
            begin = k * SS_BLOCK
            total += ss_softmax_gap(min(SS_BLOCK, self.n - begin), self.n_responses, self.n,
                                    &self.y[0, begin],
                                    &self.w[begin], eta + begin, u + begin, &self.room[0])
        return total
