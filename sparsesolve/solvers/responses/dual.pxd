"""ResponseDual: the duality gap over all coefficients of K responses."""
from sparsesolve.solvers.responses.coefficients cimport ResponseCoefficients
from sparsesolve.solvers.responses.inactive cimport InactiveRows

cdef class ResponseDual(ResponseCoefficients):
    cdef InactiveRows inactive              # all features, including working ones
    cdef int[::1] beyond                    # features beyond their threshold at the dual point
    cdef int n_beyond                       # the number of features in beyond
    cdef int[::1] nearby                    # scratch space for a list of features
    cdef double[::1] ones, room             # a column of ones; scratch space
    cdef double loose                       # a target gap above this counts as loose
    cdef object spans                       # bases of columns under the weights
    # the gain that a step on the unpenalised columns might still bring
    cdef double missing

    cdef int _make_dual(self, double lam) except -1
    cdef int _look(self, double lam) except -1
    cdef double working_gap(self, double lam) noexcept nogil
    cdef double whole_gap(self, double lam) except *
