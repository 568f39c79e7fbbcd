"""Sufficient statistics: when n is much larger than p, Z'WZ and Z'Wy replace the data after one pass over it.

The same quadratic as the working set's, with every column in it from the start: no bound is needed and nothing
depends on n any more.  Invariant: g = Z'Wy - Z'WZ b, formed anew at every lam so that rounding does not build up.
"""
import numpy as np

from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.gram cimport Gram
from sparsesolve.linalg.gram import tall_gram
from sparsesolve.linalg.vector cimport axpy
from sparsesolve.penalties.elastic_net cimport ElasticNet
from sparsesolve.solvers.gram_quadratic cimport GramQuadratic
from sparsesolve.solvers.working_columns cimport CONVERGED, MAX_ITER, STALLED


cdef class Sufficient:
    """Solver state along a path; answers what WorkingSet answers."""

    cdef readonly GramQuadratic quadratic
    cdef Design design
    cdef object weights
    cdef double[::1] cross
    cdef double total_square

    def __init__(self, problem, int n_threads):
        cdef Design design = problem.design
        cdef Gram gram = Gram(design.p)
        p, w, y = design.p, problem.weights, problem.response
        self.design, self.weights = design, w
        products, cross = tall_gram(design, np.sqrt(w), y, n_threads)
        gram.set(products)
        self.cross = cross
        self.total_square = np.sum(np.multiply(w, np.square(y)))
        self.quadratic = GramQuadratic(gram)
        self.quadratic.residual_square = self.total_square
        self.quadratic.append(design, problem.penalty, np.arange(p, dtype=np.intc), np.zeros(p), cross.copy())

    def resume(self, response, double[::1] start):
        """Go on with another response from the coefficients `start` (p,)."""
        cdef int k
        self.cross = self.design.products(np.multiply(self.weights, response), 1)
        self.total_square = np.sum(np.multiply(self.weights, np.square(response)))
        for k in range(self.quadratic.size):
            self.quadratic.b[k] = start[k]
        self._refresh()

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
        """z_j'r of every column, (p,)."""
        cdef int k
        return np.array([self.quadratic.g[k] for k in range(self.quadratic.size)])

    cdef void _refresh(self):
        cdef GramQuadratic q = self.quadratic
        cdef int k
        for k in range(q.size):
            q.g[k] = self.cross[k]
        for k in range(q.size):
            if q.b[k] != 0.0:
                axpy(q.size, -q.b[k], q.gram.G + <Py_ssize_t> k * q.gram.capacity, q.g)
        q.residual_square = self.total_square
        for k in range(q.size):
            q.residual_square -= q.b[k] * (self.cross[k] + q.g[k])
        q.residual_square = max(q.residual_square, 0.0)

    cpdef solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        cdef GramQuadratic q = self.quadratic
        cdef int outcome, tries
        cdef double gap, goal = 0.5 * target
        cdef long limit = q.iterations + budget
        for tries in range(5):
            with nogil:
                outcome = self.quadratic.solve(lam, goal, limit - self.quadratic.iterations)
            self._refresh()
            q.settle(lam)
            gap = q.best_gap(lam)
            if gap <= target:
                return CONVERGED, gap
            if outcome == MAX_ITER:
                break
            goal *= 0.1
        return outcome or STALLED, gap
