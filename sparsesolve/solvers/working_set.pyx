"""Working sets with certified bounds: products with X only for the columns that no bound excludes.

    minimise over b   sum_i w_i (y_i - (Zb)_i)^2 / 2 + lam Omega(b)

Given: a standardised design Z, weights w summing to 1, a response whose part along the intercept is out already, and
a warm start. Returned per lam: a duality gap over *all* columns, with the coefficients of the working ones.
Invariant: r = sqrt(w) (y - Zb), and for every column j outside, `seen[j]` is its exact product with the residual
number `origin[j]`, so that with the best multiple a of that residual (Cauchy-Schwarz)

    |z_j'r| <= |a seen[j]| + |z_j| |r - a r_origin|.

Columns whose bound stays below their threshold need no product; the others get an exact one, and violators enter.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport fabs, sqrt

import numpy as np

from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.gram cimport Gram
from sparsesolve.linalg.vector cimport dot, ss_multiply
from sparsesolve.penalties.elastic_net cimport ElasticNet, conjugate, feasible_scale
from sparsesolve.solvers.gram_quadratic cimport GramQuadratic
from sparsesolve.solvers.data_quadratic cimport DataQuadratic
from sparsesolve.solvers.quadratic cimport CONVERGED, MAX_ITER, STALLED, Quadratic

DEF SLOTS = 64      # residuals remembered
CG_PASSES = 60.0     # of the working columns' stored values per Newton step, with the dearer access of sparse ones


cdef class WorkingSet:
    """Solver state along a path."""

    cdef readonly Design design
    cdef readonly ElasticNet penalty
    cdef readonly Quadratic quadratic
    cdef readonly long products             # exact products with columns outside, so far
    cdef readonly long rounds
    cdef double working_values              # stored values of the working columns
    cdef int n_threads, n_slots, n_undecided
    cdef double[::1] root_w, response, r, u, norm, seen, exact, slope, distance, square
    cdef double[:, ::1] residuals
    cdef int[::1] origin, undecided, members

    def __init__(self, Design design, ElasticNet penalty, double[::1] w, double[::1] y, int n_threads):
        n, p = design.n, design.p
        self.design, self.penalty, self.n_threads = design, penalty, n_threads
        self.root_w = np.sqrt(w)
        self.response = np.multiply(self.root_w, y)
        self.r = np.array(self.response)
        self.u = np.empty(n)
        self.norm = design.norms(w, n_threads)
        self.seen, self.exact = np.zeros(p), np.zeros(p)
        self.origin, self.undecided = np.full(p, -1, dtype=np.intc), np.zeros(p, dtype=np.intc)
        self.members = np.zeros(SLOTS, dtype=np.intc)
        self.residuals = np.zeros((SLOTS, n))
        self.square, self.slope, self.distance = np.zeros(SLOTS), np.zeros(SLOTS), np.zeros(SLOTS)
        self.n_slots = 0
        self.quadratic = GramQuadratic(Gram(n))
        self.quadratic.residual_square = np.dot(self.r, self.r)
        shut = (np.asarray(penalty.lower) == 0) & (np.asarray(penalty.upper) == 0) | (np.asarray(self.norm) == 0)
        np.asarray(self.origin)[shut] = -2          # can never enter
        free = np.flatnonzero((np.asarray(penalty.l1) == 0) & (np.asarray(penalty.l2) == 0) & ~shut)
        self.enter(free.astype(np.intc))

    def enter(self, int[::1] which):
        """Take columns into the working set at zero."""
        cdef int k
        cdef DataQuadratic data
        count = which.shape[0]
        if count:
            zeros, gradient = np.zeros(count), np.zeros(count)
            self._weigh()
            for k in range(count):
                gradient[k] = self.design.correlate(which[k], &self.u[0], 0.0)
                if self.origin[which[k]] >= 0:
                    self.members[self.origin[which[k]]] -= 1
                self.origin[which[k]] = -2
                self.working_values += self.design.columns[which[k]].size
            if isinstance(self.quadratic, GramQuadratic) and self._gram_costs_more(self.quadratic.size + count):
                data = DataQuadratic(self.design, self.root_w)
                data.take_over(self.quadratic, self.penalty)
                self.quadratic = data
                data.refresh(&self.response[0], &self.r[0])
            self.quadratic.append(self.design, self.penalty, which, self.root_w, zeros, gradient)

    def _gram_costs_more(self, m):
        """Whether a Newton step by the Gram matrix of m columns costs more than one by conjugate gradients."""
        return 3.0 * m * m + 0.5 * m * self.design.n > CG_PASSES * self.working_values

    cdef void _weigh(self) noexcept:
        ss_multiply(self.design.n, &self.root_w[0], &self.r[0], &self.u[0])

    def correlations(self):
        """z_j'r of every column at the current residual, (p,); every column then refers to this residual."""
        cdef int j, slot = 0
        cdef Quadratic q = self.quadratic
        self._weigh()
        with nogil:
            self.design.correlate_all(&self.u[0], 0.0, &self.seen[0], self.n_threads)
        self.residuals[0, :] = self.r
        self.square[0] = dot(self.design.n, &self.r[0], &self.r[0])
        self.n_slots = 1
        self.members[:] = 0
        for j in range(self.design.p):
            if self.origin[j] != -2:
                self.origin[j] = 0
                self.members[0] += 1
        return np.array(self.seen)

    cpdef solve(self, double lam, double target, long budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        cdef Quadratic q = self.quadratic
        cdef int outcome, tries = 0
        cdef double gap, previous = -1.0
        cdef long limit = q.iterations + budget
        while True:
            with nogil:
                outcome = self.quadratic.solve(lam, 0.5 * target, limit - self.quadratic.iterations)
                self.quadratic.refresh(&self.response[0], &self.r[0])
            self.quadratic.settle(lam)
            PyErr_CheckSignals()
            self.rounds += 1
            gap = self._examine(lam)
            if gap <= target:
                return CONVERGED, gap
            if outcome == MAX_ITER or q.iterations >= limit:
                return MAX_ITER, gap
            entering = self._violators(lam)
            if entering.shape[0]:
                self.enter(entering)
                tries = 0
            elif tries == 4:
                return STALLED, gap
            else:
                tries += 1

    cdef double _examine(self, double lam):
        """The gap over all columns; fills `undecided` and their exact products."""
        cdef Quadratic q = self.quadratic
        cdef double scale, gap
        cdef int k, j
        cdef Py_ssize_t n = self.design.n
        self._measure()
        with nogil:
            self._exclude(lam)
            ss_multiply(n, &self.root_w[0], &self.r[0], &self.u[0])
            self.design.correlate_some(&self.undecided[0], self.n_undecided, &self.u[0], 0.0, &self.exact[0],
                                       self.n_threads)
        self.products += self.n_undecided
        scale = q.scale(lam)
        with nogil:
            for k in range(self.n_undecided):
                j = self.undecided[k]
                scale = min(scale, feasible_scale(self.exact[k], lam * self.penalty.l1[j], lam * self.penalty.l2[j],
                                                  self.penalty.lower[j], self.penalty.upper[j]))
        gap = q.gap(lam, scale)
        with nogil:
            for k in range(self.n_undecided):
                j = self.undecided[k]
                gap += conjugate(scale * self.exact[k], lam * self.penalty.l1[j], lam * self.penalty.l2[j],
                                 self.penalty.lower[j], self.penalty.upper[j])
        self._remember()
        return gap

    cdef void _measure(self) noexcept:
        """How far the residual is from the best multiple of each remembered one."""
        cdef int k
        cdef Py_ssize_t n = self.design.n
        cdef double here = self.quadratic.residual_square, product
        for k in range(self.n_slots):
            product = dot(n, &self.residuals[k, 0], &self.r[0])
            self.slope[k] = product / self.square[k] if self.square[k] > 0.0 else 0.0
            # 1e-13: the rounding of this difference, which must not make the bound too small
            self.distance[k] = sqrt(max(here - product * self.slope[k], 0.0) + 1e-13 * here)

    cdef void _exclude(self, double lam) noexcept nogil:
        """List the columns outside whose bound does not stay below their threshold."""
        cdef Py_ssize_t j
        cdef int slot, count = 0
        for j in range(self.design.p):
            slot = self.origin[j]
            if slot == -2:
                continue
            if slot < 0 or (fabs(self.slope[slot] * self.seen[j]) + self.norm[j] * self.distance[slot]
                            > lam * self.penalty.l1[j]):
                self.undecided[count] = j
                count += 1
        self.n_undecided = count

    cdef void _remember(self):
        """Make the current residual the origin of the columns that were just multiplied."""
        cdef int slot, k, j
        if self.n_undecided == 0:
            return
        if self.n_slots < SLOTS:
            slot = self.n_slots
            self.n_slots += 1
        else:
            slot = int(np.argmin(self.members))
            np.asarray(self.origin)[np.asarray(self.origin) == slot] = -1
        self.members[slot] = 0
        self.residuals[slot, :] = self.r
        self.square[slot] = self.quadratic.residual_square
        for k in range(self.n_undecided):
            j = self.undecided[k]
            if self.origin[j] >= 0:
                self.members[self.origin[j]] -= 1
            self.origin[j] = slot
            self.members[slot] += 1
            self.seen[j] = self.exact[k]

    def _violators(self, double lam):
        cdef int k, count = 0
        out = np.empty(self.n_undecided, dtype=np.intc)
        cdef int[::1] view = out
        for k in range(self.n_undecided):
            if fabs(self.exact[k]) > lam * self.penalty.l1[self.undecided[k]] * (1 + 1e-12):
                view[count] = self.undecided[k]
                count += 1
        return out[:count]
