"""Sufficient statistics of K responses: Z'WZ and Z'WY replace the data after one pass over it.

    minimise over B   sum_k |y_k - Z B_k|_W^2 / 2 + lam sum_j v_j [alpha |b_j|_2 + (1 - alpha)
    |b_j|_2^2 / 2]

Given: a design, weights, a Multigaussian loss with its offset and null intercepts.
Returned per lam: B with a duality gap over all rows. Dual points are multiples of the residual,
with products computed from scratch. When large coefficients cancel, inner products do not
determine the residual accurately. Certificates then use the data's rows.
Invariant: g = C - BG along the working rows, G = Z'Z and C = Y'Z. Working rows come before the
others, in the inner products too, so nothing is gathered. Rows join the working set when their
products exceed lam, or are about to.

One G serves all responses, and a row is minimised in closed form. Newton steps on the m nonzero
rows solve

    (I (x) (G + L) - U L U') D = g - (lam Omega)'(B),

where L is the penalty's curvature across the direction u_j of each row. Woodbury's identity
inverts the Hessian by two matrices of order m in place of one of order K m: (G + L)^-1 and the
factor of L^-1 - (G + L)^-1 o u'u, where o multiplies entries.
Reference: Bach et al. 2012, sections 1.4 and 4; Simon, Friedman and Hastie 2013.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy, memset

import numpy as np
from scipy.linalg.cython_blas cimport dgemm
from scipy.linalg.cython_lapack cimport dpotrf, dpotri, dpotrs

from sparsesolve.linalg.factors.span import Spans
from sparsesolve.linalg.gram.gram import tall_gram
from sparsesolve.linalg.kernels.vector cimport axpy, dot
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows, row_norm, row_square
from sparsesolve.solvers import tolerances
from sparsesolve.solvers.responses.model cimport ResponseQuadratic
from sparsesolve.solvers.rounds import entry_lambda, solve_by_rounds
from sparsesolve.solvers.state import NULL_LAMBDA, State
from sparsesolve.solvers.quadratic.coefficients cimport CONVERGED, MAX_ITER, STALLED
from sparsesolve.solvers.quadratic.coefficients import projection, rounding_of_products

cdef double LAST_DIGITS = tolerances.LAST_DIGITS
cdef double ROUNDING = tolerances.ROUNDING
# Rounds that neither halve the gap nor lower the objective before the solver gives up.
DEF PATIENCE = 12


cdef class GroupedHessian:
    """Hold the inverse Hessian of an earlier point of K responses and p features."""

    cdef int[::1] at                    # (p,) the rows that were nonzero where it was computed
    cdef int count                      # the number of these rows
    cdef double[:, ::1] u               # (K, p) directions of these rows
    cdef double[::1] curvature          # (p,) the penalty's curvature across these directions
    cdef double[::1] inverse, schur
    cdef double[:, ::1] d, q            # (K, p) a step d, and dG
    cdef double[:, ::1] left, y         # (K, p) workspace
    cdef double[::1] along              # (p,) workspace

    def __init__(self, int K, int p):
        self.u, self.d, self.q, self.left, self.y = np.zeros((5, K, p))
        self.curvature, self.along = np.zeros((2, p))
        self.at, self.inverse, self.schur = np.zeros(p, dtype=np.intc), np.zeros(0), np.zeros(0)

    cdef int refresh(self, ResponseQuadratic rows, double lam) except -1:
        """Factor the Hessian at the current point along the nonzero rows.

        If it is singular, no rows are left, and `step` does nothing.
        """
        cdef int j, k, i, c, n = 0, info = 1
        cdef Py_ssize_t square
        cdef double size
        cdef double* column
        for j in range(rows.m):
            size = row_norm(rows.B, j)
            if size == 0.0 and not rows.free(j, lam):
                continue
            self.at[n], self.curvature[n] = j, lam * rows.l1[j] / size if size > 0.0 else 0.0
            for k in range(rows.K):
                self.u[k, n] = rows.B[k, j] / size if self.curvature[n] > 0.0 else 0.0
            n += 1
        self.count = 0
        if n == 0:
            return 0
        square = <Py_ssize_t> n * n
        if self.inverse.shape[0] < square:
            self.inverse, self.schur = np.empty(3 * square // 2), np.empty(3 * square // 2)
        with nogil:
            for c in range(n):
                column = &self.inverse[c * <Py_ssize_t> n]
                for i in range(c, n):
                    column[i] = rows.G[self.at[c], self.at[i]]
                # Dependent columns without curvature of the penalty need a ridge.
                column[c] += (self.curvature[c] + lam * rows.l2[self.at[c]]
                              + ROUNDING * rows.G[self.at[c], self.at[c]])
            dpotrf("L", &n, &self.inverse[0], &n, &info)
            if info == 0:
                dpotri("L", &n, &self.inverse[0], &n, &info)
            if info == 0:
                self._complement(n)
                dpotrf("L", &n, &self.schur[0], &n, &info)
        self.count = n if info == 0 else 0
        return 0

    cdef void _complement(self, int n) noexcept nogil:
        """Set schur = L^-1 - (G + L)^-1 o u'u, with a small ridge for dependent columns."""
        cdef int i, c, k
        cdef double* column
        memset(&self.schur[0], 0, <Py_ssize_t> n * n * sizeof(double))
        for c in range(n):
            column = &self.schur[c * <Py_ssize_t> n]
            for k in range(self.u.shape[0]):
                axpy(n - c, -self.u[k, c], &self.u[k, c], column + c)
            for i in range(c, n):
                column[i] *= self.inverse[i + c * <Py_ssize_t> n]
                # Copy the computed triangle to the other one.
                self.inverse[c + i * <Py_ssize_t> n] = self.inverse[i + c * <Py_ssize_t> n]
            # Rows along which the loss is flat keep a small part of the penalty's curvature.
            column[c] += (1.0 + 1e-5) / self.curvature[c] if self.curvature[c] > 0.0 else 1.0

    cdef bint step(self, ResponseQuadratic rows, double lam) noexcept nogil:
        """Take a step by the last Hessian on its rows that are still nonzero.

        Return True if the objective fell.
        """
        cdef int i, j, k, n = self.count, K = rows.K, p = rows.p, one = 1, info
        cdef double size, zero = 0.0, unit = 1.0
        if n == 0:
            return False
        rows.iterations += 1
        for i in range(n):
            j, size = self.at[i], row_norm(rows.B, self.at[i])
            size = lam * rows.l2[j] + (lam * rows.l1[j] / size if size > 0.0 else INFINITY
                                       if rows.l1[j] > 0.0 else 0.0)
            for k in range(K):
                self.left[k, i] = rows.g[k, j] - size * rows.B[k, j] if size < INFINITY else 0.0
        dgemm("N", "N", &n, &K, &n, &unit, &self.inverse[0], &n, &self.left[0, 0], &p, &zero,
              &self.y[0, 0], &p)
        for i in range(n):
            self.along[i] = 0.0
            for k in range(K):
                self.along[i] += self.u[k, i] * self.y[k, i]
        dpotrs("L", &n, &one, &self.schur[0], &n, &self.along[0], &n, &info)
        for k in range(K):
            for i in range(n):
                self.left[k, i] = self.u[k, i] * self.along[i]
        dgemm("N", "N", &n, &K, &n, &unit, &self.inverse[0], &n, &self.left[0, 0], &p, &unit,
              &self.y[0, 0], &p)
        return self._descend(rows, lam)

    cdef bint _descend(self, ResponseQuadratic rows, double lam) noexcept nogil:
        """Step along y by the largest t = 1, 1/2, ... that lowers the objective.

        Rows that would change direction stop at zero. Return False if no t serves.
        """
        cdef int i, j, k, K = rows.K, p = rows.p, m = rows.m, tries
        cdef double product, linear = 0.0, curvature = 0.0, t = 1.0
        cdef double before = rows.penalty(lam)
        cdef double zero = 0.0, unit = 1.0
        memset(&self.d[0, 0], 0, <Py_ssize_t> K * p * sizeof(double))
        for i in range(self.count):
            j, product = self.at[i], 0.0
            if lam * rows.l1[j] > 0.0 and row_square(rows.B, j) == 0.0:
                continue
            for k in range(K):
                product += rows.B[k, j] * (rows.B[k, j] + self.y[k, i])
            for k in range(K):
                self.d[k, j] = -rows.B[k, j] if product < 0.0 < lam * rows.l1[j] else self.y[k, i]
        dgemm("N", "N", &m, &K, &m, &unit, &rows.G[0, 0], &p, &self.d[0, 0], &p, &zero,
              &self.q[0, 0], &p)
        for k in range(K):
            linear += dot(m, &self.d[k, 0], &rows.g[k, 0])
            curvature += dot(m, &self.d[k, 0], &self.q[k, 0])
            memcpy(&self.left[k, 0], &rows.B[k, 0], m * sizeof(double))
        # 2^-12 of a step of blocks gains less than the next sweep.
        for tries in range(12):
            for k in range(K):
                for j in range(m):
                    rows.B[k, j] = self.left[k, j] + t * self.d[k, j]
            if t * (0.5 * t * curvature - linear) + rows.penalty(lam) < before:
                rows.residual_square += t * (t * curvature - 2.0 * linear)
                for k in range(K):
                    axpy(m, -t, &self.q[k, 0], &rows.g[k, 0])
                return True
            t *= 0.5
        for k in range(K):
            memcpy(&rows.B[k, 0], &self.left[k, 0], m * sizeof(double))
        return False

    def stepped(self, ResponseQuadratic rows, B, double lam):
        """Return the coefficients (K, p) after a step from B, all rows working, for tests."""
        rows.m = rows.p
        np.asarray(rows.B)[:] = B
        rows.refresh()
        self.refresh(rows, lam)
        self.step(rows, lam)
        return np.array(rows.B)


