"""CorrelationBounds: what is known of z_j'r without multiplying."""
from sparsesolve.solvers.screening.correlations cimport Correlations
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.solvers.screening.residuals cimport Residuals
from sparsesolve.solvers.screening.quantised cimport Sketch

cdef struct Known:                      # of one column: what a new bound needs, in one place
    double[2] product                   # z_j'r1 and z_j'r2, exact
    double[2] rough                     # the same for the last two residuals, within `off`
    double[2] off
    int[2] met, nearly_met              # names of the residuals of product, and of rough

cdef class CorrelationBounds(Correlations):
    cdef readonly long estimates        # products with the sketch, so far
    cdef double reach                   # how far the last estimate may be off
    cdef Residuals residuals
    cdef int[2] solved                  # names of the last residuals at this lam and at the one before
    cdef Sketch sketch                  # None where it is not worth its memory
    cdef Known* known                   # (p,)
    cdef int[::1] awake, pending

    cdef int _arrive(self, const double* r) noexcept nogil
    cdef void _exclude(self, double lam, int name) noexcept nogil
    cdef void _sort(self, Py_ssize_t j, double bound, double limit) noexcept nogil
    cdef void _learn(self, Known* column, double product, double off, int name) noexcept nogil
    cdef double _estimate(self, Py_ssize_t j, const Known* column) noexcept nogil

cpdef Correlations correlations(Design design, double[::1] root_w, const double[::1] threshold, int n_threads)
