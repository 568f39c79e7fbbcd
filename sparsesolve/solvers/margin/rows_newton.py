"""Semismooth Newton on the rows between their ends, for ridge problems whose loss has pieces.

    minimise over b0, b   F(o + b0 + Zb)  +  lam sum_j v_j b_j^2 / 2

Given: a Problem that `ridge_dual.suits`. Returned per lam: the duality gap of ridge_dual.py.
Invariant: eta = o + b0 + Ag.

Rounds of the method of multipliers replace F by its Moreau envelope about the last multipliers
(losses/kinked.pyx). Its curvature is h_i = w_i sigma at the rows F between their ends and 0
elsewhere. A smooth loss is such an envelope itself, with multipliers 0 and sigma = 1 / bend, so
that one round solves it. With A = Z V^-1/2 a Newton step solves

    (lam + A_F' H A_F) d = -gradient

by a p x p factor or, if fewer rows are in F than there are columns, by one of |F| x |F|: (lam +
A'HA)^-1 = (1 - A'(lam H^-1 + AA')^-1 A) / lam. The intercept borders the system. The step's
length is the root of a piecewise linear slope.

Once F is stable, its rows are solved for together (`ascend`):

    maximise over s   s'r  -  s'K s / (2 lam),     K = A_F A_F',  s the change of u_F
    with 1's = 0 if there is an intercept; all other rows are fixed

by a Cholesky factor of K, which loses a row when a step ends at its bound. The dual objective is
at least what it was: every step is an exact maximisation over the rows that are left.

Reference: Li, Sun, Toh, "A highly efficient semismooth Newton augmented Lagrangian method for
solving lasso problems" (2018); Lawson, Hanson, "Solving least squares problems" (1974), chapter
23; Scheinberg, "An efficient implementation of an active set method for SVMs" (2006).
"""

from operator import itemgetter

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from sparsesolve.linalg.factors.cholesky import Cholesky
from sparsesolve.losses.kinked import Envelope
from sparsesolve.solvers.margin.multipliers import (
    INNER_SHARE,
    ROUND_GAIN,
    ROUNDS_PATIENCE,
    SIGMA_GROWTH,
)
from sparsesolve.solvers.margin.ridge_dual import RidgeDual
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LAMBDA, STALLED, Reduced
from sparsesolve.solvers.tolerances import LAST_DIGITS, PROGRESS

# Columns up to which a Newton step may factor a matrix of all columns.
MOST_NEWTON_COLUMNS = 2000


def moments(dual, which, w):
    """Return A_F'W A_F (k, k), A_F'w (k,) and the sum of w (f,), for the rows F = `which`."""
    rows, m = some_rows(dual, which), dual.centre
    weighted = rows.multiply(w).tocsc() if sparse.issparse(rows) else rows * w
    first, total = np.asarray(rows @ w), float(w.sum())
    met = np.outer(first, m)
    gram = _dense(weighted @ rows.T) - met - met.T + total * np.outer(m, m)
    return gram, first - total * m, total


def some_rows(dual, which):
    """Return these rows of A as columns (k, f), before the centre is subtracted."""
    part, all_of_it = dual.rows.part(which.astype(np.intc)), np.arange(len(which), dtype=np.intc)
    dense = dual.rows.stored == dual.rows.n * dual.rows.p
    return part.unpacked(all_of_it) if dense else part.stored_columns(all_of_it)[0]


def inner(rows, centre):
    """Return the inner products (f, f) of rows as `some_rows` gives them, less the centre."""
    met = np.asarray(rows.T @ centre)
    return _dense(rows.T @ rows) - met[:, None] - met + float(centre @ centre)


def _dense(matrix):
    return np.asarray(matrix.todense()) if sparse.issparse(matrix) else matrix


