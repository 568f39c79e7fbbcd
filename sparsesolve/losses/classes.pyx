"""Losses of classes: logistic, probit, complementary log-log, squared hinge, and softmax of K.

The first three are minus the log-likelihood of successes, of probability 1 / (1 + exp(-eta)),
Phi(eta), with the normal distribution function Phi and its density phi, or 1 - exp(-exp(eta)). The
squared hinge is the squared distance of the margin to 1, if it is smaller.
"""
from libc.math cimport INFINITY, M_PI, erfc, exp, expm1, fabs, log, log1p, sqrt
from libc.string cimport memcpy

import numpy as np

from sparsesolve.losses.base cimport Loss
from sparsesolve.losses.entropy cimport price, two_sided_entropy
from sparsesolve.losses.separable cimport Separable


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

    linear_in_y, entropic, width = True, True, 0.0

    @property
    def pieces(self):
        """Return c, l and h of each sample, (n,) each: see losses/base.pyx."""
        y = np.asarray(self.y)
        return np.array([np.zeros(len(y)), -y, 1.0 - y])

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


cdef double SQRT_HALF = sqrt(0.5), SQRT_TWO_OVER_PI = sqrt(2.0 / M_PI)
cdef double LOG_SQRT_TWO_PI = 0.5 * log(2.0 * M_PI)
# From FAR on, 30 terms of the continued fraction are exact up to rounding, from 10 on 14 are.
cdef double FAR = 5.0


cdef double far_hazard(double x) noexcept nogil:
    """Return phi(x) / Phi(-x) - x for x >= FAR.

    Laplace's continued fraction for it is 1/(x + 2/(x + 3/(x + ...))).
    """
    cdef int k
    cdef double rest = 0.0
    for k in range(30 if x < 10.0 else 14, 0, -1):
        rest = k / (x + rest)
    return rest


cdef inline double log_Phi(double eta) noexcept nogil:
    if eta > 0.0:
        return log1p(-0.5 * erfc(SQRT_HALF * eta))
    if eta > -FAR:
        return log(0.5 * erfc(-SQRT_HALF * eta))
    return -0.5 * eta * eta - LOG_SQRT_TWO_PI - log(far_hazard(-eta) - eta)


cdef inline double hazard(double eta) noexcept nogil:
    """Return phi(eta) / Phi(eta), the derivative of log Phi; it approaches -eta far below 0."""
    if eta > -FAR:
        return SQRT_TWO_OVER_PI * exp(-0.5 * eta * eta) / erfc(-SQRT_HALF * eta)
    return far_hazard(-eta) - eta


cdef inline double log_second_derivative(double eta) noexcept nogil:
    """Return minus the second derivative of log Phi, hazard (hazard + eta), between 0 and 1."""
    cdef double slope
    if eta > -FAR:
        slope = hazard(eta)
        return slope * (slope + eta) if slope > 0.0 else 0.0
    # hazard + eta would cancel.
    slope = far_hazard(-eta)
    return slope * (slope - eta)


cdef class Probit(Separable):
    """value(y, eta) = -y log Phi(eta) - (1 - y) log Phi(-eta), for y in [0, 1].

    y is the share of successes.
    """

    linear_in_y = True

    cdef double value(self, double y, double eta) noexcept nogil:
        # An infinite term must not be multiplied by 0.
        cdef double total = 0.0
        if y > 0.0:
            total -= y * log_Phi(eta)
        if y < 1.0:
            total -= (1.0 - y) * log_Phi(-eta)
        return total

    cdef double slope(self, double y, double eta) noexcept nogil:
        if y == 0.0 or y == 1.0:
            return hazard(-eta) if y == 0.0 else -hazard(eta)
        return (1.0 - y) * hazard(-eta) - y * hazard(eta)

    cdef double least_slope(self, double y) noexcept nogil:
        return 0.0 if y == 0.0 else -INFINITY

    cdef double largest_slope(self, double y) noexcept nogil:
        return 0.0 if y == 1.0 else INFINITY

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        if y == 0.0 or y == 1.0:
            return log_second_derivative(-eta) if y == 0.0 else log_second_derivative(eta)
        return y * log_second_derivative(eta) + (1.0 - y) * log_second_derivative(-eta)

    cdef double least(self, double y) noexcept nogil:
        return two_sided_entropy(y)


# If m = exp(eta) is below TINY, two terms of a series are exact up to rounding.
cdef double TINY = 1e-8
# If m is below SMALL, five terms are exact up to rounding.
cdef double SMALL = 0.1
# If m is above LARGE, exp(-m) is 0 in every sum.
cdef double LARGE = 700.0


cdef inline double log_success(double m, double eta) noexcept nogil:
    """Return log(1 - exp(-m)) for m = exp(eta)."""
    if m < TINY:
        return eta - 0.5 * m
    return log(-expm1(-m)) if m < 1.0 else log1p(-exp(-m))


