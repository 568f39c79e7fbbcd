"""Sufficient statistics: with n much larger than p, Z'WZ and Z'Wy replace the data.

They are made in one pass over it. The quadratic is that of the working set, with every column in
it from the start, groups side by side: no bound is needed and nothing depends on n any more.
Where large coefficients cancel, so that inner products do not resolve the residual, certificates
are taken from the rows. InnerModel, the model of a Newton step, has inner products alone.
Invariant: g = Z'Wy - Z'WZ b, recomputed at every lam so that rounding does not build up.
"""
from libc.math cimport fabs, sqrt

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.solvers.state import State
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.linalg.gram.gram import tall_gram
from sparsesolve.linalg.factors.span import Spans
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.solvers.quadratic.active_columns import GramActiveSet
from sparsesolve.solvers.quadratic.group_columns import GramBlockDescent
from sparsesolve.solvers.quadratic.coefficients cimport (
    CONVERGED,
    MAX_ITER,
    STALLED,
    WorkingCoefficients,
)
from sparsesolve.solvers.quadratic.coefficients import projection, rounding_of_products


cdef double ROUNDING = tolerances.ROUNDING


cdef class Compiled:
    """A compiled class inherits from a Python class only behind a compiled one."""


cdef class SufficientStatistics(Compiled, State):
    """Solver state along a path, see solvers/state.py."""

    cdef readonly WorkingCoefficients quadratic
    cdef Gram gram
    # the columns in their order here
    cdef object order
    cdef Py_ssize_t p
    cdef const double[::1] cross
    cdef double total_square
    # whose rows can be asked, and the spans of its columns, or None
    cdef object problem, spans

    def __init__(self, problem, int n_threads):
        w, y, penalty = problem.weights, problem.response, problem.penalty
        root_w = np.sqrt(w)
        self.problem, self.spans = problem, Spans(problem.design, root_w, problem.centred)
        products, cross = tall_gram(problem.design, root_w, y, n_threads)
        self._begin(products, penalty,
                    (np.asarray(penalty.lower) < 0) | (np.asarray(penalty.upper) > 0))
        self._take_products(cross, np.sum(np.multiply(w, np.square(y))))

    def _begin(self, products, penalty, moving):
        """Start with all columns at 0, groups side by side; limits let those in `moving` move."""
        self.p = len(products)
        self.order, self.gram = np.arange(self.p, dtype=np.intc), Gram(self.p)
        # side by side, and without those that are all zeros
        if penalty.has_groups:
            member = np.asarray(penalty.member)
            of = np.asarray(penalty.of)[member]
            moving = moving & (np.diagonal(products)[member] > 0.0)
            self.order = member[(np.bincount(of, moving, penalty.n_groups) > 0)[of]]
            products = np.ascontiguousarray(products[np.ix_(self.order, self.order)])
            groups = GramBlockDescent(None, penalty)
            groups.gram, self.quadratic = self.gram, groups
        else:
            self.quadratic = GramActiveSet(self.gram)
        self.gram.set(products)
        zeros = np.zeros(len(self.order))
        self.quadratic.append(None, penalty, self.order, zeros, zeros)

    def _take_products(self, cross, double total_square):
        self.cross, self.total_square = cross[self.order], total_square
        self._refresh()

    def start_at(self, which, values, intercept):
        """Continue from the coefficients `values` (m,) of the features `which` (m,)."""
        cdef int k
        start = np.zeros(self.p)
        start[which] = values
        cdef double[::1] b = start[self.order]
        for k in range(self.quadratic.size):
            self.quadratic.b[k] = b[k]
        self._measure(0.0)

    def coefficients(self):
        """Feature numbers and values of the nonzero coefficients, in ascending order of feature."""
        return self.quadratic.coefficients()

    @property
    def loss_value(self):
        """The loss less its least value."""
        return 0.5 * self.quadratic.residual_square

    intercept = 0.0  # of the standardised problem

    @property
    def iterations(self):
        """Newton steps and sweeps so far."""
        return self.quadratic.iterations

    def correlations(self):
        """z_j'r of every column, (p,); 0 for those that cannot enter."""
        cdef int k
        out = np.zeros(self.p)
        out[self.order] = [self.quadratic.g[k] for k in range(self.quadratic.size)]
        return out

    cdef void _refresh(self):
        cdef WorkingCoefficients q = self.quadratic
        cdef int k
        for k in range(q.size):
            q.g[k] = self.cross[k]
        for k in range(q.size):
            if q.b[k] != 0.0:
                axpy(q.size, -q.b[k], self.gram.G + <Py_ssize_t> k * self.gram.capacity, q.g)
        q.residual_square = self.total_square
        for k in range(q.size):
            q.residual_square -= q.b[k] * (self.cross[k] + q.g[k])
        q.residual_square = max(q.residual_square, 0.0)

    cdef int _measure(self, double goal) except -1:
        """Set g and the residual's square at the current b, by the rows if `goal` asks for it."""
        cdef int k
        cdef double[::1] g
        self._refresh()
        if self.problem is not None and not self._rounding_cost() <= goal:
            r = self._residual()
            weighted = np.multiply(self.problem.weights, r)
            g = self.problem.design.products(weighted)[self.order]
            for k in range(self.quadratic.size):
                self.quadratic.g[k] = g[k]
            self.quadratic.residual_square = np.vdot(weighted, r)
        return 0

    cdef double _rounding_cost(self):
        """What rounding of inner products may change in half the square of the residual."""
        cdef int k
        cdef double size = 0.0
        for k in range(self.quadratic.size):
            size += fabs(self.quadratic.b[k]) * sqrt(self.quadratic.diag[k])
        # rounding of an inner product of two columns, relative to their lengths
        return 4e-15 * size * (size + sqrt(self.total_square))

    def _residual(self):
        return self.problem.response - self.problem.design.combination(*self.coefficients())

    cdef double _rounding_of_products(self, double lam):
        """Rounding of g for columns of length 1; 0 if it is below 1e-9 lam for all columns."""
        cdef int k
        cdef double longest = 0.0
        for k in range(self.quadratic.size):
            longest = max(longest, self.quadratic.diag[k])
        return rounding_of_products(self.total_square, sqrt(longest), lam)

    def _unpenalised_norm(self, double lam):
        """The length of the residual's projection on the unpenalised columns."""
        cdef Py_ssize_t capacity = self.gram.capacity
        free = [j for j in range(self.quadratic.size) if self.quadratic.free(j, lam)]
        if not free:
            return 0.0
        inner = np.reshape(self.gram.products, (capacity, capacity))[np.ix_(free, free)]
        norm, apart = projection(inner, np.array([[self.quadratic.g[j]] for j in free]))
        if apart or self.problem is None:
            return norm
        return self.spans.projection(self.order[free], self.spans.root_w * self._residual())

    cpdef solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        cdef WorkingCoefficients q = self.quadratic
        cdef int outcome, tries, k
        cdef double gap, value, goal = 0.5 * target
        cdef long limit = q.iterations + budget
        cdef double[::1] start
        for tries in range(5):
            value, start = q.primal(lam) + ROUNDING * self.total_square, q.members()[1]
            outcome = q.solve_in_chunks(lam, goal, limit)
            self._measure(goal)
            # rounding has led uphill
            if not q.primal(lam) <= value:
                for k in range(q.size):
                    q.b[k] = start[k]
                self._measure(goal)
            q.unpenalised_norm = self._unpenalised_norm(lam) + self._rounding_of_products(lam)
            gap = q.gap(lam)
            if gap <= target:
                return CONVERGED, gap
            if outcome == MAX_ITER:
                break
            goal *= 0.1
        return outcome or STALLED, gap


cdef class InnerModel(SufficientStatistics):
    """The quadratic model of a Newton step by its inner products alone, for several steps.

    `products` (p, p) is A'A of the columns A that stand for the curvature; rounding may make it
    indefinite. `penalty` is of these columns, groups side by side and in their order.
    """

    def __init__(self, products, penalty):
        self._begin(products, penalty, np.ones(len(products), dtype=bool))

    def set_gradient(self, start, z, e):
        """Continue from the coefficients `start`, where the gradient is z = A'e.

        Only the length of e counts.
        """
        cdef int k
        cdef double[::1] b = start[self.order], cross = z[self.order]
        total = np.vdot(e, e) + np.vdot(b, cross)
        for k in range(self.quadratic.size):
            self.quadratic.b[k] = b[k]
            if b[k] != 0.0:
                axpy(self.quadratic.size, b[k], self.gram.G + <Py_ssize_t> k * self.gram.capacity,
                     &cross[0])
        self.cross, self.total_square = cross, total + np.vdot(b, cross)
        self._refresh()
