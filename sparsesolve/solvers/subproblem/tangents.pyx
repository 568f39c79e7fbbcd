"""Tangents: directions along which the penalty on the working groups is smooth.

    b_j += sign_j t_i for the columns j of group k with i = tangent_of_j,   i < count_k

Given: the groups' coefficients, the products of the residual with their columns, and lam.
Returned: for each group its directions, the slope of the objective along each (what a step along it
gains at first), and the penalty's second derivative along them, a block of count_k x count_k at
`place_k`. A block step solves for one group along its directions, a Newton step for all groups,
and a radial step has the ray of each group as its only direction. Groups are vectors from their
first entry on.
"""
from libc.math cimport sqrt
from libc.string cimport memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.kernels.vector cimport dot
from sparsesolve.penalties.blocks cimport BlockPenalty

cdef double MERGE_WITHIN = costs.subproblem.MERGE_WITHIN
cdef double MERGE_NEAR = costs.subproblem.MERGE_NEAR


cdef class Tangents:

    def __cinit__(self, BlockPenalty penalty, int[::1] first, int[::1] group,
                  Py_ssize_t[::1] place):
        self.penalty, self.first, self.group, self.place = penalty, first, group, place
        self.count = np.zeros(penalty.n_groups, dtype=np.intc)
        self.hessians = np.zeros(0)

    cdef int reserve(self, int capacity) except -1:
        """Make room for so many columns; directions are forgotten."""
        self.sign, self.slope = np.zeros((2, capacity))
        self.tangent_of = np.zeros(capacity, dtype=np.intc)
        return 0

    cdef int reserve_blocks(self, Py_ssize_t entries) except -1:
        """Make room for so many entries of blocks; second derivatives are forgotten."""
        self.hessians = np.zeros(entries)
        return 0

    cdef int linearise(self, int k, const double* b, const double* z, double lam) noexcept nogil:
        """Set group k's directions at b, with products z; returns how many there are."""
        cdef int first = self.first[k]
        self.count[k] = self.penalty.tangent(self.group[k], b, z, lam, &self.tangent_of[first],
                                             &self.sign[first], &self.slope[first])
        self.second_derivative(k, b, lam)
        return self.count[k]

    cdef void second_derivative(self, int k, const double* b, double lam) noexcept nogil:
        """Set the penalty's second derivative along group k's directions."""
        cdef int n = self.count[k]
        memset(&self.hessians[self.place[k]], 0, <Py_ssize_t> n * n * sizeof(double))
        self.penalty.second_derivative(self.group[k], b, lam, &self.tangent_of[self.first[k]],
                                       &self.hessians[self.place[k]], n)

    cdef double take_ray(self, int k, const double* b, double lam) noexcept nogil:
        """Make the ray of b group k's only direction, if b is not 0; returns the length of b.

        `slope` is that of the penalty alone, a function of the length.
        """
        cdef int j, first = self.first[k], s = self.first[k + 1] - first, g = self.group[k]
        cdef double ridge = lam * self.penalty.ridge[g], length = sqrt(dot(s, b, b))
        self.count[k] = length > 0.0
        for j in range(s):
            self.tangent_of[first + j] = self.count[k] - 1
            self.sign[first + j] = b[j] / length if length > 0.0 else 1.0
        if length > 0.0:
            self.hessians[self.place[k]] = ridge
            self.slope[first] = -ridge * length - lam * self.penalty.weight[g]
        return length

    cdef int merge(self, int k, const double* b, const double* d, double lam) noexcept nogil:
        """Merge directions that reach a kink at once along d; returns how many were lost."""
        cdef int first = self.first[k], lost = 0
        if self.count[k] > 0:
            lost = self.penalty.merge(self.group[k], b, d, MERGE_WITHIN, MERGE_NEAR,
                                      &self.tangent_of[first], &self.sign[first],
                                      &self.slope[first])
        if lost > 0:
            self.count[k] -= lost
            self.second_derivative(k, b, lam)
        return lost

    cdef void truncate(self, int k, const double* b, double* d, double lam) noexcept nogil:
        """Stop coefficients at 0 or at a limit where they would cross it; groups that turn round,
        at 0.
        """
        cdef int j, s = self.first[k + 1] - self.first[k], g = self.group[k]
        cdef const double* lower = &self.penalty.lower[self.penalty.start[g]]
        cdef const double* upper = &self.penalty.upper[self.penalty.start[g]]
        cdef bint kinked = lam * self.penalty.l1[g] > 0.0
        cdef double product = 0.0
        for j in range(s):
            product += b[j] * (b[j] + d[j])
            if kinked and b[j] * (b[j] + d[j]) < 0.0:
                d[j] = -b[j]
            elif b[j] + d[j] > upper[j]:
                d[j] = upper[j] - b[j]
            elif b[j] + d[j] < lower[j]:
                d[j] = lower[j] - b[j]
        if product < 0.0 and lam * self.penalty.weight[g] > 0.0:
            for j in range(s):
                d[j] = -b[j]

    cdef void spread(self, int k, const double* along, double* out) noexcept nogil:
        """Set the step of group k's columns from those along its directions."""
        cdef int j, first = self.first[k]
        for j in range(self.first[k + 1] - first):
            out[j] = (self.sign[first + j] * along[self.tangent_of[first + j]]
                      if self.count[k] > 0 and self.tangent_of[first + j] >= 0 else 0.0)

    cdef void add_products(self, int k, const double* x, double* out) noexcept nogil:
        """Add the products of x, by group k's columns, with each of its directions."""
        cdef int j, first = self.first[k]
        if self.count[k] > 0:
            for j in range(self.first[k + 1] - first):
                if self.tangent_of[first + j] >= 0:
                    out[self.tangent_of[first + j]] += self.sign[first + j] * x[j]
