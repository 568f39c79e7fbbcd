"""Certified bounds on |z_j'r| for the columns of a design, as r moves: most columns need no
product at most steps.

All are Cauchy-Schwarz. Each column remembers its products with the last two residuals r1, r2 that
it met, so

    |z_j'r| <= |a z_j'r1 + c z_j'r2| + |z_j| |r - a r1 - c r2|

with the best a and c; residuals of neighbouring lams extrapolate each other well. A column whose
bound is below its threshold sleeps, as one does whose product is (linalg/safe_balls).

There is a step between bound and product: with the column in one byte a value (linalg/sketch) the
product with r - a r1 - c r2, for the last exact r1, r2, is known to about a hundredth of that
vector's length, for an eighth of the memory traffic. What it tells is remembered with its error,
and extrapolated like an exact product.

Columns that are short or sparse have none of this: their products cost less (measured;
linalg/correlations).
"""
from libc.math cimport INFINITY, fabs
from libc.stdlib cimport calloc, free

import numpy as np

from sparsesolve.solvers.screening.correlations cimport Correlations
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.solvers.screening.residuals cimport Gap, Residuals, Span
from sparsesolve.solvers.screening.quantised cimport quantised
from sparsesolve.linalg.kernels.vector cimport ss_multiply

# columns multiplied and drawn while they are in cache: whole fours, as they are met
DEF TOGETHER = 64
DEF AHEAD = 6               # columns by which the memory of the sketch is asked for early
LONG = 350                  # rows of a dense design from which a bound costs less than a product
MANY = 1_000_000            # values in it, likewise
FEW = 256                   # columns up to which residuals to compare cost more than products
# of the threshold: extrapolation along the path errs by about a hundredth
cdef double ALMOST = 0.99
cdef double NEAR = 0.8      # likewise: the middle of a bound is not that far off
cdef double CLOSE = 0.9     # of the threshold: bounds above it may pass it at the next lam


cpdef Correlations correlations(Design design, double[::1] root_w, const double[::1] threshold,
                                int n_threads):
    """What suits the design: bounds for long dense columns, products alone for others."""
    cdef Py_ssize_t values = design.n * design.p
    if design.stored == values >= MANY and design.n >= LONG and design.p > FEW:
        return CorrelationBounds(design, root_w, threshold, n_threads)
    return Correlations(design, root_w, threshold, n_threads)


