"""Proximal Newton on a certified working set, for any smooth convex loss.

    minimise over a, b   F(eta) + lam Omega(b),   eta = offset + a + Zb

A step minimises a quadratic model of F with Hessian s Z'HZ. H is diagonal and stale: it is kept
from step to step and from lam to lam, with its Gram matrix and factor. The gradient is exact, and
the multiplier s is learnt from the curvature along the last step. A stale H costs steps, never
accuracy. It is refreshed when the extra steps cost as much as a refresh. Centring the columns
under H takes the intercept out of the model. The Armijo rule decides how far to go.
Reference: Lee, Sun, Saunders (2014), "Proximal Newton-type methods"; Tseng, Yun (2009) for the
step length.
"""
from libc.math cimport INFINITY
from libc.string cimport memcpy

import numpy as np

from sparsesolve.solvers.subproblem.data_active_set cimport DataActiveSet
from sparsesolve.solvers.working_set.predicted_dual cimport PredictedDual
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.working_set.loss_working_set cimport LossWorkingSet
from sparsesolve.solvers.working_set.newton_step cimport NewtonStep
from sparsesolve.solvers.subproblem.coefficients cimport CONVERGED, MAX_ITER
from sparsesolve.solvers.working_set.working_set cimport WorkingSet
from sparsesolve.solvers import costs

cdef double SLOW_STEP = costs.newton.SLOW_STEP
cdef double PROGRESS = costs.newton.PROGRESS
cdef double PREDICTED_SHARE = costs.working_set.PREDICTED_SHARE
cdef double STEP_UNTIL_DECREASE = costs.working_set.STEP_UNTIL_DECREASE
cdef double FORCING = costs.newton.FORCING
cdef double LEAST_FORCING = costs.newton.LEAST_FORCING
cdef double MODEL_SHARE = costs.newton.MODEL_SHARE
cdef double REFRESH_DEBT = costs.working_set.REFRESH_DEBT
cdef int MOST_IDLE = costs.newton.MOST_IDLE


