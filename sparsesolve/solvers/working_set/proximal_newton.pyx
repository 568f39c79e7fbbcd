"""Proximal Newton over a certified working set, for any smooth convex loss.

    minimise over a, b   F(eta) + lam Omega(b),   eta = offset + a + Zb

A step minimises a quadratic model with a Hessian s Z'HZ, H diagonal, whose weights H are those of
an earlier point: its Gram matrix and factor are kept from step to step and from lam to lam, the
gradient is the true one, and the multiplier s is learnt from how the gradient changed along the
last step. H is taken anew where steps stop paying. The intercept is out of the model by centring
columns under H. A step is shortened until the objective decreases as Armijo asks.
Reference: Lee, Sun, Saunders, "Proximal Newton-type methods" (2014); Tseng, Yun (2009) for the
step length.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

import numpy as np

from sparsesolve.solvers.costs import STEPS_ON_ROWS
from sparsesolve.solvers.subproblem.data_active_set cimport DataActiveSet
from sparsesolve.solvers.subproblem.woodbury_active_set cimport WoodburyActiveSet
from sparsesolve.solvers.working_set.predicted_dual cimport PredictedDual
from sparsesolve.solvers.working_set.local_model cimport AHEAD, HERE, NOWHERE, LocalModel, Slope
from sparsesolve.solvers.working_set.loss_working_set cimport LossWorkingSet
from sparsesolve.solvers.subproblem.coefficients cimport CONVERGED, FAR_STEP, MAX_ITER
from sparsesolve.solvers.working_set.working_set cimport WorkingSet
from sparsesolve.solvers.working_set.working_set import SPARSE_COST

cdef double ARMIJO = 0.1            # share of the model's decrease that a step must reach
cdef double ROUNDING = 1e-14        # of the objective: less of an increase is none
cdef double SLOW = 0.2              # decrease of the gap in a step from which H is taken anew
# of a multiply-add in a block operation, with the copies of columns that weights ask for
WEIGHED_COST = 0.3
SAMPLE_COST = 30.0  # multiply-adds that a sample's loss costs in a step
cdef double BARELY = 0.99           # new gap over the least: more is no fall
# of the gap asked for: to what the foretold one must come, as b errs by its root
cdef double SURELY = 0.1
# of the gap asked for: while a step gains more, another is worth its price
cdef double QUIET = 3e-3
# of the gap at its start to which a step's model is solved by sweeps or, columns
cdef double FORCING = 0.1
                                    # one by one, by conjugate gradients,
cdef double EXACT = 1e-3            # or by second order
cdef double NEAR = 0.3              # of the gap asked for: to less no model is solved
# prices of a new H that steps for want of it may cost before it is paid
cdef double REFRESH_DEBT = 2.0
cdef double MOST_FILLED = 1e8       # values of working columns that may be held as dense
cdef double LASTING = 2.0           # lams for which such a model serves
# of the Gram matrix in a step, as H is taken anew every tenth step or so
cdef double RENEWED = 0.05
cdef double AGED = 1e4              # rounding errors from which eta is made anew,
# or of how many at the last lam: it was made anew then, but not the one before
cdef double RELAPSE = 100.0
cdef double SAME = 1e-6             # between ratios of lams, relative: the same
DEF HALVINGS = 40
DEF PATIENCE = 30                   # Newton steps and sweeps on one model, which is only a model
# steps of no more than rounding that do not lower the gap, before it is given up
DEF IDLE = 4


cdef class ProximalNewton(LossWorkingSet):
    """A solver state, see solvers/state.py."""

    cdef double decrease                    # of the gap in the last step: new over old
    cdef int refresh_debt                           # steps that were needed since because H is old
    cdef double gain                        # by which the last step decreased the objective
    # whether coefficients moved so far since eta was made that it shows in eta
    cdef bint eta_stale
    cdef long passed                        # passes over sparse columns at earlier lams
    # rounding errors of single steps in eta, now and at the last lam,
    cdef double age, last_age
    cdef double since                       # and in how eta now differs from eta then
    # the sum of u in units of s: the slope along the intercept
    cdef double total
    # whether the last step decreased the objective by no more than rounding
    cdef bint flat
    cdef PredictedDual predicted                  # where the last step's model leads,
    cdef double foretells                   # and what it left of a gap, the last time
    cdef double[::1] before, after          # of the working columns: b, and after a step,
    cdef double[::1] change, slope          # its step, and Z'u
    cdef double[::1] solved_eta, earlier_eta    # of the last two lams

    def __init__(self, problem, int n_threads):
        self.renewed, self.predicted, self.foretells = (RENEWED, PredictedDual(problem.design.n),
                                                        INFINITY)
        super().__init__(problem, n_threads)
        self.solved_eta, self.earlier_eta = np.zeros((2, self.design.n))

    def _place(self):
        """Make the point anew from a and b, so that rounding does not build up; returns which
        columns and their b."""
        which, start = self.quadratic.members()
        self.model.place(self.intercept, self.design.combination(which, start))
        self.model.loss.raise_pending()
        self.eta_stale, self.age, self.since = False, 1.0, self.last_age + 1.0
        return which, start

    cdef void _weigh(self):
        """Take H at the current point, made anew, and with it Gram matrix, factor and working
        copies."""
        which, start = self._place()
        self.model.refresh_hessian()
        self.repack()
        self.quadratic.restart()
        self.quadratic.append(self.design, self.penalty, which, start, np.zeros(len(which)))
        self._choose()
        self.decrease, self.refresh_debt = 0.0, 0

    cdef bint _hessian_is_stale(self, double gap, double last):
        """Whether H is to be taken anew: before a first step (last = 0) by what it cost, then
        after two slow ones."""
        if last > 0.0:
            return gap > SLOW * last and self.decrease > SLOW
        return self.refresh_debt > REFRESH_DEBT * self._price()

    cdef bint _filling_pays(self, bint stuck):
        """Whether passes at this lam lead nowhere, or cost what a model of F'' itself, of dense
        columns, would."""
        cdef double n = self.design.n, m = self.quadratic.size
        cdef double spent = 2.0 * SPARSE_COST * self.working_values * (self.quadratic.passes
                - self.passed)
        cdef double price = m * n + WEIGHED_COST * m * m * (n / 2.0 + m / 3.0)
        return m * n <= MOST_FILLED and (stuck or LASTING * spent > price)

    cdef double _price(self):
        """What taking H anew costs, in steps, both in multiply-adds."""
        cdef double n = self.design.n, m = self.quadratic.size, entries = m * n
        cdef double products = WEIGHED_COST * m * entries / 2.0
        if isinstance(self.quadratic, WoodburyActiveSet):
            products = WEIGHED_COST * n * n * (0.5 * m + n / 6.0)
            return (entries + products) / (3.0 * entries + SAMPLE_COST * n + STEPS_ON_ROWS * n * n)
        if isinstance(self.quadratic, DataActiveSet):
            return 1.0
        if not self.columns.dense:
            entries = SPARSE_COST * self.working_values
            products = m * (0.1 * n + entries / 2.0)
        return (entries + products + WEIGHED_COST * m * m * m / 3.0) / (2.0 * entries
                + SAMPLE_COST * n + 4.0 * m * m)

    def start_at(self, which, values, intercept):
        """Go on from the coefficients `values` (m,) of the features `which` (m,), and an intercept."""
        start = np.zeros(self.design.p)
        start[which] = values
        self._move(start)
        self.model.place(intercept, self.design.combination(*self.quadratic.members()))
        self.restart()

    def restart(self):
        """Go on from the coefficients after the loss has changed: nothing of its model is kept."""
        self.n_solved, self.opening, self.lams[0], self.lams[1] = 0, 0.0, 0.0, 0.0
        self.foretells, self.flat = INFINITY, False
        self.predicted.known = False
        self._weigh()
        self.linearise()

    # along the path

    cdef int _keep_history(self, double lam) except -1:
        if self.age > AGED or self.age > RELAPSE * self.last_age > 0.0:
            self._place()
        self.last_age = self.age
        self.passed = self.quadratic.passes
        WorkingSet._keep_history(self, lam)
        self.solved_eta, self.earlier_eta = self.earlier_eta, self.solved_eta
        memcpy(&self.solved_eta[0], self.model.here.eta, self.design.n * sizeof(double))
        return 0

    cdef int _extrapolate(self, double lam, double forward) except -1:
        """Start from the solution carried on in a straight line from the last two lams, where
        that is better.

        What rounding did to the two predictors is carried on with them.
        """
        cdef int k, m = self.quadratic.size     # eta is carried on with all of them
        cdef double value
        cdef bint stopped
        self._make_room()
        if fabs(forward - self.model.forward) <= SAME * forward:
            forward = self.model.forward
        memcpy(&self.before[0], self.quadratic.b, self.quadratic.size * sizeof(double))
        for k in range(m):
            self.change[k] = forward * (self.before[k]
                                        - (self.solved_b[1, k] if k < self.n_solved else 0.0))
            self.eta_stale = self.eta_stale or fabs(self.change[k]) > FAR_STEP
        stopped = not self.quadratic.extrapolate(m, &self.change[0], lam)
        for k in range(m):
            # what is not to be done of it
            self.change[k] += self.before[k] - self.quadratic.b[k]
        value = self.model.extrapolate(self.columns, &self.change[0], stopped, forward,
                                       &self.earlier_eta[0])
        if value + self.quadratic.charge(&self.before[0], lam) < self.model.here.value:
            self.model.accept()
            self.since = forward * self.since + 1.0
            self.age += self.since
        else:
            self.since = 0.0
            memcpy(self.quadratic.b, &self.before[0], self.quadratic.size * sizeof(double))
        return 0

    cdef bint _look_ahead(self, double lam) noexcept nogil:
        """Have the model see the next start, should the step end at a solution: lams come in a
        constant ratio.

        Not where some coefficients would have to stop on the way there.
        """
        cdef int k, m = self.quadratic.size
        cdef double forward
        cdef bint whole
        if not self.lams[0] > lam > 0.0:
            return False
        forward = lam / self.lams[0]
        memcpy(&self.after[0], self.quadratic.b, m * sizeof(double))
        for k in range(m):
            self.slope[k] = forward * (self.after[k]
                                       - (self.solved_b[0, k] if k < self.n_solved else 0.0))
        whole = self.quadratic.extrapolate(m, &self.slope[0], lam)
        memcpy(self.quadratic.b, &self.after[0], m * sizeof(double))
        self.model.forward, self.model.last = forward, &self.solved_eta[0]
        return whole

    def _make_room(self):
        if self.before.shape[0] < self.quadratic.capacity:
            self.before, self.after, self.change, self.slope = np.empty((4,
                    self.quadratic.capacity))
        self.model.reserve(self.quadratic.capacity)
        self.predicted.reserve(self.quadratic.capacity)

    cdef int fit(self, double lam, double goal, long limit) except -1:
        cdef LocalModel model = self.model
        cdef double gap, predicted_gap, last = 0.0, best = INFINITY, quiet = INFINITY, forcing
        cdef int outcome = CONVERGED, idle = 0
        cdef bint met, predicted_met, exact = self.quadratic.second_order(not self.exacting, lam)
        self.predicted.wanted, self.predicted.known = exact and not self.exacting, False
        model.next.met = -1      # a next start that has not been taken is none
        if self.quadratic.size > 0 and self.quadratic.curved:
            quiet, self.gain = QUIET * goal, INFINITY
        self._make_room()
        while True:
            predicted_gap = self.predicted.certify(model, self.quadratic, lam, SURELY * goal)
            if last > 0.0:
                self.foretells = predicted_gap / last
            predicted_met, met = predicted_gap <= SURELY * goal, False
            if not predicted_met:
                gap = self._gap(lam)
                idle = 0 if gap < BARELY * best else idle + self.flat
                best = min(best, gap)
                if self.fillable and gap > goal and self._filling_pays(idle == IDLE):
                    self.fill()
                    self._weigh()
                    last, idle = 0.0, 0
                    continue
                met = gap <= goal and self.gain <= quiet
            if predicted_met or met or idle == IDLE or self.quadratic.iterations >= limit:
                if self.eta_stale:
                    self._place()
                    idle = 0
                    continue
                if not predicted_met and gap > goal and idle < IDLE:
                    outcome = MAX_ITER
                break
            if self._hessian_is_stale(gap, last):
                self._weigh()
                last = 0.0
                continue
            self.refresh_debt += last > 0.0
            self.decrease = gap / last if last > 0.0 else 0.0
            forcing = EXACT if exact and not isinstance(self.quadratic, DataActiveSet) else FORCING
            self._descend(lam, max(forcing * gap, NEAR * goal), limit, last == 0.0,
                          self.foretells * gap <= SURELY * goal)
            last = gap
        if predicted_met:
            self._take_foretold()
        else:
            self.make_dual(lam)
        return outcome

    cdef double _gap(self, double lam) noexcept nogil:
        """The gap over the working columns at the current point, whose gradient is left with the
        quadratic."""
        cdef double level = 1.0 / self.model.multiplier
        self.total = self.linearise()
        self.quadratic.estimate_slack(lam * level)
        # the last part for the intercept
        return (self.quadratic.gap(lam * level) + 0.5 * self.total
                * self.total) * self.model.multiplier

    cdef int _descend(self, double lam, double target, long limit, bint first,
                      bint may_end) except -1:
        """Solve the model to a gap of at most target, and step towards its answer.

        first: whether H is new; may_end: whether the lam may well end there.
        """
        cdef LocalModel model = self.model
        cdef double rounding, level = 1.0 / model.multiplier
        cdef int k
        for k in range(self.quadratic.size):
            self.before[k], self.slope[k] = (self.quadratic.b[k],
                                             self.quadratic.g[k] * model.multiplier)
        rounding = ROUNDING * (fabs(model.here.value) + self.quadratic.penalty_value(lam))
        with nogil:
            self.quadratic.solve(lam * level, target * level,
                                 max(min(limit - self.quadratic.iterations, PATIENCE), 1))
            self.flat = not self._step(lam, rounding, first, may_end)
        self.quadratic.iterations += 1
        self.quadratic.passes += 1      # for the step's image and the gradient at its end
        self.models += 1
        model.loss.raise_pending()
        PyErr_CheckSignals()
        return 0

    cdef void _take_foretold(self) noexcept nogil:
        """The dual point is the one foretold."""
        memcpy(&self.dual[0], &self.predicted.v[0], self.design.n * sizeof(double))
        memcpy(self.quadratic.g, &self.predicted.g[0], self.quadratic.size * sizeof(double))
        self.g_unit, self.cleared, self.missing = 1.0, True, 0.0
        self.show_dual()
        self.scaled, self.excess = self.predicted.scaled, self.predicted.excess

    cdef void _learn(self, double t) noexcept nogil:
        """The multiplier s from the curvature of the loss along the step as far as it was tried,
        t of it."""
        cdef double curvature
        if self.model.modelled > 0.0 and 0.0 < self.model.along < INFINITY:
            curvature = self.model.along / (t * self.model.modelled)
            self.model.multiplier = max(curvature,
                                        (0.1 if t == 1.0 else 2.0) * self.model.multiplier)

    cdef bint _step(self, double lam, double rounding, bint learn, bint may_end) noexcept nogil:
        """Go towards the model's answer as far as the objective decreases; whether it did by more
        than rounding.

        may_end: whether the lam may well end there.
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
            seen = HERE if not may_end else AHEAD if self._look_ahead(lam) else NOWHERE
        gain = self.model.move(self.columns, &self.change[0], self.total,
                               seen) - self.model.here.value
        self.predicted.take(self.model, self.quadratic)
        for tries in range(HALVINGS):
            for k in range(m):
                if t < 1.0:         # a whole step ends at zeros and limits exactly
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
            self._learn(t)
            return False
        if learn or t < 1.0:        # later steps are short, and in odd directions
            self._learn(t)
        self.model.accept()
        self.age += 1.0
        self.since += 1.0
        self.gain = max(-gain - rounding, 0.0)
        return self.gain > 0.0
