"""Lengths of all working groups at once, their directions held: where the penalty is one of lengths alone.

    minimise over s >= -|b_g|   |r - sum_g s_g Z_g b_g / |b_g||^2 / 2 + lam sum_g (Omega_g at |b_g| + s_g)

What sweeps leave of a group's optimality shows along its ray and across.  Across, the norm of the gradient feels it by
its square; along the ray at once, and with it the gap, whose dual point has to be shrunk by it.  So once lengths are
where they are best the gap is of second order in what is missing to the solution, as the objective is.
Columns of a group without a norm on it move each by itself.  A subclass says how it solves for the step.
"""
from libc.math cimport INFINITY, sqrt
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg.packed cimport Packed
from sparsesolve.linalg.vector cimport dot
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.groups.blocks cimport GroupBlocks


cdef class GroupLengths(GroupBlocks):

    def __cinit__(self, Packed columns, BlockPenalty penalty):
        self.length = np.zeros(penalty.n_groups)

    cdef bint second_order(self, bint wanted) noexcept nogil:
        """Bring lengths to their best from now on if that is wanted, and can be; whether it is done.

        Columns without a norm on them may depend on one another, and a joint step would send them far.
        """
        cdef int k
        self.stretches = wanted and self.stretchable
        for k in range(self.n_groups):
            self.stretches = self.stretches and not self.penalty.bare(self.group[k])
        return self.stretches

    cdef bint all_held(self, double lam) noexcept nogil:
        """Whether the penalty holds every working group at lam."""
        cdef int k
        for k in range(self.n_groups):
            if not self.held_back(k, lam):
                return False
        return True

    cdef int most_rays(self) noexcept nogil:
        """How many directions the working groups may have."""
        cdef int k, count = 0
        for k in range(self.n_groups):
            count += self.first[k + 1] - self.first[k] if self.penalty.bare(self.group[k]) else 1
        return count

    cdef int take_rays(self, int k, double lam) noexcept nogil:
        """The ray of a group's coefficients, or every column's without a norm on them; how many there are.

        `slope` is what is to be gained along each so far as the penalty alone tells.
        """
        cdef int j, first = self.first[k], s = self.first[k + 1] - self.first[k], g = self.group[k]
        cdef double ridge = lam * self.penalty.ridge[g], length
        cdef bint held = self.held_back(k, lam)
        length = sqrt(dot(s, self.b + first, self.b + first))
        self.length[k] = length if held else INFINITY       # no way back is too long there
        self.n_ways[k] = s if not held else 1 if length > 0.0 else 0
        for j in range(s):
            self.way[first + j] = -1 if self.n_ways[k] == 0 else 0 if held else j
            self.sign[first + j] = self.b[first + j] / length if held and length > 0.0 else 1.0
        memset(&self.bends[self.place[k]], 0, self.n_ways[k] * <Py_ssize_t> self.n_ways[k] * sizeof(double))
        for j in range(self.n_ways[k]):
            self.bends[self.place[k] + j * (self.n_ways[k] + 1)] = ridge
            self.slope[first + j] = -ridge * (length if held else self.b[first + j])
            if held:
                self.slope[first] -= lam * self.penalty.weight[g]
        return self.n_ways[k]

    cdef bint worth_stretching(self) noexcept nogil:
        """Whether that is not too dear beside sweeps, for as many as are at work."""
        return True

    cdef void stretch(self, double lam, double target) noexcept nogil:
        """Bring lengths to where they are best, nearly; g made anew."""
