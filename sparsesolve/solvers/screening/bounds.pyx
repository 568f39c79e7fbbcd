"""Certified bounds on the products Z_g'r of blocks of columns, as r moves along a path.

Most blocks need no product at most steps. All bounds are Cauchy-Schwarz. Each block remembers its
products with the last two residuals r1, r2 at which they were taken, so

    level(Z_g'r) <= level(a Z_g'r1 + c Z_g'r2) + rate_g |r - a r1 - c r2|

with the best a and c; residuals of neighbouring lams extrapolate each other well. A block whose
bound is below its threshold is certified (screening/safe_balls), as one is whose product is.

There is a step between bound and product. With columns in one byte a value (screening/quantised)
the products with r - a r1 - c r2, for the last two exact r1, r2, are known to about a hundredth of
that vector's length, for an eighth of the memory traffic. They are remembered with their error and
extrapolated like exact products.

Single columns that are short or sparse have none of this: their products cost less (measured).
"""
cimport cython
from cython.parallel cimport prange
from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.kernels.pass_threads cimport begin_pass, clock, end_pass
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.screening.correlations cimport Correlations, Record
from sparsesolve.solvers.screening.quantised cimport quantised
from sparsesolve.solvers.screening.rates cimport group_rates
from sparsesolve.solvers.screening.residuals cimport Gap, Residuals, Span

cdef extern from "inlined.h":
    pass

# Columns multiplied, then quantised while they are in cache: whole fours, as products are taken.
DEF TOGETHER = 64
# Blocks by which quantised columns are prefetched: about as many as hide a read from memory.
DEF AHEAD = 6
BOUND_ROWS = costs.screening.BOUND_ROWS
BOUND_VALUES = costs.screening.BOUND_VALUES
FEW_COLUMNS = costs.screening.FEW_COLUMNS
cdef double BYTES_FOR_THREADS = costs.screening.BYTES_FOR_THREADS
cdef double ENTER_AHEAD = costs.working_set.ENTER_AHEAD
cdef double CLOSE = costs.screening.CLOSE


cpdef Correlations correlations_of_columns(Design design, double[::1] root_w,
                                           const double[::1] threshold, int n_threads):
    """Bounds for long dense columns, products alone for others."""
    cdef Py_ssize_t values = design.n * design.p
    rate = design.norms(np.square(root_w), n_threads)
    if (design.stored == values >= BOUND_VALUES and design.n >= BOUND_ROWS
            and design.p > FEW_COLUMNS):
        sketch = quantised(design, root_w)
        return CorrelationBounds(design, root_w, rate, threshold, None, n_threads, sketch,
                                 None if sketch is None else sketch.error)
    return Correlations(design, root_w, rate, threshold, None, n_threads)


cpdef Correlations correlations_of_groups(Design design, double[::1] root_w,
                                          BlockPenalty penalty, int n_threads):
    """Bounds for the groups of a penalty."""
    sketch = quantised(design, root_w)
    rate, error = group_rates(design, root_w, penalty, sketch, n_threads)
    return CorrelationBounds(design, root_w, rate, np.ones(penalty.n_groups), penalty, n_threads,
                             sketch, error)


@cython.final
cdef class CorrelationBounds(Correlations):
    """Bounds for the blocks of `design` against thresholds lam * threshold_g; see Correlations.

    `sketch` holds the quantised columns, or None; `error` (G,) bounds what they lose of a level,
    per length of r.
    """

    def __init__(self, Design design, double[::1] root_w, rate, threshold, BlockPenalty penalty,
                 int n_threads, sketch, error):
        cdef Py_ssize_t g
        Correlations.__init__(self, design, root_w, rate, threshold, penalty, n_threads,
                              sizeof(Record), 4)
        for g in range(self.n_blocks):
            self.record(g)[0] = Record([-1, -1], [-1, -1], [0.0, 0.0])
        self.estimate_of, self.reach = np.zeros((2, self.n_blocks + 1))
        self.candidates, self.pending = np.zeros((2, self.n_blocks + 1), dtype=np.intc)
        self.work = np.zeros(self.p + 1)
        self.quantised, self.quantisation_error = sketch, error
        self.residuals = Residuals(self.n, self.p, sketch is not None)

    cdef void arrive(self, const double* r, double lam) noexcept nogil:
        """Remember the residual r under a new name."""
        self.lam = lam
        self.residuals.compare(r)
        self.latest = self.residuals.remember()

    cdef void exclude(self, double lam) noexcept nogil:
        if self.penalty is None:
            exclude(self, lam, True)
        else:
            exclude(self, lam, False)

    cdef void correlate(self, const int* columns, int count, double* out) noexcept nogil:
        """out[k] = z_j'r for j = columns[k]; columns are quantised while they are in cache."""
        cdef int done = 0, k, some
        while done < count:
            some = min(count - done, TOGETHER) if self.n_threads == 1 else count - done
            self.design.correlate_some(columns + done, some, &self.u[0], 0.0, out + done,
                                       self.n_threads)
            if self.quantised is not None:
                for k in range(done, done + some):
                    self.quantised.draw(columns[k])
            done += some

    cdef void remember(self) noexcept nogil:
        if self.penalty is None:
            keep(self, True)
        else:
            keep(self, False)

    cdef int predict_violators(self, const double* r, double lam, double forward,
                               int* which) noexcept nogil:
        """List blocks whose level, as far as bounds tell it, almost reaches lam * threshold at
        the coming residual r; returns how many."""
        self.residuals.compare(r)
        if self.penalty is None:
            return predict(self, ENTER_AHEAD * lam, which, True)
        return predict(self, ENTER_AHEAD * lam, which, False)


