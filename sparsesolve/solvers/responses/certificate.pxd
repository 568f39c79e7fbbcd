"""The duality gap of K responses over all columns, and the inactive features."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.solvers.screening.safe_balls cimport SafeBalls

cdef void clear_of_one(Loss loss, const double* u, const double* z, double* out,
                       double* scratch) noexcept nogil


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