def ascend(gram, u, slope, low, high, lam, keep_sum):
    """Maximise over rows strictly between their ends; return their new u (f,).

    Parameters
    ----------
    gram : (f, f), K
    u, low, high : (f,)
        The rows' u, and the ends between which they stay (0 is one if eps > 0).
    slope : (f,)
        Derivative of the dual in each u_i, to be brought to 0, or to one value with `keep_sum`.
    keep_sum : bool
        If True, the sum of u is kept, so that slopes need only become equal.
    """
    factor, kept = _factor(gram)
    u, slope = u.copy(), slope[kept]
    # Rows that may come to an end of their interval before sweeps go on, which find many such rows
    # at once.
    for _ in range(60):
        if len(kept) == 0:
            break
        step, common = _step(factor, slope, lam, keep_sum)
        still = np.abs(step).max() <= LAST_DIGITS * np.abs(u[kept]).max()
        if still or not np.isfinite(step).all():
            break
        distance = np.where(step > 0.0, high[kept] - u[kept], low[kept] - u[kept])
        with np.errstate(divide="ignore", invalid="ignore"):
            length = np.where(step != 0.0, distance / step, np.inf)
        first = int(length.argmin())
        t = min(max(float(length[first]), 0.0), 1.0)
        u[kept] = np.clip(u[kept] + t * step, low[kept], high[kept])
        if t == 1.0:
            return u
        slope = slope - t * (slope - common)  # Since K step = lam (slope - common).
        i = kept[first]
        u[i] = high[i] if step[first] > 0.0 else low[i]
        factor.drop(first)
        kept, slope = np.delete(kept, first), np.delete(slope, first)
    return u


def _factor(gram):
    """Return the Cholesky factor of the independent rows of gram, and the numbers of these."""
    factor, kept = Cholesky(len(gram)), np.zeros(0, dtype=int)
    for start in range(0, len(gram), 32):  # a block of a matrix product
        new = np.arange(start, min(start + 32, len(gram)))
        rows = gram[np.ix_(new, np.append(kept, new))]
        # rounding: the row depends on the others
        kept = np.append(kept, new[factor.add(rows, 1e-11)])
    return factor, kept


def _step(factor, slope, lam, keep_sum):
    """Return the maximiser of slope's - s'K s / (2 lam), of sum 0 with `keep_sum`, and the slope
    left.
    """
    step = factor.solution(lam * slope)
    if not keep_sum:
        return step, 0.0
    flat = factor.solution(np.ones(len(slope)))
    common = step.sum() / flat.sum()
    return step - common * flat, common / lam


