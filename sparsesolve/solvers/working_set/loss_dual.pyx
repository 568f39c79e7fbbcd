"""The dual point of a smooth loss at a local model, and the samples' part of its gap.

    u = -F'(eta) - H x,   x a combination of the constant and of the unpenalised columns

Given: a local model at the current point, and the working columns with their gradients.
Returned: u orthogonal to the constant and to the unpenalised columns, the columns' products with
it, and `missing`, what steps along these directions may still gain.
Invariant: u is in the domain of F*, as are its multiples by numbers in [0, 1]. This dual Newton
step stays there.
Reference: Bach et al. 2012, section 1.4 (Fenchel duality and gaps).
"""
from libc.math cimport INFINITY, NAN, fabs
from libc.string cimport memcpy

import numpy as np

from sparsesolve.linalg.kernels.vector cimport axpy, ss_scale
from sparsesolve.solvers import costs
from sparsesolve.solvers.certificate import dual_point
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients
from sparsesolve.solvers.working_set.local_model cimport LocalModel

cdef double ORTHOGONAL_TERMS = costs.rounding.ORTHOGONAL_TERMS


cdef class LossDual:

    def __cinit__(self, LocalModel model):
        self.model, (self.point, self.work) = model, np.zeros((2, model.n))

    cdef int make(self, WorkingCoefficients quadratic, spans, double lam, double unit) except -1:
        """Make the dual point, and g, from the model at the current point.

        The model's H serves if the dual point stays in the domain of F*. Columns centred under H
        are orthogonal to the part removed from u, so g is already known, but for `unit`.
        """
        cdef LocalModel model = self.model
        cdef int k
        cdef Py_ssize_t i
        cdef bint tied = model.centred and not model.loss.shift_invariant
        cdef double pull = model.here.pull if tied else 0.0
        memcpy(&self.point[0], model.here.u, model.n * sizeof(double))
        if pull != 0.0:
            axpy(model.n, -pull, &model.h[0], &self.point[0])
        free = [k for k in range(quadratic.size) if quadratic.free(k, lam)]
        for k in range(quadratic.size):
            quadratic.g[k] *= unit
        self.cleared = bool(free) or (tied and not model.loss.admits(model.here.eta,
                                                                     &self.point[0]))
        self.missing, self.scaled = 0.0, NAN
        if self.cleared:
            if free or model.loss.coupled or not self._orthogonal_to_constant(pull):
                self._orthogonal_to(spans.apart(quadratic.members()[0][free]))
            for i in range(model.n):
                self.work[i] = self.point[i] * model.inverse[i]
            if model.rooted:
                model.loss.root.solve(&self.work[0])
            quadratic.columns.correlate(&self.work[0], 0.0, quadratic.g)
        return 0

    cdef bint _orthogonal_to_constant(self, double pull) noexcept nogil:
        """Make u orthogonal to the constant, by H; return True if rounding allows it."""
        cdef Py_ssize_t i
        cdef double total = 0.0, left = 0.0, size = 0.0
        self.model.loss.curvature(self.model.here.eta, &self.model.work[0])
        for i in range(self.model.n):
            total += self.model.work[i]
        for i in range(self.model.n):
            self.point[i] = self.model.here.u[i] - pull * (self.model.work[i] / total)
            left += self.point[i]
            size += fabs(self.model.here.u[i])
        self.missing = 0.5 * left * left / total
        return fabs(left) <= ORTHOGONAL_TERMS * size and self.missing < INFINITY

    def _orthogonal_to(self, columns):
        """Make the dual point orthogonal to the constant and to these columns."""
        cdef LocalModel model = self.model
        if model.centred and not model.loss.shift_invariant:
            columns = np.column_stack([np.ones(model.n), columns])
        eta, u = <double[:model.n]> model.here.eta, <double[:model.n]> model.here.u
        self.point, self.missing = dual_point.clear(model.loss, np.asarray(eta), np.asarray(u),
                                                    columns)

    cdef double samples_gap(self, double scale) noexcept nogil:
        """Fenchel-Young of the loss at a multiple of the dual point."""
        if scale != self.scaled:
            ss_scale(self.model.n, scale, &self.point[0], &self.work[0])
            self.scaled, self.excess = scale, self.model.loss.fenchel_young(self.model.here.eta,
                                                                            &self.work[0])
        return self.excess
