"""Sufficient statistics of K responses: Z'WZ and Z'WY replace the data after one pass over it.

    minimise over B   sum_k |y_k - Z B_k|_W^2 / 2 + lam sum_j v_j [alpha |b_j|_2 + (1 - alpha)
    |b_j|_2^2 / 2]

Given: a design, weights, a Multigaussian loss with its offset and null intercepts.
Returned per lam: B with a duality gap over all rows. Dual points are multiples of the residual,
with products computed from scratch.
Invariant: working rows come before the others, in the inner products too, so nothing is gathered.
Rows join the working set when their products exceed lam, or are about to. quadratic.pyx solves
for them. When large coefficients cancel, inner products do not determine the residual accurately.
Certificates then use the data's rows.
Reference: Bach et al. 2012, sections 1.4 and 4.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs, log, sqrt

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.solvers.rounds import solve_by_rounds
from sparsesolve.solvers.state import State
from sparsesolve.linalg.gram.gram import tall_gram
from sparsesolve.linalg.factors.span import Spans
from sparsesolve.penalties.elastic_net_rows cimport row_square
from sparsesolve.solvers.responses.grouped_hessian cimport GroupedHessian
from sparsesolve.solvers.responses.quadratic cimport ResponseQuadratic
from sparsesolve.solvers.subproblem.coefficients cimport CONVERGED, MAX_ITER, STALLED
from sparsesolve.solvers.subproblem.coefficients import projection

cdef double ENTER_AHEAD = costs.responses.ENTER_AHEAD
cdef double HESSIAN_SERVES = costs.responses.HESSIAN_SERVES
cdef double HESSIAN_PRICE = costs.responses.HESSIAN_PRICE
cdef double QUICKEST_SWEEP = costs.responses.QUICKEST_SWEEP
cdef double SLOWEST_SWEEP = costs.responses.SLOWEST_SWEEP
cdef int STATISTICS_PATIENCE = costs.responses.STATISTICS_PATIENCE
cdef double OBJECTIVE = costs.rounding.OBJECTIVE
cdef double SQUARES = costs.rounding.SQUARES
cdef double INNER_PRODUCT = costs.rounding.INNER_PRODUCT
cdef double VIOLATION = costs.rounding.VIOLATION


cdef class Compiled:
    """A compiled class inherits from a Python class only behind a compiled one."""


cdef class ResponseSufficientStatistics(Compiled, State):
    """A solver state, see solvers/state.py."""

    cdef public double opening          # gap after the first round at the last lam

    cdef ResponseQuadratic rows         # the working rows come first
    cdef GroupedHessian hessian
    cdef int[::1] order, place          # feature at each place, and place of each feature
    cdef unsigned char[::1] shut        # (p,) rows that may not move
    cdef double[:, ::1] last_B          # B at the last lam
    cdef double before, level           # the last two lams
    cdef double pace                    # fraction of the gap that a sweep leaves
    cdef bint stale                     # True if the Hessian must be refreshed
    cdef object start                   # intercepts
    cdef object problem, spans          # the problem, with its rows, and its columns' spans

    def __init__(self, problem, int n_threads=1):
        design, loss, net, p = problem.design, problem.loss, problem.penalty, problem.design.p
        eta = problem.offset + np.reshape(problem.null_intercept, (-1, 1))
        value, u = loss.at(np.ascontiguousarray(eta))
        self.problem, self.start = problem, np.array(problem.null_intercept, dtype=float)
        self.spans = Spans(design, np.sqrt(problem.weights), problem.centred)
        G = np.asarray(tall_gram(design, self.spans.root_w, np.zeros(design.n), n_threads)[0])
        C = np.array(design.response_products(u, None, n_threads))
        self.order, self.place = np.arange(p, dtype=np.intc), np.arange(p, dtype=np.intc)
        shut = (np.asarray(net.upper) == 0.0) | (np.diagonal(G) <= 0.0)
        self.shut = shut.astype(np.uint8)
        # The gap does not depend on rows that may not move.
        l1, l2 = (np.where(shut, 0.0, factors) for factors in (net.l1, net.l2))
        self.rows = ResponseQuadratic(G, C, 2.0 * value, l1, l2)
        self.hessian = GroupedHessian(*C.shape)
        self.last_B = np.zeros_like(C)
        self.pace, self.stale = 0.5, True
        self._enter(INFINITY)

    def start_at(self, which, values, intercept):
        """Continue from the coefficients `values` (K, m) of the features `which` (m,)."""
        cdef int j
        start = np.zeros_like(self.rows.B)
        start[:, which] = values
        for j in which:
            if self.place[j] >= self.rows.m:
                self._add(self.place[j])
        np.asarray(self.rows.B)[:, self.place] = start
        self.before = self.level = 0.0
        self.stale = True
        self.rows.refresh()

    @property
    def iterations(self):
        """Return the number of sweeps and Newton steps so far."""
        return self.rows.iterations

    def coefficients(self):
        """Return features with a nonzero coefficient, ascending, and coefficients (K, count)."""
        cdef ResponseQuadratic rows = self.rows
        cdef int j, k, count = 0
        which, values = np.empty(rows.m, dtype=np.intc), np.empty((rows.K, rows.m))
        cdef int[::1] w = which
        cdef double[:, ::1] v = values
        for j in range(rows.p):
            if self.place[j] < rows.m and row_square(rows.B, self.place[j]) > 0.0:
                w[count] = j
                for k in range(rows.K):
                    v[k, count] = rows.B[k, self.place[j]]
                count += 1
        return which[:count], values[:, :count]

    @property
    def loss_value(self):
        """Return the loss less its least value."""
        return 0.5 * self.rows.residual_square

    @property
    def intercept(self):
        """Return intercepts (K,) of the standardised design.

        Its columns are centred, so these are the intercepts of the null model.
        """
        return self.start

    def correlations(self):
        """Return the length of each column's products with the residuals, (p,)."""
        sizes = np.sqrt(np.sum(np.square(self.rows.g), axis=0))
        sizes[np.asarray(self.shut).view(bool)] = 0.0
        return sizes[self.place]

    # Working rows.

    cdef bint _enter(self, double near):
        """Add rows whose products exceed `near` l1, or that are unpenalised.

        Return True if there were any.
        """
        cdef ResponseQuadratic rows = self.rows
        cdef int j, first = rows.m
        cdef double least
        for j in range(first, rows.p):
            least = near * rows.l1[j] * (1.0 + VIOLATION) if rows.l1[j] > 0.0 else 0.0
            if not self.shut[j] and (row_square(rows.g, j) > least * least
                                     or (rows.l1[j] == 0.0 and rows.l2[j] == 0.0)):
                self._add(j)
        return rows.m > first

    cdef void _add(self, int j) noexcept nogil:
        """Make the row at place j the last working row."""
        cdef int i = self.rows.m
        self.rows.swap(i, j)
        self.shut[i], self.shut[j] = self.shut[j], self.shut[i]
        self.order[i], self.order[j] = self.order[j], self.order[i]
        self.place[self.order[i]], self.place[self.order[j]] = i, j
        self.rows.m += 1

    cdef double _slack(self, double lam, bint exact) except *:
        """Return the length of the residuals' projection on the unpenalised columns.

        Unless `exact`, treat these columns as orthogonal.
        """
        cdef int j
        cdef double total = 0.0
        free = []
        for j in range(self.rows.m):
            if self.rows.free(j, lam):
                free.append(j)
                total += row_square(self.rows.g, j) / self.rows.G[j, j]
        if not (exact and free):
            return sqrt(total)
        slack, apart = projection(np.asarray(self.rows.G)[np.ix_(free, free)],
                                  np.asarray(self.rows.g)[:, free].T)
        if apart:
            return slack
        residual = self.spans.plain(self._point()[1].T).T
        return self.spans.projection(np.take(self.order, free), residual)

    cdef int _measure(self, double goal) except -1:
        """Compute g and the squared residual at the current B, to within about `goal`."""
        self.rows.refresh()
        if not self._rounding_cost() <= goal:
            self._ask_rows()
        return 0

    cdef double _rounding_cost(self):
        """Return a bound on the rounding error of half the squared residual."""
        cdef ResponseQuadratic rows = self.rows
        cdef int j, k
        cdef double size, total = 0.0
        for k in range(rows.K):
            size = 0.0
            for j in range(rows.m):
                size += fabs(rows.B[k, j]) * sqrt(rows.G[j, j])
            total += size * (size + sqrt(rows.total))
        return INNER_PRODUCT * total

    def _ask_rows(self):
        """Compute g and the squared residual from the residuals themselves."""
        value, u = self._point()
        products = np.asarray(self.problem.design.response_products(u))
        np.asarray(self.rows.g)[:] = products[:, self.order]
        self.rows.residual_square = 2.0 * value

    def _point(self):
        """Return the loss and the weighted residuals (K, n), from the rows."""
        problem, (which, values) = self.problem, self.coefficients()
        moved = [problem.design.combination(which, np.ascontiguousarray(row)) for row in values]
        return problem.loss.at(problem.offset + np.expand_dims(self.start, -1) + moved)

    # Along the path.

    cdef int _extrapolate(self, double lam) except -1:
        """Start from the linear extrapolation of the last two solutions if that is lower."""
        cdef ResponseQuadratic rows = self.rows
        cdef int k, j
        cdef double forward = 0.0, value = rows.objective(lam), last
        if self.before > self.level > lam > 0.0:
            forward = (self.level - lam) / (self.before - self.level)
        for k in range(rows.K):
            for j in range(rows.m):
                last, self.last_B[k, j] = self.last_B[k, j], rows.B[k, j]
                if rows.B[k, j] != 0.0:
                    rows.B[k, j] += forward * (rows.B[k, j] - last)
        self.before, self.level = self.level, lam
        if forward > 0.0:
            rows.refresh()
            if rows.objective(lam) > value:
                rows.B[:] = self.last_B
                rows.refresh()
        return 0

    def solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; return (outcome, gap)."""
        cdef long limit = self.rows.iterations + budget
        cdef double near = lam
        if 0.5 * self.level < lam <= self.level:
            near = lam - ENTER_AHEAD * (self.level - lam)
        self._extrapolate(lam)
        self._enter(near)
        return solve_by_rounds(self, lam, target, limit)

    # A round, see solvers/rounds.py.

    def fit(self, double lam, double goal, long limit):
        """Make sweeps and Newton steps until the gap over the working rows is about `goal`."""
        cdef double value = self.rows.objective(lam)
        start = np.array(self.rows.B)
        outcome = self._fit(lam, goal, limit)
        self._measure(goal)
        if not self.rows.objective(lam) <= value + SQUARES * self.rows.total:
            np.asarray(self.rows.B)[:] = start       # rounding has raised the objective
            self._measure(goal)
        return outcome

    def certify(self, double lam):
        """Return the gap over all rows."""
        return self.rows.rows_gap(lam, self.rows.p, self._slack(lam, True))

    def grow(self, double lam, bint first):
        """Add the violating rows; return True if there are any."""
        return self._enter(lam)

    def goal(self, double lam, double target, double outside):
        """Return half the target, as working rows cost little by inner products."""
        return 0.5 * target

    cdef int _fit(self, double lam, double goal, long limit) except -1:
        """Sweep until the gap over the working rows is about `goal`.

        Take Newton steps when sweeps are slow. Return an Outcome.
        """
        cdef double gap, value, last = INFINITY, best = INFINITY, lowest = INFINITY
        cdef int patience = STATISTICS_PATIENCE
        while True:
            PyErr_CheckSignals()
            if self.rows.iterations >= limit:
                return MAX_ITER
            with nogil:
                self.rows.sweep(lam)
            gap = self.rows.rows_gap(lam, self.rows.m, self._slack(lam, False))
            if last < INFINITY:
                self.pace = min(max(0.5 * (self.pace + gap / last), QUICKEST_SWEEP), SLOWEST_SWEEP)
            last = gap
            sweeps = HESSIAN_PRICE * self.rows.m / self.rows.K
            if gap > goal and (not self.stale or log(gap / goal) > -log(self.pace) * sweeps):
                gap, last = self._steps(lam, gap, goal, limit), INFINITY
            if gap <= goal:
                return CONVERGED
            value = self.rows.objective(lam)
            patience = (STATISTICS_PATIENCE if gap < 0.5 * best
                        or value < lowest - OBJECTIVE * self.rows.total else patience - 1)
            if patience == 0:
                return STALLED
            best, lowest = min(best, gap), min(lowest, value)

    cdef double _steps(self, double lam, double gap, double goal, long limit) except *:
        """Take Newton steps while they reduce the gap enough; return the gap left."""
        cdef double last = INFINITY
        cdef bint fell = True
        if self.stale:
            self.hessian.refresh(self.rows, lam)
        self.stale = True
        while gap > goal and self.rows.iterations < limit:
            with nogil:
                fell = self.hessian.step(self.rows, lam)
            last, gap = gap, self.rows.rows_gap(lam, self.rows.m, self._slack(lam, False))
            if not fell or gap > HESSIAN_SERVES * last:
                break
            self.stale = False
        return gap