class RowsNewton(Reduced):
    """A solver state, see solvers/state.py."""

    def __init__(self, problem, n_threads, dual=None):
        self.dual = dual = RidgeDual(problem, n_threads) if dual is None else dual
        super().__init__(dual)  # which answers for the point certified last
        self.w = np.asarray(problem.weights)
        self.smooth = problem.loss.smooth
        self.first = self.sigma = 1.0 / (problem.loss.bend if self.smooth else dual.spread)
        self.envelope = Envelope(problem.loss, self.first)
        self.by_columns = dual.rows.n <= MOST_NEWTON_COLUMNS
        self.last_inside = None
        self.null = max(problem.null_value, 1e-300)
        self.take(dual.u)

    def take(self, u):
        """Continue from the point that the dual has certified last, with multipliers of u."""
        dual = self.dual
        self.g, self.b0, self.eta = dual.g, dual.intercept, dual.eta
        moves = (self.w > 0.0) & (not self.smooth)
        self.m = np.divide(-u, self.w, out=np.zeros_like(u), where=moves)

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        dual = self.dual
        if not 0.0 < lam < NULL_LAMBDA:  # a grid has 0 where no column can lower the loss
            return dual.at_null()
        limit, patience = self.iterations + budget, ROUNDS_PATIENCE
        self.sigma = max(self.first, self.sigma / 30.0)
        self.sigma = min(self.sigma, (1.0 if self.smooth else 10.0) * self.first)
        gap = least = self._begin(lam)
        best = gap, dual.point()
        # Rounds at one lambda: sigma has grown to its end after a dozen.
        for _ in range(80):
            if gap <= target:
                return CONVERGED, gap
            if self.iterations >= limit or patience == 0:
                break
            self.envelope.about(self.m, self.sigma)
            least_goal = 0.1 * target
            goal = max(INNER_SHARE * min(gap, 0.01 * self.null), least_goal)
            u = self._round(lam, least_goal if self.smooth else goal, least_goal, limit)
            self.m = self.m if self.smooth else self.envelope.slopes(self.eta)
            last = gap
            reached = self.eta - dual.offset - self.b0
            gap = dual.certify(lam, dual.feasible(u), self.g, reached)
            gap = self._finish(lam, gap, target)
            best = min(best, (gap, dual.point()), key=itemgetter(0))
            if gap > ROUND_GAIN * last and not self.smooth:
                self.sigma *= SIGMA_GROWTH
                self.sigma = min(self.sigma, 1e5 * self.first)
            progress = gap < PROGRESS * least
            patience = ROUNDS_PATIENCE if progress else patience - 1
            least = min(least, gap)
        dual.set_point(best[1])
        ended = MAX_ITER if self.iterations >= limit else STALLED
        return (CONVERGED if best[0] <= target else ended), best[0]

    def _begin(self, lam):
        """Start from the last coefficients, or if they have the lower gap at lam from those of u.

        Those of u are proportional to 1 / lam, and far out after a large step of lam.
        """
        dual, last = self.dual, self.dual.point()
        of_u, kept = dual.certify(lam, dual.u), dual.point()
        dual.set_point(last)
        gap = dual.certify(lam, dual.u, dual.g, dual.eta - dual.offset - dual.intercept)
        if of_u <= gap:
            dual.set_point(kept)
        self.take(dual.u)
        return min(of_u, gap)

    def _finish(self, lam, gap, target):
        """Solve exactly for the rows in F once they are those of the last round; return the gap.

        The method of multipliers is slow where their inner products are nearly dependent.
        """
        dual, h = self.dual, self.envelope.curvature_at(self.eta) > 0.0
        same = self.last_inside is not None and np.array_equal(h, self.last_inside)
        self.last_inside, free = h, np.flatnonzero(h)
        if gap <= target or not same or not 0 < len(free) <= 3000:  # memory is a square of them
            return gap
        self.spent += 1
        before, u, g, width = dual.point(), dual.u.copy(), dual.z / lam, dual.loss.width
        rows = some_rows(dual, free)
        slope = dual.target[free] - self.b0 - rows.T @ g + dual.centre @ g
        low, high = dual.low[free], dual.high[free]
        if width > 0.0:
            slope -= width * np.sign(u[free])
            low, high = np.where(u[free] > 0, 0.0, low), np.where(u[free] < 0, 0.0, high)
        gram = inner(rows, dual.centre)
        gram[np.diag_indices_from(gram)] += lam * dual.diagonal[free]
        u[free] = ascend(gram, u[free], slope, low, high, lam, dual.with_intercept)
        found = dual.certify(lam, dual.feasible(u))
        if found < gap:
            self.take(dual.u)
            return found
        dual.set_point(before)
        return gap

    def _round(self, lam, goal, nothing, limit):
        """Take Newton steps on the envelope's problem until at most `goal` of it is left.

        At least one step is taken if more than `nothing` is left.
        """
        dual, free = self.dual, self.dual.with_intercept
        # Newton steps in a round: the number of rows that change falls at each.
        for k in range(60):
            u = -self.w * self.envelope.slopes(self.eta)
            slope = dual.products(u) - lam * self.g
            slope_0 = float(u.sum()) if free else 0.0
            left = float(slope @ slope) / (2.0 * lam) + abs(slope_0) * dual.spread
            if left <= (goal if k > 0 else nothing) or self.iterations >= limit:
                break
            self.spent += 1
            step, step_0 = self._direction(lam, slope, slope_0)
            along = dual.predictor(step) + step_0
            t = self._length(lam, step, along)
            if t == 0.0:
                break
            self.g, self.b0 = self.g + t * step, self.b0 + t * step_0
            self.eta = self.eta + t * along
        return u

    def _direction(self, lam, slope, slope_0):
        """Return the Newton step (k,) and that of the intercept, for downhill `slope` and
        `slope_0`.
        """
        h = self.envelope.curvature_at(self.eta)
        few = np.count_nonzero(h) <= self.dual.rows.n // 2
        make = self._by_columns if self.by_columns and not few else self._by_rows
        solve, border, total = make(lam, h)
        step = solve(slope)
        if not self.dual.with_intercept:
            return step, 0.0
        back = solve(border)
        alone = 1e-3 * self.first * (total == 0.0)
        least = max(1e-9 * total, alone)
        curvature = max(total - border @ back, least)
        step_0 = (slope_0 - border @ step) / curvature
        return step - step_0 * back, float(step_0)

    def _by_columns(self, lam, h):
        """Return a solver of (lam + A_F'H A_F) x = y by that matrix, A_F'h, and the sum of h."""
        inside = np.flatnonzero(h)
        gram, first, total = moments(self.dual, inside, h[inside])
        gram[np.diag_indices_from(gram)] += lam
        factor = _cholesky(gram)
        return lambda y: cho_solve(factor, y, check_finite=False), first, total

    def _by_rows(self, lam, h):
        """Return a solver of (lam + A_F'H A_F) x = y by the inner products of F, A_F'h, and the
        sum of h.
        """
        inside = np.flatnonzero(h)
        h, m = h[inside], self.dual.centre
        if len(h) == 0:
            return lambda y: y / lam, np.zeros_like(m), 0.0
        rows = some_rows(self.dual, inside)
        gram = inner(rows, m)
        gram[np.diag_indices_from(gram)] += lam / h
        factor = _cholesky(gram)

        def solve(y):
            x = cho_solve(factor, rows.T @ y - m @ y, check_finite=False)
            return (y - (rows @ x - x.sum() * m)) / lam

        return solve, rows @ h - h.sum() * m, float(h.sum())

    def _length(self, lam, step, along):
        """Return the t at which the slope along the step is nearly 0; 0.0 if it does not descend.
        """
        ridge_slope, curvature = lam * float(self.g @ step), lam * float(step @ step)

        def slope(t):
            return ridge_slope + t * curvature + self.envelope.slope_along(self.eta, along, t)

        begin = slope(0.0)
        if not begin < 0.0:
            return 0.0
        low, at_low, high, at_high, t = 0.0, begin, np.inf, np.inf, 1.0
        # Lengths tried in one search: each cuts its interval by a tenth at least.
        for _ in range(30):
            here = slope(t)
            if abs(here) <= -0.1 * begin:
                return t
            if here < 0.0:
                low, at_low = t, here
            else:
                high, at_high = t, here
            if high == np.inf:
                t = 2.0 * t
            else:
                cut = low + (high - low) * at_low / (at_low - at_high)
                near = 0.1 * (high - low)
                t = min(max(cut, low + near), high - near)
        return low if low > 0.0 else t


def _cholesky(matrix):
    """Return a Cholesky factor; if rounding has made the matrix indefinite, with a larger
    diagonal.
    """
    diagonal = matrix.diagonal().copy()
    for more in (0.0, 1e-14, 1e-12, 1e-10):
        matrix[np.diag_indices_from(matrix)] = diagonal * (1.0 + more)
        try:
            return cho_factor(matrix, lower=True, check_finite=False)
        except LinAlgError:
            continue
    raise LinAlgError("a Hessian that is not positive definite; rescale X")
