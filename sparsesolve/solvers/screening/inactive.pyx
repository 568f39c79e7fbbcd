"""Safe screening of inactive columns or groups by balls around earlier residuals.

A feature stays inactive at r as long as |z_j'r| < lam v_j. If |z_j'r_0| is known, Cauchy-Schwarz
gives for r = s r_0 + e

    |z_j'r| <= s |z_j'r_0| + |z_j| |e|.

So one comparison of the accumulated s and |e| with a stored number certifies that feature j need
not be multiplied. Along a path r mostly shrinks (s < 1) and turns little (|e| is small), so most
features are certified at most lambdas. Features with few non-zeros use the largest entry of e in
place of its length.

Inactive is what a working set asks of the others. A block is a column under the elastic net, or a
group under a penalty on groups. Its level is |z_j'r| or polar_g(Z_g'r), and its rate is how fast
that may grow with the length of r:

    polar_g(Z_g'dr) <= rate_g |dr|,   rate_g = reach_g |Z_g|

with reach_g the largest polar on the unit ball, and |Z_g| the largest singular value of the block's
columns in the norm with weights w; r stands for sqrt(w) times a residual of the samples.
Invariant: blocks that `examine` does not multiply are below their thresholds at that residual and
lam, so they are dual feasible and add nothing to the gap.
Reference: El Ghaoui, Viallon, Rabbani (2012), "Safe feature elimination", for s = 1.
"""
from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design, RoundedVector
from sparsesolve.linalg.kernels.vector cimport dot, ss_candidates, ss_multiply, ss_travel
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.penalties.elastic_net cimport ElasticNet, conjugate, feasible_scale

cdef double ROUNDING = tolerances.ROUNDING
# Columns enter ahead of time from this part of their threshold. The residual extrapolated to the
# next lambda is known to about a hundredth; a smaller share lets in columns that are never
# active.
# Iterations at 0.97 and 0.996667: logistic groups 1.01 and 1.02.
cdef double ENTER_AHEAD = 0.99
# Columns of a group up to which its inner products are formed for the bound on |Z_g|.
LARGEST_GROUP = 100


def most_entering(int working):
    """The columns that may enter in one round: the working set at most doubles.

    Fewer than 256 take more rounds; more take in columns that are never active.
    """
    return max(256, working)


def farthest(level, columns, most):
    """The violators that enter first: those of the highest levels, and all without a penalty.

    `most` bounds their columns. Where a path begins far below its first lambda, nearly all
    columns violate, and few of them will be wanted.
    """
    order = np.argsort(-np.asarray(level), kind="stable")
    level, columns = np.asarray(level)[order], np.asarray(columns)[order]
    before = np.cumsum(columns) - columns
    return np.sort(order[(before < most) | np.isinf(level)])


cdef class SafeBalls:
    """Screening of p features, which are all candidates at first.

    r has n entries, or `parts` times n side by side, as of several responses. `rate` (p,) is how
    fast the size of each feature's products may grow with |e|, or if negative with the largest
    entry of e, for one part only; `threshold` (p,) what the size must not reach, over lam. Sizes
    grow with the length of all parts of e `together`, or else with that of the longest part.
    """

    def __cinit__(self, Py_ssize_t n, rate, threshold, int parts=1, bint together=True):
        self.n, self.parts, self.together = n, parts, together
        self.rate, self.threshold, self.kept = rate, threshold, np.full(len(rate), INFINITY)
        self.last, self.scale = np.zeros(n * parts), 1.0

    cdef void move(self, const double* r) noexcept nogil:
        """Move to the residual r; all are candidates where it has no direction, or floats end."""
        cdef int k
        cdef Py_ssize_t j
        cdef double* last = &self.last[0]
        cdef double length = dot(self.n * self.parts, last, last)
        cdef double along = dot(self.n * self.parts, r, last)
        cdef double factor = along / length, distance = 0.0, one, off, largest = 0.0
        for k in range(self.parts):
            one = ss_travel(self.n, factor, r + k * self.n, last + k * self.n, &largest)
            distance = distance + one if self.together else max(distance, one)
        self.scale *= factor
        # rounding of the residual, and of all lengths so far
        off = 1e-15 * (factor * sqrt(length) + self.moved * self.scale)
        distance, largest = (sqrt(distance) * (1.0 + ROUNDING) + off,
                             largest * (1.0 + ROUNDING) + off)
        if 1e-100 < self.scale < 1e100 and distance < INFINITY:
            self.moved += distance / self.scale
            self.most += largest / self.scale
            return
        self.scale, self.moved, self.most = 1.0, 0.0, 0.0
        for j in range(self.kept.shape[0]):
            if not self.dropped(j):
                self.kept[j] = INFINITY

    cdef Py_ssize_t candidates(self, double lam, int* out) noexcept nogil:
        """List the features that may reach lam times their threshold; returns how many."""
        return ss_candidates(self.kept.shape[0], &self.kept[0], &self.rate[0], &self.threshold[0],
                             self.moved, self.most, lam / self.scale, out)


