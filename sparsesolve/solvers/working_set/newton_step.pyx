"""Steps of the coefficients and of the loss's point together, which lower the objective.

    minimise over b   F(eta) + lam Omega(b),   eta = offset + a + Zb

Given: a local model at the current b, and the working columns. `descend` minimises the model over
them and goes towards the minimiser as far as Armijo's rule asks; `extrapolate` tries the linear
extrapolation of the last two lambdas as the start at the next.
Returned: b, with the model at it, and `gain`, 0 where the step was lost in rounding.
Invariant: the model stands at b, and the objective rises by no more than rounding.
Reference: Tseng, Yun (2009), "A coordinate gradient descent method for nonsmooth separable
minimization", for the step length.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.solvers.subproblem.coefficients cimport FAR_STEP, WorkingCoefficients
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.working_set.path_history cimport PathHistory
from sparsesolve.solvers.working_set.predicted_dual cimport PredictedDual

cdef double ARMIJO = costs.newton.ARMIJO
cdef double OBJECTIVE = costs.rounding.OBJECTIVE
# 2^-40 of a step moves no coefficient by more than rounding.
DEF HALVINGS = 40
cdef int MODEL_STEPS = costs.working_set.MODEL_STEPS


cdef class NewtonStep:

    def __cinit__(self, LocalModel model, PathHistory history, PredictedDual predicted):
        self.model, self.history, self.predicted, self.gain = model, history, predicted, INFINITY
        self.before = np.empty(0)

    cdef int reserve(self, int capacity) except -1:
        if self.before.shape[0] < capacity:
            self.before, self.after, self.change, self.slope = np.empty((4, capacity))
        self.model.reserve(capacity)
        self.predicted.reserve(capacity)
        return 0

    cdef int extrapolate(self, WorkingCoefficients quadratic, double lam,
                         double forward) except -1:
        """Start from the linear extrapolation of the last two solutions if it lowers the
        objective.
        """
        # eta is extrapolated with all of them
        cdef int k, m = quadratic.size
        cdef double value
        cdef bint stopped
        memcpy(&self.before[0], quadratic.b, quadratic.size * sizeof(double))
        self.history.step(forward, &self.before[0], m, &self.change[0])
        for k in range(m):
            self.eta_stale = self.eta_stale or fabs(self.change[k]) > FAR_STEP
        stopped = not quadratic.extrapolate(m, &self.change[0], lam)
        for k in range(m):
            # take out what was truncated
            self.change[k] += self.before[k] - quadratic.b[k]
        value = self.model.extrapolate(quadratic.columns, &self.change[0], stopped, forward,
                                       &self.history.earlier[1, 0])
        if value + quadratic.charge(&self.before[0], lam) < self.model.here.value:
            self.model.accept(self.model.extrapolated_errors(forward))
        else:
            memcpy(quadratic.b, &self.before[0], quadratic.size * sizeof(double))
        return 0

    cdef int descend(self, WorkingCoefficients quadratic, double lam, double target, long limit,
                     double total, bint first) except -1:
        """Minimise the model to a gap of at most `target`, and step towards its minimiser.

        first: whether H is new.
        """
        cdef LocalModel model = self.model
        cdef double rounding, level = 1.0 / model.multiplier
        cdef int k
        for k in range(quadratic.size):
            self.before[k], self.slope[k] = (quadratic.b[k],
                                             quadratic.g[k] * model.multiplier)
        rounding = OBJECTIVE * (fabs(model.here.value) + quadratic.penalty_value(lam))
        with nogil:
            quadratic.solve(lam * level, target * level,
                            max(min(limit - quadratic.iterations, MODEL_STEPS), 1))
            self._step(quadratic, lam, rounding, total, first)
        quadratic.iterations += 1
        # the step's image and the gradient at its end
        quadratic.passes += 1
        model.loss.raise_pending()
        PyErr_CheckSignals()
        return 0

    cdef void _step(self, WorkingCoefficients quadratic, double lam, double rounding, double total,
                    bint learn) noexcept nogil:
        """Step towards the model's minimiser until the Armijo rule holds.

        A gain within rounding counts as none.
        """
        cdef int k, tries, m = quadratic.size
        cdef double* b = quadratic.b
        cdef double slope = -total * total * self.model.multiplier, gain, t = 1.0
        cdef bint eta_stale = self.eta_stale
        for k in range(m):
            self.change[k] = b[k] - self.before[k]
            self.eta_stale = self.eta_stale or fabs(self.change[k]) > FAR_STEP
            slope -= self.slope[k] * self.change[k]
        slope += quadratic.charge(&self.before[0], lam)
        gain = self.model.move(quadratic.columns, &self.change[0], total) - self.model.here.value
        self.predicted.take(self.model, quadratic)
        for tries in range(HALVINGS):
            for k in range(m):
                # a whole step ends at zeros and limits exactly
                if t < 1.0:
                    b[k] = self.before[k] + t * self.change[k]
            gain += quadratic.charge(&self.before[0], lam)
            if gain <= ARMIJO * t * slope + rounding and gain < INFINITY:
                break
            t *= 0.5
            gain = self.model.shorten(t) - self.model.here.value
        else:
            for k in range(m):
                b[k] = self.before[k]
            self.gain, self.eta_stale = 0.0, eta_stale
            self.model.learn(t)
            return
        # later steps are short and in odd directions
        if learn or t < 1.0:
            self.model.learn(t)
        self.model.accept(1.0)
        self.gain = max(-gain - rounding, 0.0)
