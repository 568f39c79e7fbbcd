"""ResponseDual: the duality gap over all coefficients of K responses."""
from sparsesolve.solvers.responses.coefficients cimport ResponseCoefficients

cdef class ResponseDual(ResponseCoefficients):
    cdef object outside                     # OutsideRows of all features; those at work are looked at, too
    cdef int[::1] beyond                    # features beyond their level at the dual point,
    cdef double[::1] sizes                  # and how large their products are
    cdef object spans                       # of columns under the weights
    cdef double missing                     # what a step on columns that nothing holds back might gain still

    cdef double working_gap(self, double lam) noexcept nogil
    cdef double whole_gap(self, double lam) except *
    cdef double scale(self, double lam, bint strict) noexcept nogil
    cdef double gap_at(self, double lam, double scale) noexcept nogil
