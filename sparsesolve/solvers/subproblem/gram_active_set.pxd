"""GramActiveSet: the quadratic over working columns whose inner products are all known."""
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic
from sparsesolve.solvers.subproblem.support_factor cimport SupportFactor

cdef class GramActiveSet(ActiveSetQuadratic):
    cdef readonly Gram gram
    cdef readonly SupportFactor factor
    # d solves the equations of the factor for this multiple of rhs; 0: it does not
    cdef double answered

    cdef void move(self, int j, double step) noexcept nogil
    cdef void touch(self, double distance) noexcept nogil
    cdef bint _stands(self, double lam) noexcept nogil
    cdef void null_direction_step(self, int j, double lam) noexcept nogil
