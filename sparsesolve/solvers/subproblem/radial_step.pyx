"""Radial step: the lengths of all working groups at once, their directions fixed.

    minimise over s >= -|b_g|   |r - sum_g s_g Z_g b_g / |b_g||^2 / 2
                                + lam sum_g (Omega_g at |b_g| + s_g)

It serves penalties of the lengths of groups. Sweeps leave errors along a group's ray and across
it. The norm of the gradient sees an error across the ray by its square. It sees one along the ray
at once, and the gap with it, whose dual point is shrunk by it. So once the lengths are optimal,
the gap is of second order in the distance to the solution, as the objective is. Columns of an
unpenalised group move each by itself. A subclass solves for the step.
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
        """Take radial steps from now on if they are wanted and possible; returns whether they are
        taken.

        Unpenalised columns may depend on one another, and a joint step would send them far.
        """
        cdef int k
        self.takes_radial_steps = wanted and self.has_radial_step
        for k in range(self.n_groups):
            self.takes_radial_steps = self.takes_radial_steps and self.is_penalised(k, lam)
        return self.takes_radial_steps

    cdef bint take_ray(self, int k, double lam) noexcept nogil:
        """Make the ray of a group's coefficients; returns whether there is one.

        `slope` is the possible decrease along it by the penalty alone.
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
        """Return True if a radial step is cheap compared with sweeps, for that many groups."""
        return True

    cdef void radial_step(self, double lam, double target) noexcept nogil:
        """Minimise over the lengths, approximately, and recompute g."""
