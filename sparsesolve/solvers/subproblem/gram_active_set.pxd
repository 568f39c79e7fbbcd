"""GramActiveSet: the quadratic over working columns whose inner products are all known."""
from sparsesolve.linalg.factors.cholesky cimport Cholesky
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic

cdef class GramActiveSet(ActiveSetQuadratic):
    cdef readonly Gram gram
    cdef readonly Cholesky cholesky
    cdef double factor_level            # the lam whose ridge is in the factor
    cdef double lam                     # of the last direction
    # directions so far for what the factor's old ridge left of others
    cdef int refined
    # d solves the equations of the factor for this multiple of rhs; 0: it does not
    cdef double answered
    cdef int n_refused                  # support columns that depend on the factor's
    cdef double[::1] cross, corner, work
    cdef int[::1] fresh, accepted, refused

    cdef void synchronise(self, double lam) noexcept nogil
    cdef void shrink(self) noexcept nogil
    cdef void extend(self, int count) noexcept nogil
    cdef bint stale(self, double lam) noexcept nogil
    cdef void move(self, int j, double step) noexcept nogil
    cdef void touch(self, double distance) noexcept nogil
    cdef bint _stands(self, double lam) noexcept nogil
    cdef void null_direction_step(self, int j, double lam) noexcept nogil
