"""GroupQuadratic: the quadratic over working groups whose inner products are all known."""
from sparsesolve.solvers.group_columns cimport GroupColumns

cdef class GroupQuadratic(GroupColumns):
    cdef double[::1] bound              # of the largest eigenvalue of each block of the Gram matrix, as far as is known
    cdef int n_ways                     # directions of the Newton step under way
    cdef int[::1] base                  # the first of each working group
    cdef int[::1] way                   # which of them a column moves along, -1 none
    cdef double[::1] sign, slope        # by how much; by direction what the step is to remove
    cdef double[::1] matrix             # of the Newton step

    cdef double block_bound(self, int k) noexcept nogil
    cdef int sweep(self, double lam) noexcept nogil
    cdef bint block_step(self, int k, double lam) noexcept nogil
    cdef bint newton(self, double lam) noexcept nogil
    cdef bint direction(self, double lam) noexcept nogil
    cdef bint make_matrix_room(self) noexcept nogil
    cdef void assemble(self, double lam, double* H) noexcept nogil
    cdef void stop_short(self, double lam) noexcept nogil
    cdef bint descend(self, double lam) noexcept nogil
