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
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

import numpy as np

from sparsesolve.solvers.subproblem.data_active_set cimport DataActiveSet
from sparsesolve.solvers.working_set.predicted_dual cimport PredictedDual
from sparsesolve.solvers.working_set.local_model cimport AHEAD, HERE, NOWHERE, LocalModel, Slope
from sparsesolve.solvers.working_set.loss_working_set cimport LossWorkingSet
from sparsesolve.solvers.subproblem.coefficients cimport CONVERGED, FAR_STEP, MAX_ITER
from sparsesolve.solvers.working_set.working_set cimport WorkingSet
from sparsesolve.solvers import costs

cdef double ARMIJO = costs.newton.ARMIJO
cdef double OBJECTIVE = costs.rounding.OBJECTIVE
cdef double SLOW_STEP = costs.newton.SLOW_STEP
cdef double PROGRESS = costs.newton.PROGRESS
cdef double PREDICTED_SHARE = costs.working_set.PREDICTED_SHARE
cdef double STEP_UNTIL_DECREASE = costs.working_set.STEP_UNTIL_DECREASE
cdef double FORCING = costs.newton.FORCING
cdef double LEAST_FORCING = costs.newton.LEAST_FORCING
cdef double MODEL_SHARE = costs.newton.MODEL_SHARE
cdef double SAME_RATIO = costs.rounding.SAME_RATIO
cdef double REFRESH_DEBT = costs.working_set.REFRESH_DEBT
# 2^-40 of a step moves no coefficient by more than rounding.
DEF HALVINGS = 40
cdef int MODEL_STEPS = costs.working_set.MODEL_STEPS
cdef int MOST_IDLE = costs.newton.MOST_IDLE


