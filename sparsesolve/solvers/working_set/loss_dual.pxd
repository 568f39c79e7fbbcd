"""LossDual: a dual point of a smooth loss, orthogonal to what nothing penalises."""
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients
from sparsesolve.solvers.working_set.local_model cimport LocalModel

cdef class LossDual:
    cdef LocalModel model
    cdef double[::1] point, work        # (n,) the dual point, not scaled; a multiple of it
    cdef bint cleared                   # whether it is more than u less a multiple of H
    cdef double missing                 # what steps along unpenalised directions may gain
    # A scale of the dual point, NaN at first, and the gap of the samples there.
    cdef double scaled, excess

    cdef int make(self, WorkingCoefficients quadratic, spans, double lam, double unit) except -1
    cdef bint _orthogonal_to_constant(self, double pull) noexcept nogil
    cdef double samples_gap(self, double scale) noexcept nogil