cdef class CorrelationBounds(Correlations):
    """Bounds for the columns of `design` against thresholds lam * threshold_j; see Correlations."""

    def __cinit__(self, Design design, double[::1] root_w, const double[::1] threshold,
                  int n_threads):
        cdef Py_ssize_t j, n = design.n, p = design.p
        self.known = <Known*> calloc(max(p, 1), sizeof(Known))
        if self.known == NULL:
            raise MemoryError
        for j in range(p):
            self.known[j] = Known([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [-1, -1], [-1, -1])
        self.solved[0] = self.solved[1] = -1
        self.candidates, self.pending = np.zeros((2, max(p, 1)), dtype=np.intc)
        self.quantised = quantised(design, root_w)
        self.residuals = Residuals(n, p, self.quantised is not None)

    def __dealloc__(self):
        free(self.known)

    def products_seen(self):
        """The last product of every column, (p,)."""
        cdef Py_ssize_t j
        return np.array([self.known[j].product[0] for j in range(self.p)])

    cdef int examine(self, const double* r, double lam) noexcept nogil:
        cdef int k, j, name
        cdef Known* column
        if lam != self.lam:
            self.lam, self.solved[1] = lam, self.solved[0]
        self.solved[0] = name = self._arrive(r)
        self._exclude(lam, name)
        self.multiply(r)
        for k in range(self.n_undecided):
            j = self.undecided[k]
            column = &self.known[j]
            column.product[1], column.product[0] = column.product[0], self.exact[k]
            self.residuals.take(column.exact_at, name)
            self._learn(column, self.exact[k], 0.0, name)
            self.safe_balls.certify(j, fabs(self.exact[k]))
        return self.n_undecided

    cdef void multiply(self, const double* r) noexcept nogil:
        """exact = products of the undecided columns with r; what is in cache is drawn at once."""
        cdef int done = 0, k, count
        ss_multiply(self.n, &self.root_w[0], r, &self.u[0])
        while done < self.n_undecided:
            count = self.n_undecided - done
            if self.n_threads == 1:
                count = min(count, TOGETHER)
            self.design.correlate_some(&self.undecided[done], count, &self.u[0], 0.0,
                                       &self.exact[done],
                                       self.n_threads)
            if self.quantised is not None:
                for k in range(done, done + count):
                    self.quantised.draw(self.undecided[k])
            done += count
        self.products += self.n_undecided

    cdef void _learn(self, Known* column, double product, double off, int name) noexcept nogil:
        """Remember a product with the residual of that name, within `off`."""
        column.approx[1], column.error[1] = column.approx[0], column.error[0]
        column.approx[0], column.error[0] = product, off
        self.residuals.take(column.approx_at, name)

    cdef void multiply_all(self, const double* r) noexcept nogil:
        cdef Py_ssize_t j
        cdef int name
        cdef Known* column
        self.n_undecided, self.n_close = <int> self.p, 0
        for j in range(self.p):
            self.undecided[j] = <int> j
        self.multiply(r)
        self.n_undecided = 0
        name = self._arrive(r)
        for j in range(self.p):
            column = &self.known[j]
            column.product[1], column.product[0] = column.product[0], self.exact[j]
            self.residuals.take(column.exact_at, name)
            self._learn(column, self.exact[j], 0.0, name)
            self.safe_balls.certify(j, fabs(self.exact[j]))

    cdef int predict_violators(self, const double* r, double lam, double forward,
                               int* which) noexcept nogil:
        """Columns close to entering whose product, as bounds tell it, all but reaches lam *
        threshold; how many."""
        cdef int k, j, count = 0
        cdef double product
        cdef bint compared = False
        cdef Known* column
        cdef const Span* span
        for k in range(self.n_undecided + self.n_close):
            j = (self.undecided[k] if k < self.n_undecided
                 else self.undecided[self.p - 1 - (k - self.n_undecided)])
            column = &self.known[j]
            if self.safe_balls.dropped(j) or not self.residuals.known(column.approx_at):
                continue
            if column.approx_at[0] == self.solved[0] and column.approx_at[1] == self.solved[1] >= 0:
                product = column.approx[0] + forward * (column.approx[0] - column.approx[1])
            else:
                if not compared:
                    compared = True
                    self.residuals.compare(r)
                span = self.residuals.span(column.approx_at)
                product = span.first * column.approx[0] + span.second * column.approx[1]
                if (fabs(product) > NEAR * lam * self.threshold[j]
                    and self.residuals.known(column.exact_at)):
                    product = self._estimate(j, column)
            if fabs(product) > ALMOST * lam * self.threshold[j]:
                which[count] = j
                count += 1
        return count

    cdef int _arrive(self, const double* r) noexcept nogil:
        """The path has come to r; returns the name under which it is remembered."""
        self.residuals.compare(r)
        self.safe_balls.move(r)
        return self.residuals.remember()

    cdef void _exclude(self, double lam, int name) noexcept nogil:
        """List the columns candidates whose bound at the residual `name` exceeds their threshold;
        from the other end, the next ones.
        """
        cdef Py_ssize_t j, i, candidates
        cdef int k, pending = 0
        cdef double bound, limit, product
        cdef Known* column
        cdef const Span* span
        self.n_undecided = self.n_close = 0
        candidates = self.safe_balls.candidates(lam, &self.candidates[0])
        for i in range(candidates):
            j = self.candidates[i]
            column = &self.known[j]
            limit = lam * self.threshold[j]
            bound = INFINITY
            if self.residuals.known(column.approx_at):
                span = self.residuals.span(column.approx_at)
                bound = (fabs(span.first * column.approx[0] + span.second * column.approx[1])
                         + fabs(span.first) * column.error[0] + fabs(span.second) * column.error[1]
                         + self.norm[j] * span.distance)
                if (bound >= limit and self.quantised is not None
                    and self.residuals.known(column.exact_at)):
                    self.pending[pending] = j
                    pending += 1
                    continue
            self._sort(j, bound, limit)
        for k in range(pending):
            j = self.pending[k]
            column = &self.known[j]
            if k + AHEAD < pending:
                self.quantised.prefetch(self.pending[k + AHEAD])
            product = self._estimate(j, column)
            self._learn(column, product, self.reach, name)
            self._sort(j, fabs(product) + self.reach, lam * self.threshold[j])

    cdef void _sort(self, Py_ssize_t j, double bound, double limit) noexcept nogil:
        """Put column j to sleep, or among the undecided."""
        if bound < limit:
            self.safe_balls.certify(j, bound)
            if bound > CLOSE * limit:
                self.n_close += 1
                self.undecided[self.p - self.n_close] = j
        else:
            self.undecided[self.n_undecided] = j
            self.n_undecided += 1

    cdef double _estimate(self, Py_ssize_t j, const Known* column) noexcept nogil:
        """z_j'r from the exact products remembered and the sketch, within `reach`."""
        cdef Span* span = self.residuals.span(column.exact_at)
        cdef double product = span.first * column.product[0] + span.second * column.product[1]
        cdef int k = self.residuals.gap_of(column.exact_at) if self.quantised is not None else -1
        cdef Gap* gap
        if k < 0:
            self.reach = self.norm[j] * span.distance
            return product
        gap = &self.residuals.gap[k]
        self.reach = self.quantised.error[j] * span.distance + (self.norm[j]
                + self.quantised.error[j]) * gap.lost
        self.estimates += 1
        return product + gap.unit * self.quantised.dot(j, &self.residuals.fine[k, 0])
