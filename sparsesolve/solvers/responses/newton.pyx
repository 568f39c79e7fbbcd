"""Proximal Newton for K responses with few active coefficients: their whole Hessian is kept.

    minimise over B   F(offset + ZB) + lam sum_j v_j [alpha pen(B_j) + (1 - alpha) |B_j|_2^2 / 2]

Here pen is the l1 norm of the K coefficients B_j of a feature or, grouped, their l2 norm. A step
minimises the quadratic model over the working coefficients, as for one response, with Hessian s
H. H is the Hessian of an earlier point, and s comes from the curvature along the last step. The
gradient is exact. H is refreshed when the extra steps cost as much as a refresh.

    gap = F(eta) + F*(-s u') + eta's u' + sum_j [lam Omega_j(B_j) + (lam Omega_j)*(s Z_j'u')
          - s B_j'Z_j'u']

is over all coefficients. The dual point is a multiple of u' = u - F''(eta) Z_f C: a Newton step C
on the unpenalised columns Z_f makes u' orthogonal to them; `certificate` has the details.
Reference: Lee, Sun, Saunders (2014), "Proximal Newton-type methods"; Bach et al. 2012, sections
1.4 and 6.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from sparsesolve.linalg.factors.span import Spans
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.elastic_net cimport conjugate, feasible_scale
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.penalties.elastic_net_rows import centre
from sparsesolve.solvers import tolerances
from sparsesolve.solvers.certificate.dual_point import clear
from sparsesolve.solvers.certificate.gap cimport ScaledDual, assembled
from sparsesolve.solvers.responses.certificate cimport InactiveRows, clear_of_one
from sparsesolve.solvers.responses.response_coefficients cimport ResponseCoefficients
from sparsesolve.solvers.rounds import entry_lambda, solve_by_rounds
from sparsesolve.solvers.screening.inactive import farthest, most_entering
from sparsesolve.solvers.state import NULL_LAMBDA, State
from sparsesolve.solvers.quadratic.coefficients cimport (
    CONVERGED,
    FAR_STEP,
    MAX_ITER,
    STALLED,
    WorkingCoefficients,
)
from sparsesolve.solvers.quadratic.coefficients import rounding_of_products

cdef double ARMIJO = tolerances.ARMIJO
cdef double FORCING = tolerances.FORCING
cdef double INACTIVE_FRACTION = tolerances.INACTIVE_FRACTION
cdef double LAST_DIGITS = tolerances.LAST_DIGITS
cdef double LEAST_FORCING = tolerances.LEAST_FORCING
cdef double LOOSE_GAP = tolerances.LOOSE_GAP
cdef double MISSED_THRESHOLD_LOSS = tolerances.MISSED_THRESHOLD_LOSS
cdef double MODEL_FRACTION = tolerances.MODEL_FRACTION
cdef double ROUNDING = tolerances.ROUNDING
cdef double SLOW_STEP = tolerances.SLOW_STEP
# Steps without a lower gap before the solver gives up.
DEF NEWTON_PATIENCE = 6

cdef class ResponseDual(ScaledDual):
    """The dual point that belongs to a point, its gap, and the coefficients that violate.

    Parameters
    ----------
    problem : Problem
        A problem with K responses.
    point : ResponseCoefficients
        The point of that problem.
    """

    cdef readonly ResponseCoefficients point
    cdef readonly InactiveRows inactive     # all features, including working ones
    cdef double[:, ::1] u                   # the dual point, (K, n)
    # Other coefficients beyond their threshold at the dual point. A grouped row counts as one.
    cdef int[::1] beyond
    cdef Py_ssize_t n_beyond                # the number of coefficients in beyond
    cdef double[::1] ones, scratch             # a column of ones; scratch space
    cdef int[::1] nearby                    # scratch space for a list of features
    cdef object spans                       # bases of columns under the weights
    cdef const double[::1] norms            # (p,) lengths of the columns under the weights
    cdef double square, rounding            # of the responses; of products, see `whole_gap`

    def __init__(self, problem, ResponseCoefficients point, int n_threads=1):
        cdef Py_ssize_t n = point.n, p = problem.design.p
        cdef int K = point.K
        net = ElasticNetRows(problem.penalty, problem.grouped)
        self.point, self.inactive = point, InactiveRows(problem.design, net, K, n_threads)
        self.inactive.leave(~problem.open_columns)
        self.beyond, self.nearby = np.empty(p * K, np.intc), np.empty(p + 1, np.intc)
        self.spans = Spans(problem.design, np.sqrt(problem.weights), problem.centred)
        self.norms, self.square = problem.norms, 2.0 * problem.null_value
        self.u, self.ones = np.zeros((K, n)), np.ones(n)
        self.scratch = np.empty((K + 4) * n + K * (K + 1))

    def correlations(self):
        """Return the size of each column's products with the dual point, (p,).

        The size is the largest absolute value, or the l2 norm for a grouped penalty.
        """
        self._make_dual(NULL_LAMBDA)
        self.rounding = 0.0
        self._look(0.0)
        return np.array(self.inactive.size)

    cdef double working_gap(self, double lam) noexcept:
        """Return an estimate of the gap over the working coefficients, at multiples of -F'(eta).

        Unpenalised coefficients add the expected gain of a Newton step on them.
        """
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef int t, k
        cdef double s = self.point.s, inverse_s = 1.0 / s, best = INFINITY, last = -1.0
        cdef double scale, missing
        for t in range(quadratic.size):
            quadratic.g[t] = quadratic.g[t] * inverse_s
        quadratic.estimate_unpenalised_norm(lam * inverse_s)
        for k in range(1 if quadratic.plain else 2):
            scale = quadratic.scale(lam * inverse_s, k)
            if scale == last:
                continue
            last = scale
            missing = 0.5 * (scale * quadratic.unpenalised_norm) ** 2
            best = assembled(self._samples_gap(self.point.u, scale),
                             s * quadratic.column_gap(lam * inverse_s, scale), s * missing, best)
        quadratic.unpenalised_norm = 0.0
        for t in range(quadratic.size):
            quadratic.g[t] = quadratic.g[t] * s
        return best

    cdef double whole_gap(self, double lam) except *:
        """Return the gap over all coefficients, the least at some multiples of the dual point."""
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef int t
        cdef double best, missing = self._make_dual(lam), rounding = 0.0
        self.rounding = rounding_of_products(self.square, np.max(self.norms, initial=0.0), lam)
        self._look(lam)
        quadratic.unpenalised_norm = self.rounding * self._longer()
        self.point.hessian.correlate(&self.u[0, 0], quadratic.g)
        for t in range(quadratic.size):
            if quadratic.free(t, lam):
                # not feasible, beyond rounding
                if fabs(quadratic.g[t]) > 1e-10:
                    return self.gap_at(lam, 0.0)
                rounding += fabs(quadratic.g[t] * quadratic.b[t])
        best = self.gap(lam) + rounding + missing
        if quadratic.penalty_value(lam) < best:     # otherwise the dual point 0 cannot be better
            best = min(best, self.gap_at(lam, 0.0))
        return best

    cdef double _longer(self) noexcept:
        """Return how much longer a working column may be than its curvature tells."""
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef int t, end = <int> self.norms.shape[0] * self.point.K
        cdef double most = 0.0
        for t in range(quadratic.size):
            if quadratic.index[t] < end and quadratic.diag[t] > 0.0:
                most = max(most, self.norms[quadratic.index[t] // self.point.K]
                           / sqrt(quadratic.diag[t]))
        return most

    cdef double _make_dual(self, double lam) except *:
        """Set the dual point: -F'(eta), made orthogonal to the unpenalised columns.

        Return the gain that a step on these columns might still bring.
        """
        cdef ResponseCoefficients point = self.point
        cdef WorkingCoefficients quadratic = point.quadratic
        cdef int t, count = 0
        cdef Py_ssize_t p = point.design.p
        cdef double missing
        cdef bint plain = True
        for t in range(quadratic.size):
            if quadratic.free(t, lam):
                count += 1
                plain = plain and quadratic.index[t] // point.K == p
        if count == 0:
            self.u[:] = point.u
            return 0.0
        if plain and count == point.K:      # usually the intercepts alone
            clear_of_one(point.loss, &point.u[0, 0], &self.ones[0], &self.u[0, 0], &self.scratch[0])
            return 0.0
        free = [quadratic.index[t] for t in range(quadratic.size) if quadratic.free(t, lam)]
        rows, places = np.unique(np.array(free) // point.K, return_inverse=True)
        mask = np.zeros((point.K, len(rows)), dtype=bool)
        mask[np.array(free) % point.K, places] = True
        rows[rows == p] = -1        # stands for the intercepts
        columns, mask = self.spans.apart_in_each(rows, mask)
        dual, missing = clear(point.loss, np.asarray(point.eta), np.asarray(point.u), columns, mask)
        np.asarray(self.u)[:] = dual
        return missing

    cdef int _look(self, double lam) except -1:
        """Set the point's C, the products with the dual point, for all rows near their threshold.

        List in `beyond` the coefficients that exceed it at lam and are not in the working set.
        """
        cdef Py_ssize_t i, j, k, c
        cdef ResponseCoefficients point = self.point
        # Bounds on products do not know of rounding.
        cdef double[:, ::1] products = self.inactive.find(self.u, lam if self.rounding == 0.0
                                                          else 0.0)
        self.n_beyond = 0
        for i in range(self.inactive.n_looked):
            j = self.inactive.looked[i]
            for k in range(point.K):
                point.C[j, k] = products[k, i]
            for k in range(1 if point.net.grouped else point.K):
                c = j * point.K + k
                # True for NaN, too
                if not (self._size(c) <= lam * point.net.l1[j] or point.working[c]):
                    self.beyond[self.n_beyond] = <int> c
                    self.n_beyond += 1
        return 0

    cdef double _size(self, Py_ssize_t c) noexcept nogil:
        """Return the size of a coefficient's product, or of its row's products if grouped.

        What rounding may hide is added.
        """
        cdef Py_ssize_t j = c // self.point.K
        cdef double size = self.inactive.size[j]
        if not self.point.net.grouped:
            size = fabs((&self.point.C[0, 0])[c])
        return size + self.rounding * self.norms[j]

    cdef double _limit(self, Py_ssize_t c) noexcept nogil:
        """Return how far a coefficient may go in the direction of its product."""
        cdef Py_ssize_t j = c // self.point.K
        if self.point.net.grouped or (&self.point.C[0, 0])[c] > 0.0:
            return self.point.net.upper[j]
        return -self.point.net.lower[j]

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        """Return the largest s <= 1 for which s times the dual point is feasible.

        With `strict`, return the factor of the lasso without limits.
        """
        cdef double s = self.point.quadratic.scale(lam, strict), l2, limit
        cdef Py_ssize_t i, j
        for i in range(self.n_beyond):
            j, limit = self.beyond[i] // self.point.K, self._limit(self.beyond[i])
            l2 = 0.0 if strict else lam * self.point.net.l2[j]
            s = min(s, feasible_scale(self._size(self.beyond[i]), lam * self.point.net.l1[j], l2,
                                      0.0, INFINITY if strict and limit > 0.0 else limit))
        return s

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        cdef double total
        cdef Py_ssize_t i, j
        if scale == 0.0:
            total = self.point.quadratic.penalty_value(lam)
        else:
            total = self.point.quadratic.column_gap(lam, scale)
            for i in range(self.n_beyond):
                j = self.beyond[i] // self.point.K
                total += conjugate(scale * self._size(self.beyond[i]), lam * self.point.net.l1[j],
                                   lam * self.point.net.l2[j], 0.0, self._limit(self.beyond[i]))
        return assembled(self._samples_gap(self.u, scale), total, 0.0, INFINITY)

    cdef double _samples_gap(self, const double[:, ::1] u, double scale) noexcept nogil:
        """Return what the samples add to the gap at `scale` times u."""
        cdef Py_ssize_t i
        for i in range(u.shape[0] * u.shape[1]):
            self.scratch[i] = scale * (&u[0, 0])[i]
        return self.point.loss.fenchel_young(&self.point.eta[0, 0], &self.scratch[0])

    cdef Py_ssize_t[::1] violators(self, double near, double lam):
        """Return coefficients to add: their last known products pass `near`, or they are
        unpenalised at lam.

        If there are many, these are the ones that exceed their thresholds most, grouped rows whole.
        """
        cdef ResponseCoefficients point = self.point
        cdef Py_ssize_t i, j, k, c, count = 0
        cdef double bound
        cdef int rows = self.inactive.list_near(near, lam, &self.nearby[0])
        cdef Py_ssize_t[::1] which = np.empty(rows * <Py_ssize_t> point.K, dtype=np.intp)
        for i in range(rows):
            j = self.nearby[i]
            bound = near * point.net.l1[j] * (1.0 + ROUNDING)
            for k in range(point.K):
                c = j * point.K + k
                if not point.working[c] and self._size(c) > bound and self._limit(c) > 0.0:
                    which[count] = c
                    count += 1
        which, most = which[:count], most_entering(point.quadratic.size)
        if count <= most:
            return which
        l1 = np.asarray(point.net.l1)[np.asarray(which) // point.K]
        size = np.array([self._size(c) for c in which])
        ratio = np.divide(size, l1, out=np.full(count, np.inf), where=l1 > 0.0)
        chosen = farthest(ratio, np.ones(count), most)
        return np.asarray(which)[ratio >= ratio[chosen].min()]


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
    cdef double forcing             # fraction of the gap that a model may leave
    cdef long moves                 # steps so far
    # The line search: the start b and g of a step, then its end; the change of eta; eta and u.
    cdef double[::1] old, old_g
    cdef double[:, ::1] image, trial, trial_u

    def __init__(self, problem, int n_threads=1):
        self.point = ResponseCoefficients(problem)
        self.dual = ResponseDual(problem, self.point, n_threads)
        self.loose_gap = (INFINITY if problem.null_value is None
                      else LOOSE_GAP * problem.null_value)
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

    cdef double _price(self) noexcept:
        """Return the cost of refreshing H, in steps."""
        cdef double m = self.point.quadratic.size, n = self.point.n
        # multiply-adds whose data stay in cache; the loss of a sample costs 10 for each response
        return 0.3 * m * m * (n / 2.0 + m / 3.0) / (2.0 * n * m + 10.0 * n
                                                                  * self.point.K + 4.0 * m * m)

    cdef int _fit(self, double lam, double goal, long limit) except -1:
        """Take Newton steps until the gap over the working coefficients is about `goal`.

        Leave g and C at u; return an Outcome.
        """
        cdef ResponseCoefficients point = self.point
        cdef WorkingCoefficients quadratic = self.point.quadratic
        cdef double gap, last = 0.0, best = INFINITY, inverse_s, linear, curvature, modelled
        cdef double closeness = 1.0, step, slow, square, target
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
                # H is refreshed, whatever that costs, after a step that left .8 of the gap.
                slow = SLOW_STEP if point.refresh_debt > self._price() else 0.8
                if not fresh and gap > slow * last:
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
            target = closeness * max(MODEL_FRACTION * goal, self.forcing * gap)
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
