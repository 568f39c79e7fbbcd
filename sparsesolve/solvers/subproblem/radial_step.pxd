"""RadialStep: the lengths of working groups, brought to their best together."""
from sparsesolve.solvers.subproblem.block_step cimport BlockStep

cdef class RadialStep(BlockStep):
    # whether lengths can be brought to their best, and are
    cdef bint has_radial_step, takes_radial_steps
    cdef double[::1] length             # (G,) of each working group

    cdef bint take_ray(self, int k, double lam) noexcept nogil
    # what a subclass says
    cdef bint radial_step_pays(self) noexcept nogil
    cdef void radial_step(self, double lam, double target) noexcept nogil
