"""Working sets with safe balls: products with X only for columns that no ball excludes.

    minimise over a, b   F(offset + a + Zb) + lam Omega(b)

Given: a standardised design Z, weights w that sum to 1, a loss, and a warm start.
Returned per lam: the coefficients of the working columns, with a duality gap over *all* columns.
Every round solves over the working columns (proximal_newton), bounds |z_j'r| for the others at
the dual point sqrt(w) r (screening/inactive), multiplies those that no bound excludes, and adds
the violators among them to the working set.
Reference: Johnson, Guestrin (2015), "Blitz"; Massias, Gramfort, Salmon (2018), "Celer".
"""
import numpy as np

from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.linalg.working.columns import pack
from sparsesolve.linalg.factors.span import Spans
from sparsesolve.linalg.kernels.vector cimport ss_multiply
from sparsesolve.solvers import tolerances
from sparsesolve.solvers.certificate.gap cimport ScaledDual
from sparsesolve.solvers.quadratic.coefficients cimport WorkingCoefficients
from sparsesolve.solvers.quadratic.active_columns import DataActiveSet, GramActiveSet
from sparsesolve.solvers.quadratic.group_columns import DataBlockDescent, GramBlockDescent
from sparsesolve.solvers.screening.inactive import Inactive, most_entering
from sparsesolve.solvers.state import State

cdef double LOOSE_GAP = tolerances.LOOSE_GAP
cdef double MISSED_THRESHOLD_LOSS = tolerances.MISSED_THRESHOLD_LOSS
# Part of lambda by which active columns may miss their thresholds at a loose tolerance: of dense
# columns with squared error, with other losses, and of sparse columns or groups. Larger ones let
# in columns that are never active (300 x 20,000, correlation 0.99, tol 1e-2: 30 times the time);
# smaller ones cost steps, twice the time of sparse logistic paths at 0.01.
cdef double MISSED_THRESHOLD = 0.01
cdef double MISSED_THRESHOLD_OTHERS = 0.1
# The working columns are solved for to this fraction of the target gap; the inactive ones may take
# the rest.
# Iterations at 0.7 and 0.966667: logistic 1.00 and 0.98.
cdef double WORKING_PART = 0.9
# The fraction of the target for working groups, whose sweeps approach a gap, and lower the
# objective, in small steps.
# Iterations at 0.02 and 0.833333: groups 3.76 and 0.94, logistic groups 3.60 and 0.99.
cdef double WORKING_PART_GROUPS = 0.5
# A target below this fraction of the null objective asks for digits of b and not only of the
# objective, so that a met gap does not end a round that still moves b.
cdef double DIGITS_OF_COEFFICIENTS = 5e-9
# Room is allocated for this many dense working columns at once. Beyond it, and with more than
# WORKING_PER_ROW of them to a row, the Gram matrix would be larger than the columns: these are
# multiplied.
WORKING_ROOM = 2048
WORKING_PER_ROW = 4.0
# m sparse columns are multiplied once m^2 exceeds this times the values of one: a factor costs m^3.
# Time over that of inner products at alpha .2, tol 1e-2 to 1e-6: .06 to .67, with 6,000 .07 to .76
# (text and uniform designs of 300 to 3,000 rows, 30 lambdas).
SPARSE_SQUARE = 1500
# Below this alpha more working columns than rows are multiplied: 300 x 4,000 with alpha .05 took
# 1.9 to 3.5 times as long by inner products, other problems no longer. Up to 100 columns a
# factor costs nothing, and leaves rounding where conjugate gradients end at the target.
MOSTLY_RIDGE = 0.1
# Columns of a design up to which groups are solved for by inner products, where there are more
# rows. Above it, groups are solved for by products with their columns.
MOST_GROUP_GRAM_COLUMNS = 3000


cdef class PathHistory:
    """The solutions at the last two lambdas of a path, and their linear extrapolation.

        x(lam)  ~  x(lam_1) + forward (x(lam_1) - x(lam_2))
        forward = (lam_1 - lam) / (lam_2 - lam_1)

    The caller writes linear predictors into `last`. Columns that came in since are extrapolated
    from a coefficient of 0. Between two changes of the support the path
    is linear for squared error (Efron et al. 2004).
    """

    def __cinit__(self, Py_ssize_t n):
        (self.last, self.earlier), self.b = np.zeros((2, n)), np.zeros((2, 0))

    cdef void clear(self) noexcept nogil:
        """Forget both solutions."""
        self.lams[0] = self.lams[1] = 0.0
        self.size = 0

    cdef double forward(self, double lam) noexcept nogil:
        """What the difference of the last two solutions counts at lam; 0: they lead nowhere."""
        if not self.lams[1] > self.lams[0] > lam > 0.0:
            return 0.0
        return (self.lams[0] - lam) / (self.lams[1] - self.lams[0])

    cdef int keep(self, double lam, WorkingCoefficients columns) except -1:
        """Keep the coefficients at lam; `last` is to be written."""
        cdef int k
        if self.b.shape[1] < columns.capacity:
            wider = np.zeros((2, columns.capacity))
            wider[:, :self.b.shape[1]] = self.b
            self.b = wider
        self.lams[1], self.lams[0], self.size = self.lams[0], lam, columns.size
        self.last, self.earlier = self.earlier, self.last
        for k in range(self.size):
            self.b[1, k], self.b[0, k] = self.b[0, k], columns.b[k]
        return 0


