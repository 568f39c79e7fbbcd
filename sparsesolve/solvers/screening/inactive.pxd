"""Inactive: the blocks of columns outside the working set, whose coefficients are zero."""
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.penalties.elastic_net cimport ElasticNet
from sparsesolve.solvers.screening.safe_balls cimport Correlations

cdef class Inactive:
    cdef ElasticNet net             # blocks of one column, or
    cdef BlockPenalty penalty       # groups; the other is None
    cdef readonly Correlations bounds
    cdef int n_over
    cdef int[::1] over              # blocks above their threshold at the residual examined last
    cdef double[::1] level          # (G,) of their products
    # (G,) room for blocks that are to enter, and for their levels over their thresholds
    cdef int[::1] chosen
    cdef double[::1] ratio
    cdef double[::1] scaled         # room for the products of one block
    # what violators and predict_violators return, until they are asked again
    cdef int[::1] found

    cdef int examine(self, const double* r, double lam) noexcept nogil
    cdef double scale(self, double lam, bint strict) noexcept nogil
    cdef double gap(self, double lam, double scale) noexcept nogil
    cdef int[::1] violators(self, double lam, int most)
    cdef int[::1] predict_violators(self, double lam, double forward)
    cdef int[::1] columns_of(self, const int[::1] blocks)
    cdef int[::1] unpenalised(self)
    cdef int[::1] together(self, which)
    cdef void leave(self, const int[::1] which) noexcept
    cdef products(self, const double* r)
