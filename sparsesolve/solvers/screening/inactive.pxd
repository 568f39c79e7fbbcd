"""Inactive: the columns that are not at work, whose coefficients are zero."""
from sparsesolve.solvers.screening.correlations cimport Correlations
from sparsesolve.penalties.elastic_net cimport ElasticNet

cdef class Inactive:
    cdef int examine(self, const double* r, double lam) noexcept nogil
    cdef double scale(self, double lam, bint strict) noexcept nogil
    cdef double gap(self, double lam, double scale) noexcept nogil
    cdef double promise(self, double lam) noexcept nogil
    cdef int[::1] violators(self, double lam, int most)
    cdef int[::1] predict_violators(self, const double* r, double lam, double forward)
    cdef int[::1] unpenalised(self)
    cdef int[::1] together(self, which)
    cdef void leave(self, const int[::1] which) noexcept
    cdef products(self, const double* r)

cdef class InactiveColumns(Inactive):
    cdef readonly Correlations bounds
    cdef ElasticNet penalty
    cdef int n_over
    # of those examined, which have products over their threshold
    cdef int[::1] over
    # what violators and predict_violators return, until they are asked again
    cdef int[::1] found
