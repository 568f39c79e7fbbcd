"""Working sets with certified bounds: products with X only for the columns that no bound excludes.

    minimise over b   sum_i w_i (y_i - (Zb)_i)^2 / 2 + lam Omega(b)

Given: a standardised design Z, weights w summing to 1, a response whose part along the intercept is out already, and
a warm start. Returned per lam: a duality gap over *all* columns, with the coefficients of the working ones.
Invariant: r = sqrt(w) (y - Zb).  Every round solves over the working columns, bounds |z_j'r| for the others
(linalg/bounds), multiplies those that no bound excludes, and lets the violators among them in.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.string cimport memcpy

import numpy as np

from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.linalg.working.pack import pack
from sparsesolve.linalg.factors.span import Spans
from sparsesolve.linalg.kernels.vector cimport ss_go_on, ss_multiply
from sparsesolve.solvers import costs
from sparsesolve.solvers.certificate.gap cimport ScaledDual, assembled, squares_gap
from sparsesolve.solvers.subproblem.data_active_set cimport DataActiveSet
from sparsesolve.solvers.subproblem.gram_active_set cimport GramActiveSet
from sparsesolve.solvers.subproblem.woodbury_active_set cimport WoodburyActiveSet
from sparsesolve.solvers.subproblem.data_block_descent cimport DataBlockDescent
from sparsesolve.solvers.subproblem.gram_block_descent cimport GramBlockDescent
from sparsesolve.solvers.subproblem.block_descent cimport GroupBlockDescent
from sparsesolve.solvers.screening.inactive cimport InactiveColumns
from sparsesolve.solvers.screening.inactive import most_entering
from sparsesolve.solvers.screening.inactive_groups cimport InactiveGroups
from sparsesolve.solvers.subproblem.coefficients cimport (
    CONVERGED,
    MAX_ITER,
    STALLED,
    WorkingCoefficients,
)

cdef double NOTICED = 1e-9    # of lam: the residual's projection on free columns, below which it moves no product
ROOM = 2048         # dense working columns for which there is room at once: what is not used is not touched
CROWD = 4.0         # dense working columns to a row beyond which, and that room, they meet no more in pairs
SPARSE_COST = 6.0   # one stored value of a sparse column, in multiply-adds of a dense operation
cdef double ALMOST = 0.99     # of the threshold: the residual to come is known to about a hundredth
cdef double PROMISING = 1e-3  # of the gap asked for: violators that gain more come in, though it is met
cdef double ROUNDING = 1e-12  # of |response|^2: an objective that is higher by less is not
cdef double DRIFT = 1e-2      # of the gap asked for: what rounding may add to it before the residual is made anew
cdef double SHARE = 0.9     # of the gap asked for: what working columns may take of it
cdef double GROUPS_SHARE = 0.5  # the same of groups: sweeps come to it little by little, and the objective with them
cdef double DIGITS = 5e-9   # of the null objective: who asks for a smaller gap asks for digits of b
cdef double ENOUGH = 0.03   # of the gap that columns outside will leave: no use in solving for the working ones better
BLOCK_COST = 0.10   # of a multiply-add in a block operation, with which a column enters the factor
FAR_COST = 3.0      # of one in a pass over a dense matrix that does not stay in cache,
NEAR = 5e6          # as those of more values do not
MOST_GRAM_COLUMNS = 3000    # of a design, up to which groups are solved for by inner products where rows are more
STEPS_AHEAD = 50.0  # Newton steps over which making a Gram matrix must pay
cdef double FEWEST_TO_A_ROW = costs.FEWEST_ACTIVE_TO_A_ROW
cdef double MOST_ROWS_SQUARE = costs.MOST_ROWS_SQUARE
cdef double ROWS_STEPS = costs.STEPS_ON_ROWS
cdef double FACTOR_LASTS = costs.DIRECTIONS_TO_A_FACTOR
cdef int FEW_WITHOUT_RIDGE = 16  # active columns that an n x n system can do without
SWITCH_GAIN = 1.5   # how much cheaper the other way of solving must look before the working set changes to it


cdef class WorkingSet(ScaledDual):
    """Solver state along a path; a subclass with another loss says how the working columns are solved for."""

    def __init__(self, problem, int n_threads):
        self._begin(problem, n_threads)
        self.response = np.multiply(self.root_w, problem.response)
        self.r[:] = self.response
        self.add_to_working_set(self.inactive.unpenalised())
        self.level = self.quadratic.residual_square = np.dot(self.r, self.r)
        self.quadratic.take_residual(&self.r[0])

    def _begin(self, problem, n_threads, recentred=False):
        self.design, self.penalty = problem.design, problem.penalty
        self.root_w = np.sqrt(problem.weights)
        self.spans = Spans(self.design, self.root_w, problem.centred)
        self.r, self.u = np.zeros(self.design.n), np.empty(self.design.n)
        self.steps, self.digits, self.loose = 6.0, DIGITS * problem.null_value, costs.LOOSE_GAP * problem.null_value
        self.share = GROUPS_SHARE if self.penalty.has_groups else SHARE
        (self.solved, self.earlier), self.solved_b = np.zeros((2, self.design.n)), np.zeros((2, 0))
        self.lams[0] = self.lams[1] = 0.0
        self.columns = pack(self.design, self.root_w, recentred, n_threads=n_threads)
        one_by_one = self.columns.dense and not self.penalty.has_groups
        self.missed = costs.MISSED_THRESHOLD if one_by_one else costs.MISSED_THRESHOLD_OTHERS
        if self.penalty.has_groups:
            self.inactive = InactiveGroups(self.design, self.root_w, self.penalty, n_threads)
            few = self.design.p <= min(self.design.n, MOST_GRAM_COLUMNS)
            self.quadratic = (GramBlockDescent if few else DataBlockDescent)(self.columns, self.penalty)
        else:
            self.inactive = InactiveColumns(self.design, self.root_w, self.penalty, n_threads)
            self.quadratic = self._by_products() if self.columns.dense else DataActiveSet(self.columns)

    def resume(self, response, double[::1] start):
        """Go on with another response from the coefficients `start` (p,); columns at work and their products stay."""
        self._move(start)
        self.response = np.multiply(self.root_w, response)
        self.level = np.dot(self.response, self.response)
        self._refresh()

    def start_at(self, which, values, intercept):
        """Go on from the coefficients `values` (m,) of the features `which` (m,)."""
        start = np.zeros(self.design.p)
        start[which] = values
        self._move(start)
        self._refresh()

    def _move(self, double[::1] start):
        """Coefficients `start` (p,), their columns at work; the residual is for the caller to renew."""
        cdef int k
        fresh = np.not_equal(start, 0.0)
        fresh[self.quadratic.members()[0]] = False
        self.add_to_working_set(self.inactive.together(np.flatnonzero(fresh).astype(np.intc)))
        self.opening, self.n_solved = 0.0, 0
        self.lams[0] = self.lams[1] = 0.0
        for k in range(self.quadratic.size):
            self.quadratic.b[k] = start[self.quadratic.index[k]]

    cdef int add_to_working_set(self, const int[::1] which) except -1:
        """Take columns into the working set at zero."""
        cdef int k, count = <int> which.shape[0]
        if count == 0:
            return 0
        cdef double[::1] zeros = np.zeros(count), gradient = np.zeros(count)
        ss_multiply(self.design.n, &self.root_w[0], &self.r[0], &self.u[0])
        for k in range(count):
            gradient[k] = self.design.correlate(which[k], &self.u[0], 0.0)
            self.working_values += self.design.columns[which[k]].size
        self.inactive.leave(which)
        if (isinstance(self.quadratic, GramActiveSet) and self.columns.dense
                and self.quadratic.size + count > max(<double> ROOM, CROWD * self.design.n)):
            self._continue_with(DataActiveSet(self.columns))
        self.quadratic.append(self.design, self.penalty, which, zeros, gradient)
        self.growth += 0.2 * (count / <double> max(self.models, 1) - self.growth)
        self.models = 0
        self._choose()
        return 0

    def _by_products(self):
        """What solves by inner products, with room for the dense columns that may come to work."""
        cdef int room = min(self.design.p, 2 * self.design.n, ROOM if self.columns.dense else 0)
        cdef GramActiveSet quadratic = GramActiveSet(Gram(room), self.columns)
        quadratic.reserve(room)
        return quadratic

    cdef int _choose(self) except -1:
        """Solve by the Gram matrix, by conjugate gradients or by an n x n system, whichever makes a Newton step
        cheapest."""
        if isinstance(self.quadratic, GroupBlockDescent):
            return 0
        cdef double n = self.design.n, m = self.quadratic.size, k = 0.0, gram, steps, entries, far, product, iterative
        cdef double by_rows = INFINITY, now, entering
        cdef int j
        cdef bint by_products = isinstance(self.quadratic, GramActiveSet)
        for j in range(self.quadratic.size):
            k += self.quadratic.b[j] != 0.0
        entries = m * n if self.columns.dense else SPARSE_COST * self.working_values
        far = FAR_COST if self.columns.dense and entries > NEAR else 1.0
        product = BLOCK_COST if self.columns.dense else 0.5
        gram = (2.0 + BLOCK_COST * self.growth) * k * k + m * k
        gram *= FAR_COST if m * m > NEAR else 1.0
        gram += (2.0 * far + product * (self.growth + self.renewed * m)) * entries
        steps = self.quadratic.effort()
        if steps > 0.0:
            self.steps = steps
        iterative = self.steps * (2.0 * far * entries + 3.0 * m + 2.0 * n)
        if self.columns.dense and k > FEWEST_TO_A_ROW * n and n <= MOST_ROWS_SQUARE and self._ridged():
            by_rows = (ROWS_STEPS + BLOCK_COST * (self.growth + 0.5 * self.renewed * k)) * n * n + 2.0 * far * entries
            by_rows += BLOCK_COST * n * n * n / (6.0 * FACTOR_LASTS)
        entering = gram if by_products else gram + 0.5 * m * product * entries / STEPS_AHEAD
        if isinstance(self.quadratic, WoodburyActiveSet):
            now = by_rows
        else:
            now = gram if by_products else iterative
            by_rows += BLOCK_COST * k * n * n / STEPS_AHEAD
        if SWITCH_GAIN * min(min(entering, iterative), by_rows) >= now:
            return 0
        if by_rows <= min(entering, iterative):
            self._continue_with(WoodburyActiveSet(self.columns))
        elif entering <= iterative:
            self._continue_with(self._by_products())
        else:
            self._continue_with(DataActiveSet(self.columns))
        return 0

    cdef bint _ridged(self) noexcept nogil:
        """Whether all but a few active columns have a ridge."""
        cdef int j, without = 0
        for j in range(self.quadratic.size):
            without += self.quadratic.b[j] != 0.0 and self.quadratic.l2[j] <= 0.0
        return without <= FEW_WITHOUT_RIDGE

    def _continue_with(self, quadratic):
        which, start = self.quadratic.members()
        quadratic.append(self.design, self.penalty, which, start, np.zeros(len(which)))
        (<WorkingCoefficients> quadratic).iterations = self.quadratic.iterations
        (<WorkingCoefficients> quadratic).passes = self.quadratic.passes
        self.quadratic = quadratic
        self._renew_gradients()

    def _renew_gradients(self):
        """Columns that were given to another way of solving came without their gradients."""
        self._refresh()

    cdef void _refresh(self) noexcept nogil:
        """Make the residual and the gradients anew."""
        self.quadratic.refresh(&self.response[0], &self.r[0])
        self.refreshed = True

    def coefficients(self):
        """Feature numbers and values of the nonzero coefficients, in ascending order of feature."""
        return self.quadratic.coefficients()

    @property
    def loss_value(self):
        """The loss less its least value."""
        return 0.5 * self.quadratic.residual_square

    @property
    def intercept(self):
        """Of the standardised problem, where an intercept means something."""
        return 0.0

    @property
    def iterations(self):
        """Newton steps and sweeps so far."""
        return self.quadratic.iterations

    def correlations(self):
        """z_j'r of every column at the current residual, (p,)."""
        return self.inactive.products(&self.r[0])

    cdef int fit(self, double lam, double goal, long limit) except -1:
        """Solve over the working columns to gap <= goal; leaves r and the certificate's g. Returns an Outcome.

        What rounding has led uphill is taken back.
        """
        cdef double value = self.quadratic.primal(lam) + ROUNDING * self.level
        cdef double[::1] start = self.quadratic.members()[1]
        self.quadratic.second_order(not self.exacting, lam)
        cdef int outcome = self.quadratic.solve_in_chunks(lam, goal, limit)
        with nogil:
            if not self.quadratic.rounding() * self.level <= DRIFT * goal:
                self._refresh()
            else:
                self.quadratic.hand(&self.response[0], &self.r[0])
            if not self.quadratic.primal(lam) <= value:     # or NaN
                memcpy(self.quadratic.b, &start[0], start.shape[0] * sizeof(double))
                self._refresh()
        self.quadratic.update_unpenalised_norm(lam)
        if self.quadratic.unresolved is not None:
            self.quadratic.unpenalised_norm = self.spans.projection(self.quadratic.unresolved, self.r)
        return outcome

    cpdef solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        cdef int outcome, tries = 0, round = 0
        cdef double gap, goal = self._goal(lam, target, self.opening)
        cdef double[::1] cleared
        cdef int[::1] entering
        cdef bint ended
        cdef long limit = self.quadratic.iterations + budget
        self.exacting = self.share * target < self.digits
        self._extrapolate_and_grow(lam)
        while True:
            outcome = self.fit(lam, goal, limit)
            PyErr_CheckSignals()
            cleared = self._cleared(lam) if NOTICED * lam < self.quadratic.unpenalised_norm < INFINITY else self.r
            with nogil:
                self.inactive.examine(&cleared[0], lam)
            gap = self.gap(lam)
            if round == 0:
                self.opening = gap      # what the violators of a first round cost is much the same at the next lam
            round += 1
            ended = outcome == MAX_ITER or self.quadratic.iterations >= limit
            if gap <= target and (ended or round > 1 or self.inactive.promise(lam) <= PROMISING * target):
                self._keep_history(lam)
                return CONVERGED, gap
            if ended:
                return MAX_ITER, gap
            entering = self.inactive.violators(lam, most_entering(self.quadratic.size))
            if entering.shape[0]:
                if round == 1 and entering.shape[0] > self.foreseen > 0:
                    self.surveys = True
                self.add_to_working_set(entering)
                goal = self._goal(lam, target, gap)
                tries = 0
            elif goal > self._goal(lam, target, 0.0):
                goal = self._goal(lam, target, 0.0)
            elif tries == 4:
                return STALLED, gap
            else:
                tries += 1
                goal *= 0.1**tries  # where F* ends, the gap may be as the square root of the model's

    cdef double _goal(self, double lam, double target, double outside) noexcept nogil:
        """To what gap the working columns are to be solved, where those outside leave one of `outside`."""
        cdef double settled = max(self._settled(lam), self.loose)
        return max(self.share * min(target, settled), min(ENOUGH * outside, settled))

    cdef double _settled(self, double lam) noexcept nogil:
        """The gap at which the residual serves the next lam, however loose the gap asked for.

        If every active column misses its threshold by a share e of lam, a dual point shrunk by e is feasible again,
        and the gap is e^2 |r|^2 / 2.  A residual with a larger error lets in columns that are never active, and lines
        drawn through two of them do so all the more.
        """
        return 0.5 * self.missed * self.missed * self.quadratic.residual_square

    def _cleared(self, lam):
        """r less its projection on the columns that nothing holds back: the certificate of others is by that."""
        free = [k for k in range(self.quadratic.size) if self.quadratic.free(k, lam)]
        Q = self.spans.of(self.quadratic.members()[0][free]).Q
        return self.r - Q @ (np.asarray(self.r) @ Q)

    cdef int _extrapolate_and_grow(self, double lam) except -1:
        """Let in the columns that the path, carried on in a straight line from the last two lams, would bring in.

        What is known of the columns tells them, as a rule; where it has missed too many, products with the residual
        to come do, and hardly any are left for the residual that then comes.
        """
        cdef double forward
        cdef int[::1] which
        self.foreseen = 0
        self.refreshed, self.turn, self.opened = False, 0.0, self.quadratic.rounding()
        if not self.lams[1] > self.lams[0] > lam > 0.0:
            return 0
        forward = (self.lams[0] - lam) / (self.lams[1] - self.lams[0])
        ss_go_on(self.design.n, forward, &self.solved[0], &self.earlier[0], &self.u[0])
        if self.surveys:
            with nogil:
                self.inactive.examine(&self.u[0], ALMOST * lam)
            self.add_to_working_set(self.inactive.violators(ALMOST * lam, most_entering(self.quadratic.size)))
        else:
            which = self.inactive.predict_violators(&self.u[0], lam, forward)
            self.foreseen = which.shape[0]
            self.add_to_working_set(which)
        self._extrapolate(lam, forward)
        return 0

    cdef int _extrapolate(self, double lam, double forward) except -1:
        """Start from the solution carried on like that where a near start helps, and where that is better.

        What rounding did to the two residuals is carried on with them, in a straight line too.
        """
        cdef int k, size = self.quadratic.size
        cdef Py_ssize_t i
        cdef double value, drift = self.drifts[0] + forward * self.drifts[1]
        if not self.quadratic.wants_start or size == 0:
            return 0
        value, self.turn, self.opened = self.quadratic.primal(lam), forward * self.drifts[1], drift
        cdef double[::1] b = np.empty(size), change = np.zeros(size)
        memcpy(&b[0], self.quadratic.b, size * sizeof(double))
        for k in range(self.n_solved):
            change[k] = forward * (self.solved_b[0, k] - self.solved_b[1, k])
        with nogil:
            self.quadratic.extrapolate(self.n_solved, &change[0], lam)
            for k in range(size):
                change[k] += b[k] - self.quadratic.b[k]         # what is not to be done of it
            for i in range(self.design.n):
                self.r[i] += forward * (self.solved[i] - self.earlier[i])
            self.quadratic.sync_residual(&self.response[0], &change[0], drift, &self.r[0])
        self.refreshed = self.refreshed or not self.quadratic.wants_residual    # see sync_residual
        if self.quadratic.primal(lam) > value:
            for k in range(size):
                change[k] = self.quadratic.b[k] - b[k]
            memcpy(self.quadratic.b, &b[0], size * sizeof(double))
            self.quadratic.sync_residual(&self.response[0], &change[0], self.quadratic.rounding(), &self.r[0])
        return 0

    cdef int _keep_history(self, double lam) except -1:
        cdef int k
        cdef double drift = self.quadratic.rounding()
        self.solved, self.earlier = self.earlier, self.solved
        memcpy(&self.solved[0], &self.r[0], self.design.n * sizeof(double))
        self.lams[1], self.lams[0] = self.lams[0], lam
        self.drifts[1] = drift + self.drifts[0] if self.refreshed else self.turn + (drift - self.opened)
        self.drifts[0] = drift
        if self.solved_b.shape[1] < self.quadratic.capacity:
            wider = np.zeros((2, self.quadratic.capacity))
            wider[:, :self.solved_b.shape[1]] = self.solved_b
            self.solved_b = wider
        self.n_solved = self.quadratic.size
        for k in range(self.n_solved):
            self.solved_b[1, k], self.solved_b[0, k] = self.solved_b[0, k], self.quadratic.b[k]
        return 0

    # the certificate, over all columns

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        return min(self.quadratic.scale(lam, strict), self.inactive.scale(lam, strict))

    cdef double gap_at(self, double lam, double scale) noexcept nogil:
        return assembled(self.samples_gap(scale), self.quadratic.column_gap(lam, scale) + self.inactive.gap(lam, scale),
                         self.missing, self.primal(lam))

    cdef double samples_gap(self, double scale) noexcept nogil:
        """Fenchel-Young of the loss at a scale of the dual point."""
        return squares_gap(self.quadratic.residual_square, scale, self.quadratic.unpenalised_norm)

    cdef double primal(self, double lam) noexcept nogil:
        """The objective less the least value of the loss: the gap at the dual point 0."""
        return self.quadratic.primal(lam)
