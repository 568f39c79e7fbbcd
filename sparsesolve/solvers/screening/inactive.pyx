"""Inactive blocks of columns: which violate their thresholds, and their part in the certificate.

A block is a column under the elastic net, or a group under a penalty on groups. How fast the size
of its products may grow with the length of r is its rate,

    polar_g(Z_g'dr) <= rate_g |dr|,   rate_g = reach_g |Z_g|

with reach_g the largest polar on the unit ball, and |Z_g| the largest singular value of the block's
columns in the norm with weights w; r stands for sqrt(w) times a residual.
Invariant: blocks that `examine` does not multiply are below their thresholds at that residual and
lam, so they are dual feasible and add nothing to the gap.
"""
from libc.math cimport INFINITY

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.penalties.elastic_net cimport ElasticNet, conjugate, feasible_scale
from sparsesolve.solvers.screening.safe_balls cimport Correlations

cdef double ROUNDING = tolerances.ROUNDING
# Columns that may enter in one round, however small the working set is. Fewer take more rounds;
# more take in columns that are never active.
FEWEST_ENTERING = 256
# Columns of a group up to which its inner products are formed for the bound on |Z_g|.
LARGEST_GROUP = 100
# Nearer blocks are asked for their part in the certificate: above the 1e-14 by which strict scales
# keep away from the threshold (penalties/blocks.pyx).
cdef double INSIDE = 1.0 - 1e-13


def most_entering(int working):
    """The largest number of violators that enter in one round: the working set at most doubles."""
    return max(FEWEST_ENTERING, working)


def farthest(level, columns, most):
    """The violators that enter first: those of the highest levels, and all without a penalty.

    `most` bounds their columns. Where a path begins far below its first lambda, nearly all
    columns violate, and few of them will be wanted.
    """
    order = np.argsort(-np.asarray(level), kind="stable")
    level, columns = np.asarray(level)[order], np.asarray(columns)[order]
    before = np.cumsum(columns) - columns
    return np.sort(order[(before < most) | np.isinf(level)])


