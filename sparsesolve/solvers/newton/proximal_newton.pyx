"""Proximal Newton on a certified working set, for any smooth convex loss of one response.

    minimise over a, b   F(eta) + lam Omega(b),   eta = offset + a + Zb

A step minimises a quadratic model of F with Hessian s Z'HZ. H is diagonal and stale: it is kept
from step to step and from lam to lam, with its Gram matrix and factor. The gradient is exact, and
the multiplier s is learnt from the curvature along the last step. A stale H costs steps, never
accuracy. It is refreshed when the extra steps cost as much as a refresh. Centring the columns
under H takes the intercept out of the model. The Armijo rule decides how far to go, and at a new
lam the linear extrapolation of the last two solutions is tried as the start. Squared error is its
own model: one step solves it.
Invariant: the model stands at b, and the objective rises by no more than rounding.
Reference: Lee, Sun, Saunders (2014), "Proximal Newton-type methods"; Tseng, Yun (2009) for the
step length.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

import numpy as np

from sparsesolve.linalg.working.columns import pack
from sparsesolve.linalg.kernels.vector cimport ss_multiply
from sparsesolve.losses.gaussian import Gaussian
from sparsesolve.solvers.certificate.gap cimport assembled
from sparsesolve.solvers import tolerances
from sparsesolve.solvers.rounds import solve_by_rounds
from sparsesolve.solvers.newton.local_model cimport LocalModel, LossDual
from sparsesolve.solvers.newton.working_set cimport WorkingSet
from sparsesolve.solvers.quadratic.coefficients cimport (
    CONVERGED,
    FAR_STEP,
    MAX_ITER,
    WorkingCoefficients,
)
from sparsesolve.solvers.quadratic.active_columns import DataActiveSet

cdef double ARMIJO = tolerances.ARMIJO
cdef double FORCING = tolerances.FORCING
cdef double INACTIVE_FRACTION = tolerances.INACTIVE_FRACTION
cdef double LAST_DIGITS = tolerances.LAST_DIGITS
cdef double LEAST_FORCING = tolerances.LEAST_FORCING
cdef double MODEL_FRACTION = tolerances.MODEL_FRACTION
cdef int MOST_IDLE = tolerances.MOST_IDLE
cdef double PROGRESS = tolerances.PROGRESS
cdef double SLOW_STEP = tolerances.SLOW_STEP
# A stale Hessian is refreshed once the extra steps that it took have cost this many refreshes.
# With less, it is refreshed for steps that a refresh would not save; with more, slow steps go on.
# Iterations at 0.666667 and 6: logistic 0.90 and 1.15, sparse 0.90 and 1.04, logistic groups 0.96
# and 1.00.
cdef double REFRESH_DEBT = 2.0
# With a predicted dual point the gap must fall below this fraction of the goal, as the error of b
# is of the order of the root of a gap.
# Iterations at 0.0333333 and 0.3: logistic groups 1.22 and 0.89, logistic 1.00 and 0.92, sparse
# 1.04 and 0.93.
cdef double PREDICTED_SHARE = 0.1


cdef class ProximalNewton(WorkingSet):
    """Solver state along a path, see solvers/state.py; at first the null model's point."""

    cdef double decrease                # gap after the last step over the gap before
    cdef int refresh_debt  # steps since H was refreshed that a fresh H would have saved
    cdef double total                   # the sum of u in units of s, the slope along the intercept
    cdef readonly LocalModel model      # at the current a and b
    cdef readonly LossDual loss_dual
    cdef bint fits_intercept
    cdef bint squared                   # whether the loss is its model
    cdef bint fillable                  # whether sparse columns may have to be held as dense
    cdef double g_unit                  # g is Z'u divided by this
    cdef double[::1] inverse_root_w     # 0 for a weight of 0
    cdef LossDual predicted             # where the last step's model leads
    cdef double gain                    # by which the last step lowered F, beyond rounding
    cdef bint eta_stale                 # whether b moved so far that the rounding of eta shows
    cdef double[::1] before, change, slope  # coefficients before a step, the step, and Z'u

    def __init__(self, problem, int n_threads):
        # With squared error, columns and response are centred.
        self.squared, loss = problem.loss is None, problem.loss
        n, p = problem.design.n, problem.design.p
        self.fits_intercept = not self.squared and problem.intercept
        offset, start = (np.zeros(n), 0.0) if self.squared else (problem.offset,
                                                                 problem.null_intercept)
        if self.squared:
            loss = Gaussian(problem.response, problem.weights)
        centred = self.fits_intercept or loss.shift_invariant
        self._begin(problem, n_threads, centred)
        self.fillable = loss.coupled and not self.columns.dense
        # where O(n^3) costs nothing, or some samples have no curvature
        costly = n <= max(300, min(2 * p, 1200))
        self.model = LocalModel(loss, problem.weights, offset, start, centred, self.columns.dense,
                                costly)
        self.inverse_root_w, self.loss_dual = np.zeros(n), LossDual(self.model)
        np.divide(1.0, self.root_w, out=np.asarray(self.inverse_root_w),
                  where=np.greater(self.root_w, 0.0))
        self._repack()
        self.add_to_working_set(self.inactive.unpenalised())
        self.model.reserve(self.quadratic.capacity)
        self.predicted, self.gain, self.before = LossDual(self.model), INFINITY, np.empty(0)
        self._linearise()
        self._make_dual(0.0)

    @property
    def loss_value(self):
        """Return the loss less its least value."""
        return self.model.here.value - self.model.loss.saturated

    @property
    def intercept(self):
        """Return the intercept of the standardised problem, with columns centred by weights."""
        return self.model.mean_predictor() if self.fits_intercept else 0.0

    @property
    def dual(self):
        """The dual point (n,), not scaled."""
        return self.loss_dual.point

    cdef int add_to_working_set(self, const int[::1] which) except -1:
        """Add columns to the working set, with coefficients of 0."""
        cdef int k, before = self.quadratic.size
        WorkingSet.add_to_working_set(self, which)
        self.model.reserve(self.quadratic.capacity)
        if self.loss_dual.orthogonalised:
            self.model.here.n_known = -1
        if self.model.here.n_known >= 0:
            for k in range(before, self.quadratic.size):
                self.model.here.g[k] = self.quadratic.g[k]
            self.model.here.n_known = self.quadratic.size
        return 0

    def _place(self):
        """Recompute the point from a and b, without built-up rounding; return columns and b."""
        which, start = self.quadratic.members()
        self.model.place(self.intercept, self.design.combination(which, start))
        self.model.loss.raise_pending()
        self.eta_stale = False
        return which, start

    cdef void _take_hessian(self):
        """Take H at the current point, and with it Gram matrix, factor and working copies."""
        which, start = self._place()
        self.model.refresh_hessian()
        self._repack()
        self.quadratic.restart()
        self.quadratic.append(self.design, self.penalty, which, start, np.zeros(len(which)))
        self.decrease, self.refresh_debt = 0.0, 0

    cdef bint _hessian_is_stale(self, double gap, double last):
        """Return True when refreshing H is expected to pay.

        Before the first step at a lambda (last = 0) compare the accumulated extra steps with the
        cost of a refresh; afterwards refresh after two slow steps.
        """
        if last > 0.0:
            return gap > SLOW_STEP * last and self.decrease > SLOW_STEP
        return self.refresh_debt > REFRESH_DEBT * self._refresh_price()

    cdef double _refresh_price(self):
        """The multiply-adds of a new H by those of a step; with its columns alone a step's."""
        cdef double n = self.design.n, m = self.quadratic.size
        if isinstance(self.quadratic, DataActiveSet):
            return 1.0
        return (m * n * (1.0 + 0.15 * m) + 0.1 * m * m * m) / (2.0 * m * n + 30.0 * n + 4.0 * m * m)

    def start_at(self, which, values, intercept):
        """Continue from the coefficients `values` (m,) of features `which` (m,), an intercept."""
        start = np.zeros(self.design.p)
        start[which] = values
        self._move(start)
        self.model.place(intercept, self.design.combination(*self.quadratic.members()))
        self.restart()

    def restart(self):
        """Continue from the coefficients after the loss has changed, with a new model of it."""
        self.first_gap = 0.0
        self.history.clear()
        self.gain, self.predicted.known = INFINITY, False
        self._take_hessian()
        self._linearise()

    # The quadratic model.

    cdef void _repack(self):
        """Empty the working columns, so that they are filled for the model's H."""
        self.columns.root = self.model.loss.root if self.model.rooted else None
        self.columns.restart(self.model.root_h)

    cdef bint _fill(self, bint stuck) except -1:
        """Hold working columns as dense if F'' has a factor; return True if H is new.

        That is where its model costs less than the passes over sparse columns at this lambda, or
        they stall.
        """
        cdef double n = self.design.n, m = self.quadratic.size
        if m * n > 1e8 or not (stuck or 24.0 * self.stored()
                * (self.quadratic.passes - self.passed)
                > m * n + 0.3 * m * m * (n / 2.0 + m / 3.0)):
            return False
        self.fillable = False
        self.model.dense = self.model.takes_root()
        if self.model.dense:
            self.columns = pack(self.design, self.root_w, self.model.centred, dense=True,
                                n_threads=self.columns.n_threads)
            self._continue_with(type(self.quadratic)(self.columns, self.penalty)
                                if self.penalty.has_groups else self._by_products())
        self._take_hessian()
        return True

    cdef void _forget_gradients(self) noexcept nogil:
        self.model.here.n_known = -1

    cdef double _linearise(self) noexcept nogil:
        """Set the quadratic at the current point, in units of s; return the sum of u in them."""
        cdef Py_ssize_t i
        cdef int k
        cdef double total = 0.0, inverse_s = 1.0 / self.model.multiplier
        if self.model.here.n_known < 0:
            self.model.measure(self.columns)
        if self.model.centred:
            total = self.model.here.slope * inverse_s
        if self.quadratic.wants_residual:
            for i in range(self.design.n):
                self.u[i] = (self.model.here.u[i] * inverse_s
                             - total * self.model.h[i]) * self.model.inverse[i]
            if self.model.rooted:
                self.model.loss.root.solve(&self.u[0])
            self.quadratic.take_residual(&self.u[0])
        for k in range(self.quadratic.size):
            self.quadratic.g[k] = self.model.here.g[k] * inverse_s
        self.quadratic.residual_square = max(self.model.here.square * inverse_s**2 - total * total,
                                             0.0)
        self.g_unit, self.quadratic.rounding_steps = self.model.multiplier, 0.0
        return total

    # Along the path.

    def solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        cdef long limit = self.quadratic.iterations + budget
        # The point of the last lam tells how close a fit may be; the extrapolated one is cruder.
        cdef double goal = self.goal(lam, target, self.first_gap)
        self.exacting = self.fraction * target < self.digits
        if not self.fillable:
            self._factor()
        self.passed = self.quadratic.passes
        self._extrapolate(lam)
        outcome, gap = solve_by_rounds(self, lam, target, limit, goal)
        if outcome == CONVERGED:
            self._keep_history(lam)
        return outcome, gap

    cpdef double goal(self, double lam, double target, double outside):
        """The gap for the working columns, where the inactive ones leave a gap of `outside`.

        However loose the target, the residual has to serve the next lam. If every active column
        misses its threshold by a share e of lam, a dual point shrunk by e is feasible again, and
        the gap is e^2 |r|^2 / 2. A residual with a larger error adds columns that are never
        active, and an extrapolation from two such residuals adds even more.
        """
        cdef double serving = max(0.5 * self.missed * self.missed * self.model.multiplier
                                  * self.quadratic.residual_square, self.loose_gap)
        return max(self.fraction * min(target, serving), min(INACTIVE_FRACTION * outside, serving))

    cdef int _reserve(self) except -1:
        """Make room for a step of the working columns."""
        cdef int capacity = self.quadratic.capacity
        if self.before.shape[0] < capacity:
            self.before, self.change, self.slope = np.empty((3, capacity))
        self.model.reserve(capacity)
        return self.predicted.reserve(capacity)

    cdef int _extrapolate(self, double lam) except -1:
        """Start from the extrapolated solution if that lowers the objective, with its columns."""
        cdef WorkingCoefficients quadratic
        cdef int k, m
        cdef double* kept
        cdef double value, forward = self.history.forward(lam)
        cdef bint stopped
        if forward == 0.0:
            return 0
        self.add_to_working_set(self.inactive.predict_violators(lam, forward))
        quadratic, m = self.quadratic, self.quadratic.size
        if m == 0:
            return 0
        self._reserve()
        memcpy(&self.before[0], quadratic.b, m * sizeof(double))
        for k in range(m):
            self.change[k] = forward * (self.before[k] - (self.history.b[1, k]
                                                          if k < self.history.size else 0.0))
            self.eta_stale = self.eta_stale or fabs(self.change[k]) > FAR_STEP
        stopped = not quadratic.extrapolate(m, &self.change[0], lam)
        for k in range(m):
            # take out what was truncated
            self.change[k] += self.before[k] - quadratic.b[k]
        value = self.model.extrapolate(quadratic.columns, &self.change[0], stopped, forward,
                                       &self.history.earlier[0])
        if value + quadratic.penalty_change(&self.before[0], lam) < self.model.here.value:
            # the errors of both etas: a new last one leaves the earlier one as it is
            kept = self.model.kept_errors
            self.model.accept(forward * (kept[0] + kept[1]) + 1.0)
        else:
            memcpy(quadratic.b, &self.before[0], m * sizeof(double))
        return 0

    cdef int _keep_history(self, double lam) except -1:
        # 1e4 errors of 1e-16 are below what a tolerance of 1e-10 shows
        if self.model.errors > 1e4:
            self._place()
        self.model.kept_errors[1] = self.model.kept_errors[0]
        self.model.kept_errors[0] = self.model.errors
        self.history.keep(lam, self.quadratic)
        memcpy(&self.history.last[0], self.model.here.eta, self.design.n * sizeof(double))
        return 0

    cpdef int fit(self, double lam, double goal, long limit) except -1:
        """Solve over the working columns to gap <= goal; return an Outcome."""
        cdef LocalModel model = self.model
        cdef double gap, predicted_gap, last = 0.0, best = INFINITY, quiet = INFINITY, forcing
        cdef double target
        cdef int outcome = CONVERGED, idle = 0
        cdef bint reached, predicted_reached
        cdef bint exact = self.quadratic.second_order(not self.exacting, lam)
        self.predicted.wanted, self.predicted.known = exact and not self.exacting, False
        if self.quadratic.size > 0 and self.quadratic.curved:
            # while a step lowers the objective by more than this of the goal
            quiet, self.gain = 3e-3 * goal if not self.squared else 1e300, INFINITY
        self._reserve()
        while True:
            # 1. Certificate: the predicted dual point is usually tighter; else the residual's.
            predicted_gap = self.predicted.certify(self.quadratic, lam, PREDICTED_SHARE * goal)
            predicted_reached, reached = predicted_gap <= PREDICTED_SHARE * goal, False
            if not predicted_reached:
                with nogil:
                    gap = self._gap(lam)
                idle = 0 if gap < PROGRESS * best else idle + (self.gain == 0.0)
                best = min(best, gap)
                # 2. Sparse columns become dense, or a Gram matrix, where passes cost too much.
                if gap > goal and (self._fill(idle == MOST_IDLE) if self.fillable
                                   else self._factor()):
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
            target = goal if self.squared else max(forcing * gap, MODEL_FRACTION * goal)
            self._descend(lam, target, limit, last == 0.0)
            last = gap
        if predicted_reached:
            self.loss_dual, self.predicted = self.predicted, self.loss_dual
            memcpy(self.quadratic.g, &self.loss_dual.g[0], self.quadratic.size * sizeof(double))
            self._show_dual()
        else:
            self._make_dual(lam)
        return outcome

    cdef int _descend(self, double lam, double target, long limit, bint first) except -1:
        """Minimise the model to a gap of at most `target`, and step towards its minimiser.

        first: whether H is new.
        """
        cdef WorkingCoefficients quadratic = self.quadratic
        cdef double rounding, inverse_s = 1.0 / self.model.multiplier
        cdef int k
        for k in range(quadratic.size):
            self.before[k], self.slope[k] = (quadratic.b[k],
                                             quadratic.g[k] * self.model.multiplier)
        rounding = LAST_DIGITS * (fabs(self.model.here.value) + quadratic.penalty_value(lam))
        with nogil:
            # a model only approximates the loss, unless that is squared error
            quadratic.solve(lam * inverse_s, target * inverse_s,
                            max(min(limit - quadratic.iterations, 2500 if self.squared else 30), 1))
            self._step(quadratic, lam, rounding, first)
        quadratic.iterations += 1
        # the step's image and the gradient at its end
        quadratic.passes += 1
        self.model.loss.raise_pending()
        PyErr_CheckSignals()
        return 0

    cdef void _step(self, WorkingCoefficients quadratic, double lam, double rounding,
                    bint learn) noexcept nogil:
        """Step towards the model's minimiser until the Armijo rule holds.

        A gain within rounding counts as none.
        """
        cdef int k, tries, m = quadratic.size
        cdef double* b = quadratic.b
        cdef double slope = -self.total * self.total * self.model.multiplier, gain, t = 1.0
        cdef bint eta_stale = self.eta_stale
        for k in range(m):
            self.change[k] = b[k] - self.before[k]
            self.eta_stale = self.eta_stale or fabs(self.change[k]) > FAR_STEP
            slope -= self.slope[k] * self.change[k]
        slope += quadratic.penalty_change(&self.before[0], lam)
        gain = (self.model.move(quadratic.columns, &self.change[0], self.total)
                - self.model.here.value)
        self.predicted.predict(self.model, quadratic)
        # 2^-40 of a step moves no coefficient by more than rounding
        for tries in range(40):
            for k in range(m):
                # a whole step ends at zeros and limits exactly
                if t < 1.0:
                    b[k] = self.before[k] + t * self.change[k]
            gain += quadratic.penalty_change(&self.before[0], lam)
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

    cdef double _gap(self, double lam) noexcept nogil:
        """The gap over the working columns; leaves their gradient in the quadratic."""
        cdef double inverse_s = 1.0 / self.model.multiplier
        self.total = self._linearise()
        self.quadratic.estimate_unpenalised_norm(lam * inverse_s)
        # the last part for the intercept
        return (self.quadratic.gap(lam * inverse_s) + 0.5 * self.total
                * self.total) * self.model.multiplier

    # The certificate.

    cdef int _make_dual(self, double lam) except -1:
        """Make the dual point, with r and g, from the model at the current point."""
        self.loss_dual.make(self.quadratic, self.spans, lam, self.g_unit)
        self._show_dual()
        return 0

    cdef void _show_dual(self) noexcept nogil:
        """Examine the inactive columns at the dual point."""
        self.g_unit = 1.0
        self.quadratic.unpenalised_norm = 0.0
        ss_multiply(self.design.n, &self.inverse_root_w[0], &self.loss_dual.point[0], &self.r[0])

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        return min(self.quadratic.scale(lam, strict), self.inactive.scale(lam, strict))

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        # Rounding may take the loss below its least value by no more than its error.
        cdef double primal = (fabs(self.model.here.value - self.model.loss.saturated)
                              + self.quadratic.penalty_value(lam))
        return assembled(self.loss_dual.samples_gap(scale), self.quadratic.column_gap(lam, scale)
                         + self.inactive.gap(lam, scale), self.loss_dual.missing,
                         primal) + 2.2e-16 * fabs(self.model.loss.saturated)