cdef class ProximalNewton(LossWorkingSet):
    """Solver state along a path, see solvers/state.py."""

    cdef double decrease                # gap after the last step over the gap before
    cdef int refresh_debt  # steps since H was refreshed that a fresh H would have saved
    cdef double gain  # by which the last step lowered the objective, beyond rounding
    cdef bint eta_stale  # whether coefficients moved so far that the rounding of eta shows
    cdef long passed                    # passes over sparse columns at earlier lams
    cdef double total                   # the sum of u in units of s, the slope along the intercept
    cdef PredictedDual predicted        # where the last step's model leads
    cdef double[::1] before, after  # coefficients of the working columns before a step and after it
    cdef double[::1] change, slope      # the step, and Z'u

    def __init__(self, problem, int n_threads):
        self.predicted, self.gain = PredictedDual(problem.design.n), INFINITY
        super().__init__(problem, n_threads)

    def _place(self):
        """Recompute the point from a and b, so that rounding does not build up; return columns
        and b.
        """
        which, start = self.quadratic.members()
        self.model.place(self.intercept, self.design.combination(which, start))
        self.model.loss.raise_pending()
        self.eta_stale = False
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
        self.predicted.share, self.gain = INFINITY, INFINITY
        self.predicted.known = False
        self._take_hessian()
        self.linearise()

    # along the path

    cdef int _keep_history(self, double lam) except -1:
        if self.model.is_worn():
            self._place()
        self.model.last_errors = self.model.errors
        self.passed = self.quadratic.passes
        WorkingSet._keep_history(self, lam)
        memcpy(&self.history.last[1, 0], self.model.here.eta, self.design.n * sizeof(double))
        return 0

    cdef int _extrapolate(self, double lam, double forward) except -1:
        """Start from the linear extrapolation of the last two solutions if it lowers the
        objective.

        The rounding errors of both predictors are extrapolated with them.
        """
        # eta is extrapolated with all of them
        cdef int k, m = self.quadratic.size
        cdef double value
        cdef bint stopped
        self._make_room()
        if fabs(forward - self.model.forward) <= SAME_RATIO * forward:
            forward = self.model.forward
        memcpy(&self.before[0], self.quadratic.b, self.quadratic.size * sizeof(double))
        self.history.step(forward, &self.before[0], m, 1, &self.change[0])
        for k in range(m):
            self.eta_stale = self.eta_stale or fabs(self.change[k]) > FAR_STEP
        stopped = not self.quadratic.extrapolate(m, &self.change[0], lam)
        for k in range(m):
            # take out what was truncated
            self.change[k] += self.before[k] - self.quadratic.b[k]
        value = self.model.extrapolate(self.columns, &self.change[0], stopped, forward,
                                       &self.history.earlier[1, 0])
        if value + self.quadratic.charge(&self.before[0], lam) < self.model.here.value:
            self.model.drift = forward * self.model.drift
            self.model.accept(self.model.drift + 1.0)
        else:
            self.model.drift = 0.0
            memcpy(self.quadratic.b, &self.before[0], self.quadratic.size * sizeof(double))
        return 0

    cdef bint _predict_start(self, double lam) noexcept nogil:
        """Ask the model for the gradient at the next start as well, in the same pass over the
        columns.

        That start is the linear extrapolation, since lambdas come in a constant ratio. Return
        False where coefficients would be truncated on the way.
        """
        cdef int m = self.quadratic.size
        cdef double forward
        cdef bint whole
        if not self.history.lams[0] > lam > 0.0:
            return False
        forward = lam / self.history.lams[0]
        memcpy(&self.after[0], self.quadratic.b, m * sizeof(double))
        self.history.step(forward, &self.after[0], m, 0, &self.slope[0])
        whole = self.quadratic.extrapolate(m, &self.slope[0], lam)
        memcpy(self.quadratic.b, &self.after[0], m * sizeof(double))
        self.model.forward, self.model.last = forward, &self.history.last[1, 0]
        return whole

    def _make_room(self):
        if self.before.shape[0] < self.quadratic.capacity:
            shape = (4, self.quadratic.capacity)
            self.before, self.after, self.change, self.slope = np.empty(shape)

        self.model.reserve(self.quadratic.capacity)
        self.predicted.reserve(self.quadratic.capacity)

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
            quiet, self.gain = STEP_UNTIL_DECREASE * goal, INFINITY
        self._make_room()
        while True:
            # 1. Certificate: the predicted dual point is usually tighter; else the residual's.
            predicted_gap = self.predicted.certify(model, self.quadratic, lam,
                                                   PREDICTED_SHARE * goal)
            if last > 0.0:
                self.predicted.share = predicted_gap / last
            predicted_reached, reached = predicted_gap <= PREDICTED_SHARE * goal, False
            if not predicted_reached:
                gap = self._gap(lam)
                idle = 0 if gap < PROGRESS * best else idle + (self.gain == 0.0)
                best = min(best, gap)
                # 2. Sparse columns become dense where passes over them stall or cost too much.
                if (self.fillable and gap > goal
                    and self.prices.filling_pays(self.quadratic, self.passed, idle == MOST_IDLE)):
                    self.fill()
                    self._take_hessian()
                    last, idle = 0.0, 0
                    continue
                reached = gap <= goal and self.gain <= quiet
            # 3. Stop: gap reached, budget spent, or no progress. Recompute a stale eta first.
            if (predicted_reached or reached or idle == MOST_IDLE
                or self.quadratic.iterations >= limit):
                if self.eta_stale:
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
            self._descend(lam, max(forcing * gap, MODEL_SHARE * goal), limit, last == 0.0,
                          self.predicted.share * gap <= PREDICTED_SHARE * goal)
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

    cdef int _descend(self, double lam, double target, long limit, bint first,
                      bint may_end) except -1:
        """Minimise the model to a gap of at most `target`, and step towards its minimiser.

        first: whether H is new; may_end: whether this step may be the last at this lam.
        """
        cdef LocalModel model = self.model
        cdef double rounding, level = 1.0 / model.multiplier
        cdef int k
        for k in range(self.quadratic.size):
            self.before[k], self.slope[k] = (self.quadratic.b[k],
                                             self.quadratic.g[k] * model.multiplier)
        rounding = OBJECTIVE * (fabs(model.here.value) + self.quadratic.penalty_value(lam))
        with nogil:
            self.quadratic.solve(lam * level, target * level,
                                 max(min(limit - self.quadratic.iterations, MODEL_STEPS), 1))
            self._step(lam, rounding, first, may_end)
        self.quadratic.iterations += 1
        # the step's image and the gradient at its end
        self.quadratic.passes += 1
        self.prices.models += 1
        model.loss.raise_pending()
        PyErr_CheckSignals()
        return 0

    cdef void _take_predicted_dual(self) noexcept nogil:
        """Make the predicted dual point the dual point."""
        memcpy(&self.dual[0], &self.predicted.v[0], self.design.n * sizeof(double))
        memcpy(self.quadratic.g, &self.predicted.g[0], self.quadratic.size * sizeof(double))
        self.g_unit, self.cleared, self.missing = 1.0, True, 0.0
        self.show_dual()
        self.scaled, self.excess = self.predicted.scaled, self.predicted.excess

    cdef void _step(self, double lam, double rounding, bint learn, bint may_end) noexcept nogil:
        """Step towards the model's minimiser until the Armijo rule holds.

        A gain within rounding counts as none. may_end: whether this step may be the last at this
        lam.
        """
        cdef int k, tries, m = self.quadratic.size
        cdef double* b = self.quadratic.b
        cdef double slope = -self.total * self.total * self.model.multiplier, gain, t = 1.0
        cdef bint eta_stale = self.eta_stale
        cdef Slope seen = NOWHERE
        for k in range(m):
            self.change[k] = b[k] - self.before[k]
            self.eta_stale = self.eta_stale or fabs(self.change[k]) > FAR_STEP
            slope -= self.slope[k] * self.change[k]
        slope += self.quadratic.charge(&self.before[0], lam)
        if self.model.in_one_pass(self.columns):
            seen = HERE if not may_end else AHEAD if self._predict_start(lam) else NOWHERE
        gain = self.model.move(self.columns, &self.change[0], self.total,
                               seen) - self.model.here.value
        self.predicted.take(self.model, self.quadratic)
        for tries in range(HALVINGS):
            for k in range(m):
                # a whole step ends at zeros and limits exactly
                if t < 1.0:
                    b[k] = self.before[k] + t * self.change[k]
            gain += self.quadratic.charge(&self.before[0], lam)
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
