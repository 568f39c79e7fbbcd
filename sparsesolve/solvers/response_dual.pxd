"""ResponseDual: the duality gap over all coefficients of K responses."""
from sparsesolve.solvers.response_coefficients cimport ResponseCoefficients

cdef class ResponseDual(ResponseCoefficients):
    cdef double[::1] rest                   # of the intercepts, (K,), and their Hessian
    cdef double[:, ::1] inner
    cdef double[:, :, ::1] bends            # F'' here, (K, K, n)
    cdef double missing                     # what a step on columns that nothing holds back might gain still

    cdef double working_gap(self, double lam) noexcept nogil
    cdef double whole_gap(self, double lam) except *
    cdef void clear_of_intercepts(self) noexcept
    cdef double scale(self, double lam, bint strict) noexcept nogil
    cdef double gap_at(self, double lam, double scale) noexcept nogil
    cdef double length(self, Py_ssize_t j) noexcept nogil
