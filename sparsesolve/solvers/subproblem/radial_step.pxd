"""GroupLengths: the lengths of working groups, brought to their best together."""
from sparsesolve.solvers.subproblem.block_step cimport GroupBlocks

cdef class GroupLengths(GroupBlocks):
    cdef bint stretchable, stretches    # whether lengths can be brought to their best, and are
    cdef double[::1] length             # (G,) of each working group

    cdef bint take_ray(self, int k, double lam) noexcept nogil
    # what a subclass says
    cdef bint worth_stretching(self) noexcept nogil
    cdef void stretch(self, double lam, double target) noexcept nogil
