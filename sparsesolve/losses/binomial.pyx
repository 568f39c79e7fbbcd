"""Logistic loss."""
from libc.math cimport exp, fabs, log1p

from sparsesolve.losses.separable cimport Separable
from sparsesolve.losses.entropy cimport two_sided_entropy

cdef extern from "logistic.h" nogil:
    double ss_logistic(Py_ssize_t n, const double* y, const double* w, const double* eta,
                       double* u) noexcept
    void ss_logistic_curvature(Py_ssize_t n, const double* w, const double* eta, double* h) noexcept
    double ss_logistic_gap(Py_ssize_t n, const double* y, const double* w, const double* eta,
                           const double* u) noexcept
    bint ss_logistic_admits(Py_ssize_t n, const double* y, const double* w,
                            const double* u) noexcept


cdef class Binomial(Separable):
    """value(y, eta) = log(1 + exp(eta)) - y eta, for y in [0, 1], the share of successes."""

    linear_in_y = True

    cdef double evaluate_block(self, Py_ssize_t start, Py_ssize_t stop, const double* eta,
                               double* u) noexcept nogil:
        return ss_logistic(stop - start, &self.y[start], &self.w[start], eta + start, u + start)

    cdef double sample(self, const double* y, const double* eta, double* slope) noexcept nogil:
        cdef double small = exp(-fabs(eta[0]))
        slope[0] = (1.0 if eta[0] >= 0.0 else small) / (1.0 + small) - y[0]
        return log1p(small) + (max(eta[0], 0.0) - y[0] * eta[0])

    cdef void curvature(self, const double* eta, double* h) noexcept nogil:
        ss_logistic_curvature(self.n, &self.w[0], eta, h)

    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil:
        return ss_logistic_gap(self.n, &self.y[0], &self.w[0], eta, u)

    cdef bint admits(self, const double* eta, const double* u) noexcept nogil:
        return ss_logistic_admits(self.n, &self.y[0], &self.w[0], u)

    cdef double least(self, double y) noexcept nogil:
        return two_sided_entropy(y)

    cdef double least_slope(self, double y) noexcept nogil:
        return -y

    cdef double largest_slope(self, double y) noexcept nogil:
        return 1.0 - y
