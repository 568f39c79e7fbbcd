"""Separable: a loss that is a sum over samples, from the functions of one sample.

    F(eta) = sum_i w_i value(y_i, eta_i)

Given: `value`, `slope` and `second_derivative` of a subclass, and `excess` if it has a formula for
it. Returned: the methods of `Loss`. The Fenchel-Young gap of a sample is the height of the loss
above its line of slope v. Without a formula, Newton steps in a bracket find the point where the
line touches the loss (`Contact`).
"""
from libc.math cimport INFINITY, fabs

import numpy as np

from sparsesolve.losses.entropy cimport SS_BEYOND, price

# Number of samples whose losses are summed one by one before partial sums are merged.
DEF BLOCK = 256
# No search takes more than this many Newton steps, or doublings and halvings of a bracket.
cdef int STEPS = 200


cdef class Separable(Loss):
    """F(eta) = sum_i w_i value(y_i, eta_i).

    A subclass defines the scalar functions, or the loops if speed matters.

    Parameters
    ----------
    y : (n,) responses
    w : (n,) weights that sum to 1; a sample of weight 0 takes no part
    """

    def __init__(self, y, w):
        cdef Py_ssize_t i
        self.y, self.w = np.ascontiguousarray(y, dtype=float), np.ascontiguousarray(w, dtype=float)
        self.n, self.n_responses, self.by_rows = self.y.shape[0], 1, True
        self.saturated = 0.0    # at values from `origin` on, which is 0 where no subclass sets it
        for i in range(self.n):
            if self.w[i] > 0.0:
                self.saturated += self.w[i] * self.least(self.y[i])

    by_sample = True

    def samples(self):
        return np.asarray(self.y), np.asarray(self.w)

    @property
    def ends(self):
        cdef Py_ssize_t i
        cdef double[:, ::1] out = np.zeros((2, self.n))
        for i in range(self.n):
            if self.w[i] > 0.0:
                out[0, i] = -self.w[i] * self.largest_slope(self.y[i])
                out[1, i] = -self.w[i] * self.least_slope(self.y[i])
        return np.asarray(out)

    cdef double value(self, double y, double eta) noexcept nogil:
        """Return the loss of one sample."""
        return 0.0

    cdef double slope(self, double y, double eta) noexcept nogil:
        """Return the derivative of `value` in eta."""
        return 0.0

    cdef double sample(self, const double* y, const double* eta, double* slope) noexcept nogil:
        slope[0] = self.slope(y[0], eta[0])
        return self.value(y[0], eta[0])

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        """Return the second derivative of `value` in eta."""
        return 0.0

    cdef double least(self, double y) noexcept nogil:
        """Return the infimum of value(y, eta) over eta."""
        return 0.0

    cdef double least_slope(self, double y) noexcept nogil:
        """Return the infimum of slope(y, eta) over eta."""
        return -INFINITY

    cdef double largest_slope(self, double y) noexcept nogil:
        """Return the supremum of slope(y, eta) over eta."""
        return INFINITY

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        """Return value(y, eta) + conjugate(y, v) - v eta, or INFINITY if v is no slope.

        This is the height of value at eta above its supporting line of slope v. A subclass with a
        formula for it overrides it. The default searches the point of contact t, where the slope
        is v.
        """
        cdef Contact at = contact_from(eta)
        cdef double off, least
        cdef int k
        if v == 0.0:
            least = self.least(y)
            off = self.value(y, eta) - least
            if off > SS_BEYOND * fabs(least):      # a smaller difference is rounding error
                return off
        for k in range(STEPS):
            off = self.slope(y, at.t) - v
            # at most the last term is missing
            if newton_step(&at, off, self.second_derivative(y, at.t)):
                return max(self.above(y, eta, at.t, v), 0.0) + fabs(off) * at.step
        if fabs(v) > SS_BEYOND * (fabs(self.slope(y, self.origin))
                               + self.second_derivative(y, self.origin)):
            return INFINITY
        return self.value(y, eta) - self.least(y) + price(fabs(v), eta)

    cdef double above(self, double y, double eta, double t, double v) noexcept nogil:
        """Return the height of value at eta above the line of slope v through (t, value(t))."""
        return self.value(y, eta) - self.value(y, t) + v * (t - eta)

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil:
        return self.evaluate_rows(0, self.n, eta, u)

    cdef double evaluate_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* eta,
                              double* u) noexcept nogil:
        """Sum by halves: rounding of equal terms added one by one would have the same sign."""
        cdef Py_ssize_t middle = (start + stop) // 2
        if stop - start <= BLOCK:
            return self.evaluate_block(start, stop, eta, u)
        return self.evaluate_rows(start, middle, eta, u) + self.evaluate_rows(middle, stop, eta, u)

    cdef double evaluate_block(self, Py_ssize_t start, Py_ssize_t stop, const double* eta,
                               double* u) noexcept nogil:
        """Compute evaluate_rows for at most BLOCK samples, one by one."""
        cdef Py_ssize_t i
        cdef double total = 0.0
        for i in range(start, stop):
            u[i] = 0.0
            if self.w[i] > 0.0:
                total += self.w[i] * self.value(self.y[i], eta[i])
                u[i] = -self.w[i] * self.slope(self.y[i], eta[i])
        return total

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.n):
            h[i] = self.w[i] * self.second_derivative(self.y[i], eta[i]) if self.w[i] > 0.0 else 0.0

    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil:
        cdef Py_ssize_t i
        self.curvature(eta, out)
        for i in range(self.n):
            out[i] *= v[i]

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        cdef Py_ssize_t i
        cdef double total = 0.0
        for i in range(self.n):
            if self.w[i] > 0.0:
                total += self.w[i] * self.excess(self.y[i], eta[i], -u[i] / self.w[i])
            elif u[i] != 0.0:
                return INFINITY
        return total
