"""The method of multipliers around a solver of smooth problems, for losses with kinks.

    minimise over b0, b   F(offset + b0 + Zb)  +  lam Omega(b),      F = sum_i w_i f(y_i, .)

Given: a Problem whose loss is piecewise linear, and any solver for smooth losses that can go on
from its coefficients when the loss changes (`restart`). Returned per lam: the duality gap of that
problem itself, see KinkedCertificate. Invariant: -w m is a dual point within the slopes of F.

A round solves the problem with the Moreau envelope of F about multipliers m,

    f_sigma(eta; m) = min over t of  f(t) + m (eta - t) + sigma (eta - t)^2 / 2,

and takes the envelope's slopes s+ for the next m: a proximal step on the dual. At the right m the
envelope has the minimisers of F, whatever sigma. sigma grows while rounds gain too little.

Reference: Rockafellar, "Augmented Lagrangians and applications of the proximal point algorithm in
convex programming" (1976); Li, Sun, Toh, "A highly efficient semismooth Newton augmented
Lagrangian method for solving lasso problems" (2018).
"""

from dataclasses import replace

import numpy as np

from sparsesolve.linalg.kernels.box_hyperplane import project
from sparsesolve.losses.kinked import Envelope
from sparsesolve.solvers.certificate.dual_point import projected
from sparsesolve.solvers.first_order.augmented_lagrangian import FIRST_SHARE, RHO_GROWTH
from sparsesolve.solvers.first_order.first_order import Best, FirstOrder, Point
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, NULL_LAMBDA, STALLED, State
from sparsesolve.solvers.tolerances import PROGRESS, ROUNDING

# The curvature sigma of the Moreau envelope at the start of a lambda, in units of a slope over the
# spread of the kinks. A larger one makes the smooth problem as hard as the problem itself; a
# smaller one takes more rounds.
FIRST_SIGMA = 10.0
# sigma grows by the first factor after a round that left more than the second fraction of the gap,
# and shrinks by it where the smooth problem takes too many steps.
SIGMA_GROWTH, ROUND_GAIN = 3.0, 0.2
# An inner problem is solved to this fraction of the current gap.
INNER_SHARE = 0.1
# Rounds without progress of the least gap after which the method is given up.
ROUNDS_PATIENCE = 15


class KinkedCertificate(FirstOrder):
    """Point and gap over all columns of a Problem whose loss has kinks.

    Invariant: u is within the slopes and orthogonal to the unpenalised columns. It is projected,
    not cleared by curvature: with few samples between their ends, clearing would magnify what is
    rounding of the products.
    """

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        self.shift = 0.0

    def place(self, which, values, intercept):
        """Move to these coefficients, with the best intercept for them; return eta."""
        b = np.zeros(self.design.p)
        b[which] = values
        c = np.zeros(self.basis.shape[1])
        eta = self.offset + (intercept + self.design.combination(which.astype(np.intc), values))
        value, _ = self.loss.at(eta)
        self.shift = 0.0
        if self.with_intercept:
            shift = self.loss.best_shift(eta)
            moved = self.loss.at(eta + shift)[0]
            # rounding
            if moved < value - 1e-15 * abs(value):
                eta, value, self.shift = eta + shift, moved, shift
            c[0] = intercept + self.shift
        self.point = Point(b, c, eta, value, None)
        return eta

    def certify(self, lam, u):
        """Return the gap at the current point with the dual point u (n,), clipped to its domain.
        """
        self.point = self.point._replace(u=np.clip(u, *self.loss.ends))
        return self.gap(lam)

    def _coefficients(self):
        return self.point.b

    def objective(self, lam, point=None):
        """F and the penalty; unpenalised columns have none."""
        point = point or self.point
        held = np.where(self.unpenalised, 0.0, point.b)
        return point.value - self.loss.saturated + self.penalty.value(held, lam)

    def span_rounding(self):
        return 0.0  # eta was made from the coefficients, not from those of the basis.

    def dual_at(self, lam):
        point = self.point
        free, basis = self.unpenalised_basis.which, self.basis
        if not self.unpenalised_basis.same_at(lam):
            free, basis, _ = self.unpenalised_basis.at(point.b, self.products(point.u), lam)
        if basis.shape[1] == 0:
            return point.u, free, 0.0
        u, (low, high) = point.u, self.loss.ends
        if basis.shape[1] > 1:
            u, missing = projected(u, low, high, basis, 1.0 + float(np.abs(point.eta).max()))
            return u, free, missing
        column = np.ascontiguousarray(basis[:, 0])
        # rounding: no projection is made
        if abs(column @ u) > 1e-15 * (np.abs(column) @ np.abs(u)):
            u = project(u, low, high, column, 0.0, np.ones(len(u)))
        return u, free, 0.0


