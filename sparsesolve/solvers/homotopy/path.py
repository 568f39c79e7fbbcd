"""The homotopy over all columns: a window of them is followed, and all are checked at every knot.

    minimise over b   |y - A b|^2 / 2 + rho sum_j v_j b_j^2 / 2 + lam sum_j v_j |b_j|,   every lam
    a_j = sqrt(w) z_j of the standardised design

Given: a Problem of squared error, or A'A, A'y and |y|^2 alone, as data that multiply, and Rules.
Returned: every knot, in batches, with its certificate.

Invariant: no column outside the window exceeds its bound at a knot that is returned. Between two
knots correlations and bounds are linear in lam, so that a column that keeps its bound at both
keeps it between them. The first knot at which one does not, and all behind it, are undone, and
the path goes on with that column in the window. The correlations at many knots are one matrix
product. Those at the last one correct its coefficients by a step of iterative refinement before
the path goes on. A long path of few columns has all of them in its window, by their Gram matrix,
so that no column is missed.

Reference: Osborne, Presnell, Turlach (2000); Efron, Hastie, Johnstone, Tibshirani (2004).
"""

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from sparsesolve.solvers.homotopy.events import Homotopy, Reason
from sparsesolve.solvers.homotopy.knot_certificate import Certificate
from sparsesolve.solvers.tolerances import CENTRED, LAST_DIGITS

# Values of a dense design that is kept unpacked (32 MB); larger ones are unpacked block by block
# for each product.
SMALL_DESIGN = 4_000_000
# Knots before the first check of all columns; the number then doubles, to at most 64, or 128 with
# all columns in the window.
FIRST_KNOTS = 16
# Up to this many columns all are in the window from the second batch on, by their Gram matrix.
FEW_COLUMNS = 600
# Columns of the window for every knot to come, and beyond those. More cost time at every knot,
# fewer are missed and make the batch begin again.
COLUMNS_PER_KNOT, SPARE_COLUMNS = 2.0, 32
UNCLEAR = "rounding hides in which order features join and leave"


def homotopy_data(problem, n_threads):
    """Return the data of a Problem of squared error."""
    # Fraction of stored values from which dense kernels are faster than sparse products.
    dense = problem.design.stored >= 0.15 * problem.design.n * problem.design.p
    return (DenseData if dense else SparseData)(problem, n_threads)


def _rank(problem):
    """Return an upper bound on the rank of the columns."""
    return min(int((problem.weights > 0.0).sum()) - problem.intercept, problem.design.p)


class Data:
    """Base of the three kinds of data, which add `_inner`, `_correlations`, `squares` and the
    like.
    """

    gram, cross, scratch, least, design = None, None, np.empty((0, 0)), False, None

    @property
    def samples(self):
        """How many products an inner product sums."""
        return self.n

    def all_inner(self):
        """Return the inner products of all columns, (p, p); they are kept."""
        if self.gram is None:
            every = self.every
            self.cross = self._correlations(every[:0], np.empty((1, 0)))[0][0].copy()
            self.gram = np.ascontiguousarray(self._inner(every, every))
        return self.gram

    def inner(self, left, right):
        """Return the inner products of the columns `left` and `right`."""
        if self.gram is None:
            return self._inner(left, right)
        return self.gram[np.ix_(left, right)]

    def _scratch(self, K):
        """Return an array for the correlations at K knots."""
        if K > len(self.scratch):
            self.scratch = np.empty((K, len(self.squares)))
        return self.scratch[:K]

    def measure(self, features, B):
        """Return correlations a_j'r (K, p) and |r|^2 (K,) for r = y - A_U b, at K knots.

        B (K, U) has the coefficients of the features U. The next call may overwrite the
        correlations.
        """
        p, U = len(self.squares), len(features)
        if self.gram is None or U * p > self.n * (U + p):
            return self._correlations(features, B)
        C = self._scratch(len(B))
        np.subtract(self.cross, np.matmul(B, self.gram.take(features, axis=0), out=C), out=C)
        explained = np.einsum("ku,ku->k", B, C[:, features] + self.cross[features])
        return C, np.maximum(self.response_square - explained, 0.0)


    def square_on(self, which, features, b):
        """Return |P r|^2 for r = y - A_U b and P the projection on the columns `which`, from the
        columns.

        None if only inner products are known, or if the columns are too many to be unpacked.
        """
        if self.design is None or self.n * len(which) > SMALL_DESIGN:
            return None
        columns, r = self.unpacked(which), self.root_w * self.response
        r = r - self.unpacked(features) @ b
        size = np.sqrt(self.squares[which])
        far = np.abs(self.means[which] / size).max(initial=0.0)
        Q, R, _ = qr(columns / size, mode="economic", pivoting=True)  # dependent ones come last
        independent = np.abs(np.diagonal(R)) > CENTRED * (1.0 + far)
        along = Q[:, independent].T @ r
        return float(along @ along)

    def unpacked(self, which):
        """Return the columns a_j for j in `which`, (n, k)."""
        return self.root_w[:, None] * self.design.unpacked(np.asarray(which, dtype=np.intc))