cdef class WorkingSet(ScaledDual, State):
    """What ProximalNewton solves over: which columns work, and what the others may do."""

    def _begin(self, problem, n_threads, recentred):
        cdef bint dense
        self.design, self.penalty = problem.design, problem.penalty
        self.root_w = np.sqrt(problem.weights)
        self.spans = Spans(self.design, self.root_w, problem.centred)
        self.r, self.u = np.zeros(self.design.n), np.empty(self.design.n)
        self.digits = DIGITS_OF_COEFFICIENTS * problem.null_value
        self.loose_gap = LOOSE_GAP * problem.null_value
        self.fraction = WORKING_PART_GROUPS if self.penalty.has_groups else WORKING_PART
        self.history = PathHistory(self.design.n)
        self.columns = pack(self.design, self.root_w, recentred, n_threads=n_threads)
        dense = self.columns.dense and not self.penalty.has_groups
        self.missed = MISSED_THRESHOLD_OTHERS
        if dense:
            self.missed = MISSED_THRESHOLD if problem.loss is None else MISSED_THRESHOLD_LOSS
        self.inactive = Inactive(self.design, self.root_w, self.penalty, n_threads)
        if self.penalty.has_groups:
            few = self.design.p <= min(self.design.n, MOST_GROUP_GRAM_COLUMNS)
            self.quadratic = (GramBlockDescent if few else DataBlockDescent)(self.columns,
                    self.penalty)
        else:
            self.quadratic = self._by_products()

    def _move(self, double[::1] start):
        """Set the coefficients to `start` (p,), with their columns; the residual is left."""
        cdef int k
        fresh = np.not_equal(start, 0.0)
        fresh[self.quadratic.members()[0]] = False
        self.add_to_working_set(self.inactive.together(np.flatnonzero(fresh).astype(np.intc)))
        self.first_gap = 0.0
        self.history.clear()
        for k in range(self.quadratic.size):
            self.quadratic.b[k] = start[self.quadratic.index[k]]

    cdef int add_to_working_set(self, const int[::1] which) except -1:
        """Add columns to the working set, with coefficients of 0."""
        cdef int k, count = <int> which.shape[0]
        if count == 0:
            return 0
        cdef double[::1] zeros = np.zeros(count), gradient = np.zeros(count)
        with nogil:
            ss_multiply(self.design.n, &self.root_w[0], &self.r[0], &self.u[0])
            for k in range(count):
                gradient[k] = self.design.correlate(which[k], &self.u[0], 0.0)
        self.inactive.leave(which)
        if (isinstance(self.quadratic, GramActiveSet)
                and self._by_columns(self.quadratic.size + count)):
            self._continue_with(DataActiveSet(self.columns))
        self.quadratic.append(self.design, self.penalty, which, zeros, gradient)
        return 0

    cdef bint _by_columns(self, int size):
        """Return True if so many working columns are multiplied, not their inner products.

        Under a ridge nearly all of them are active, and more than rows make a larger factor. Sparse
        columns are shorter than rows of the Gram matrix once these are long.
        """
        cdef double m = self.quadratic.size
        if not self.columns.dense and (size > WORKING_ROOM or not self.factored
                                       and m * size * size > SPARSE_SQUARE * self.stored()):
            return True
        if size > max(self.design.n, 100) and self.penalty.alpha < MOSTLY_RIDGE:
            return True
        return size > max(WORKING_ROOM, WORKING_PER_ROW * self.design.n)

    cdef double stored(self):
        """Return how many values the working columns have."""
        cdef double total = 0.0
        cdef int k
        for k in range(self.quadratic.size):
            total += self.design.columns[self.quadratic.index[k]].size
        return total

    cdef bint _factor(self) except -1:
        """Return to inner products after a lambda whose passes met more than 3 m^2 sparse values.

        Such passes are many where nearly as many columns as rows are active. Time over that of
        inner products alone at alpha = 1, tol 1e-7: 1.33 with 4 m^2, 1.13 with 3, 1.06 with 2; at
        1e-4 and 1e-6 .87, .97 and 1.07.
        """
        cdef double m = self.quadratic.size, passes = self.quadratic.passes - self.passed
        if (self.columns.dense or self.factored or m > WORKING_ROOM
                or not isinstance(self.quadratic, DataActiveSet)
                or passes * self.stored() <= 3.0 * m * m):
            return False
        self.factored = True
        self._continue_with(self._by_products())
        return True

    def _by_products(self):
        """The solver by inner products, with room for columns to come."""
        cdef int capacity = min(self.design.p, 2 * self.design.n, WORKING_ROOM)
        return GramActiveSet(Gram(capacity), self.columns)

    def _continue_with(self, quadratic):
        which, start = self.quadratic.members()
        quadratic.append(self.design, self.penalty, which, start, np.zeros(len(which)))
        (<WorkingCoefficients> quadratic).iterations = self.quadratic.iterations
        (<WorkingCoefficients> quadratic).passes = self.quadratic.passes
        self.quadratic = quadratic
        self._forget_gradients()

    cdef void _forget_gradients(self) noexcept nogil:
        """Columns that changed their solver have lost their gradients."""

    def coefficients(self):
        """Feature numbers and values of the nonzero coefficients, in ascending order of feature."""
        return self.quadratic.coefficients()

    @property
    def iterations(self):
        """Newton steps and sweeps so far."""
        return self.quadratic.iterations

    def correlations(self):
        """z_j'r of every column at the current residual, (p,)."""
        return self.inactive.products(&self.r[0])

    # A round, see solvers/rounds.py.

    def certify(self, double lam):
        """Examine the inactive columns at the dual point; return the gap over all columns."""
        with nogil:
            self.inactive.examine(&self.r[0], lam)
        return self.gap(lam)

    def grow(self, double lam, bint first):
        """Add the violators to the working set; return how many."""
        cdef int[::1] entering = self.inactive.violators(lam, most_entering(self.quadratic.size))
        if entering.shape[0]:
            self.add_to_working_set(entering)
        return entering.shape[0]
