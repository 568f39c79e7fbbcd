"""The inactive features of K responses, and the dual point of their coefficients."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers.certificate.gap cimport ScaledDual
from sparsesolve.solvers.responses.response_coefficients cimport ResponseCoefficients
from sparsesolve.solvers.screening.inactive cimport SafeBalls


cdef class InactiveRows:
    cdef Design design
    cdef ElasticNetRows net
    cdef int n_threads
    cdef SafeBalls safe_balls
    cdef int[::1] looked                # features whose products were computed last
    cdef int n_looked                   # number of features in `looked`
    cdef double least                   # smallest penalty factor of all features
    cdef readonly double[::1] size      # (p,) size of each feature's products, when last computed

    cdef int list_near(self, double entry, double lam, int* out) noexcept nogil
    cdef double[:, ::1] find(self, const double[:, ::1] u, double lam)


cdef class ResponseDual(ScaledDual):
    cdef ResponseCoefficients point
    cdef InactiveRows inactive              # all features, including working ones
    cdef double[:, ::1] u                   # the dual point, (K, n)
    # Other coefficients beyond their threshold at the dual point. A grouped row counts as one.
    cdef int[::1] beyond
    cdef Py_ssize_t n_beyond                # the number of coefficients in beyond
    cdef double[::1] ones, scratch          # a column of ones; scratch space
    cdef int[::1] nearby                    # scratch space for a list of features
    cdef object spans                       # bases of columns under the weights
    cdef const double[::1] norms            # (p,) lengths of the columns under the weights
    cdef double square, rounding            # of the responses; of products, see `whole_gap`

    cdef double working_gap(self, double lam) noexcept
    cdef double whole_gap(self, double lam) except *
    cdef Py_ssize_t[::1] violators(self, double near, double lam)
    cdef double _longer(self) noexcept
    cdef double _make_dual(self, double lam) except *
    cdef int _look(self, double lam) except -1
    cdef double _size(self, Py_ssize_t c) noexcept nogil
    cdef double _limit(self, Py_ssize_t c) noexcept nogil
    cdef double _samples_gap(self, const double[:, ::1] u, double scale) noexcept nogil
