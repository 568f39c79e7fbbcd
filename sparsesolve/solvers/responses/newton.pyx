"""Proximal Newton for K responses with few active coefficients: their whole Hessian is kept.

    minimise over B   F(offset + ZB) + lam sum_j v_j [alpha pen(B_j) + (1 - alpha) |B_j|_2^2 / 2]

Here pen is the l1 norm of the K coefficients B_j of a feature or, grouped, their l2 norm. A step
minimises the quadratic model over the working coefficients, as for one response, with Hessian s
H. H is the Hessian of an earlier point, and s comes from the curvature along the last step. The
gradient is exact. H is refreshed when the extra steps cost as much as a refresh. The gap is over
all coefficients, at a dual point orthogonal to the unpenalised ones.
Reference: Lee, Sun, Saunders (2014), "Proximal Newton-type methods"; Bach et al. 2012, sections
1.4 and 6.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.solvers import costs
from sparsesolve.solvers.rounds import solve_by_rounds
from sparsesolve.solvers.state import State
from sparsesolve.penalties.row_shift import centre
from sparsesolve.solvers.responses.coefficients cimport ResponseCoefficients
from sparsesolve.solvers.responses.dual cimport ResponseDual
from sparsesolve.solvers.subproblem.coefficients cimport (
    CONVERGED,
    FAR_STEP,
    MAX_ITER,
    STALLED,
    WorkingCoefficients,
)

cdef double ARMIJO = costs.newton.ARMIJO
cdef double OBJECTIVE = costs.rounding.OBJECTIVE
cdef double SLOW_STEP = costs.newton.SLOW_STEP
cdef double REFRESH_DEBT = costs.responses.REFRESH_DEBT
cdef double VERY_SLOW_STEP = costs.responses.VERY_SLOW_STEP
cdef double WEIGHED_COST = costs.working_set.WEIGHED_COST
cdef double SAMPLE_COST = costs.responses.SAMPLE_COST
cdef double FORCING = costs.newton.FORCING
cdef double LEAST_FORCING = costs.newton.LEAST_FORCING
cdef double CLOSER = costs.responses.CLOSER
cdef double MODEL_SHARE = costs.newton.MODEL_SHARE
cdef double ENTER_AHEAD = costs.responses.ENTER_AHEAD
cdef double INACTIVE_SHARE = costs.newton.INACTIVE_SHARE
cdef double MISSED = costs.working_set.MISSED_THRESHOLD_LOSS
# 2^-30 of a step moves no coefficient by more than rounding.
DEF HALVINGS = 30
cdef int NEWTON_PATIENCE = costs.responses.NEWTON_PATIENCE
# Times that coefficients may return to the working set at one lambda before it counts as a cycle.
DEF RETURNS = 30
# Most inner steps for one quadratic model.
DEF ROUNDS = 1000


cdef class Compiled:
    """A compiled class inherits from a Python class only behind a compiled one."""


cdef class ResponseNewton(Compiled, State):
    """The solver state along a path, see solvers/state.py."""

    cdef readonly ResponseCoefficients point
    cdef ResponseDual dual
    cdef public double opening      # gap after the first round at the last lam
    cdef double level, before       # the last lam, and the one before
    cdef double[:, ::1] last_B      # (q, K) the solution at the lam before
    # The largest working set at this lam, and how often coefficients returned to it.
    cdef int widest, returns
    cdef double loose               # a target gap above this counts as loose
    cdef double least               # smallest gap that the working coefficients need at this lam
    cdef double forcing             # fraction of the gap that a model may leave
    cdef long moves                 # steps so far
    # The line search: the start b and g of a step, then its end; the change of eta; eta and u.
    cdef double[::1] old, old_g
    cdef double[:, ::1] image, trial, trial_u

    def __init__(self, problem, int n_threads=1):
        self.point = ResponseCoefficients(problem)
        self.dual = ResponseDual(problem, self.point, n_threads)
        self.loose = (INFINITY if problem.null_value is None
                      else costs.working_set.LOOSE_GAP * problem.null_value)
        self.last_B, self.forcing = np.zeros_like(self.point.C), FORCING
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
        rows, values = rows[:count], np.ascontiguousarray(values[:, :count])
        if self.point.loss.symmetric and centre(values, self.point.net, rows) > 0:
            kept = values.any(axis=0)
            rows, values = rows[kept], values[:, kept]
        return rows, values

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
        cdef double step = 1.0, value, charge, slack
        memset(&self.image[0, 0], 0, size * sizeof(double))
        point.hessian.add(point.quadratic.b, &self.old[0], &self.image[0, 0])
        for t in range(m):
            point.eta_stale = point.eta_stale or fabs(point.quadratic.b[t] - self.old[t]) > FAR_STEP
            # old_g holds the end of the full step.
            self.old_g[t] = point.quadratic.b[t]
        slack = OBJECTIVE * (fabs(point.value) + fabs(point.value - point.loss.saturated))
        for tries in range(halvings):
            memcpy(&self.trial[0, 0], &point.eta[0, 0], size * sizeof(double))
            axpy(size, step, &self.image[0, 0], &self.trial[0, 0])
            value = point.loss.evaluate(&self.trial[0, 0], &self.trial_u[0, 0])
            charge = point.quadratic.charge(&self.old[0], lam)
            if value - point.value + charge <= slack - step * least:
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
        if self.before > self.level > lam > 0.0:
            forward = (self.level - lam) / (self.before - self.level)
        for t in range(m):
            c = point.quadratic.index[t]
            self.old[t] = point.quadratic.b[t]
            self.old_g[t] = forward * (self.old[t] - (&self.last_B[0, 0])[c])
        self.last_B[:] = 0.0
        for t in range(m):
            (&self.last_B[0, 0])[point.quadratic.index[t]] = self.old[t]
        self.before, self.level = self.level, lam
        if forward > 0.0 and m > 0:
            point.quadratic.extrapolate(m, &self.old_g[0], lam)
            self._go(lam, 0.0, 1)

    # Along the path.

    def solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; return (outcome, gap)."""
        cdef long limit = self.iterations + budget
        cdef double near = lam
        if 0.5 * self.level < lam <= self.level:
            near = lam - ENTER_AHEAD * (self.level - lam)
        self.least = self._settled(target)      # at the last solution, not the extrapolated point
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
        """Return the gap over all coefficients."""
        return self.dual.whole_gap(lam)

    def grow(self, double lam, bint first):
        """Add the violating coefficients; return their number, or 0 once they keep returning."""
        cdef int entering = self._admit(lam, lam), size = self.point.quadratic.size
        # The working set has not grown, so these coefficients were dropped before.
        self.returns += entering > 0 and size <= self.widest
        self.widest = max(self.widest, size)
        return entering if self.returns <= RETURNS else 0

    def goal(self, double lam, double target, double outside):
        """Return the gap for the working coefficients when the others have gap `outside`."""
        return max(self.least, INACTIVE_SHARE * outside)

    def sharpen(self, double lam, double goal):
        """Refresh the Hessian."""
        self.point.refresh_hessian(lam)

    cdef double _settled(self, double target) noexcept:
        """Return the gap for the working coefficients when all must reach `target`.

        A dual point with a larger error lets in coefficients that are never active, at this lam
        and at the next.
        """
        cdef double settled = MISSED * MISSED * self.loss_value
        return 0.5 * min(target, max(settled, self.loose))

    cdef int _admit(self, double near, double lam) except -1:
        """Add the violating coefficients, see `ResponseDual`. Return how many were added."""
        cdef Py_ssize_t[::1] which = self.dual.violators(near, lam)
        if which.shape[0] > 0:
            self.point.add_to_working_set(which)
            self._reserve()
        return <int> which.shape[0]

    cdef double _price(self) noexcept:
        """Return the cost of refreshing H, in steps."""
        cdef double m = self.point.quadratic.size, n = self.point.n
        return WEIGHED_COST * m * m * (n / 2.0 + m / 3.0) / (2.0 * n * m + SAMPLE_COST * n
                                                                  * self.point.K + 4.0 * m * m)

    cdef int _fit(self, double lam, double goal, long limit) except -1:
        """Take Newton steps until the gap over the working coefficients is about `goal`.

        Leave g and C at u; return an Outcome.
        """
        cdef ResponseCoefficients point = self.point
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef double gap, last = 0.0, best = INFINITY, level, linear, curvature, modelled, step, slow
        cdef double closeness = 1.0
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
            if last > 0.0:
                self.forcing = min(max((gap / last) ** 2, LEAST_FORCING), FORCING)
                point.refresh_debt += 1
                slow = (SLOW_STEP if point.refresh_debt > REFRESH_DEBT * self._price()
                        else VERY_SLOW_STEP)
                if not fresh and gap > slow * last:
                    point.refresh_hessian(lam)
                    point.slopes()
                    fresh = True
            # 3. Subproblem: minimise the model, in units of s.
            last = gap
            m, level = quadratic.size, 1.0 / point.s
            memcpy(&self.old[0], quadratic.b, m * sizeof(double))
            for t in range(m):
                quadratic.g[t] *= level
            memcpy(&self.old_g[0], quadratic.g, m * sizeof(double))
            quadratic.residual_square = max(2.0 * (point.value - point.loss.saturated) * level, 0.0)
            quadratic.solve(lam * level, closeness * max(MODEL_SHARE * goal,
                                                         self.forcing * gap) * level,
                            min(limit - self.iterations, ROUNDS))
            if memcmp(quadratic.b, &self.old[0], m * sizeof(double)) == 0:
                if closeness < LEAST_FORCING:
                    return STALLED
                # A multiple of u may cost the model far less than it costs F.
                closeness *= CLOSER
                last, patience = 0.0, NEWTON_PATIENCE
                point.slopes()
                continue
            # 4. Line search on the objective (Armijo).
            linear = quadratic.charge(&self.old[0], lam)
            modelled = 0.0
            for t in range(m):
                linear -= point.s * self.old_g[t] * (quadratic.b[t] - self.old[t])
                modelled += (quadratic.b[t] - self.old[t]) * (self.old_g[t] - quadratic.g[t])
            step = self._go(lam, -ARMIJO * min(linear, 0.0), HALVINGS)
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