cdef class Inactive:
    """What a working set asks of the others: violators, scales of a dual point, their gap."""

    def __init__(self, Design design, double[::1] root_w, penalty, int n_threads):
        n, p = design.n, design.p
        self.design, self.root_w, self.n_threads = design, root_w, n_threads
        if penalty.has_groups:
            self.penalty = penalty
            self.rate = group_rates(design, root_w, penalty, n_threads)
            self.threshold = np.ones(penalty.n_groups)
            self.start, self.member, self.of = penalty.start, penalty.member, penalty.of
        else:
            self.net, self.rate = penalty, design.norms(np.square(root_w), n_threads)
            self.threshold = np.array(penalty.l1)
            self.start = self.member = self.of = np.arange(p + 1, dtype=np.intc)
        self.n_blocks = G = self.rate.shape[0]
        self.safe_balls = SafeBalls(n, self._rates(), self.threshold)
        self.rounded = RoundedVector(n) if design.nears else None
        # Blocks with bounds near their threshold may pass it at the next lambda: where products
        # are cheap they are multiplied now.
        self.close = 0.9 if design.stored < n * p else 1.0
        self.u, self.exact, self.records = np.zeros(n), np.zeros(p + 1), np.zeros(2 * (G + p) + 1)
        self.undecided, self.unclear, self.over, self.chosen = np.zeros((4, G + 1), dtype=np.intc)
        self.level, self.ratio = np.zeros((2, G + 1))
        self.columns, self.found = np.zeros((2, p + 1), dtype=np.intc)
        self.scaled = np.zeros(int(np.diff(self.start).max(initial=1)))

    def _rates(self):
        """Rates, negative for single columns with few non-zeros.

        With m of n values stored, |z_j'dr| <= sqrt(m) |x_j| max |dr_i|, which is usually less
        than |z_j| |dr|. x_j stands for the column without its centre, which r does not meet.
        """
        cdef Py_ssize_t j
        cdef double[::1] rate = np.array(self.rate)
        cdef const Column* x
        for j in range(self.n_blocks if self.penalty is None else 0):
            x = &self.design.columns[j]
            # about the largest entry of a change of r, over its root mean square
            if 7.0 * 7.0 * x.size < self.design.n:
                rate[j] = -sqrt(<double> x.size) * (self.rate[j] + fabs(x.centre) * x.factor)
        return rate

    def certified(self, const double[::1] r, double lam, double scale):
        """Return both scales of r, and what these columns add to the gap at `scale`, for tests."""
        self.examine(&r[0], lam)
        return self.scale(lam, False), self.scale(lam, True), self.gap(lam, scale)

    def violating(self, const double[::1] r, double lam, int most):
        """Return the columns (m,) that violate their thresholds at r, about `most` of them."""
        self.examine(&r[0], lam)
        return np.array(self.violators(lam, most))

    cdef products(self, const double* r):
        """z_j'r of every column, (p,)."""
        cdef int g
        self._arrive(r, self.lam)
        for g in range(self.n_blocks):
            self.undecided[g] = g
        self.n_undecided = <int> self.n_blocks
        self._multiply(r, True)
        self.n_undecided = 0
        out = np.empty(self.design.p)
        out[np.asarray(self.columns[:self.design.p])] = self.exact[:self.design.p]
        return out

    cdef int examine(self, const double* r, double lam) noexcept nogil:
        """Multiply the blocks that no bound keeps below lam * threshold; return how many.

        They are listed in `undecided`, with their levels.
        """
        cdef int k, g
        self._arrive(r, lam)
        self.n_undecided = <int> self.safe_balls.candidates(self.close * lam, &self.undecided[0])
        self._multiply(r, False)
        self.n_over = 0
        for k in range(self.n_undecided):
            # Nearer blocks, NaN too, are asked for their part in the certificate: above the 1e-14
            # by which strict scales keep away from the threshold (penalties/blocks.pyx).
            g = self.undecided[k]
            if not self.level[k] <= (1.0 - 1e-13) * lam * self.threshold[g]:
                self.over[self.n_over], self.level[self.n_over] = g, self.level[k]
                self.n_over += 1
        return self.n_undecided

    cdef void _arrive(self, const double* r, double lam) noexcept nogil:
        """Move to the residual r at lam."""
        self.safe_balls.move(r)
        if lam != self.lam:
            self.lam = lam
            self.latest += 1

    cdef void _multiply(self, const double* r, bint exactly) noexcept nogil:
        """Multiply the undecided blocks with r, and certify by their products.

        Unless `exactly`, blocks that near products keep below lam * threshold have no others.
        """
        cdef int k, g, total, count = self.n_undecided
        if count == 0:
            return
        ss_multiply(self.design.n, &self.root_w[0], r, &self.u[0])
        for k in range(count):
            self.unclear[k] = k
        # rounding the residual takes the time of thirty exact products
        if self.rounded is not None and not exactly and count >= 100:
            count = self._near()
        total = self._list_columns(count)
        self.design.correlate_some(&self.columns[0], total, &self.u[0], 0.0, &self.exact[0],
                                   self.n_threads)
        self.multiplied += total
        total = 0
        for k in range(count):
            g = self.undecided[self.unclear[k]]
            self._remember(self.unclear[k], &self.exact[total], 0.0)
            total += self.size(g)

    cdef int _near(self) noexcept nogil:
        """Certify what products with a residual near r can; returns how many blocks they cannot.

        At the distance e from r the level of a block differs by at most rate e. Blocks that may
        enter, or be in the certificate, are left to exact products.
        """
        cdef int k, g, total = self._list_columns(self.n_undecided), count = 0
        cdef double bound, distance = self.design.near_some(
            &self.columns[0], total, &self.u[0], &self.root_w[0], self.rounded, &self.exact[0],
            self.n_threads)
        if not distance < INFINITY:
            return self.n_undecided
        total = 0
        for k in range(self.n_undecided):
            g = self.undecided[k]
            bound = self.block_level(g, &self.exact[total]) + self.rate[g] * distance
            if self.rate[g] > 0.0 and bound < ENTER_AHEAD * self.lam * self.threshold[g]:
                self._remember(k, &self.exact[total], distance)
            else:
                self.unclear[count], count = k, count + 1
            total += self.size(g)
        return count

    cdef int _list_columns(self, int count) noexcept nogil:
        """List the columns of `count` unclear blocks; returns how many."""
        cdef int k, g, j, total = 0
        for k in range(count):
            g = self.undecided[self.unclear[k]]
            for j in range(self.start[g], self.start[g + 1]):
                self.columns[total], total = self.member[j], total + 1
        return total

    cdef void _remember(self, int k, const double* z, double distance) noexcept nogil:
        """Keep the products z of undecided block k with r, or with a residual at a distance.

        Kept are those of this lam and of one before. Certify the block by them.
        """
        cdef int g = self.undecided[k], s = self.size(self.undecided[k])
        cdef double* record = self.record(g)
        cdef double* last = record + 2
        if record[0] < self.latest:
            record[1], record[0] = record[0], self.latest
            memcpy(last + s, last, s * sizeof(double))
        memcpy(last, z, s * sizeof(double))
        self.level[k] = self.block_level(g, last) + self.rate[g] * distance
        self.safe_balls.certify(g, self.level[k])

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        """The largest s <= 1 that makes s r dual feasible on these blocks.

        With `strict` the answer is that of a norm without limits but those at which coefficients
        are.
        """
        cdef double scale = 1.0, lower, upper
        cdef const double* z
        cdef int k, g
        for k in range(self.n_over):
            g, z = self.over[k], self.record(self.over[k]) + 2
            if self.net is None:
                scale = min(scale, self.penalty.block_scale(g, z, lam, strict))
                continue
            lower, upper = self.net.lower[g], self.net.upper[g]
            if strict:
                lower, upper = (-INFINITY if lower < 0.0 else lower), (INFINITY if upper > 0.0
                                                                       else upper)
            scale = min(scale, feasible_scale(z[0], lam * self.net.l1[g],
                                              0.0 if strict else lam * self.net.l2[g], lower,
                                              upper))
        return scale

    cdef double gap(self, double lam, double scale) noexcept nogil:
        """What the blocks add to the gap at the dual point scale * r: their conjugates."""
        cdef double total = 0.0
        cdef const double* z
        cdef int k, j, g
        for k in range(self.n_over):
            g, z = self.over[k], self.record(self.over[k]) + 2
            for j in range(self.size(g)):
                self.scaled[j] = scale * z[j]
            total += (self.penalty.block_conjugate(g, &self.scaled[0], lam) if self.net is None
                      else conjugate(self.scaled[0], lam * self.net.l1[g], lam * self.net.l2[g],
                                     self.net.lower[g], self.net.upper[g]))
        return total

    cdef int[::1] violators(self, double lam, int most):
        """Columns of the examined blocks that violate, about `most`, the farthest first."""
        cdef int k, g, count = 0, columns = 0
        cdef double threshold
        for k in range(self.n_over):
            g, threshold = self.over[k], self.threshold[self.over[k]]
            if self.level[k] > lam * threshold * (1 + ROUNDING):
                self.chosen[count] = g
                self.ratio[count] = self.level[k] / threshold if threshold > 0.0 else INFINITY
                columns += self.size(g)
                count += 1
        if columns <= most:
            return self.columns_of(self.chosen[:count])
        blocks = np.asarray(self.chosen[:count])
        start = np.asarray(self.start)
        sizes = start[blocks + 1] - start[blocks]
        return self.columns_of(blocks[farthest(self.ratio[:count], sizes, most)])

    cdef int[::1] predict_violators(self, double lam, double forward):
        """Columns of blocks that will almost violate at the next residual, by earlier products.

        It is the last one, extrapolated by `forward` times its change since the one before.
        """
        cdef int k, g, j, s, count = 0
        cdef double further
        cdef const double* record
        for k in range(self.n_undecided):
            g, s = self.undecided[k], self.size(self.undecided[k])
            if self.safe_balls.dropped(g):
                continue
            record = self.record(g)
            further = forward if record[0] == self.latest == record[1] + 1 else 0.0
            for j in range(s):
                self.scaled[j] = record[2 + j] + further * (record[2 + j] - record[2 + s + j])
            if self.block_level(g, &self.scaled[0]) > ENTER_AHEAD * lam * self.threshold[g]:
                self.chosen[count], count = g, count + 1
        return self.columns_of(self.chosen[:count])

    cdef int[::1] columns_of(self, const int[::1] blocks):
        """The columns of some blocks, block by block."""
        cdef Py_ssize_t k, j, total = 0
        for k in range(blocks.shape[0]):
            for j in range(self.start[blocks[k]], self.start[blocks[k] + 1]):
                self.found[total], total = self.member[j], total + 1
        return self.found[:total]

    cdef int[::1] unpenalised(self):
        """Columns of blocks without a penalty; blocks that cannot move are dropped."""
        penalty = self.penalty if self.net is None else self.net
        moving = (np.asarray(penalty.lower) < 0) | (np.asarray(penalty.upper) > 0)
        if self.penalty is None:
            moving &= np.asarray(self.rate) > 0
            free = (np.asarray(penalty.l1) == 0) & (np.asarray(penalty.l2) == 0)
        else:
            moving &= np.asarray(self.design.spread)[np.asarray(penalty.member)] > 0
            free = (np.asarray(penalty.weight) == 0) & (np.asarray(penalty.l1) == 0)
            moving = np.bincount(np.asarray(penalty.of)[np.asarray(penalty.member)], moving,
                                 penalty.n_groups) > 0
        for g in np.flatnonzero(~moving):
            self.safe_balls.drop(g)
        return self.columns_of(np.flatnonzero(free & moving).astype(np.intc))

    cdef int[::1] together(self, which):
        """These columns and those that enter together with them."""
        return self.columns_of(np.unique(np.asarray(self.of)[which]))

    cdef void leave(self, const int[::1] which) noexcept:
        """Stop screening the blocks of these columns: they are working from now on."""
        cdef Py_ssize_t k
        for k in range(which.shape[0]):
            self.safe_balls.drop(self.of[which[k]])