cdef inline double slope_of_success(double m) noexcept nogil:
    """Return the derivative of log(1 - exp(-m)) in log m, m / (exp(m) - 1), from 1 down to 0."""
    if m < TINY:
        return 1.0 - 0.5 * m
    return m / expm1(m) if m < LARGE else 0.0


cdef inline double success_second_derivative(double m) noexcept nogil:
    """Return minus the second derivative of log(1 - exp(-m)) in log m: q (q + m - 1).

    q = slope_of_success(m) is the first derivative.
    """
    cdef double q = slope_of_success(m), mm = m * m
    # q + m - 1 would cancel, so sum its series in Bernoulli numbers.
    if m < SMALL:
        return q * (0.5 * m + mm
                    * (1 / 12.0 - mm * (1 / 720.0 - mm * (1 / 30240.0 - mm / 1209600.0))))
    return q * (q + m - 1.0) if m < LARGE else 0.0


cdef class Cloglog(Separable):
    """value(y, eta) = -y log(1 - exp(-m)) + (1 - y) m with m = exp(eta), y in [0, 1].

    y is the share of successes.
    """

    linear_in_y = True

    cdef double value(self, double y, double eta) noexcept nogil:
        # An infinite term must not be multiplied by 0.
        cdef double m = exp(eta), total = 0.0
        if y > 0.0:
            total -= y * log_success(m, eta)
        if y < 1.0:
            total += (1.0 - y) * m
        return total

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double m = exp(eta)
        return ((1.0 - y) * m if y < 1.0 else 0.0) - y * slope_of_success(m)

    cdef double least_slope(self, double y) noexcept nogil:
        return -y

    cdef double largest_slope(self, double y) noexcept nogil:
        return 0.0 if y == 1.0 else INFINITY

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        cdef double m = exp(eta)
        return ((1.0 - y) * m if y < 1.0 else 0.0) + y * success_second_derivative(m)

    cdef double least(self, double y) noexcept nogil:
        return two_sided_entropy(y)


# y times a slope is at most 0; a value above 0 by at most BEYOND is rounding error.
cdef double BEYOND = 1e-14


cdef class SquaredHinge(Separable):
    """value(y, eta) = max(0, 1 - y eta)^2 / 2, y = -1 or 1; its curvature jumps at y eta = 1."""

    width, bend = 0.0, 1.0

    @property
    def pieces(self):
        """Return c, l and h of each sample, (n,) each: see losses/base.pyx."""
        y = np.asarray(self.y)
        return np.array([y, np.where(y > 0.0, -np.inf, 0.0), np.where(y > 0.0, 0.0, np.inf)])

    cdef double value(self, double y, double eta) noexcept nogil:
        cdef double lack = 1.0 - y * eta
        return 0.5 * lack * lack if lack > 0.0 else 0.0

    cdef double slope(self, double y, double eta) noexcept nogil:
        cdef double lack = 1.0 - y * eta
        return -y * lack if lack > 0.0 else 0.0

    cdef double least_slope(self, double y) noexcept nogil:
        return -INFINITY if y > 0.0 else 0.0

    cdef double largest_slope(self, double y) noexcept nogil:
        return 0.0 if y > 0.0 else INFINITY

    cdef double second_derivative(self, double y, double eta) noexcept nogil:
        return 1.0 if y * eta < 1.0 else 0.0

    cdef double excess(self, double y, double eta, double v) noexcept nogil:
        cdef double lack = 1.0 - y * eta, pull = y * v
        if pull > BEYOND:
            return INFINITY
        if pull > 0.0:
            return (0.5 * lack * lack if lack > 0.0 else 0.0) + price(pull, lack)
        return 0.5 * (lack + pull) * (lack + pull) if lack > 0.0 else pull * (0.5 * pull + lack)


cdef extern from "softmax.h" nogil:
    Py_ssize_t SS_BLOCK
    double ss_softmax(Py_ssize_t m, Py_ssize_t K, Py_ssize_t n, const double* y, const double* w,
                      const double* eta, double* u) noexcept
    void ss_softmax_curvature(Py_ssize_t m, Py_ssize_t K, Py_ssize_t n, const double* w,
                              const double* eta, double* h) noexcept
    void ss_softmax_hessian_times(Py_ssize_t m, Py_ssize_t K, Py_ssize_t n, const double* w,
                                  const double* eta, const double* v, double* out) noexcept
    double ss_softmax_gap(Py_ssize_t m, Py_ssize_t K, Py_ssize_t n, const double* y,
                          const double* w, const double* eta, const double* u, double* e) noexcept


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
        """Sum by halves: rounding of equal terms added one by one would have the same sign."""
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