cdef class ProximalNewton(LossWorkingSet):
    """Solver state along a path, see solvers/state.py."""

    cdef double decrease                # gap after the last step over the gap before
    cdef int refresh_debt  # steps since H was refreshed that a fresh H would have saved
    cdef long passed                    # passes over sparse columns at earlier lams
    cdef double total                   # the sum of u in units of s, the slope along the intercept
    cdef NewtonStep step
    cdef PredictedDual predicted        # where its last model leads

    def __init__(self, problem, int n_threads):
        super().__init__(problem, n_threads)
        self.predicted = PredictedDual(self.design.n)
        self.step = NewtonStep(self.model, self.history, self.predicted)

    def _place(self):
        """Recompute the point from a and b, so that rounding does not build up; return columns
        and b.
        """
        which, start = self.quadratic.members()
        self.model.place(self.intercept, self.design.combination(which, start))
        self.model.loss.raise_pending()
        self.step.eta_stale = False
        return which, start

    cdef void _take_hessian(self):
        """Take H at the current point, and with it Gram matrix, factor and working copies."""
        which, start = self._place()
        self.model.refresh_hessian()
        self.repack()
        self.quadratic.restart()
        self.quadratic.append(self.design, self.penalty, which, start, np.zeros(len(which)))
        self._choose()
        self.decrease, self.refresh_debt = 0.0, 0

    cdef bint _hessian_is_stale(self, double gap, double last):
        """Return True when refreshing H is expected to pay.

        Before the first step at a lambda (last = 0) compare the accumulated extra steps with the
        cost of a refresh; afterwards refresh after two slow steps.
        """
        if last > 0.0:
            return gap > SLOW_STEP * last and self.decrease > SLOW_STEP
        return self.refresh_debt > REFRESH_DEBT * self.prices.refresh(self.quadratic)

    def start_at(self, which, values, intercept):
        """Continue from the coefficients `values` (m,) of the features `which` (m,), and an
        intercept.
        """
        start = np.zeros(self.design.p)
        start[which] = values
        self._move(start)
        self.model.place(intercept, self.design.combination(*self.quadratic.members()))
        self.restart()

    def restart(self):
        """Continue from the coefficients after the loss has changed: nothing of its model is
        kept.
        """
        self.opening = 0.0
        self.history.clear()
        self.predicted.share, self.step.gain = INFINITY, INFINITY
        self.predicted.known = False
        self._take_hessian()
        self.linearise()

    # along the path

    cdef int _extrapolate(self, double lam, double forward) except -1:
        self.step.reserve(self.quadratic.capacity)
        return self.step.extrapolate(self.quadratic, lam, forward)

    cdef int _keep_history(self, double lam) except -1:
        if self.model.is_worn():
            self._place()
        self.model.last_errors = self.model.errors
        self.passed = self.quadratic.passes
        WorkingSet._keep_history(self, lam)
        memcpy(&self.history.last[1, 0], self.model.here.eta, self.design.n * sizeof(double))
        return 0

    cpdef int fit(self, double lam, double goal, long limit) except -1:
        """Solve over the working columns to gap <= goal; return an Outcome."""
        cdef LocalModel model = self.model
        cdef double gap, predicted_gap, last = 0.0, best = INFINITY, quiet = INFINITY, forcing
        cdef int outcome = CONVERGED, idle = 0
        cdef bint reached, predicted_reached
        cdef bint exact = self.quadratic.second_order(not self.exacting, lam)
        self.predicted.wanted, self.predicted.known = exact and not self.exacting, False
        # a next start that was not taken is void
        model.next.n_known = -1
        if self.quadratic.size > 0 and self.quadratic.curved:
            quiet, self.step.gain = STEP_UNTIL_DECREASE * goal, INFINITY
        self.step.reserve(self.quadratic.capacity)
        while True:
            # 1. Certificate: the predicted dual point is usually tighter; else the residual's.
            predicted_gap = self.predicted.certify(model, self.quadratic, lam,
                                                   PREDICTED_SHARE * goal)
            if last > 0.0:
                self.predicted.share = predicted_gap / last
            predicted_reached, reached = predicted_gap <= PREDICTED_SHARE * goal, False
            if not predicted_reached:
                gap = self._gap(lam)
                idle = 0 if gap < PROGRESS * best else idle + (self.step.gain == 0.0)
                best = min(best, gap)
                # 2. Sparse columns become dense where passes over them stall or cost too much.
                if (self.fillable and gap > goal
                    and self.prices.filling_pays(self.quadratic, self.passed, idle == MOST_IDLE)):
                    self.fill()
                    self._take_hessian()
                    last, idle = 0.0, 0
                    continue
                reached = gap <= goal and self.step.gain <= quiet
            # 3. Stop: gap reached, budget spent, or no progress. Recompute a stale eta first.
            if (predicted_reached or reached or idle == MOST_IDLE
                or self.quadratic.iterations >= limit):
                if self.step.eta_stale:
                    self._place()
                    idle = 0
                    continue
                if not predicted_reached and gap > goal and idle < MOST_IDLE:
                    outcome = MAX_ITER
                break
            # 4. Refresh H if it is stale.
            if self._hessian_is_stale(gap, last):
                self._take_hessian()
                last = 0.0
                continue
            # 5. Subproblem and line search: minimise the model, step towards its minimiser.
            self.refresh_debt += last > 0.0
            self.decrease = gap / last if last > 0.0 else 0.0
            forcing = LEAST_FORCING if exact and not isinstance(self.quadratic,
                                                                DataActiveSet) else FORCING
            self.step.descend(self.quadratic, lam, max(forcing * gap, MODEL_SHARE * goal), limit,
                              self.total, last == 0.0,
                              self.predicted.share * gap <= PREDICTED_SHARE * goal)
            self.prices.models += 1
            last = gap
        if predicted_reached:
            self._take_predicted_dual()
        else:
            self.make_dual(lam)
        return outcome

    cdef double _gap(self, double lam) noexcept nogil:
        """The gap over the working columns; leaves their gradient in the quadratic."""
        cdef double level = 1.0 / self.model.multiplier
        self.total = self.linearise()
        self.quadratic.estimate_unpenalised_norm(lam * level)
        # the last part for the intercept
        return (self.quadratic.gap(lam * level) + 0.5 * self.total
                * self.total) * self.model.multiplier

    cdef void _take_predicted_dual(self) noexcept nogil:
        """Make the predicted dual point the dual point."""
        memcpy(&self.dual[0], &self.predicted.v[0], self.design.n * sizeof(double))
        memcpy(self.quadratic.g, &self.predicted.g[0], self.quadratic.size * sizeof(double))
        self.g_unit, self.cleared, self.missing = 1.0, True, 0.0
        self.show_dual()
        self.scaled, self.excess = self.predicted.scaled, self.predicted.excess
