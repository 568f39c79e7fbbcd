"""The dual point to which the model of a step leads: what u would be at its end if the model were right.

    v = u - s H (Z d + constant)    for the step d that minimises the model

It is dual feasible on the working columns, as the model has been solved for them, and their products with it are the
model's gradient.  So the gap at the step's end is of second order in what is missing to the solution: P(b) is, and D(v)
is.  At the true u of that place it is of first order, for u is feasible only once it has been shrunk.
Samples whose curvature has all but vanished may take v out of the domain of F*; it is of no use then.
"""
from libc.math cimport INFINITY

import numpy as np

from sparsesolve.linalg.kernels.vector cimport ss_scale
from sparsesolve.solvers.certificate.gap cimport ScaledDual, assembled
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef extern from "local_model.h" nogil:
    void ss_foretell(Py_ssize_t n, double s, const double* u, const double* h, const double* image, double* v) noexcept
    double ss_astray(Py_ssize_t n, const double* v, const double* u, const double* inverse) noexcept

cdef double HOPELESS = 3.0          # of the gap asked for: where samples owe as much by second order, none is taken
cdef double DRIFT = 1e-2            # of the gap asked for: what rounding may add to it


cdef class PredictedDual(ScaledDual):

    def __init__(self, Py_ssize_t n):
        self.v, self.trial = np.zeros((2, n))

    cdef int reserve(self, int capacity) except -1:
        """Make room for the products with so many working columns; what was known is not any more."""
        if self.g is None or self.g.shape[0] < capacity:
            self.g = np.empty(capacity)
            self.known = False
        return 0

    cdef void take(self, LocalModel model, WorkingCoefficients columns) noexcept nogil:
        """Know where the model leads that has been solved, once its whole step has been tried."""
        cdef int k
        if not self.wanted or model.rooted:
            return
        ss_foretell(model.n, model.multiplier, model.here.u, &model.h[0], &model.image[0], &self.v[0])
        for k in range(columns.size):
            self.g[k] = model.multiplier * columns.g[k]
        self.rounding = columns.rounding() * model.here.square / model.multiplier
        self.known = True

    cdef double certify(self, LocalModel model, WorkingCoefficients columns, double lam, double goal) noexcept:
        """The gap of the model's place over the working columns; INFINITY where it is far above `goal`, or where v
        would have to be cleared of unpenalised columns."""
        cdef double norm = columns.unpenalised_norm, gap = INFINITY
        cdef bint cleared = True
        cdef int k
        if not (self.known and self.rounding <= DRIFT * goal) or self._hopeless(model, goal):
            return INFINITY
        if not model.loss.admits(model.here.eta, &self.v[0]):
            return INFINITY
        self.model, self.columns, self.plain = model, columns, columns.plain
        self._swap(columns)
        columns.unpenalised_norm = 0.0
        for k in range(columns.size):
            cleared = cleared and not columns.free(k, lam)
        if cleared:
            gap = self.gap(lam)
        columns.unpenalised_norm = norm
        self._swap(columns)
        return gap

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        return self.columns.scale(lam, strict)

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        ss_scale(self.model.n, scale, &self.v[0], &self.trial[0])
        self.scaled, self.excess = scale, self.model.loss.fenchel_young(self.model.here.eta, &self.trial[0])
        return assembled(self.excess, self.columns.column_gap(lam, scale), 0.0, INFINITY)

    cdef bint _hopeless(self, LocalModel model, double goal) noexcept nogil:
        """Whether what samples add to the gap is far above `goal`, by the curvature in the model."""
        cdef double off = 0.5 * ss_astray(model.n, &self.v[0], model.here.u, &model.inverse[0])
        return not off <= HOPELESS * goal * model.multiplier    # or NaN

    cdef void _swap(self, WorkingCoefficients columns) noexcept nogil:
        """The penalty is asked by the gradient of the working columns: lend them the one at v, or take it back."""
        cdef int k
        cdef double g
        for k in range(columns.size):
            g = columns.g[k]
            columns.g[k] = self.g[k]
            self.g[k] = g
