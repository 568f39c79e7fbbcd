"""The contract of a loss: F(eta) of the linear predictors of all samples, convex and smooth."""

from sparsesolve.linalg.factors.root cimport Root

cdef class Loss:
    cdef readonly Py_ssize_t n          # number of samples
    cdef readonly int n_responses       # K: eta, u, h are (K, n) in C order
    cdef readonly double saturated      # the infimum of F
    # F(eta + c) = F(eta) for every constant c: the intercept is undetermined
    cdef readonly bint shift_invariant
    cdef readonly bint symmetric  # a constant added to all responses of a sample does not change F
    cdef Root root                      # L with F'' = L L', set by the last take_root
    cdef readonly bint coupled  # F'' is far from its diagonal, and take_root may return a factor
    cdef readonly bint by_rows          # evaluate_rows accepts a part of the samples
    cdef object pending                 # the first exception caught by a noexcept method

    cdef double evaluate(self, const double* eta, double* u) noexcept nogil
    cdef double evaluate_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* eta,
                              double* u) noexcept nogil
    cdef double sample(self, const double* y, const double* eta, double* slope) noexcept nogil
    cdef void curvature(self, const double* eta, double* h) noexcept nogil
    cdef void curvature_times(self, const double* eta, const double* v, double* out) noexcept nogil
    cdef void parts(self, const double* u, double* A, double* r) noexcept nogil
    cdef double fenchel_young(self, const double* eta, const double* u) noexcept nogil
    cdef bint admits(self, const double* eta, const double* u) noexcept nogil
    cdef bint take_root(self, const double* eta, double floor, bint dense) noexcept nogil