cdef class Inactive:
    """What a working set asks of the inactive columns; r stands for sqrt(w) times a residual."""

    def __init__(self, Design design, double[::1] root_w, penalty, int n_threads):
        cdef Correlations bounds
        if penalty.has_groups:
            self.penalty = penalty
            bounds = Correlations(design, root_w, group_rates(design, root_w, penalty, n_threads),
                                  np.ones(penalty.n_groups), penalty, n_threads)
        else:
            self.net = penalty
            bounds = Correlations(design, root_w, design.norms(np.square(root_w), n_threads),
                                  penalty.l1, None, n_threads)
        self.bounds = bounds
        self.over, self.chosen = np.zeros((2, bounds.n_blocks + 1), dtype=np.intc)
        self.level, self.ratio = np.zeros((2, bounds.n_blocks + 1))
        self.scaled = np.zeros(int(np.diff(bounds.start).max(initial=1)))
        self.found = np.zeros(bounds.p + 1, dtype=np.intc)

    def certified(self, const double[::1] r, double lam, double scale):
        """Return both scales of r, and what these columns add to the gap at `scale`, for tests."""
        self.examine(&r[0], lam)
        return self.scale(lam, False), self.scale(lam, True), self.gap(lam, scale)

    def violating(self, const double[::1] r, double lam, int most):
        """Return the columns (m,) that violate their thresholds at r, about `most` of them."""
        self.examine(&r[0], lam)
        return np.array(self.violators(lam, most))

    def examined(self, const double[::1] r, double lam):
        """Return the blocks that no bound keeps at zero at the residual r."""
        return np.array(self.bounds.undecided[:self.examine(&r[0], lam)])

    cdef int examine(self, const double* r, double lam) noexcept nogil:
        """Multiply the blocks that no bound keeps below lam times their threshold; returns how
        many.
        """
        cdef int k, g, count = self.bounds.examine(r, lam)
        cdef double level
        self.n_over = 0
        for k in range(count):
            g = self.bounds.undecided[k]
            level = self.bounds.level_of[k]
            # NaN, too
            if not level <= INSIDE * lam * self.bounds.threshold[g]:
                self.over[self.n_over], self.level[self.n_over] = g, level
                self.n_over += 1
        return count

    cdef double scale(self, double lam, bint strict) noexcept nogil:
        """The largest s <= 1 that makes s r dual feasible on these blocks.

        With `strict` the answer is that of a norm without limits but those at which coefficients
        are.
        """
        cdef double scale = 1.0, lower, upper
        cdef const double* z
        cdef int k, g
        for k in range(self.n_over):
            g, z = self.over[k], self.bounds.product(self.over[k])
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
            g, z = self.over[k], self.bounds.product(self.over[k])
            for j in range(self.bounds.size(g)):
                self.scaled[j] = scale * z[j]
            total += (self.penalty.block_conjugate(g, &self.scaled[0], lam) if self.net is None
                      else conjugate(self.scaled[0], lam * self.net.l1[g], lam * self.net.l2[g],
                                     self.net.lower[g], self.net.upper[g]))
        return total

    cdef int[::1] violators(self, double lam, int most):
        """Columns of the blocks examined that violate their thresholds, about `most`, the farthest
        first.
        """
        cdef int k, g, count = 0, columns = 0
        cdef double threshold
        for k in range(self.n_over):
            g, threshold = self.over[k], self.bounds.threshold[self.over[k]]
            if self.level[k] > lam * threshold * (1 + ROUNDING):
                self.chosen[count] = g
                self.ratio[count] = self.level[k] / threshold if threshold > 0.0 else INFINITY
                columns += self.bounds.size(g)
                count += 1
        if columns <= most:
            return self.columns_of(self.chosen[:count])
        blocks = np.asarray(self.chosen[:count])
        start = np.asarray(self.bounds.start)
        sizes = start[blocks + 1] - start[blocks]
        return self.columns_of(blocks[farthest(self.ratio[:count], sizes, most)])

    cdef int[::1] predict_violators(self, double lam, double forward):
        """Columns of blocks that will almost violate at the next residual, by what earlier
        products tell.

        It is the last one, extrapolated by `forward` times its change since the one before.
        """
        cdef int count
        with nogil:
            count = self.bounds.predict_violators(lam, forward, &self.chosen[0])
        return self.columns_of(self.chosen[:count])

    cdef int[::1] columns_of(self, const int[::1] blocks):
        """The columns of some blocks, block by block."""
        cdef Py_ssize_t k, j, total = 0
        for k in range(blocks.shape[0]):
            for j in range(self.bounds.start[blocks[k]], self.bounds.start[blocks[k] + 1]):
                self.found[total], total = self.bounds.member[j], total + 1
        return self.found[:total]

    cdef int[::1] unpenalised(self):
        """Columns of blocks without a penalty, which are working from the start; blocks of zeros,
        or that cannot move, are dropped.
        """
        penalty = self.net if self.penalty is None else self.penalty
        moving = (np.asarray(penalty.lower) < 0) | (np.asarray(penalty.upper) > 0)
        if self.penalty is None:
            moving &= np.asarray(self.bounds.rate) > 0
            free = (np.asarray(penalty.l1) == 0) & (np.asarray(penalty.l2) == 0)
        else:
            moving &= np.asarray(self.bounds.design.spread)[np.asarray(penalty.member)] > 0
            free = (np.asarray(penalty.weight) == 0) & (np.asarray(penalty.l1) == 0)
            moving = np.bincount(np.asarray(penalty.of)[np.asarray(penalty.member)], moving,
                                 penalty.n_groups) > 0
        for g in np.flatnonzero(~moving):
            self.bounds.safe_balls.drop(g)
        return self.columns_of(np.flatnonzero(free & moving).astype(np.intc))

    cdef int[::1] together(self, which):
        """These columns and those that enter together with them."""
        return self.columns_of(np.unique(np.asarray(self.bounds.of)[which]))

    cdef void leave(self, const int[::1] which) noexcept:
        """Stop screening the blocks of these columns: they are working from now on."""
        cdef Py_ssize_t k
        for k in range(which.shape[0]):
            self.bounds.leave(which[k])

    cdef products(self, const double* r):
        """z_j'r of every column, (p,)."""
        self.bounds.multiply_all(r)
        return self.bounds.products_seen()


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