def group_rates(Design design, root_w, BlockPenalty penalty, int n_threads):
    """Return the rates (G,), 0 for groups without a penalty.

    They are not too small: |Z_g|^2 by the trace of Z_g'WZ_g, or by its largest row sum where that
    costs little.
    """
    cdef Py_ssize_t g, G = penalty.n_groups
    cdef double[::1] rate
    start, member = np.asarray(penalty.start), np.asarray(penalty.member)
    sizes, norms = np.diff(start), design.norms(np.square(root_w), n_threads)
    squares = np.add.reduceat(np.square(norms)[member], start[:G])
    # sparser groups, and larger ones, have their trace
    dense = design.stored >= 0.15 * design.n * design.p
    for size in np.unique(sizes[(sizes > 1) & (sizes <= LARGEST_GROUP)]) if dense else ():
        of_size = np.flatnonzero(sizes == size)
        for first in range(0, len(of_size), max(256 // size, 1)):     # a block of columns
            some = of_size[first:first + max(256 // size, 1)]
            rows = design.unpacked(member[start[some][:, None] + np.arange(size)].ravel()).T
            rows = (rows * root_w).reshape(len(some), size, design.n)
            sums = np.abs(rows @ rows.transpose(0, 2, 1)).sum(axis=2).max(axis=1)
            squares[some] = np.minimum(squares[some], sums)
    rate = np.sqrt(squares) * (1.0 + ROUNDING)
    for g in range(G):
        rate[g] *= 0.0 if penalty.block_unpenalised(g) else penalty.reach(g)
    return np.asarray(rate)
