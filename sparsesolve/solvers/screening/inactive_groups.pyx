"""Groups of columns that are not at work: which of them a bound keeps at zero, and what the
others add to the gap.

With the polar of a group's penalty, which is positively homogeneous and subadditive, and the
products with two remembered residuals r1, r2,

    polar(Z_g'r) <= polar(a Z_g'r1 + c Z_g'r2) + rate_g |r - a r1 - c r2|,   rate_g = reach_g |Z_g|,

where reach_g is the polar's largest value on the unit ball and |Z_g| the largest singular value.
Between two looks a group sleeps while its bound, growing at rate_g along the path of r, stays
below lam. Where that bound does not do and the design is dense, products with r - a r1 - c r2 by
a byte a value are tried, remembered and extrapolated in turn (see linalg/bounds).
"""
from cython.parallel cimport prange, threadid
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memset

import numpy as np

from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.solvers.screening.residuals cimport Gap, Residuals, Span
from sparsesolve.solvers.screening.quantised cimport quantised
from sparsesolve.solvers.screening.safe_balls cimport SafeBalls
from sparsesolve.linalg.kernels.pass_threads cimport clock, end_pass, begin_pass
from sparsesolve.linalg.kernels.vector cimport dot, ss_add_dots, ss_multiply
from sparsesolve.penalties.blocks cimport MOVING, BlockPenalty
from sparsesolve.solvers.screening.inactive cimport Inactive
from sparsesolve.solvers.screening.inactive import farthest

# share of stored values from which singular values cost little beside the bounds they mend,
DENSE_FROM = 0.15
cdef Py_ssize_t LARGEST = 100               # columns of a group, up to which they do
DEF AHEAD = 2               # groups by which the memory of the sketch is asked for early
cdef double WORTH_THREADS = 5e5     # bytes of it from which threads gain more than they wait
cdef double VIOLATION = 1e-12       # relative
cdef double ALMOST = 0.99           # of lam: extrapolation along the path errs by about a hundredth
cdef double CLOSE = 0.9             # of lam: bounds above it may pass it at the next lam