cdef class Compiled:
    """A compiled class inherits from a Python class only behind a compiled one."""


cdef class ResponseSufficientStatistics(Compiled, State):
    """A solver state, see solvers/state.py."""

    cdef public double first_gap          # gap after the first round at the last lam

    cdef ResponseQuadratic rows         # the working rows come first
    cdef GroupedHessian hessian
    cdef int[::1] order, place          # feature at each place, and place of each feature
    cdef unsigned char[::1] excluded        # (p,) rows that may not move
    cdef double[:, ::1] last_B          # B at the last lam
    cdef double lam_before, last_lam    # the last two lams
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
        excluded = (np.asarray(net.upper) == 0.0) | (np.diagonal(G) <= 0.0)
        self.excluded = excluded.astype(np.uint8)
        # The gap does not depend on rows that may not move.
        moving = np.where(excluded, -1, np.arange(p)).astype(np.intc)
        self.rows = ResponseQuadratic(G, C, 2.0 * value, ElasticNetRows(net, True).take(moving))
        self.hessian = GroupedHessian(*C.shape)
        self.last_B = np.zeros_like(C)
        self.stale = True
        self._enter(INFINITY, NULL_LAMBDA)

    def start_at(self, which, values, intercept):
        """Continue from the coefficients `values` (K, m) of the features `which` (m,)."""
        cdef int j
        start = np.zeros_like(self.rows.B)
        start[:, which] = values
        for j in which:
            if self.place[j] >= self.rows.m:
                self._add(self.place[j])
        np.asarray(self.rows.B)[:, self.place] = start
        self.lam_before = self.last_lam = 0.0
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
        sizes[np.asarray(self.excluded).view(bool)] = 0.0
        return sizes[self.place]

    # Working rows.

    cdef bint _enter(self, double near, double lam):
        """Add rows whose products exceed `near` l1, or that are unpenalised at lam.

        Return True if there were any.
        """
        cdef ResponseQuadratic rows = self.rows
        cdef int j, first = rows.m
        cdef double least
        for j in range(first, rows.p):
            least = near * rows.l1[j] * (1.0 + ROUNDING) if rows.l1[j] > 0.0 else 0.0
            if not self.excluded[j] and (row_square(rows.g, j) > least * least
                                         or rows.free(j, lam)):
                self._add(j)
        return rows.m > first

    cdef void _add(self, int j) noexcept nogil:
        """Make the row at place j the last working row."""
        cdef int i = self.rows.m
        self.rows.swap(i, j)
        self.excluded[i], self.excluded[j] = self.excluded[j], self.excluded[i]
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
        # rounding of an inner product of two columns, relative to their lengths
        return 4e-15 * total

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
        if self.lam_before > self.last_lam > lam > 0.0:
            forward = (self.last_lam - lam) / (self.lam_before - self.last_lam)
        for k in range(rows.K):
            for j in range(rows.m):
                last, self.last_B[k, j] = self.last_B[k, j], rows.B[k, j]
                if rows.B[k, j] != 0.0:
                    rows.B[k, j] += forward * (rows.B[k, j] - last)
        self.lam_before, self.last_lam = self.last_lam, lam
        if forward > 0.0:
            rows.refresh()
            if rows.objective(lam) > value:
                rows.B[:] = self.last_B
                rows.refresh()
        return 0

    def solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; return (outcome, gap)."""
        cdef long limit = self.rows.iterations + budget
        cdef double near = entry_lambda(lam, self.last_lam)
        self._extrapolate(lam)
        self._enter(near, lam)
        return solve_by_rounds(self, lam, target, limit)

    # A round, see solvers/rounds.py.

    def fit(self, double lam, double goal, long limit):
        """Make sweeps and Newton steps until the gap over the working rows is about `goal`."""
        cdef double value = self.rows.objective(lam)
        start = np.array(self.rows.B)
        outcome = self._fit(lam, goal, limit)
        self._measure(goal)
        if not self.rows.objective(lam) <= value + ROUNDING * self.rows.total:
            np.asarray(self.rows.B)[:] = start       # rounding has raised the objective
            self._measure(goal)
        return outcome

    def certify(self, double lam):
        """Return the gap over all rows."""
        cdef double longest = np.sqrt(np.diagonal(self.rows.G).max(initial=0.0))
        cdef double rounding = rounding_of_products(self.rows.total, longest, lam)
        return self.rows.rows_gap(lam, self.rows.p, self._slack(lam, True) + rounding)

    def grow(self, double lam, bint first):
        """Add the violating rows; return True if there are any."""
        return self._enter(lam, lam)

    def goal(self, double lam, double target, double outside):
        """Return half the target, as working rows cost little by inner products."""
        return 0.5 * target

    cdef int _fit(self, double lam, double goal, long limit) except -1:
        """Sweep, and take Newton steps, until the gap over the working rows is about `goal`.

        Return an Outcome.
        """
        cdef double gap, value, best = INFINITY, lowest = INFINITY
        cdef int patience = PATIENCE
        while True:
            PyErr_CheckSignals()
            if self.rows.iterations >= limit:
                return MAX_ITER
            with nogil:
                self.rows.sweep(lam)
            gap = self.rows.rows_gap(lam, self.rows.m, self._slack(lam, False))
            if gap > goal:
                gap = self._steps(lam, gap, goal, limit)
            if gap <= goal:
                return CONVERGED
            value = self.rows.objective(lam)
            patience = (PATIENCE if gap < 0.5 * best
                        or value < lowest - LAST_DIGITS * self.rows.total else patience - 1)
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
            if not fell or gap > 0.1 * last:
                break
            self.stale = False
        return gap
