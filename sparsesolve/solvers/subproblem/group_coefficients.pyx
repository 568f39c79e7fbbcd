"""Working coefficients under a penalty on groups, whose columns enter in whole groups.

The order of a group's columns is that of the penalty's blocks. Certificate and violations are
sums and maxima over the groups of what the penalty says of each block.
"""
from libc.math cimport INFINITY, copysign, fabs, sqrt

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef double NO_PENALTY = costs.rounding.NO_PENALTY


cdef class GroupCoefficients(WorkingCoefficients):

    def __cinit__(self, PackedColumns columns, BlockPenalty penalty):
        self.columns, self.penalty, self.curved, self.wants_start = columns, penalty, True, True
        self.first, self.group = np.zeros((2, penalty.n_groups + 1), dtype=np.intc)
        self.place = np.zeros(penalty.n_groups + 1, dtype=np.intp)
        self.plain = not penalty.limited and not np.asarray(penalty.ridge).any()
        self.x, self.old = np.zeros((2, self.capacity))

    cdef int reserve(self, int capacity) except -1:
        if capacity > self.capacity:
            WorkingCoefficients.reserve(self, capacity)
            self.x, self.old = np.zeros((2, self.capacity))
        return 0

    cdef int add_groups(self, const int[::1] which, const double[::1] start,
                        const double[::1] gradient) except -1:
        """Add the columns of whole groups; a subclass fills in `diag`."""
        cdef int k = self.size, j, g, count = which.shape[0]
        cdef Py_ssize_t size
        self.add(&which[0], &start[0], &gradient[0], count)
        while k < self.size:
            g = self.penalty.of[self.index[k]]
            self.group[self.n_groups], self.first[self.n_groups] = g, k
            for j in range(self.penalty.start[g], self.penalty.start[g + 1]):
                self.order[k] = self.n_groups
                self.lower[k], self.upper[k] = self.penalty.lower[j], self.penalty.upper[j]
                k += 1
            size = self.penalty.size(g)
            self.place[self.n_groups + 1] = self.place[self.n_groups] + size * size
            self.n_groups += 1
            self.first[self.n_groups] = k
        return 0

    cdef void restart(self) noexcept nogil:
        WorkingCoefficients.restart(self)
        self.n_groups, self.largest = 0, 0.0

    # The penalty.

    cdef bint is_penalised(self, int k, double lam) noexcept nogil:
        """Return True if the penalty on a working group is certain to exceed rounding."""
        cdef int g = self.group[k]
        return lam * (self.penalty.weight[g] + self.penalty.l1[g]) > NO_PENALTY * sqrt(self.largest)

    cdef bint is_outweighed(self, int g, int j, double lam) noexcept nogil:
        """Return True if group g's penalty on working column j does not exceed rounding."""
        return (lam * (self.penalty.weight[g] + self.penalty.l1[g]) <= NO_PENALTY
                * sqrt(self.diag[j]) and lam * self.penalty.ridge[g] <= NO_PENALTY * self.diag[j])

    cdef bint free(self, int j, double lam) noexcept nogil:
        return (self.is_outweighed(self.group[self.order[j]], j, lam)
                and not (self.b[j] >= self.upper[j] and self.g[j] >= 0.0)
                and not (self.b[j] <= self.lower[j] and self.g[j] <= 0.0))

    cdef double* products(self, int k, double lam, double scale, double inflated) noexcept nogil:
        """Bounds on the dual point's products with a working group; 0 for those that it is
        orthogonal to.
        """
        cdef int j
        cdef bint held = self.is_penalised(k, lam)
        if held and scale == 1.0 and inflated == 0.0:
            return &self.g[self.first[k]]
        for j in range(self.first[k], self.first[k + 1]):
            self.x[j] = 0.0
            if held or not self.free(j, lam):
                self.x[j] = scale * self.g[j]
                if inflated > 0.0:
                    self.x[j] += copysign(inflated * sqrt(self.diag[j]), self.x[j])
        return &self.x[self.first[k]]

    cdef void estimate_unpenalised_norm(self, double lam) noexcept nogil:
        cdef int k
        for k in range(self.n_groups):
            if not self.is_penalised(k, lam):
                WorkingCoefficients.estimate_unpenalised_norm(self, lam)
                return
        self.unpenalised_norm = 0.0

    cdef int update_unpenalised_norm(self, double lam) except -1:
        cdef int k
        for k in range(self.n_groups):
            if not self.is_penalised(k, lam):
                return WorkingCoefficients.update_unpenalised_norm(self, lam)
        self.unpenalised_norm, self.unresolved = 0.0, None
        return 0

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        cdef double s = 1.0
        cdef double* z
        cdef int k, j, first
        cdef bint pressed
        for k in range(self.n_groups):
            z, first = self.products(k, lam, 1.0, self.unpenalised_norm), self.first[k]
            if strict and self.penalty.limited:
                for j in range(first, self.first[k + 1]):
                    pressed = (self.b[j] >= self.upper[j] if z[j - first] > 0.0
                               else self.b[j] <= self.lower[j])
                    self.x[j] = 0.0 if pressed else z[j - first]
                z = &self.x[first]
            s = min(s, self.penalty.block_scale(self.group[k], z, lam, strict))
        return s

    cdef double penalty_value(self, double lam) noexcept nogil:
        cdef double total = 0.0
        cdef int k
        for k in range(self.n_groups):
            total += self.penalty.block_value(self.group[k], &self.b[self.first[k]], lam)
        return total

    cdef double column_gap(self, double lam, double scale) noexcept nogil:
        cdef double total = self.penalty_value(lam), off
        cdef double* z
        cdef int k, j, first
        for k in range(self.n_groups):
            first, off = self.first[k], scale * self.unpenalised_norm
            z = self.products(k, lam, scale, 0.0)
            for j in range(first, self.first[k + 1]):
                total -= z[j - first] * self.b[j]
                if off > 0.0 and not self.free(j, lam):
                    total += off * sqrt(self.diag[j]) * fabs(self.b[j])
            # a feasible point's conjugate is 0
            if self.plain:
                continue
            if off > 0.0:
                z = self.products(k, lam, scale, off)
            total += self.penalty.block_conjugate(self.group[k], z, lam)
        # less than 0 is rounding; NaN is no gap
        return max(total, 0.0) if total < INFINITY else INFINITY

    cdef double charge(self, const double* before, double lam) noexcept nogil:
        cdef double total = 0.0
        cdef int k, j, g
        for k in range(self.n_groups):
            j, g = self.first[k], self.group[k]
            total += self.penalty.block_value(g, &self.b[j], lam) - self.penalty.block_value(g,
                    before + j, lam)
        return total

    cdef bint extrapolate(self, int count, const double* change, double lam) noexcept nogil:
        """Groups at zero stay there, and those that would turn round stop there."""
        cdef int k, j, g
        cdef double old, new, turned
        cdef bint whole = True
        for k in range(self.n_groups):
            if self.first[k] >= count:
                break
            g, turned = self.group[k], 0.0
            for j in range(self.first[k], self.first[k + 1]):
                turned += self.b[j] * (self.b[j] + change[j])
            for j in range(self.first[k], self.first[k + 1]):
                old = self.b[j]
                new = min(max(old + change[j], self.lower[j]), self.upper[j])
                if (turned <= 0.0 and self.penalty.weight[g] > 0.0) or (old * new <= 0.0
                        and self.penalty.l1[g] > 0.0):
                    new = 0.0
                self.b[j] = new
                whole = whole and new == old + change[j]
        return whole
