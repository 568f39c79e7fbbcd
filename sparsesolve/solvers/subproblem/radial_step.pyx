"""Lengths of all working groups at once, their directions held: where the penalty is one of lengths alone.

    minimise over s >= -|b_g|   |r - sum_g s_g Z_g b_g / |b_g||^2 / 2 + lam sum_g (Omega_g at |b_g| + s_g)

What sweeps leave of a group's optimality shows along its ray and across.  Across, the norm of the gradient feels it by
its square; along the ray at once, and with it the gap, whose dual point has to be shrunk by it.  So once lengths are
where they are best the gap is of second order in what is missing to the solution, as the objective is.
Columns of a group without a norm on it move each by itself.  A subclass says how it solves for the step.
"""
from libc.math cimport sqrt

import numpy as np

from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.linalg.kernels.vector cimport dot
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.subproblem.block_step cimport BlockStep


cdef class RadialStep(BlockStep):

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.length = np.zeros(penalty.n_groups)

    cdef bint second_order(self, bint wanted, double lam) noexcept nogil:
        """Bring lengths to their best from now on if that is wanted, and can be; whether it is done.

        Columns that the penalty does not hold may depend on one another, and a joint step would send them far.
        """
        cdef int k
        self.takes_radial_steps = wanted and self.has_radial_step
        for k in range(self.n_groups):
            self.takes_radial_steps = self.takes_radial_steps and self.is_penalised(k, lam)
        return self.takes_radial_steps

    cdef bint take_ray(self, int k, double lam) noexcept nogil:
        """The ray of a group's coefficients; whether there is one.

        `slope` is what is to be gained along it so far as the penalty alone tells.
        """
        cdef int j, first = self.first[k], s = self.first[k + 1] - first, g = self.group[k]
        cdef double ridge = lam * self.penalty.ridge[g]
        cdef double length = sqrt(dot(s, self.b + first, self.b + first))
        self.length[k] = length
        self.n_tangents[k] = length > 0.0
        for j in range(first, first + s):
            self.tangent_of[j] = self.n_tangents[k] - 1
            self.sign[j] = self.b[j] / length if length > 0.0 else 1.0
        if length > 0.0:
            self.hessians[self.place[k]] = ridge
            self.slope[first] = -ridge * length - lam * self.penalty.weight[g]
        return length > 0.0

    cdef bint radial_step_pays(self) noexcept nogil:
        """Whether that is not too dear beside sweeps, for as many as are at work."""
        return True

    cdef void radial_step(self, double lam, double target) noexcept nogil:
        """Bring lengths to where they are best, nearly; g made anew."""
