"""Safe screening of inactive columns or groups by balls around earlier residuals.

A feature stays inactive at r as long as |z_j'r| < lam v_j. If |z_j'r_0| is known, Cauchy-Schwarz
gives for r = s r_0 + e

    |z_j'r| <= s |z_j'r_0| + |z_j| |e|.

So one comparison of the accumulated s and |e| with a stored number certifies that feature j need
not be multiplied. Along a path r mostly shrinks (s < 1) and turns little (|e| is small), so most
features are certified at most lambdas.

The bound is generic. Groups use the dual norm of their block, and `rate` is its Lipschitz constant
in r. Features with few non-zeros use the largest entry of e in place of its length.
Reference: El Ghaoui, Viallon, Rabbani (2012), "Safe feature elimination", for s = 1.
"""
from libc.math cimport fabs, sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

import numpy as np

from sparsesolve.solvers import tolerances
from sparsesolve.linalg.design.column cimport Column
from sparsesolve.linalg.design.design cimport Design, RoundedVector
from sparsesolve.linalg.kernels.vector cimport dot, ss_candidates, ss_multiply, ss_travel
from sparsesolve.penalties.blocks cimport BlockPenalty

# Bounds of `scale`: beyond them all features are candidates again.
cdef double SMALLEST = 1e-100, LARGEST = 1e100
cdef double ROUNDING = tolerances.ROUNDING
# Columns enter ahead of time from this part of their threshold. The residual extrapolated to the
# next lambda is known to about a hundredth; a smaller share lets in columns that are never
# active.
# Iterations at 0.97 and 0.996667: logistic groups 1.01 and 1.02.
cdef double ENTER_AHEAD = 0.99
# Blocks with bounds above this fraction of their threshold may pass it at the next lambda, and are
# multiplied there.
cdef double CLOSE = 0.9
# Blocks from which the residual is rounded: that takes the time of thirty exact products.
cdef int WORTH_ROUNDING = 100


cdef class SafeBalls:
    """Screening of p features, which are all candidates at first.

    Parameters
    ----------
    n : int
        Length of the residual, or of each of its `parts`.
    rate, threshold : (p,)
        How fast the size of each feature's products may grow with |e|, or if negative with the
        largest entry of e, for one part only; and what the size must not reach, over lam.
    parts : int
        Residuals side by side, as of several responses.
    together : bool
        Whether sizes grow with the length of all parts of e together; else with the longest part.
    """

    def __cinit__(self, Py_ssize_t n, rate, threshold, int parts=1, bint together=True):
        self.n, self.parts, self.together = n, parts, together
        self.rate, self.threshold, self.kept = rate, threshold, np.full(len(rate), INFINITY)
        self.last, self.scale = np.zeros(n * parts), 1.0

    cdef void move(self, const double* r) noexcept nogil:
        """Move to the residual r. Features become candidates where its direction is unknown, or
        floats end.
        """
        cdef int k
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
        if SMALLEST < self.scale < LARGEST and distance < INFINITY:
            self.moved += distance / self.scale
            self.most += largest / self.scale
        else:
            self._wake()

    cdef void _wake(self) noexcept nogil:
        cdef Py_ssize_t j
        self.scale, self.moved, self.most = 1.0, 0.0, 0.0
        for j in range(self.kept.shape[0]):
            if not self.dropped(j):
                self.kept[j] = INFINITY

    cdef Py_ssize_t candidates(self, double lam, int* out) noexcept nogil:
        """List the features that may reach lam times their threshold; returns how many."""
        return ss_candidates(self.kept.shape[0], &self.kept[0], &self.rate[0], &self.threshold[0],
                        self.moved, self.most, lam / self.scale, out)


