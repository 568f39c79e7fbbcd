"""SupportFactor: a Cholesky factor of an active set's support, kept as columns come and go."""
from sparsesolve.linalg.factors.cholesky cimport Cholesky
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic

cdef class SupportFactor:
    cdef Gram gram
    cdef readonly Cholesky cholesky
    cdef double level                   # the lam whose ridge is in the factor
    cdef double lam                     # the last one
    # directions so far for what the factor's old ridge left of others
    cdef int refined
    cdef int n_refused                  # support columns that depend on the factor's,
    cdef int[::1] refused               # and which
    cdef double[::1] cross, corner
    cdef int[::1] accepted

    cdef int reserve(self, int capacity) except -1
    cdef void restart(self) noexcept nogil
    cdef void follow(self, ActiveSetQuadratic active, double lam) noexcept nogil
    cdef bint _stale(self, ActiveSetQuadratic active, double lam) noexcept nogil
    cdef void _shrink(self, ActiveSetQuadratic active) noexcept nogil
    cdef void _extend(self, ActiveSetQuadratic active, int count) noexcept nogil
