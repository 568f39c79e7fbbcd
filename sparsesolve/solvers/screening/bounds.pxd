"""CorrelationBounds: what is known of z_j'r without multiplying."""
from sparsesolve.solvers.screening.correlations cimport Correlations
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.solvers.screening.residuals cimport Residuals
from sparsesolve.solvers.screening.quantised cimport Quantised

cdef struct Known:                      # of one column: what a new bound needs, in one place
    double[2] product                   # z_j'r1 and z_j'r2, exact
    double[2] approx                     # the same for the last two residuals, within `off`
    double[2] error
    int[2] exact_at, approx_at              # names of the residuals of product, and of rough

cdef class CorrelationBounds(Correlations):
    cdef readonly long estimates        # products with the sketch, so far
    cdef double reach                   # how far the last estimate may be off
    cdef Residuals residuals
    # names of the last residuals at this lam and at the one before
    cdef int[2] solved
    cdef Quantised quantised                  # None where it is not worth its memory
    cdef Known* known                   # (p,)
    cdef int[::1] candidates, pending

    cdef int _arrive(self, const double* r) noexcept nogil
    cdef void _exclude(self, double lam, int name) noexcept nogil
    cdef void _sort(self, Py_ssize_t j, double bound, double limit) noexcept nogil
    cdef void _learn(self, Known* column, double product, double off, int name) noexcept nogil
    cdef double _estimate(self, Py_ssize_t j, const Known* column) noexcept nogil

cpdef Correlations correlations(Design design, double[::1] root_w, const double[::1] threshold,
                                int n_threads)
