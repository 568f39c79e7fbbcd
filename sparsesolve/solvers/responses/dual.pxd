"""ResponseDual: the duality gap over all coefficients of K responses."""
from sparsesolve.solvers.certificate.gap cimport ScaledDual
from sparsesolve.solvers.responses.coefficients cimport ResponseCoefficients
from sparsesolve.solvers.responses.inactive cimport InactiveRows

cdef class ResponseDual(ScaledDual):
    cdef readonly ResponseCoefficients point
    cdef readonly InactiveRows inactive     # all features, including working ones
    cdef double[:, ::1] u                   # the dual point, (K, n)
    # Other coefficients beyond their threshold at the dual point. A grouped row counts as one.
    cdef int[::1] beyond
    cdef Py_ssize_t n_beyond                # the number of coefficients in beyond
    cdef double[::1] ones, room             # a column of ones; scratch space
    cdef int[::1] nearby                    # scratch space for a list of features
    cdef object spans                       # bases of columns under the weights

    cdef double working_gap(self, double lam) noexcept
    cdef double whole_gap(self, double lam) except *
    cdef Py_ssize_t[::1] violators(self, double near, double lam)
    cdef double _make_dual(self, double lam) except *
    cdef int _look(self, double lam) except -1
    cdef double _size(self, Py_ssize_t c) noexcept nogil
    cdef double _limit(self, Py_ssize_t c) noexcept nogil
    cdef double _samples_gap(self, const double[:, ::1] u, double scale) noexcept nogil