cdef class Correlations:
    """Products of the blocks of `design` against thresholds lam * threshold_g.

    The level of a block is |z_j'r| for a single column, polar_g(Z_g'r) for a group. Blocks that no
    ball keeps below their threshold are multiplied. Everything is in the norm with weights w; r
    stands for sqrt(w) times a residual of the samples.

    Parameters
    ----------
    design : Design
    root_w : (n,) square roots of the weights
    rate : (G,) how fast the level of a block grows with |dr|
    threshold : (G,) what the level over lam must not exceed
    penalty : BlockPenalty, whose groups are the blocks, or None for single columns
    n_threads : int
    """

    def __init__(self, Design design, double[::1] root_w, rate, threshold, BlockPenalty penalty,
                 int n_threads):
        n, p, G = design.n, design.p, len(rate)
        self.design, self.root_w, self.penalty = design, root_w, penalty
        self.n, self.p, self.n_blocks, self.n_threads = n, p, G, n_threads
        if penalty is None:
            self.start = self.member = self.of = np.arange(p + 1, dtype=np.intc)
        else:
            self.start, self.member, self.of = penalty.start, penalty.member, penalty.of
        self.rate, self.threshold = np.array(rate), np.array(threshold)
        self.u, self.exact = np.zeros(n), np.zeros(p + 1)
        self.level_of = np.zeros(G + 1)
        self.ahead = np.zeros(int(np.diff(self.start).max(initial=1)))
        self.undecided, self.columns = np.zeros(G + 1, dtype=np.intc), np.zeros(p + 1,
                                                                                dtype=np.intc)
        self.unclear = np.zeros(G + 1, dtype=np.intc)
        self.rounded = RoundedVector(n) if design.nears else None
        self.close = CLOSE if design.stored < n * p else 1.0
        self.safe_balls = SafeBalls(n, self._rates(), self.threshold)
        free(self.records)
        self.records = <char*> calloc(sizeof(Record) * G + 1 + 2 * p * sizeof(double), 1)
        if self.records == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.records)

    def _rates(self):
        """Rates, negative for single columns with few non-zeros.

        With m of n values stored, |z_j'dr| <= sqrt(m) |x_j| max |dr_i|, which is usually less
        than |z_j| |dr|. x_j stands for the column without its centre, which r does not meet.
        """
        cdef Py_ssize_t j
        cdef double[::1] rate = np.array(self.rate)
        cdef const Column* x
        for j in range(self.p if self.penalty is None else 0):
            x = &self.design.columns[j]
            # about the largest entry of a change of r, over its root mean square
            if 7.0 * 7.0 * x.size < self.n:
                rate[j] = -sqrt(<double> x.size) * (self.rate[j] + fabs(x.centre) * x.factor)
        return rate

    def products_seen(self):
        """The last products of every column, (p,)."""
        cdef Py_ssize_t g, j
        cdef double[::1] out = np.empty(self.p)
        for g in range(self.n_blocks):
            for j in range(self.size(g)):
                out[self.member[self.start[g] + j]] = self.product(g)[j]
        return np.asarray(out)

    cdef void leave(self, Py_ssize_t j) noexcept nogil:
        """Stop screening the block of column j."""
        self.safe_balls.drop(self.of[j])

    cdef int examine(self, const double* r, double lam) noexcept nogil:
        """Multiply the blocks that no bound keeps below lam * threshold; returns how many.

        They are listed in `undecided`, their levels in `level_of`.
        """
        self._arrive(r, lam)
        self.n_undecided = <int> self.safe_balls.candidates(self.close * lam, &self.undecided[0])
        self._multiply(r, False)
        return self.n_undecided

    cdef void multiply_all(self, const double* r) noexcept nogil:
        """Take the exact products of every block."""
        cdef Py_ssize_t g
        self._arrive(r, self.lam)
        for g in range(self.n_blocks):
            self.undecided[g] = <int> g
        self.n_undecided = <int> self.n_blocks
        self._multiply(r, True)
        self.n_undecided = 0

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
        ss_multiply(self.n, &self.root_w[0], r, &self.u[0])
        for k in range(count):
            self.unclear[k] = k
        if self.rounded is not None and not exactly and count >= WORTH_ROUNDING:
            count = self._near()
        total = self._list_columns(count)
        self.design.correlate_some(&self.columns[0], total, &self.u[0], 0.0, &self.exact[0],
                                   self.n_threads)
        self.products += total
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
            bound = self.level(g, &self.exact[total]) + self.rate[g] * distance
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
        cdef Record* record = self.record(g)
        cdef double* last = self.product(g)
        if record.at[0] < self.latest:
            record.at[1], record.at[0] = record.at[0], self.latest
            memcpy(last + s, last, s * sizeof(double))
        memcpy(last, z, s * sizeof(double))
        self.level_of[k] = self.level(g, last) + self.rate[g] * distance
        self.safe_balls.certify(g, self.level_of[k])

    cdef int predict_violators(self, double lam, double forward, int* which) noexcept nogil:
        """List blocks whose level almost reaches lam * threshold at the next residual; returns how
        many.

        It is the last one, extrapolated by `forward` times its change between two lams.
        """
        cdef int k, g, j, s, count = 0
        cdef const Record* record
        cdef const double* last
        cdef double further
        for k in range(self.n_undecided):
            g, s = self.undecided[k], self.size(self.undecided[k])
            if self.safe_balls.dropped(g):
                continue
            record, last = self.record(g), self.product(g)
            further = forward if (record.at[0] == self.latest
                                  and record.at[1] == self.latest - 1) else 0.0
            for j in range(s):
                self.ahead[j] = last[j] + further * (last[j] - last[s + j])
            if self.level(g, &self.ahead[0]) > ENTER_AHEAD * lam * self.threshold[g]:
                which[count] = g
                count += 1
        return count