class DenseData(Data):
    """Columns unpacked as sqrt(w) z_j, for matrix products."""

    def __init__(self, problem, n_threads):
        self.design, self.n_threads, self.rank = problem.design, n_threads, _rank(problem)
        self.n, self.every = problem.design.n, np.arange(problem.design.p, dtype=np.intc)
        self.root_w, self.response = np.sqrt(problem.weights), problem.response
        self.means = problem.means
        self.y = self.root_w * problem.response
        self.response_square = float(self.y @ self.y)
        self.whole = None
        if self.design.n * self.design.p <= SMALL_DESIGN:
            self.whole = self._columns(self.every)
            self.squares = np.einsum("ij,ij->i", self.whole, self.whole)
        else:
            self.squares = self.design.norms(problem.weights, n_threads) ** 2

    def _columns(self, which):
        """Return the columns `which` as rows, (k, n)."""
        if self.whole is not None:
            return self.whole if which is self.every else self.whole.take(which, axis=0)
        rows = self.design.unpacked(which).T
        rows *= self.root_w
        return rows

    def _inner(self, left, right):
        a = self._columns(left)
        return a @ (a if right is left else self._columns(right)).T

    def _correlations(self, features, B):
        R = np.matmul(B, self._columns(features))
        np.subtract(self.y, R, out=R)
        square = np.einsum("ij,ij->i", R, R)
        if self.whole is not None:
            return np.matmul(R, self.whole.T, out=self._scratch(len(R))), square
        R *= self.root_w
        return self.design.response_products(R, None, self.n_threads), square


class SparseData(Data):
    """Columns as stored; the centre is taken off their products."""

    def __init__(self, problem, n_threads):
        self.design, self.w, self.n_threads = problem.design, problem.weights, n_threads
        self.y, self.rank, self.n = problem.response, _rank(problem), problem.design.n
        self.root_w, self.response, self.means = np.sqrt(self.w), self.y, problem.means
        self.every = np.arange(problem.design.p, dtype=np.intc)
        self.response_square = float(self.w @ self.y**2)
        self.squares = self.design.norms(problem.weights, n_threads) ** 2

    def _inner(self, left, right):
        (a, off), (b, less) = (self.design.stored_columns(which) for which in (left, right))
        weighted = sparse.csc_array(b.multiply(self.w[:, None]))
        product = np.asarray((a.T @ weighted).todense())
        mean, other = a.T @ self.w, b.T @ self.w
        return product - np.outer(off, other) - np.outer(mean, less) + np.outer(off, less)

    def _correlations(self, features, B):
        a, off = self.design.stored_columns(features)
        R = self.y[:, None] - a @ B.T + off @ B.T
        square = np.einsum("i,ij,ij->j", self.w, R, R)
        u = np.multiply(self.w, R.T, order="C")
        return self.design.response_products(u, None, self.n_threads), square


class GramData(Data):
    """Columns known by G = A'A (p, p), A'y and |y|^2 alone.

    `least` says that |y|^2 is only its least possible value. `samples` is how many products each
    inner product sums; None: as many as there are columns.
    """

    samples = 1

    def __init__(self, gram, cross, response_square, least=False, samples=None):
        self.samples = len(gram) if samples is None else samples
        self.gram, self.cross, self.response_square = gram, cross, response_square
        self.least = least
        self.squares, self.rank, self.n = np.diagonal(gram).copy(), len(gram), len(gram)


