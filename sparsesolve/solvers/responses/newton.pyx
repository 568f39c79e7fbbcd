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
from sparsesolve.solvers.screening.inactive import farthest, most_entering
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
cdef double VIOLATION = costs.rounding.VIOLATION
cdef double MISSED = costs.working_set.MISSED_THRESHOLD_LOSS
# 2^-30 of a step moves no coefficient by more than rounding.
DEF HALVINGS = 30
cdef int NEWTON_PATIENCE = costs.responses.NEWTON_PATIENCE
# Times that coefficients may return to the working set at one lambda before it counts as a cycle.
DEF RETURNS = 30
# Most inner steps for one quadratic model.
DEF ROUNDS = 1000


cdef class ResponseNewton(ResponseDual):
    """The solver state along a path, see solvers/state.py."""

    cdef public double opening      # gap after the first round at the last lam
    # The largest working set at this lam, and how often coefficients returned to it.
    cdef int widest, returns
    cdef double least               # smallest gap that the working coefficients need at this lam

    cdef double _go(self, double lam, double least, int halvings) noexcept nogil:
        """Step from `old` towards b until the objective falls; return the step length.

        `least` is the decrease that a step of 1 must reach.
        """
        cdef int t, tries, m = self.quadratic.size
        cdef Py_ssize_t size = self.K * self.n
        cdef double step = 1.0, value, charge, slack
        memset(&self.image[0, 0], 0, size * sizeof(double))
        self.hessian.add(self.quadratic.b, &self.old[0], &self.image[0, 0])
        for t in range(m):
            self.eta_stale = self.eta_stale or fabs(self.quadratic.b[t] - self.old[t]) > FAR_STEP
            # old_g holds the end of the full step.
            self.old_g[t] = self.quadratic.b[t]
        slack = OBJECTIVE * (fabs(self.value) + fabs(self.value - self.loss.saturated))
        for tries in range(halvings):
            memcpy(&self.trial[0, 0], &self.eta[0, 0], size * sizeof(double))
            axpy(size, step, &self.image[0, 0], &self.trial[0, 0])
            value = self.loss.evaluate(&self.trial[0, 0], &self.trial_u[0, 0])
            charge = self.quadratic.charge(&self.old[0], lam)
            if value - self.value + charge <= slack - step * least:
                self.eta, self.trial = self.trial, self.eta
                self.u, self.trial_u = self.trial_u, self.u
                self.value = value
                return step
            step *= 0.5
            for t in range(m):
                self.quadratic.b[t] = self.old[t] + step * (self.old_g[t] - self.old[t])
        memcpy(self.quadratic.b, &self.old[0], m * sizeof(double))
        return 0.0

    cdef void _extrapolate(self, double lam) noexcept:
        """Start from the linear extrapolation of the last two solutions if it lowers the
        objective.
        """
        cdef int t, c, m = self.quadratic.size
        cdef double forward = 0.0
        if self.before > self.level > lam > 0.0:
            forward = (self.level - lam) / (self.before - self.level)
        for t in range(m):
            c = self.quadratic.index[t]
            self.old[t] = self.quadratic.b[t]
            self.old_g[t] = forward * (self.old[t] - (&self.last_B[0, 0])[c])
        for t in range(self.n_last):
            (&self.last_B[0, 0])[self.last[t]] = 0.0
        for t in range(m):
            self.last[t] = self.quadratic.index[t]
            (&self.last_B[0, 0])[self.last[t]] = self.old[t]
        self.n_last = m
        self.before, self.level = self.level, lam
        if forward > 0.0 and m > 0:
            self.quadratic.extrapolate(m, &self.old_g[0], lam)
            self._go(lam, 0.0, 1)

    # Along the path.

    def solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; return (outcome, gap)."""
        cdef long limit = self.iterations + budget
        cdef double near = lam
        if 0.5 * self.level < lam <= self.level:
            near = lam - ENTER_AHEAD * (self.level - lam)
        self.least = self._settled(target)      # at the last solution, not the extrapolated point
        self.renew()
        self._extrapolate(lam)
        self._admit(near, lam)
        self.widest, self.returns = self.quadratic.size, 0
        return solve_by_rounds(self, lam, target, limit, sharpen=self.sharpen)

    # A round, see solvers/rounds.py.

    def fit(self, double lam, double goal, long limit):
        """Take Newton steps until the gap over the working coefficients is about `goal`."""
        self.slopes()
        outcome = self._fit(lam, goal, limit)
        if self.eta_stale:
            self.renew()
        return outcome

    def certify(self, double lam):
        """Return the gap over all coefficients."""
        return self.whole_gap(lam)

    def grow(self, double lam, bint first):
        """Add the violating coefficients; return their number, or 0 once they keep returning."""
        cdef int entering = self._admit(lam, lam)
        # The working set has not grown, so these coefficients were dropped before.
        self.returns += entering > 0 and self.quadratic.size <= self.widest
        self.widest = max(self.widest, self.quadratic.size)
        return entering if self.returns <= RETURNS else 0

    def goal(self, double lam, double target, double outside):
        """Return the gap for the working coefficients when the others have gap `outside`."""
        return max(self.least, INACTIVE_SHARE * outside)

    def sharpen(self, double lam, double goal):
        """Refresh the Hessian."""
        self.refresh_hessian()

    cdef double _settled(self, double target) noexcept nogil:
        """Return the gap for the working coefficients when all must reach `target`.

        A dual point with a larger error lets in coefficients that are never active, at this lam
        and at the next.
        """
        cdef double settled = MISSED * MISSED * (self.value - self.loss.saturated)
        return 0.5 * min(target, max(settled, self.loose))

    cdef int _admit(self, double near, double lam) except -1:
        """Add coefficients whose last known products pass `near`, or that are unpenalised at lam.

        Return how many were added.
        """
        cdef Py_ssize_t i, k, c
        cdef int count = 0, rows = self.inactive.list_near(near, lam, &self.nearby[0])
        cdef Py_ssize_t[::1] which
        for i in range(rows):
            for k in range(self.K):
                count += self._comes(self.nearby[i], k, near)
        if count == 0:
            return 0
        which, count = np.empty(count, dtype=np.intp), 0
        for i in range(rows):
            for k in range(self.K):
                if self._comes(self.nearby[i], k, near):
                    which[count] = self.nearby[i] * <Py_ssize_t> self.K + k
                    count += 1
        if count > most_entering(self.quadratic.size):
            which = self._farthest(np.asarray(which))
        self.add_to_working_set(which)
        return <int> which.shape[0]

    def _farthest(self, which):
        """Return coefficients whose products exceed their thresholds most, grouped rows whole."""
        rows, responses = np.divmod(which, self.K)
        size = (np.asarray(self.inactive.size)[rows] if self.grouped
                else np.abs(np.asarray(self.C)[rows, responses]))
        l1 = np.asarray(self.net.l1)[rows]
        level = np.divide(size, l1, out=np.full(len(which), np.inf), where=l1 > 0.0)
        chosen = farthest(level, np.ones(len(which)), most_entering(self.quadratic.size))
        return which[level >= level[chosen].min()]

    cdef bint _comes(self, Py_ssize_t j, Py_ssize_t k, double near) noexcept nogil:
        """Return True if coefficient (j, k) is not in the working set and its products exceed
        `near`.
        """
        cdef double level = near * self.net.l1[j] * (1.0 + VIOLATION)
        if self.working[j * self.K + k]:
            return False
        if self.grouped:
            return self.inactive.size[j] > level
        return fabs(self.C[j, k]) > level and (self.net.upper[j] if self.C[j, k] > 0.0
                                               else -self.net.lower[j]) > 0.0

    cdef double _price(self) noexcept nogil:
        """Return the cost of refreshing H, in steps."""
        cdef double m = self.quadratic.size, n = self.n
        return WEIGHED_COST * m * m * (n / 2.0 + m / 3.0) / (2.0 * n * m + SAMPLE_COST * n * self.K
                + 4.0 * m * m)

    cdef int _fit(self, double lam, double goal, long limit) except -1:
        """Take Newton steps until the gap over the working coefficients is about `goal`.

        Leave g and C at u; return an Outcome.
        """
        cdef WorkingCoefficients quadratic = self.quadratic
        cdef double gap, last = 0.0, best = INFINITY, level, linear, curvature, modelled, step, slow
        cdef double closeness = 1.0
        cdef int t, m, patience = NEWTON_PATIENCE
        cdef Py_ssize_t size = self.K * self.n
        cdef bint fresh = False
        while True:
            # 1. Stop: gap reached, budget spent, or no progress for NEWTON_PATIENCE steps.
            PyErr_CheckSignals()
            gap = self.working_gap(lam)
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
                self.refresh_debt += 1
                slow = (SLOW_STEP if self.refresh_debt > REFRESH_DEBT * self._price()
                        else VERY_SLOW_STEP)
                if not fresh and gap > slow * last:
                    self.refresh_hessian()
                    self.slopes()
                    fresh = True
            # 3. Subproblem: minimise the model, in units of s.
            last = gap
            m, level = quadratic.size, 1.0 / self.s
            memcpy(&self.old[0], quadratic.b, m * sizeof(double))
            for t in range(m):
                quadratic.g[t] *= level
            memcpy(&self.old_g[0], quadratic.g, m * sizeof(double))
            quadratic.residual_square = max(2.0 * (self.value - self.loss.saturated) * level, 0.0)
            quadratic.solve(lam * level, closeness * max(MODEL_SHARE * goal,
                                                         self.forcing * gap) * level,
                            min(limit - self.iterations, ROUNDS))
            if memcmp(quadratic.b, &self.old[0], m * sizeof(double)) == 0:
                if closeness < LEAST_FORCING:
                    return STALLED
                # A multiple of u may cost the model far less than it costs F.
                closeness *= CLOSER
                last, patience = 0.0, NEWTON_PATIENCE
                self.slopes()
                continue
            # 4. Line search on the objective (Armijo).
            linear = quadratic.charge(&self.old[0], lam)
            modelled = 0.0
            for t in range(m):
                linear -= self.s * self.old_g[t] * (quadratic.b[t] - self.old[t])
                modelled += (quadratic.b[t] - self.old[t]) * (self.old_g[t] - quadratic.g[t])
            step = self._go(lam, -ARMIJO * min(linear, 0.0), HALVINGS)
            self.moves += 1
            # 5. Update the multiplier s by the curvature along the step, or refresh the Hessian.
            if step > 0.0:
                curvature = (dot(size, &self.trial_u[0, 0], &self.image[0, 0])
                             - dot(size, &self.u[0, 0], &self.image[0, 0])) / step
                if curvature > 0.0 and modelled > 0.0:
                    self.s = min(max(curvature / modelled, 0.1 * self.s), 10.0 * self.s)
                fresh = False
            elif fresh:
                self.slopes()
                return STALLED
            else:
                self.refresh_hessian()
                fresh = True
            self.slopes()
