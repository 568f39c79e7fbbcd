"""GroupConjugateGradients: a Newton direction of all working groups, by products with columns."""
from sparsesolve.solvers.subproblem.block_descent cimport GroupBlockDescent

cdef class GroupConjugateGradients:
    # along each direction: the step, what it leaves, and preconditioned; group by group
    cdef double[::1] along, rest, z
    cdef double[::1] conjugate, product     # a conjugate direction, and its product

    cdef int reserve(self, int capacity) except -1
    cdef bint solve(self, GroupBlockDescent groups, double lam) noexcept nogil
    cdef double _multiply(self, GroupBlockDescent groups) noexcept nogil
    cdef double _precondition(self, GroupBlockDescent groups, double last) noexcept nogil