cdef class InactiveGroups(Inactive):

    def __init__(self, Design design, double[::1] root_w, BlockPenalty penalty, int n_threads):
        cdef Py_ssize_t g
        G, p = penalty.n_groups, design.p
        self.design, self.root_w, self.penalty, self.n_threads = design, root_w, penalty, n_threads
        self.u, self.found, self.work = np.zeros(design.n), np.zeros(p + 1), np.zeros(p + 1)
        self.product, self.approx = np.zeros((2, 2, p + 1))
        self.exact_at, self.approx_at = np.full((2, G, 2), -1, dtype=np.intc)
        self.off, (self.level, self.reach) = np.zeros((2, G)), np.zeros((2, G))
        self.undecided, self.close, self.candidates, self.pending = np.zeros((4, G + 1),
                dtype=np.intc)
        self.columns = np.zeros(p + 1, dtype=np.intc)
        self.rate = np.zeros(G)
        self.safe_balls = SafeBalls(design.n, self.rate, np.ones(G))
        cdef double[::1] squares = None
        cdef const double* of_columns = NULL
        if p > 0 and design.stored < DENSE_FROM * design.n * p:
            squares = np.square(design.norms(np.square(root_w), n_threads))
            of_columns = &squares[0]
        self.quantisation_error = np.zeros(G)
        self.quantised = quantised(design, root_w)
        self.residuals = Residuals(design.n, p, self.quantised is not None)
        room = (min(LARGEST, int(np.diff(penalty.start).max(initial=1))) + 1) * (design.n + 2)
        room = room if squares is None else 1       # of sparse columns the lengths are enough
        cdef double[:, ::1] rooms = np.empty((n_threads, room))
        with nogil:
            for g in prange(penalty.n_groups, num_threads=n_threads, schedule="static"):
                self.measure(g, of_columns, &rooms[threadid(), 0])

    cdef void measure(self, Py_ssize_t g, const double* squares, double* room) noexcept nogil:
        """Draw the group's columns, where there is a sketch; rate and blur.

        rate by a bound of the largest eigenvalue of Z_g'WZ_g: its trace, or where that costs
        little its largest row sum; blur by the lengths of what the sketch loses of the columns.
        squares: of the columns, NULL where the design is dense.
        """
        cdef Py_ssize_t first = self.penalty.start[g], s = self.penalty.size(g), n = self.design.n
        cdef Py_ssize_t i, j, member
        cdef double total = 0.0, largest = 0.0, lost = 0.0
        cdef bint all_fit = s <= LARGEST
        cdef double* z
        cdef double* sums
        cdef double* row
        if self.penalty.block_unpenalised(g):
            return
        if all_fit:
            sums, row = room + n * s, room + n * s + s
        for j in range(s):
            member = self.penalty.member[first + j]
            if squares != NULL:
                total += squares[member]
                continue
            z = room + n * j if all_fit else room
            col.unpack(&self.design.columns[member], n, 0, n, z)
            ss_multiply(n, &self.root_w[0], z, z)
            if self.quantised is not None:
                self.quantised.take(member, z)
                lost += self.quantised.error[member] ** 2
            if not all_fit:
                total += dot(n, z, z)
                continue
            memset(row, 0, (j + 1) * sizeof(double))
            ss_add_dots(n, j + 1, room, NULL, n, z, row)
            sums[j], total = 0.0, total + row[j]
            for i in range(j + 1):
                sums[i] += fabs(row[i])
                if i < j:
                    sums[j] += fabs(row[i])
        if squares == NULL and all_fit:
            for j in range(s):
                largest = max(largest, sums[j])
            total = min(total, largest)
        total *= 1.0 + 1e-12
        self.rate[g] = self.penalty.reach(g) * sqrt(total)
        self.quantisation_error[g] = self.penalty.reach(g) * sqrt(lost)

    cdef int examine(self, const double* r, double lam) noexcept nogil:
        cdef Py_ssize_t i, candidates
        cdef int g, k, name, pending = 0
        self.residuals.compare(r)
        self.safe_balls.move(r)
        name = self.residuals.remember()
        self.n_undecided = self.n_close = 0
        candidates = self.safe_balls.candidates(lam, &self.candidates[0])
        for i in range(candidates):
            g = self.candidates[i]
            self.remembered(g)
            if (self.level[g] + self.reach[g] >= lam and self.quantised is not None
                    and self.residuals.known(&self.exact_at[g, 0])):
                self.pending[pending] = g
                pending += 1
            else:
                self.sort(g, self.level[g] + self.reach[g], lam)
        self.estimate_all(pending)
        for k in range(pending):
            g = self.pending[k]
            self.learn(g, &self.work[self.penalty.start[g]], self.reach[g], name)
            self.sort(g, self.level[g] + self.reach[g], lam)
        if self.n_undecided > 0:
            self.multiply(&self.undecided[0], self.n_undecided, name, r)
        return self.n_undecided

    def examined(self, const double[::1] r, double lam):
        """Groups that no bound keeps at zero at the residual r."""
        cdef int count = self.examine(&r[0], lam)
        return np.array(self.undecided[:count])

    cdef void sort(self, int g, double bound, double lam) noexcept nogil:
        """Put a group to sleep, or among the undecided."""
        if bound >= lam:
            self.undecided[self.n_undecided] = g
            self.n_undecided += 1
            return
        self.safe_balls.certify(g, bound)
        if bound > CLOSE * lam:
            self.close[self.n_close] = g
            self.n_close += 1

    cdef void prefetch(self, int g) noexcept nogil:
        """The sketch of a group will be wanted soon."""
        cdef Py_ssize_t j
        for j in range(self.penalty.start[g], self.penalty.start[g + 1]):
            self.quantised.prefetch(self.penalty.member[j])

    cdef void remembered(self, int g) noexcept nogil:
        """level: the polar of the products, as far as the last two tell them, within `reach`."""
        cdef Span* span
        cdef Py_ssize_t j
        self.level[g], self.reach[g] = 0.0, INFINITY
        if not self.residuals.known(&self.approx_at[g, 0]):
            return
        span = self.residuals.span(&self.approx_at[g, 0])
        for j in range(self.penalty.start[g], self.penalty.start[g + 1]):
            self.work[j] = span.first * self.approx[0, j] + span.second * self.approx[1, j]
        self.reach[g] = (fabs(span.first) * self.off[0, g] + fabs(span.second) * self.off[1, g]
                         + self.rate[g] * span.distance)
        self.level[g] = self.penalty.block_polar(g, &self.work[self.penalty.start[g]], MOVING)

    cdef void learn(self, int g, const double* product, double off, int name) noexcept nogil:
        """Remember products with the residual of that name, whose polar is within `off`."""
        cdef Py_ssize_t j, first = self.penalty.start[g], s = self.penalty.size(g)
        self.residuals.take(&self.approx_at[g, 0], name)
        self.off[1, g], self.off[0, g] = self.off[0, g], off
        for j in range(s):
            self.approx[1, first + j], self.approx[0, first + j] = self.approx[0,
                    first + j], product[j]

    cdef void estimate_all(self, int count) noexcept nogil:
        """Estimates of the first `count` groups in `pending`."""
        cdef int k, threads = 1
        cdef double total = 0.0, begun
        for k in range(count):
            if self.quantised is not None:
                self.residuals.gap_of(&self.exact_at[self.pending[k], 0])
            total += self.penalty.size(self.pending[k])
        # a limited block has one place to work
        if total * self.design.n >= WORTH_THREADS and not self.penalty.limited:
            threads = begin_pass(self.n_threads)
        begun = clock()
        for k in prange(count, num_threads=threads, schedule="static"):
            if k + AHEAD < count and self.quantised is not None:
                self.prefetch(self.pending[k + AHEAD])
            self.estimate(self.pending[k])
        end_pass(threads, begun, total * self.design.n)

    cdef void estimate(self, int g) noexcept nogil:
        """level: the polar of the products, as far as the two remembered ones and the sketch tell
        them, within `reach`.

        The current residual has been compared with these two.
        """
        cdef Span* span = self.residuals.span(&self.exact_at[g, 0])
        cdef Py_ssize_t j
        cdef int k = span.gap
        cdef Gap* gap = &self.residuals.gap[max(k, 0)]
        for j in range(self.penalty.start[g], self.penalty.start[g + 1]):
            self.work[j] = span.first * self.product[0, j] + span.second * self.product[1, j]
            if k >= 0:
                self.work[j] += gap.unit * self.quantised.dot(self.penalty.member[j],
                        &self.residuals.fine[k, 0])
        self.reach[g] = self.rate[g] * span.distance
        if k >= 0:
            self.reach[g] = (self.quantisation_error[g] * span.distance
                             + (self.rate[g] + self.quantisation_error[g]) * gap.lost)
        self.level[g] = self.penalty.block_polar(g, &self.work[self.penalty.start[g]], MOVING)

    cdef void multiply(self, const int* groups, int count, int name,
                       const double* r) noexcept nogil:
        """The exact products of these groups with r, the current residual."""
        cdef Py_ssize_t j, total = 0
        cdef int k, g
        for k in range(count):
            for j in range(self.penalty.start[groups[k]], self.penalty.start[groups[k] + 1]):
                self.columns[total] = self.penalty.member[j]
                total += 1
        ss_multiply(self.design.n, &self.root_w[0], r, &self.u[0])
        self.design.correlate_some(&self.columns[0], total, &self.u[0], 0.0, &self.found[0],
                                   self.n_threads)
        total = 0
        for k in range(count):
            g = groups[k]
            self.residuals.take(&self.exact_at[g, 0], name)
            for j in range(self.penalty.start[g], self.penalty.start[g + 1]):
                self.product[1, j], self.product[0, j] = self.product[0, j], self.found[total]
                total += 1
            self.learn(g, &self.product[0, self.penalty.start[g]], 0.0, name)
            self.safe_balls.certify(g, self.penalty.block_polar(g,
                    &self.product[0, self.penalty.start[g]], MOVING))

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        cdef double scale = 1.0
        cdef int k, g
        for k in range(self.n_undecided):
            g = self.undecided[k]
            scale = min(scale,
                        self.penalty.block_scale(g, &self.product[0, self.penalty.start[g]], lam,
                                                 strict))
        return scale

    cdef double gap(self, double lam, double scale) noexcept nogil:
        cdef double total = 0.0
        cdef int k, g
        cdef Py_ssize_t j
        for k in range(self.n_undecided):
            g = self.undecided[k]
            for j in range(self.penalty.start[g], self.penalty.start[g + 1]):
                self.work[j] = scale * self.product[0, j]
            total += self.penalty.block_conjugate(g, &self.work[self.penalty.start[g]], lam)
        return total

    cdef double promise(self, double lam) noexcept nogil:
        cdef int k, g
        cdef double over, total = 0.0
        for k in range(self.n_undecided):
            g = self.undecided[k]
            over = self.penalty.block_polar(g, &self.product[0, self.penalty.start[g]],
                                            MOVING) - lam
            if over > 0.0:
                total += over * over / (self.rate[g] ** 2 + lam * self.penalty.ridge[g]
                                        * self.penalty.reach(g) ** 2)
        return 0.5 * total

    cdef int[::1] violators(self, double lam, int most):
        cdef int k, g, count = 0, columns = 0
        cdef int[::1] out = np.empty(self.n_undecided, dtype=np.intc)
        cdef double[::1] level = np.empty(self.n_undecided)
        for k in range(self.n_undecided):
            g = self.undecided[k]
            level[count] = self.penalty.block_polar(g, &self.product[0, self.penalty.start[g]],
                                                    MOVING)
            if level[count] > lam * (1 + VIOLATION):
                out[count] = g
                columns += <int> self.penalty.size(g)
                count += 1
        if columns > most:
            sizes = np.diff(self.penalty.start)[np.asarray(out)[:count]]
            return self.columns_of(np.asarray(out)[farthest(level[:count], sizes, most)])
        return self.columns_of(out[:count])

    cdef int[::1] predict_violators(self, const double* r, double lam, double forward):
        cdef int k, g, candidates = 0, pending = 0, count = 0, name
        cdef int[::1] which = np.empty(self.n_undecided + self.n_close, dtype=np.intc)
        self.residuals.compare(r)
        for k in range(self.n_undecided + self.n_close):
            g = self.undecided[k] if k < self.n_undecided else self.close[k - self.n_undecided]
            if self.safe_balls.dropped(g) or not self.residuals.known(&self.exact_at[g, 0]):
                continue
            which[candidates], candidates = g, candidates + 1
            self.remembered(g)
            if fabs(self.level[g] - ALMOST * lam) < self.reach[g]:
                self.pending[pending], pending = g, pending + 1
        self.estimate_all(pending)
        if pending > 0:         # the residual that comes will be near
            name = self.residuals.remember()
            for k in range(pending):
                g = self.pending[k]
                self.learn(g, &self.work[self.penalty.start[g]], self.reach[g], name)
        for k in range(candidates):
            if self.level[which[k]] > ALMOST * lam:
                which[count], count = which[k], count + 1
        return self.columns_of(which[:count])

    cdef int[::1] unpenalised(self):
        """Groups on which there is no norm; those all of whose columns are zero or cannot move
        never come in."""
        cdef int g
        first = []
        starts = np.asarray(self.penalty.start)[:self.penalty.n_groups]
        moving = (np.asarray(self.penalty.lower) < 0) | (np.asarray(self.penalty.upper) > 0)
        moving &= np.asarray(self.design.spread)[np.asarray(self.penalty.member)] > 0
        alive = np.add.reduceat(moving, starts) > 0 if len(starts) else np.zeros(0)
        for g in range(self.penalty.n_groups):
            if not alive[g]:
                self.safe_balls.drop(g)
            elif self.penalty.block_unpenalised(g):
                first.append(g)
        return self.columns_of(np.array(first, dtype=np.intc))

    cdef int[::1] together(self, which):
        return self.columns_of(np.unique(np.asarray(self.penalty.of)[which]))

    cdef int[::1] columns_of(self, const int[::1] groups):
        """Their columns, group by group."""
        cdef Py_ssize_t k, j, total = 0
        cdef int[::1] out
        for k in range(groups.shape[0]):
            total += self.penalty.size(groups[k])
        out, total = np.empty(total, dtype=np.intc), 0
        for k in range(groups.shape[0]):
            for j in range(self.penalty.start[groups[k]], self.penalty.start[groups[k] + 1]):
                out[total], total = self.penalty.member[j], total + 1
        return out

    cdef void leave(self, const int[::1] which) noexcept:
        cdef Py_ssize_t k
        for k in range(which.shape[0]):
            self.safe_balls.drop(self.penalty.of[which[k]])

    cdef products(self, const double* r):
        u = np.multiply(self.root_w, <double[:self.design.n]> <double*> r)
        return self.design.products(u, self.n_threads)
