"""Dual point predicted by the quadratic model of a Newton step.

    v = u - s H (Z d + constant)    for the step d that minimises the model

If the model were exact, v would be u at the end of the step. It is dual feasible on the working
set, and its products with the working columns are the model's gradient. So the gap evaluated with
v is of second order in the distance to the solution, whereas the residual at the new point
becomes feasible only after shrinking and gives a gap of first order. Samples whose curvature has
almost vanished may take v out of the domain of F*; it is void then.
"""
from libc.math cimport INFINITY

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.kernels.vector cimport ss_scale
from sparsesolve.solvers.certificate.gap cimport ScaledDual, assembled
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef extern from "local_model.h" nogil:
    void ss_predict_dual(Py_ssize_t n, double s, const double* u, const double* h,
                         const double* image, double* v) noexcept
    double ss_weighted_distance(Py_ssize_t n, const double* v, const double* u,
                                const double* inverse) noexcept

cdef double PREDICTION_OUT_OF_REACH = costs.working_set.PREDICTION_OUT_OF_REACH
cdef double ROUNDING_SHARE = costs.newton.ROUNDING_SHARE


cdef class PredictedDual(ScaledDual):

    def __init__(self, Py_ssize_t n):
        self.v, self.trial = np.zeros((2, n))

    cdef int reserve(self, int capacity) except -1:
        """Make room for the products with so many working columns; a remembered step is void
        then.
        """
        if self.g is None or self.g.shape[0] < capacity:
            self.g = np.empty(capacity)
            self.known = False
        return 0

    cdef void take(self, LocalModel model, WorkingCoefficients columns) noexcept nogil:
        """Remember where the solved model leads, once its whole step has been tried."""
        cdef int k
        if not self.wanted or model.rooted:
            return
        ss_predict_dual(model.n, model.multiplier, model.here.u, &model.h[0], &model.image[0],
                        &self.v[0])
        for k in range(columns.size):
            self.g[k] = model.multiplier * columns.g[k]
        self.rounding = columns.rounding() * model.here.square / model.multiplier
        self.known = True

    cdef double certify(self, LocalModel model, WorkingCoefficients columns, double lam,
                        double goal) noexcept:
        """The gap of the model's point over the working columns at v.

        INFINITY where it is far above `goal`, or where v is not orthogonal to the unpenalised
        columns.
        """
        cdef double norm = columns.unpenalised_norm, gap = INFINITY
        cdef bint cleared = True
        cdef int k
        if (not (self.known and self.rounding <= ROUNDING_SHARE * goal)
                or self._out_of_reach(model, goal)):
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
        self.scaled, self.excess = scale, self.model.loss.fenchel_young(self.model.here.eta,
                &self.trial[0])
        return assembled(self.excess, self.columns.column_gap(lam, scale), 0.0, INFINITY)

    cdef bint _out_of_reach(self, LocalModel model, double goal) noexcept nogil:
        """Return True if the samples add far more than `goal` to the gap, by the model's
        curvature.
        """
        cdef double off = 0.5 * ss_weighted_distance(model.n, &self.v[0], model.here.u,
                                                     &model.inverse[0])
        # or NaN
        return not off <= PREDICTION_OUT_OF_REACH * goal * model.multiplier

    cdef void _swap(self, WorkingCoefficients columns) noexcept nogil:
        """Exchange the gradient of the working columns with the one at v: the penalty reads it
        there.
        """
        cdef int k
        cdef double g
        for k in range(columns.size):
            g = columns.g[k]
            columns.g[k] = self.g[k]
            self.g[k] = g
