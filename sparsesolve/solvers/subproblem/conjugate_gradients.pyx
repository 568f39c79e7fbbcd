"""Conjugate gradients for the Newton direction of an active set, by products with its columns.

    (Z'Z + lam L2) d = rhs  on the support,   d of the held columns given

Given: an active set with support, right-hand side and held columns; L2 is the diagonal of its l2.
Returned: its d, with no gradient off by more than `enough` of its threshold, where STEPS suffice;
v = Z d, and q = Z'v on the support. v[:n] + v[n] sqrt(w) is the image, so that sparse columns do
not fill in.
Invariant: residual = rhs - q - lam l2 d. The diagonal of the system preconditions.
Reference: Hestenes, Stiefel (1952), "Methods of conjugate gradients for solving linear systems".
"""
from libc.math cimport INFINITY, fabs
from libc.string cimport memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.solvers.subproblem.active_set cimport ActiveSetQuadratic

# Conjugate gradients in a Newton direction: with more, signs change before the direction is used.
DEF STEPS = 60
cdef double FLAT_DIRECTION = costs.rounding.FLAT_DIRECTION
cdef double RESIDUAL_FORCING = costs.subproblem.RESIDUAL_FORCING


cdef class ConjugateGradients:

    def __cinit__(self, Py_ssize_t n):
        self.w = np.zeros(n + 1)

    cdef int reserve(self, int capacity) except -1:
        self.conjugate, self.product, self.residual = np.zeros((3, capacity))
        return 0

    cdef void solve(self, ActiveSetQuadratic active, double lam, double enough,
                    double* v) noexcept nogil:
        """d, v and q on the support; with coefficients held, from the current d."""
        cdef int step, k, j
        cdef Py_ssize_t n = active.columns.n
        cdef double rho, curvature, t
        cdef double* p = &self.conjugate[0]
        cdef double* product = &self.product[0]
        cdef double* w = &self.w[0]
        self.directions += 1
        rho = self._begin(active, lam, v)
        for step in range(STEPS):
            if rho <= self.goal or (step > 0 and self.most <= enough):
                break
            self.applications += 1
            active.passes += 1
            self._apply(active, w)
            active.columns.correlate_listed(active.support, active.n_support, w, w[n], product)
            curvature = self._curvature(active, lam)
            if curvature <= 0.0:
                break
            t = rho / curvature
            axpy(n + 1, t, w, v)
            for k in range(active.n_support):
                j = active.support[k]
                active.d[j] += t * p[k]
                active.q[j] += t * product[k]
                self.residual[k] -= t * (product[k] + lam * active.l2[j] * p[k])
            rho = self._precondition(active, lam, rho)

    cdef double effort(self) noexcept:
        """Products per direction since the last call; 0 if there were too few to tell."""
        if self.directions < 8:
            return 0.0
        steps = <double> self.applications / self.directions
        self.applications = self.directions = 0
        return steps

    cdef double _begin(self, ActiveSetQuadratic active, double lam, double* v) noexcept nogil:
        """The first conjugate direction, from d = 0 or with coefficients held; returns the
        residual's square.
        """
        cdef int k, j, count = active.n_support
        cdef double rho
        for k in range(count):
            j = active.support[k]
            if active.n_held == 0:
                active.d[j] = 0.0
            self.conjugate[k] = active.d[j]
        self._apply(active, v)
        if active.n_held > 0:
            active.columns.correlate_listed(active.support, count, v, v[active.columns.n],
                                            &self.product[0])
        else:
            memset(&self.product[0], 0, count * sizeof(double))
        for k in range(count):
            j = active.support[k]
            self.conjugate[k], active.q[j] = 0.0, self.product[k]
            self.residual[k] = active.rhs[j] - active.q[j] - lam * active.l2[j] * active.d[j]
        rho = self._precondition(active, lam, 0.0)
        if active.n_held == 0:
            self.goal = RESIDUAL_FORCING * RESIDUAL_FORCING * rho
        return rho

    cdef void _apply(self, ActiveSetQuadratic active, double* v) noexcept nogil:
        """v = Z p of the conjugate direction p."""
        cdef int k, count = 0
        cdef Py_ssize_t n = active.columns.n
        memset(v, 0, n * sizeof(double))
        for k in range(active.n_support):
            if self.conjugate[k] != 0.0:
                active.which[count], active.values[count] = active.support[k], -self.conjugate[k]
                count += 1
        v[n] = active.columns.subtract_listed(active.which, count, active.values, v)

    cdef double _curvature(self, ActiveSetQuadratic active, double lam) noexcept nogil:
        """The curvature along p, 0 if it does not exceed rounding."""
        cdef int k, j
        cdef double curvature = 0.0, size = 0.0, p
        for k in range(active.n_support):
            j, p = active.support[k], self.conjugate[k]
            curvature += p * (self.product[k] + lam * active.l2[j] * p)
            size += p * p * (active.diag[j] + lam * active.l2[j])
        return curvature if curvature > FLAT_DIRECTION * size else 0.0

    cdef double _precondition(self, ActiveSetQuadratic active, double lam,
                              double last) noexcept nogil:
        """The next conjugate direction; returns the residual's square in the preconditioned norm.

        `most` is the largest residual relative to its threshold, infinite while it is unknown.
        """
        cdef int k, j
        cdef double rho = 0.0, scale, e, level
        self.most = 0.0
        for k in range(active.n_support):
            j, e = active.support[k], self.residual[k]
            scale, level = active.diag[j] + lam * active.l2[j], lam * active.l1[j]
            if scale > 0.0 and not active.held[j]:
                rho += e * e / scale
                self.most = max(self.most, fabs(e) / level if level > 0.0 else INFINITY)
        for k in range(active.n_support):
            j = active.support[k]
            scale = active.diag[j] + lam * active.l2[j]
            if scale > 0.0 and not active.held[j]:
                self.conjugate[k] = (self.residual[k] / scale
                                     + (rho / last * self.conjugate[k] if last > 0.0 else 0.0))
        return rho