def first_excess(C, lams, which, bound, rounding, positive):
    """Return the first knot at which columns among `which` exceed lam bound + rounding, and
    these; (K, no columns) if none does.
    """
    size = C[:, which] if positive else np.abs(C[:, which])
    over = size > np.outer(lams, bound[which]) + rounding[which]
    knots = np.flatnonzero(over.any(axis=1))
    if not len(knots):
        return len(C), which[:0]
    return int(knots[0]), which[over[knots[0]]]


class FollowedPath:
    """A path as far as it was followed: b at `lam`, with correlations `c`."""

    def __init__(self, data, rules):
        self.data, self.rules = data, rules
        self.size = np.sqrt(data.squares + rules.ridge * rules.v)
        self.bound = np.where(rules.open, rules.v, np.inf)
        self.few = len(rules.v) <= FEW_COLUMNS
        self.rank = len(rules.v) if rules.ridge else data.rank
        most = int(min(rules.max_features, len(rules.v)))
        self.core = Homotopy(rules.v, self.size, np.sqrt(data.response_square), rules.lasso,
                             rules.positive, most, self.rank)  # fmt: skip
        self.slope, self.beta = np.zeros((2, len(rules.v)))
        C, B, squares = self._fit_without_penalty()
        self.c, self.features = C[0].copy(), self.core.active
        self.first = self.lam = self._first_lam()
        self.certificate = Certificate(data, rules, self.first, self.size, self.features,
                                       self.core.basis.state()[0])  # fmt: skip
        if self.idle:  # lam is rounding: let it cover all of that.
            self.first = self.lam = float(self.certificate.largest(C)[0][0])
        self.core.start(self.first, rules.last)
        largest = np.sqrt(data.response_square) * self.size
        # rounding
        self.rounding = 1e-13 * (self.first * rules.v + largest)
        lams = np.array([self.lam])
        self.start = self.certificate.batch(lams, self.features, B, C, squares)
        self.more_events = 0  # that may happen beyond those of the knots
        self.events = 0  # Events since the last knot.
        self.urgent = np.empty(0, dtype=np.intc)
        self.window, self.enclosed, self.per_knot = None, False, COLUMNS_PER_KNOT
        self.reason, self.steps = Reason.RUNNING, 0

    def _fit_without_penalty(self):
        """Let the columns without a penalty join; return correlations, coefficients and |y - A
        b|^2.
        """
        core, data, free = self.core, self.data, self.rules.free
        none = np.empty(0, dtype=np.intc)
        C, squares = data.measure(none, np.empty((1, 0)))
        if len(free):
            core.basis.rewindow(none, np.empty((0, len(free))), data.inner(free, free),
                                self.size[free] ** 2, len(free))  # fmt: skip
            core.begin(free, C[0], 0, len(free))
            core.admit()
            self.beta[core.active] = core.coefficients
            C, squares = data.measure(core.active, core.coefficients[None])
        return C, core.coefficients[None], squares

    def _first_lam(self):
        """Return the least lam with b = 0. Sets `idle` if only rounding correlates with y."""
        v, data, open_ = self.rules.v, self.data, self.rules.open
        size = self.c if self.rules.positive else np.abs(self.c)
        rounding = LAST_DIGITS * np.sqrt(data.response_square * data.squares)
        self.idle = not (size > rounding)[open_].any()
        return float(np.max(size[open_] / v[open_], initial=0.0))

    @property
    def why(self):
        """The reason why the path ended, a sentence without a full stop."""
        rules = self.rules
        if self.idle and not self.rules.open.any():
            return "every feature is excluded or without a penalty"
        if self.idle:
            return "no feature correlates with y"
        if self.reason == Reason.FULL:
            return f"more than max_features = {rules.max_features} features would be active"
        if self.reason == Reason.STUCK:
            return UNCLEAR
        if self.steps >= rules.max_steps:
            return f"max_steps = {rules.max_steps} knots were found"
        return "lambda = 0 was reached" if rules.last == 0.0 else "lambda_min was reached"

    def batches(self):
        """Follow the path to its end; yield Batches. The first knot is `start`."""
        knots, rules = FIRST_KNOTS, self.rules
        while not self._ended():
            knots = int(min(knots, rules.max_steps - self.steps))
            same = self._open_window(knots)
            self.core.begin(self.window, self.c, knots, self._events(knots), same)
            self.reason = self.core.run()
            batch, whole = self._checked()
            most = min(64 * (1 + self.enclosed), 2e8 / (1 + self.core.basis.size**2))
            self.per_knot *= 0.95 if whole else 1.5
            self.per_knot = max(COLUMNS_PER_KNOT, self.per_knot)
            knots = 2 * knots if whole else max(len(batch.lams), FIRST_KNOTS)
            knots = max(1, int(min(knots, most)))
            self.steps += len(batch.lams)
            if len(batch.lams):
                yield batch

    def _ended(self):
        ended = self.idle or self.lam <= self.rules.last or self.steps >= self.rules.max_steps
        return ended or self.reason in (Reason.AT_END, Reason.FULL, Reason.STUCK)

    def _events(self, knots):
        return knots + 16 + self.more_events

    def _open_window(self, knots):
        """Choose the columns that may join before the next check, and put them into the basis.

        Returns True if the window has all columns, so that the active ones are in it.
        """
        core, data = self.core, self.data
        more = max(min(self._events(knots), self.rank - core.basis.size), 0)
        if self.enclosed:
            core.basis.refresh(more)
            return True
        if self.few and self.window is not None:  # It will be a long path.
            self.enclosed = True
            core.basis.enclose(data.all_inner(), core.active, self.size**2, more)
            core.enclose(~self.rules.open)
            return True
        chosen = self._candidates(int(self.per_knot * knots) + SPARE_COLUMNS)
        held, idle = core.window
        keep = np.flatnonzero(idle & chosen[held]).astype(np.intc)
        held = held[keep]
        chosen[held] = False
        new = np.flatnonzero(chosen).astype(np.intc)
        known = np.concatenate([core.active, held])
        core.basis.rewindow(
            keep, data.inner(known, new), data.inner(new, new), self.size[new] ** 2, more,
            min(self._events(knots), len(core.active) - len(self.rules.free)),
        )  # fmt: skip
        self.window = np.concatenate([held, new])
        return False

    def _candidates(self, count):
        """Return a mask of the columns that would join first if correlations kept their last
        slope.
        """
        lam, soonest = self.lam, np.full(len(self.c), np.inf)
        for side in (1.0,) if self.rules.positive else (1.0, -1.0):
            with np.errstate(invalid="ignore"):
                rate = np.maximum(self.bound - side * self.slope, 0.1 * self.bound)
                soonest = np.fmin(soonest, (lam * self.bound - side * self.c) / rate)
        soonest[~self.rules.open] = soonest[self.core.active] = np.inf
        chosen = np.isfinite(soonest)
        if chosen.sum() > count:
            chosen[np.argpartition(soonest, count)[count:]] = False
        chosen[self.urgent] = True
        return chosen

    def _checked(self):
        """Return the Batch of new knots, and False if a violation has undone some of them."""
        core, rules = self.core, self.rules
        lams, features, B = core.knots()
        C, squares = self.data.measure(features, B)
        if rules.ridge:
            np.subtract.at(C, (slice(None), features), rules.ridge * rules.v[features] * B)
        kept = self._violation(lams, C, features)
        whole = kept == len(lams)
        if not whole:
            core.undo(kept)
            self.reason = Reason.RUNNING
        elif self.reason == Reason.CROWDED or not kept:
            self.more_events = 2 * self.more_events + 64
        events = core.events_by_knot()
        events[0] += self.events
        self.events = events[kept]
        batch = self.certificate.batch(lams[:kept], features, B[:kept], C[:kept], squares[:kept],
                                       events[:kept], core)
        if kept:
            self.slope = (self.c - C[kept - 1]) / (self.lam - lams[kept - 1])
            self.beta[self.features] = 0.0
            np.add.at(self.beta, features, B[kept - 1])
            self.lam, self.c, self.features = float(lams[kept - 1]), C[kept - 1].copy(), features
        core.reset(self.lam, self.beta[core.active])
        return batch, whole

    def _violation(self, lams, C, features):
        """Return the first knot where a column outside the window exceeds its bound, else their
        number.
        """
        if self.enclosed:
            return len(lams)
        unwatched = self.rules.open.copy()
        unwatched[features] = unwatched[self.window] = False
        which = np.flatnonzero(unwatched).astype(np.intc)
        kept, self.urgent = first_excess(C, lams, which, self.rules.v, self.rounding,
                                         self.rules.positive)  # fmt: skip
        return kept