# The functions below take blocks. GCC compiles each twice, for single columns and for groups:
# `single` is a constant of the call (inlined.h).

cdef inline void sort(CorrelationBounds self, int g, double bound, double limit) noexcept nogil:
    """Certify block g, or list it as undecided: from the other end, if it is close."""
    if bound < limit:
        self.safe_balls.certify(g, bound)
        if bound > CLOSE * limit:
            self.n_close += 1
            self.undecided[self.n_blocks - self.n_close] = g
    else:
        self.undecided[self.n_undecided] = g
        self.n_undecided += 1


cdef inline void keep(CorrelationBounds self, bint single) noexcept nogil:
    """Remember the exact products of the undecided blocks, and certify by them."""
    cdef int k, g, j, s, total = 0
    cdef double* last
    for k in range(self.n_undecided):
        g = self.undecided[k]
        last, s = self.product(g, single), self.size(g, single)
        self.residuals.take(self.record(g, single).exact_at, self.latest)
        for j in range(s):
            last[s + j] = last[j]
            last[j] = self.exact[total + j]
        learn(self, g, last, 0.0, self.latest, single)
        self.level_of[k] = self.level(g, last, single)
        self.safe_balls.certify(g, self.level_of[k])
        total += s


cdef inline void learn(CorrelationBounds self, Py_ssize_t g, const double* products, double off,
                       int name, bint single) noexcept nogil:
    """Remember products with the residual of that name, whose level is within `off`."""
    cdef Record* record = self.record(g, single)
    cdef int j, s = self.size(g, single)
    cdef double* approx = self.product(g, single) + 2 * s
    self.residuals.take(record.approx_at, name)
    record.error[1] = record.error[0]
    record.error[0] = off
    for j in range(s):
        approx[s + j] = approx[j]
        approx[j] = products[j]


cdef inline double project(CorrelationBounds self, int g, bint single) noexcept nogil:
    """Estimate block g by its last two approximate products, in `work`, within `reach`; returns
    its level."""
    cdef Record* record = self.record(g, single)
    cdef int j, s = self.size(g, single)
    cdef const double* approx = self.product(g, single) + 2 * s
    cdef double* work = &self.work[self.place(g, single)]
    cdef const Span* span
    if not self.residuals.known(record.approx_at):
        self.reach[g] = INFINITY
        return 0.0
    span = self.residuals.span(record.approx_at)
    for j in range(s):
        work[j] = span.first * approx[j] + span.second * approx[s + j]
    self.reach[g] = (fabs(span.first) * record.error[0] + fabs(span.second) * record.error[1]
                     + self.rate[g] * span.distance)
    return self.level(g, work, single)


cdef inline void estimate_pending(CorrelationBounds self, int count, bint single) noexcept nogil:
    """Estimate the first `count` blocks in `pending`."""
    cdef int k, threads = 1
    cdef Py_ssize_t columns = 0
    cdef double begun
    for k in range(count):
        columns += self.size(self.pending[k], single)
    # limits have one place to work
    if (self.quantised is not None and columns * <double> self.n >= BYTES_FOR_THREADS
            and (single or not self.penalty.limited)):
        threads = begin_pass(self.n_threads)
    if threads > 1:
        for k in range(count):
            compare(self, self.pending[k], single)
        begun = clock()
        for k in prange(count, num_threads=threads, schedule="static"):
            estimate(self, k, count, single)
        end_pass(threads, begun, columns * <double> self.n)
    else:
        for k in range(count):
            compare(self, self.pending[k], single)
            estimate(self, k, count, single)
    if self.quantised is not None:
        self.estimates += count


