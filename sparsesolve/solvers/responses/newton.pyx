"""Proximal Newton for K responses with few active coefficients: their whole Hessian is kept.

    minimise over B   F(offset + ZB) + lam sum_j v_j [alpha pen(B_j) + (1 - alpha) |B_j|_2^2 / 2]

Here pen is the l1 norm of the K coefficients B_j of a feature or, grouped, their l2 norm. A step
minimises the quadratic model over the working coefficients, as for one response, with Hessian s
H. H is the Hessian of an earlier point, and s comes from the curvature along the last step. The
gradient is exact. H is refreshed after a slow step.
The gap is over all coefficients (`certificate`).
Reference: Lee, Sun, Saunders (2014), "Proximal Newton-type methods"; Bach et al. 2012, section 6.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.elastic_net_rows import centre
from sparsesolve.solvers import tolerances
from sparsesolve.solvers.responses.certificate cimport ResponseDual
from sparsesolve.solvers.responses.response_coefficients cimport ResponseCoefficients
from sparsesolve.solvers.rounds import entry_lambda, solve_by_rounds
from sparsesolve.solvers.state import State
from sparsesolve.solvers.quadratic.coefficients cimport (
    CONVERGED,
    FAR_STEP,
    MAX_ITER,
    STALLED,
    WorkingCoefficients,
)

cdef double ARMIJO = tolerances.ARMIJO
cdef double FORCING = tolerances.FORCING
cdef double INACTIVE_FRACTION = tolerances.INACTIVE_FRACTION
cdef double LAST_DIGITS = tolerances.LAST_DIGITS
cdef double LEAST_FORCING = tolerances.LEAST_FORCING
cdef double LOOSE_GAP = tolerances.LOOSE_GAP
cdef double MISSED_THRESHOLD_LOSS = tolerances.MISSED_THRESHOLD_LOSS
cdef double MODEL_FRACTION = tolerances.MODEL_FRACTION
cdef double SLOW_STEP = tolerances.SLOW_STEP
# Steps without a lower gap before the solver gives up.
DEF NEWTON_PATIENCE = 6


cdef class Compiled:
    """A compiled class inherits from a Python class only behind a compiled one."""


cdef class ResponseNewton(Compiled, State):
    """The solver state along a path, see solvers/state.py."""

    cdef readonly ResponseCoefficients point
    cdef ResponseDual dual
    cdef public double first_gap      # gap after the first round at the last lam
    cdef double last_lam, lam_before    # the last lam, and the one before
    cdef double[:, ::1] last_B      # (q, K) the solution at the lam before
    # The largest working set at this lam, and how often coefficients returned to it.
    cdef int widest, returns
    cdef double loose_gap               # a target gap above this counts as loose_gap
    cdef double least               # smallest gap that the working coefficients need at this lam
    cdef long moves                 # steps so far
    # The line search: the start b and g of a step, then its end; the change of eta; eta and u.
    cdef double[::1] old, old_g
    cdef double[:, ::1] image, trial, trial_u

    def __init__(self, problem, int n_threads=1):
        self.point = ResponseCoefficients(problem)
        self.dual = ResponseDual(problem, self.point, n_threads)
        self.loose_gap = LOOSE_GAP * problem.null_value
        self.last_B = np.zeros_like(self.point.C)
        self.image, self.trial, self.trial_u = np.zeros((3, self.point.K, self.point.n))
        self._reserve()

    cdef int _reserve(self) except -1:
        """Make room for the line search over the working coefficients."""
        if self.old is None or self.old.shape[0] < self.point.quadratic.capacity:
            self.old, self.old_g = np.zeros((2, self.point.quadratic.capacity))
        return 0

    # The current point.

    @property
    def iterations(self):
        """Return the number of steps so far, plus that of iterations on their models."""
        return self.moves + self.point.quadratic.iterations

    @property
    def loss_value(self):
        """Return F at the current point minus the least value of F."""
        return self.point.value - self.point.loss.saturated

    def coefficients(self):
        """Return the features with nonzero coefficients, ascending, and the values (K, count).

        If the loss depends only on differences between responses, each row is shifted to its least
        penalty.
        """
        rows, values = self._unshifted()
        if self.point.loss.symmetric and centre(values, self.point.net, rows) > 0:
            kept = values.any(axis=0)
            rows, values = rows[kept], values[:, kept]
        return rows, values

    def _unshifted(self):
        """Return the features with nonzero coefficients and the values (K, count), as kept here."""
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef int K = self.point.K, i, found = quadratic.list_nonzero(), last = -1, count = 0
        cdef Py_ssize_t end = self.point.design.p * K       # where the intercepts begin
        rows, values = np.empty(found, dtype=np.intc), np.zeros((K, found))
        cdef int[::1] r = rows
        cdef double[:, ::1] v = values
        for i in range(found):
            if quadratic.which[i] < end:
                count += quadratic.which[i] // K != last
                last = r[count - 1] = quadratic.which[i] // K
                v[quadratic.which[i] % K, count - 1] = quadratic.values[i]
        return rows[:count], np.ascontiguousarray(values[:, :count])

    cdef double _shifted_off(self, double lam) except? -1.0:
        """Return how much less the penalty of the coefficients returned is than of those kept.

        Their gaps differ by that: no predictor of a difference changes, and products with u sum to
        0 over the responses.
        """
        if not self.point.loss.symmetric:
            return 0.0
        rows, values = self._unshifted()
        net = self.point.net.take(rows)
        before = net.value(values, lam)
        centre(values, self.point.net, rows)
        less = before - net.value(values, lam)
        return less if less > LAST_DIGITS * before else 0.0

    @property
    def intercept(self):
        """Return the intercepts (K,) of the standardised design.

        They have mean 0 if the loss depends only on differences between responses.
        """
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef int t, first = <int> (self.point.design.p * self.point.K)
        values = np.zeros(self.point.K)
        for t in range(quadratic.size):
            if quadratic.index[t] >= first:
                values[quadratic.index[t] - first] = quadratic.b[t]
        return values - values.mean() if self.point.loss.symmetric else values

    def correlations(self):
        """Return the size of each column's products with the dual point, (p,)."""
        return self.dual.correlations()

    # Steps.

    cdef double _go(self, double lam, double least, int halvings) noexcept:
        """Step from `old` towards b until the objective falls; return the step length.

        `least` is the decrease that a step of 1 must reach.
        """
        cdef ResponseCoefficients point = self.point
        cdef int t, tries, m = point.quadratic.size
        cdef Py_ssize_t size = point.K * point.n
        cdef double step = 1.0, value, change, slack
        memset(&self.image[0, 0], 0, size * sizeof(double))
        point.hessian.add(point.quadratic.b, &self.old[0], &self.image[0, 0])
        for t in range(m):
            point.eta_stale = point.eta_stale or fabs(point.quadratic.b[t] - self.old[t]) > FAR_STEP
            # old_g holds the end of the full step.
            self.old_g[t] = point.quadratic.b[t]
        slack = LAST_DIGITS * (fabs(point.value) + fabs(point.value - point.loss.saturated))
        for tries in range(halvings):
            memcpy(&self.trial[0, 0], &point.eta[0, 0], size * sizeof(double))
            axpy(size, step, &self.image[0, 0], &self.trial[0, 0])
            value = point.loss.evaluate(&self.trial[0, 0], &self.trial_u[0, 0])
            change = point.quadratic.penalty_change(&self.old[0], lam)
            if value - point.value + change <= slack - step * least:
                point.eta, self.trial = self.trial, point.eta
                point.u, self.trial_u = self.trial_u, point.u
                point.value = value
                return step
            step *= 0.5
            for t in range(m):
                point.quadratic.b[t] = self.old[t] + step * (self.old_g[t] - self.old[t])
        memcpy(point.quadratic.b, &self.old[0], m * sizeof(double))
        return 0.0

    cdef void _extrapolate(self, double lam) noexcept:
        """Start from the linear extrapolation of the last two solutions if it lowers the
        objective.
        """
        cdef ResponseCoefficients point = self.point
        cdef int t, c, m = point.quadratic.size
        cdef double forward = 0.0
        if self.lam_before > self.last_lam > lam > 0.0:
            forward = (self.last_lam - lam) / (self.lam_before - self.last_lam)
        for t in range(m):
            c = point.quadratic.index[t]
            self.old[t] = point.quadratic.b[t]
            self.old_g[t] = forward * (self.old[t] - (&self.last_B[0, 0])[c])
        self.last_B[:] = 0.0
        for t in range(m):
            (&self.last_B[0, 0])[point.quadratic.index[t]] = self.old[t]
        self.lam_before, self.last_lam = self.last_lam, lam
        if forward > 0.0 and m > 0:
            point.quadratic.extrapolate(m, &self.old_g[0], lam)
            self._go(lam, 0.0, 1)

    # Along the path.

    def solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; return (outcome, gap)."""
        cdef long limit = self.iterations + budget
        cdef double near = entry_lambda(lam, self.last_lam)
        self.least = self._least_goal(target)   # at the last solution, not the extrapolated point
        self.point.renew()
        self._extrapolate(lam)
        self._admit(near, lam)
        self.widest, self.returns = self.point.quadratic.size, 0
        return solve_by_rounds(self, lam, target, limit, sharpen=self.sharpen)

    # A round, see solvers/rounds.py.

    def fit(self, double lam, double goal, long limit):
        """Take Newton steps until the gap over the working coefficients is about `goal`."""
        self.point.slopes()
        outcome = self._fit(lam, goal, limit)
        if self.point.eta_stale:
            self.point.renew()
        return outcome

    def certify(self, double lam):
        """Return the gap over all coefficients, of those that are returned."""
        return max(self.dual.whole_gap(lam) - self._shifted_off(lam), 0.0)

    def grow(self, double lam, bint first):
        """Add the violating coefficients; return their number, or 0 once they keep returning."""
        cdef int entering = self._admit(lam, lam), size = self.point.quadratic.size
        # The working set has not grown, so these coefficients were dropped before.
        self.returns += entering > 0 and size <= self.widest
        self.widest = max(self.widest, size)
        # Times that coefficients may return to the working set at one lambda before it counts as a
        # cycle.
        return entering if self.returns <= 30 else 0

    def goal(self, double lam, double target, double outside):
        """Return the gap for the working coefficients when the others have gap `outside`."""
        return max(self.least, INACTIVE_FRACTION * outside)

    def sharpen(self, double lam, double goal):
        """Refresh the Hessian."""
        self.point.refresh_hessian(lam)

    cdef double _least_goal(self, double target) noexcept:
        """Return the gap for the working coefficients when all must reach `target`.

        A dual point with a larger error lets in coefficients that are never active, at this lam
        and at the next.
        """
        cdef double least = MISSED_THRESHOLD_LOSS * MISSED_THRESHOLD_LOSS * self.loss_value
        return 0.5 * min(target, max(least, self.loose_gap))

    cdef int _admit(self, double near, double lam) except -1:
        """Add the violating coefficients, see `ResponseDual`. Return how many were added."""
        cdef Py_ssize_t[::1] which = self.dual.violators(near, lam)
        if which.shape[0] > 0:
            self.point.add_to_working_set(which)
            self._reserve()
        return <int> which.shape[0]

    cdef int _fit(self, double lam, double goal, long limit) except -1:
        """Take Newton steps until the gap over the working coefficients is about `goal`.

        Leave g and C at u; return an Outcome.
        """
        cdef ResponseCoefficients point = self.point
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef double gap, last = 0.0, best = INFINITY, inverse_s, linear, curvature, modelled
        cdef double closeness = 1.0, step, square, target
        cdef int t, m, patience = NEWTON_PATIENCE
        cdef Py_ssize_t size = point.K * point.n
        cdef bint fresh = False
        while True:
            # 1. Stop: gap reached, budget spent, or no progress for NEWTON_PATIENCE steps.
            PyErr_CheckSignals()
            gap = self.dual.working_gap(lam)
            if gap <= goal:
                return CONVERGED
            if self.iterations >= limit:
                return MAX_ITER
            patience = NEWTON_PATIENCE if gap < best else patience - 1
            best = min(best, gap)
            if patience == 0:
                return STALLED
            # 2. Hessian: refresh it if it is stale.
            if not fresh and last > 0.0 and gap > SLOW_STEP * last:
                point.refresh_hessian(lam)
                point.slopes()
                fresh = True
            # 3. Subproblem: minimise the model, in units of s.
            last = gap
            m, inverse_s = quadratic.size, 1.0 / point.s
            memcpy(&self.old[0], quadratic.b, m * sizeof(double))
            for t in range(m):
                quadratic.g[t] *= inverse_s
            memcpy(&self.old_g[0], quadratic.g, m * sizeof(double))
            square = 2.0 * max(point.value - point.loss.saturated, 0.0)
            quadratic.residual_square = square * inverse_s
            target = closeness * max(MODEL_FRACTION * goal, FORCING * gap)
            quadratic.solve(lam * inverse_s, target * inverse_s, min(limit - self.iterations, 1000))
            if memcmp(quadratic.b, &self.old[0], m * sizeof(double)) == 0:
                if closeness < LEAST_FORCING:
                    return STALLED
                # A multiple of u may cost the model far less than it costs F.
                closeness *= 0.01
                last, patience = 0.0, NEWTON_PATIENCE
                point.slopes()
                continue
            # 4. Line search on the objective (Armijo).
            linear = quadratic.penalty_change(&self.old[0], lam)
            modelled = 0.0
            for t in range(m):
                linear -= point.s * self.old_g[t] * (quadratic.b[t] - self.old[t])
                modelled += (quadratic.b[t] - self.old[t]) * (self.old_g[t] - quadratic.g[t])
            # 2^-30 of a step moves no coefficient by more than rounding
            step = self._go(lam, -ARMIJO * min(linear, 0.0), 30)
            self.moves += 1
            # 5. Update the multiplier s by the curvature along the step, or refresh the Hessian.
            if step > 0.0:
                curvature = (dot(size, &self.trial_u[0, 0], &self.image[0, 0])
                             - dot(size, &point.u[0, 0], &self.image[0, 0])) / step
                if curvature > 0.0 and modelled > 0.0:
                    point.s = min(max(curvature / modelled, 0.1 * point.s), 10.0 * point.s)
                fresh = False
            elif fresh:
                point.slopes()
                return STALLED
            else:
                point.refresh_hessian(lam)
                fresh = True
            point.slopes()
