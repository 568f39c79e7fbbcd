"""Conjugate gradients for the Newton direction of all working groups, by products with columns.

    (T'Z'Z T + H) t = slope,   d = T t

Given: the working groups with the directions T in which their penalty is smooth, the slopes along
them and the penalty's second derivative H, a block for each group (tangents).
Returned: d, approximately.
Invariant: rest = slope - (T'Z'Z T + H) t. Each group's own block preconditions.
Reference: Hestenes, Stiefel (1952), "Methods of conjugate gradients for solving linear systems".
"""
from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.kernels.small cimport small_solve
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.solvers.subproblem.block_descent cimport GroupBlockDescent

# Conjugate gradients in a Newton step: as many as sweeps of the same price that they replace.
DEF STEPS = 30
cdef double FORCING = costs.newton.FORCING


cdef class GroupConjugateGradients:

    cdef int reserve(self, int capacity) except -1:
        """Make room for so many columns."""
        self.along, self.rest, self.z = np.zeros((3, capacity))
        self.conjugate, self.product = np.zeros((2, capacity))
        return 0

    cdef bint solve(self, GroupBlockDescent groups, double lam) noexcept nogil:
        """Set the groups' d; returns whether there is one."""
        cdef int step, k
        cdef double rho, goal, curvature
        for k in range(groups.n_groups):
            groups.step.factorise(k)
        memset(&self.along[0], 0, groups.size * sizeof(double))
        memcpy(&self.rest[0], &groups.tangents.slope[0], groups.size * sizeof(double))
        rho = self._precondition(groups, 0.0)
        goal = FORCING * FORCING * rho
        for step in range(STEPS):
            if rho <= goal:
                break
            curvature = self._multiply(groups)
            if curvature <= 0.0:
                break
            axpy(groups.size, rho / curvature, &self.conjugate[0], &self.along[0])
            axpy(groups.size, -rho / curvature, &self.product[0], &self.rest[0])
            rho = self._precondition(groups, rho)
        if step == 0:
            return False
        for k in range(groups.n_groups):
            groups.tangents.spread(k, &self.along[groups.first[k]], &groups.d[groups.first[k]])
        return True

    cdef double _multiply(self, GroupBlockDescent groups) noexcept nogil:
        """product = (T'Z'Z T + H) conjugate; returns the curvature. It uses d and its image."""
        cdef int k, j, first, n
        cdef const double* hessian
        for k in range(groups.n_groups):
            first = groups.first[k]
            groups.tangents.spread(k, &self.conjugate[first], &groups.d[first])
        groups.image()
        memset(&self.product[0], 0, groups.size * sizeof(double))
        for k in range(groups.n_groups):
            first, n = groups.first[k], groups.tangents.count[k]
            hessian = &groups.tangents.hessians[groups.place[k]]
            groups.tangents.add_products(k, &groups.q[first], &self.product[first])
            for j in range(n):
                axpy(n, self.conjugate[first + j], hessian + j * <Py_ssize_t> n,
                     &self.product[first])
        return dot(groups.size, &self.conjugate[0], &self.product[0])

    cdef double _precondition(self, GroupBlockDescent groups, double last) noexcept nogil:
        """The next conjugate direction; returns the rest's square in the preconditioned norm."""
        cdef int k, i, first, n
        cdef double rho = 0.0, ratio
        for k in range(groups.n_groups):
            first, n = groups.first[k], groups.tangents.count[k]
            memcpy(&self.z[first], &self.rest[first], n * sizeof(double))
            small_solve(n, &groups.step.factors[groups.place[k]], &self.z[first])
            rho += dot(n, &self.z[first], &self.rest[first])
        ratio = rho / last if last > 0.0 else 0.0
        for k in range(groups.n_groups):
            first, n = groups.first[k], groups.tangents.count[k]
            for i in range(first, first + n):
                self.conjugate[i] = self.z[i] + ratio * self.conjugate[i]
            for i in range(first + n, groups.first[k + 1]):
                self.conjugate[i] = 0.0
        return rho
