"""CorrelationBounds: what is known of Z_g'r without multiplying."""
cimport cython

from sparsesolve.linalg.design.design cimport Design
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.screening.correlations cimport Correlations, Record
from sparsesolve.solvers.screening.quantised cimport Quantised
from sparsesolve.solvers.screening.residuals cimport Residuals

@cython.final
cdef class CorrelationBounds(Correlations):
    cdef readonly long estimates            # blocks estimated by quantised columns, so far
    cdef Residuals residuals
    cdef Quantised quantised                # None where it is not worth its memory
    cdef double[::1] quantisation_error     # (G,) of the level, per length of r
    # (G,) level of a block as last estimated in `work`, and how far it may be off
    cdef double[::1] estimate_of, reach
    cdef int[::1] candidates, pending
    cdef double[::1] work                   # (p,) products, block by block


cpdef Correlations correlations_of_columns(Design design, double[::1] root_w,
                                           const double[::1] threshold, int n_threads)
cpdef Correlations correlations_of_groups(Design design, double[::1] root_w,
                                          BlockPenalty penalty, int n_threads)