cdef inline void compare(CorrelationBounds self, int g, bint single) noexcept nogil:
    """Compare the current residual with those of the exact products, which blocks share."""
    if self.quantised is None:
        self.residuals.span(self.record(g, single).exact_at)
    else:
        self.residuals.gap_of(self.record(g, single).exact_at)


cdef inline void estimate(CorrelationBounds self, int k, int count, bint single) noexcept nogil:
    """Estimate the block pending[k] by its exact products and quantised columns, after `compare`:
    `work`, `estimate_of` and `reach`.
    """
    cdef int g = self.pending[k], j, s = self.size(g, single), first = self.place(g, single)
    cdef Span* span = self.residuals.span(self.record(g, single).exact_at)
    cdef const double* exact = self.product(g, single)
    cdef double* work = &self.work[first]
    cdef const Gap* gap = &self.residuals.gap[max(span.gap, 0)]
    if k + AHEAD < count and self.quantised is not None:
        prefetch(self, self.pending[k + AHEAD], single)
    for j in range(s):
        work[j] = span.first * exact[j] + span.second * exact[s + j]
    self.reach[g] = self.rate[g] * span.distance
    if span.gap >= 0:
        for j in range(s):
            work[j] += gap.unit * self.quantised.dot(
                g if single else self.member[first + j], &self.residuals.fine[span.gap, 0])
        self.reach[g] = (self.quantisation_error[g] * span.distance
                         + (self.rate[g] + self.quantisation_error[g]) * gap.lost)
    self.estimate_of[g] = self.level(g, work, single)


cdef inline void prefetch(CorrelationBounds self, int g, bint single) noexcept nogil:
    """Ask for the quantised columns of block g, which will be wanted soon."""
    cdef int j, first = self.place(g, single)
    for j in range(first, first + self.size(g, single)):
        self.quantised.prefetch(g if single else self.member[j])


cdef inline void exclude(CorrelationBounds self, double lam, bint single) noexcept nogil:
    """Sort the blocks: first by what is remembered of them, then by quantised columns."""
    cdef Py_ssize_t i, candidates = self.safe_balls.candidates(lam, &self.candidates[0])
    cdef int g, k, pending = 0
    cdef double bound, limit
    for i in range(candidates):
        g = self.candidates[i]
        limit = lam * self.threshold[g]
        bound = project(self, g, single) + self.reach[g]
        if (bound >= limit and self.quantised is not None
                and self.residuals.known(self.record(g, single).exact_at)):
            self.pending[pending] = g
            pending += 1
        else:
            sort(self, g, bound, limit)
    estimate_pending(self, pending, single)
    for k in range(pending):
        g = self.pending[k]
        learn(self, g, &self.work[self.place(g, single)], self.reach[g], self.latest, single)
        sort(self, g, self.estimate_of[g] + self.reach[g], lam * self.threshold[g])


cdef inline int predict(CorrelationBounds self, double limit, int* which,
                        bint single) noexcept nogil:
    """List blocks whose level almost reaches limit * threshold at the residual compared last."""
    cdef int k, g, name, known = 0, pending = 0, count = 0
    for k in range(self.n_undecided + self.n_close):
        g = self.undecided[k if k < self.n_undecided
                           else self.n_blocks - 1 - (k - self.n_undecided)]
        if self.safe_balls.dropped(g) or not self.residuals.known(self.record(g, single).exact_at):
            continue
        which[known] = g
        known += 1
        self.estimate_of[g] = project(self, g, single)
        if fabs(self.estimate_of[g] - limit * self.threshold[g]) < self.reach[g]:
            self.pending[pending] = g
            pending += 1
    estimate_pending(self, pending, single)
    if pending > 0:         # the residual that comes will be near
        name = self.residuals.remember()
        for k in range(pending):
            g = self.pending[k]
            learn(self, g, &self.work[self.place(g, single)], self.reach[g], name, single)
    for k in range(known):
        if self.estimate_of[which[k]] > limit * self.threshold[which[k]]:
            which[count] = which[k]
            count += 1
    return count
