"""InactiveRows: features outside the working set of a problem with K responses."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.solvers.screening.safe_balls cimport SafeBalls
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows

cdef class InactiveRows:
    cdef Design design
    cdef ElasticNetRows net
    cdef int n_threads
    cdef SafeBalls safe_balls
    cdef int[::1] looked                # features whose products were computed last
    cdef int n_looked                   # number of features in `looked`
    cdef double least                   # smallest penalty factor of all features
    cdef readonly double[::1] size      # (p,) size of each feature's products, when last computed

    cdef int list_near(self, double level, double lam, int* out) noexcept nogil
    cdef double[:, ::1] find(self, const double[:, ::1] u, double lam)