class Multipliers(State):
    """A solver state, see solvers/state.py.

    Parameters
    ----------
    problem : Problem of a loss that is not smooth
    make : callable (problem) -> the state of a solver of smooth losses
    """

    def __init__(self, problem, make, n_threads):
        self.problem, self.loss, self.n_threads = problem, problem.loss, n_threads
        self.first = FIRST_SIGMA / kink_spread(problem)
        self.start_sigma = self.first
        self.envelope = Envelope(problem.loss, self.first)
        self.inner = make(replace(problem, loss=self.envelope))
        self.certificate = KinkedCertificate(problem, n_threads)
        self.m = np.zeros(problem.design.n)
        self.w = np.asarray(problem.weights)
        self.null = max(problem.null_value, 1e-300)
        self.certificate.place(*self.inner.coefficients(), self.inner.intercept)
        self.largest_lambda, self.fine = None, 1.0
        self.empty = None  # the null model, while it has been the answer so far

    @property
    def iterations(self):
        """Iterations of the inner solver so far."""
        return self.inner.iterations

    @property
    def loss_value(self):
        """F less its least value."""
        return self.certificate.loss_value

    @property
    def intercept(self):
        """Intercept of the standardised problem."""
        return self.inner.intercept + self.certificate.shift

    def coefficients(self):
        """Features with a nonzero coefficient, ascending, and their coefficients."""
        return self.inner.coefficients()

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap).

        Where the null model is optimal among others, as at the first lambda of a path, it is the
        answer: the lower bound of any solution proves it.
        """
        outcome, gap = self._solve(lam, target, budget)
        if lam >= NULL_LAMBDA:
            self.empty = self._here()
        elif self.empty is not None and outcome == CONVERGED:
            found, bound = self._here(), self.certificate.objective(lam) - gap
            self._go_to(self.empty)
            value = self.certificate.objective(lam)
            above = max(value - bound, 0.0) + self.certificate.rounding(value)
            at_null = min(self._certify(lam), above)
            if at_null <= target:
                return CONVERGED, at_null
            self.empty = None
            self._go_to(found)
            gap = self._certify(lam)
        return outcome, gap

    def _here(self):
        """Return the current point, for `_go_to`."""
        which, values = self.inner.coefficients()
        return which.copy(), values.copy(), self.inner.intercept, self.m

    def _go_to(self, point):
        """Move to a point of `_here`; the multipliers stay."""
        which, values, intercept, _ = point
        self.inner.start_at(which, values, intercept)
        self.certificate.place(which, values, intercept)

    def _solve(self, lam, target, budget, again=3):
        """Reach gap <= target; start `again` from the best dual point if rounds stall."""
        limit, patience = self.iterations + budget, ROUNDS_PATIENCE
        self._begin_lambda(lam)
        gap = least = self._certify(lam)
        best = Best(self.certificate.objective(lam), gap, self._here())
        bound, m = -np.inf, self.m  # the largest dual value, and its multipliers
        if lam >= NULL_LAMBDA:
            target = max(target, ROUNDING * self.null)
        for _ in range(60):  # sigma has grown to its end after ten
            if gap <= target:
                return CONVERGED, gap
            if self.iterations >= limit or patience == 0:
                break
            before = self.iterations
            outcome = self._round(lam, target, gap, limit)
            last, gap = gap, self._certify(lam)
            value = self.certificate.objective(lam)
            best.add(value, gap, self._here(), self.certificate.rounding(value))
            if value - gap > bound:
                bound, m = value - gap, self.m
            if not self._after_round(outcome, before, gap, last):
                continue
            progress = gap < PROGRESS * least
            patience = ROUNDS_PATIENCE if progress else patience - 1
            least = min(least, gap)
        self._go_to(best.point)
        self.m = best.point[3]
        ended = MAX_ITER if self.iterations >= limit else STALLED
        gap = self._certify(lam)
        if gap > target:  # The dual point of another round may be nearer.
            own, self.m = self.m, m
            other = self._certify(lam)
            if other < gap and ended == STALLED and again > 0:
                return self._solve(lam, target, limit - self.iterations, again - 1)
            self.m = self.m if other < gap else own
            gap = self._certify(lam)
        return (CONVERGED if gap <= target else ended), gap

    def _begin_lambda(self, lam):
        """Choose the first envelope at a lambda."""
        self.fine = 1.0
        self.start_sigma = min(SIGMA_GROWTH * self.start_sigma, self.first)
        self.envelope.about(self.m, self.start_sigma)

    def _after_round(self, outcome, before, gap, last):
        """Choose the envelope of the next round; return whether the last one counts."""
        gains_little = gap > ROUND_GAIN * last
        if self.iterations == before and gains_little and self.fine > 1e-8:
            # The inner gap is of second order in eta, this one of first order at a kink.
            self.fine *= 0.03  # down to 1e-8: below, an inner gap is rounding
            return False
        if outcome == MAX_ITER:
            smaller = self.envelope.sigma / SIGMA_GROWTH
            self._take(self.m, max(smaller, 1e-3 * self.first))
            self.start_sigma = min(self.start_sigma, self.envelope.sigma)
        elif gains_little:
            larger = SIGMA_GROWTH * self.envelope.sigma
            self._take(self.m, min(larger, 1e4 * self.first))
        return True

    def _round(self, lam, target, gap, limit):
        """Minimise the envelope's problem, and take its slopes for multipliers; return its
        Outcome.
        """
        goal = min(INNER_SHARE * gap, self.null)
        goal = self.fine * max(goal, 0.05 * target)
        # Steps of the inner solver in a round after which sigma shrinks.
        steps = max(min(limit - self.iterations, 3000), 1)
        outcome, _ = self.inner.solve(lam, goal, steps)
        eta = self.certificate.place(*self.inner.coefficients(), self.inner.intercept)
        self.m = self.envelope.slopes(eta - self.certificate.shift)
        return outcome

    def _certify(self, lam):
        """Return the gap at the inner solver's coefficients with the multipliers as dual point."""
        gap = self.certificate.certify(lam, -self.w * self.m)
        self._take(self.m, self.envelope.sigma)
        return gap

    def _take(self, m, sigma):
        """Make the inner solver's loss the envelope about these multipliers."""
        self.envelope.about(m, sigma)
        self.inner.restart()

    # The largest lambda.

    def first_lambda(self):
        """Return a lambda above which the dual point stays that of the null model, or None.

        Without an l1 part b = V^-1 Z'u / lam there. Its predictor reaches no kink while it is
        shorter than the distance of the nearest kink, whose scale is the spread of the kinks.
        """
        problem = self.problem
        if not problem.has_blocks or problem.has_groups or problem.penalty.alpha > 0.0:
            return None
        z, v = self.correlations(), np.asarray(problem.penalty.l2)
        held = problem.open_columns & (v > 0.0)
        b = np.divide(z, v, out=np.zeros_like(z), where=held)
        which = np.flatnonzero(b).astype(np.intc)
        moved = np.abs(problem.design.combination(which, b[which]))[self.w > 0.0]
        return float(moved.max(initial=0.0)) * self.first / FIRST_SIGMA or None

    def correlations(self):
        """Return z_j'u of every column (p,) at the null model's dual point of least polar.

        If rows lie on a kink of the null model, its dual point is not unique, and the least
        lambda with b = 0 is the value of a linear programme, min over u of the polar of Z'u. By
        convexity it is also the largest (F(null) - F(b0, b)) / Omega(b). Dinkelbach's steps solve
        at the last ratio and take that of the solution, until b = 0 is best. If no column can
        lower the loss, that value is 0, and the path starts where the steps down have ended.
        """
        if self.largest_lambda is None:
            self.largest_lambda = self._largest_lambda()
        return self.certificate.products(self.certificate.dual_at(self.largest_lambda)[0])

    def _largest_lambda(self):
        null, penalty = self.certificate.point.value, self.problem.penalty
        lam = _least_lambda(self.problem, self.correlations_here())
        if not 0.0 < lam < np.inf or penalty.alpha == 0.0:
            return lam
        # Relative gaps of Dinkelbach's steps, while they are long and at last, and a fraction of a
        # lambda whose solution is b = 0, which is tried next.
        loose, tight, fraction = 1e-3, 1e-9, 0.7
        best, lam, close = 0.0, fraction * lam, loose
        # Dinkelbach's steps to the largest lambda with a coefficient other than 0: they converge
        # faster than geometrically.
        for _ in range(30):
            self._solve(lam, close * self.null, 10_000)
            point = self.certificate.point
            held = np.where(self.certificate.unpenalised, 0.0, point.b)
            size = penalty.value(1e-8 * held, 1.0) / 1e-8  # the part of degree 1, to eight digits
            ratio = (null - point.value) / size if size > 0.0 else 0.0
            # A fall of the objective below this fraction of it is rounding of a solution at the
            # last gap.
            if null - point.value > lam * (1.0 + tight) * size + 1e-12 * null:
                close = tight if ratio < (1.0 + loose) * lam else close
                best = lam = ratio
            elif close > tight:
                close = tight
            elif best > 0.0:
                break
            else:  # b = 0 is best here, and perhaps further down.
                lam = fraction * min(lam, _least_lambda(self.problem, self.correlations_here()))
        self._solve(lam * (1.0 + tight), tight * self.null, 10_000)
        return lam

    def correlations_here(self):
        """Return z_j'u at the current dual point."""
        return self.certificate.products(self.dual_point())

    def dual_point(self):
        """Return the current dual point, before it is scaled to be feasible for an l1 part."""
        return self.certificate.dual_at(NULL_LAMBDA)[0]


