"""Separable: a loss that is a sum over samples, from the functions of one sample."""

from sparsesolve.losses.base cimport Loss

cdef class Separable(Loss):
    cdef const double[::1] y, w
    cdef double origin  # a linear predictor at which values are near 0

    cdef double evaluate_block(self, Py_ssize_t start, Py_ssize_t stop, const double* eta,
                               double* u) noexcept nogil
    cdef double value(self, double y, double eta) noexcept nogil
    cdef double slope(self, double y, double eta) noexcept nogil
    cdef double second_derivative(self, double y, double eta) noexcept nogil
    cdef double least(self, double y) noexcept nogil
    cdef double least_slope(self, double y) noexcept nogil
    cdef double largest_slope(self, double y) noexcept nogil
    cdef double excess(self, double y, double eta, double v) noexcept nogil
    cdef double above(self, double y, double eta, double t, double v) noexcept nogil
