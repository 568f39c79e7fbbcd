"""ResponseDual: the duality gap over all coefficients of K responses."""
from sparsesolve.solvers.responses.coefficients cimport ResponseCoefficients
from sparsesolve.solvers.responses.inactive cimport InactiveRows

cdef class ResponseDual(ResponseCoefficients):
    cdef InactiveRows inactive                # all features; those at work are looked at, too
    cdef int[::1] beyond                    # features beyond their level at the dual point,
    cdef int n_beyond                       # so many
    cdef int[::1] nearby                    # to list features in
    cdef double[::1] ones, room             # a constant; to work in
    cdef double loose                       # gap above which the one asked for counts as loose
    cdef object spans                       # of columns under the weights
    # what a step on columns that nothing holds back might gain still
    cdef double missing

    cdef int _make_dual(self, double lam) except -1
    cdef int _look(self, double lam) except -1
    cdef double working_gap(self, double lam) noexcept nogil
    cdef double whole_gap(self, double lam) except *