class NormMultipliers(Multipliers):
    """Multipliers of the loss and of a norm of few coefficients at once.

    A norm of whole vectors has kinks of its own, and a round about F alone would be a problem as
    hard as the first. Here a round minimises over b0 and b, with m of F and y_k of the terms P_k

        f_sigma(b0 + Zb; m) + sum_k min over s_k of  lam P_k(s_k) + rho |b + y_k / rho - s_k|^2 / 2

    by the Newton steps of first_order/augmented_lagrangian.py; `inner`, a TangentNewton, has the
    y_k. At its minimum Z'u = sum_k y_k, so that u = -w m is a dual point. Columns of any size are
    alike to it, as multipliers have the size of lam.
    """

    def _begin_lambda(self, lam):
        self.inner.rounds.begin()
        self.sigma, self.start = None, None
        super()._begin_lambda(lam)

    def _round(self, lam, target, gap, limit):
        if lam >= NULL_LAMBDA or not lam > 0.0:
            return super()._round(lam, target, gap, limit)
        inner, rounds = self.inner, self.inner.rounds
        if self.start is None:
            c = np.zeros_like(inner.point.c)
            c[: inner.n_apart] = inner.point.c[: inner.n_apart]
            self.start = inner._coefficients(), c
        b, c = self.start
        self._choose(lam, gap, b)
        self.last = self.m, rounds.y
        inner.restart()
        goal = max(INNER_SHARE * min(gap, self.null), 0.3 * target)
        w = [y / rounds.rho for y in rounds.y]
        at, most = rounds.split(lam, b, c, w), self.w * self.envelope.sigma
        at = rounds.minimise(lam, at, w, goal, limit, most)
        self.start, rounds.y = (at.point.b, at.point.c), rounds.multipliers(at, w)
        self.m = self.envelope.slopes(at.point.eta)
        self._move(lam, at)
        return CONVERGED if rounds.reached else STALLED

    def _choose(self, lam, gap, b):
        """Set rho, sigma, and for the first round of a path the multipliers of the norm."""
        rounds, first = self.inner.rounds, self.sigma is None
        least = max(min(gap, self.null), 1e-3 * self.null)
        rounds.choose_rho(lam, least)
        # rounding of rho b is then some 1e-10 of lam
        rounds.rho = min(rounds.rho, 1e6 * lam / max(float(np.abs(b).max()), 1e-300))
        if first:
            _, low, high = self.loss.pieces
            self.sigma = float(self.w @ (high - low) ** 2) / (FIRST_SHARE * least)
        elif rounds.reached:
            self.sigma = min(RHO_GROWTH * self.sigma, 1e8)  # as eta is known to 1e-16
        self.envelope.about(self.m, self.sigma)

    def _move(self, lam, at):
        """Move to the point of least objective, b or one of the s_k."""
        place, own = self.certificate.place, at.point.c[..., : self.inner.n_apart]
        intercept = float(own[0]) if len(own) else 0.0
        found = [*at.parts, at.point.b] if len(at.parts) > 1 else at.parts

        def placed(b):
            which = np.flatnonzero(b).astype(np.intc)
            place(which, b[which], intercept)
            return which, b[which], intercept

        def objective(b):
            placed(b)
            return self.certificate.objective(lam)

        best = placed(min(found, key=objective))
        self.inner.start_at(*best)
        if len(at.parts) > 1:
            self.certificate.penalty.begin_polar(at.point.b, self.inner.rounds.y)

    def _after_round(self, outcome, before, gap, last):
        if self.sigma is None:
            return super()._after_round(outcome, before, gap, last)
        rounds = self.inner.rounds
        if not rounds.reached and gap > last:  # sigma and rho multiply rounding
            self.m, rounds.y = self.last
            self.sigma, rounds.rho = self.sigma / RHO_GROWTH, rounds.rho / RHO_GROWTH
        return True


def _least_lambda(problem, z):
    """Return the least lambda at which z = Z'u is feasible."""
    return float(problem.penalty.entry_lambdas(z).max(initial=0.0))


def kink_spread(problem):
    """Return the spread of the kinks about the null model, the unit of eta: 1 for the hinge."""
    centre = problem.loss.pieces[0] - problem.offset
    spread = float(np.sqrt(problem.weights @ (centre - problem.null_intercept) ** 2))
    return spread if spread > 0.0 else 1.0
