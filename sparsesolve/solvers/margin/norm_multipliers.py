"""Multipliers of a loss with kinks and of a norm at once, by semismooth Newton steps.

    minimise over b0, b   F(b0 + Zb) + lam sum_k P_k(b),      F = sum_i w_i f(y_i, .)

A norm of whole vectors has kinks of its own. Where the method of multipliers gave it to a solver
of smooth losses, each of its rounds was a problem as hard as the first. Here both have their
multipliers: m those of F (``multipliers.py``) and y_k those of P_k
(``first_order/augmented_lagrangian.py``). A round minimises over b0 and b

    f_sigma(b0 + Zb; m) + sum_k min over s_k of  lam P_k(s_k) + rho |b + y_k / rho - s_k|^2 / 2,

which is smooth and piecewise quadratic where the norm is polyhedral, and takes its slopes for the
next multipliers. At its minimum Z'u = sum_k y_k, so that u = -w m is a dual point. Columns of any
size are alike to it, since steps are Newton's and multipliers have the size of lam.

Given: a Problem of at most some 500 features, whose penalty has tangents. Returned per lam: what
Multipliers returns. Invariant: -w m is within the slopes of F, y_k in lam times the dual ball.

Reference: Li, Sun, Toh, "A highly efficient semismooth Newton augmented Lagrangian method for
solving lasso problems" (2018); damping as in Levenberg and Marquardt.
"""

import numpy as np

from sparsesolve.solvers.first_order.augmented_lagrangian import (
    FIRST_SHARE,
    LEAST_DAMPING,
    RHO_GROWTH,
    solved,
)
from sparsesolve.solvers.margin.multipliers import INNER_SHARE, Multipliers
from sparsesolve.solvers.state import CONVERGED, NULL_LEVEL, STALLED

# Slope at the end of a line search, as a share of that at its start.
FLAT = 0.3


class NormMultipliers(Multipliers):
    """A solver state, see solvers/state.py; `inner` is a TangentNewton state."""

    settled = True  # the last round reached its minimum

    def _begin_level(self, lam):
        self.inner.rounds.begin()
        self.sigma, self.start, self.settled = None, None, True
        super()._begin_level(lam)

    def _round(self, lam, target, gap, limit):
        if lam >= NULL_LEVEL or not lam > 0.0:
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
        at = self._minimise(lam, rounds.split(lam, b, c, w), w, goal, limit)
        self.start, rounds.y = (at.point.b, at.point.c), rounds.multipliers(at, w)
        self.m = self.envelope.slopes(at.point.eta)
        self._move(lam, at)
        return CONVERGED if self.settled else STALLED

    def _choose(self, lam, gap, b):
        """Set rho, sigma, and for the first round of a path the multipliers of the norm."""
        rounds, first = self.inner.rounds, self.sigma is None
        least = max(min(gap, self.null), 1e-3 * self.null)
        rounds.settled = self.settled
        rounds.choose_rho(lam, least)
        # rounding of rho b is then some 1e-10 of lam
        rounds.rho = min(rounds.rho, 1e6 * lam / max(float(np.abs(b).max()), 1e-300))
        if first:
            _, low, high = self.loss.pieces
            self.sigma = float(self.w @ (high - low) ** 2) / (FIRST_SHARE * least)
        elif self.settled:
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

    def _minimise(self, lam, at, w, goal, limit):
        """Return the minimum of a round, by damped Newton steps with a search along each."""
        inner, rounds = self.inner, self.inner.rounds
        f, m, damping, self.settled = inner.n_apart, at.point.b.size, 1e-10, False
        for _ in range(max(min(60, limit - inner.iterations), 1)):  # 3 to 20 are usual
            slope = self._slope(at, w)
            H = rounds.hessian(lam, at, rounds.multipliers(at, w))
            if not (np.isfinite(H).all() and np.isfinite(slope).all()):
                break
            largest = np.square(rounds.images) @ (self.w * self.envelope.sigma)
            largest[:m] += rounds.rho * len(at.parts)
            while True:
                damped = H.copy()
                damped[np.diag_indices(len(H))] += damping * np.maximum(largest, 1e-300)
                d = solved(damped, -slope)
                falls = -float(slope @ d)
                # no step lowers the objective by more than itself
                if (falls > 0.0 and falls <= at.value) or damping >= 1.0:
                    break
                damping *= 100.0
            near = np.abs(slope[:m]).max() <= lam * goal / max(at.value, 1e-300)
            flat = np.abs(slope[m:]).max(initial=0.0) <= 1e-9
            self.settled = falls <= goal and near and flat
            if self.settled:
                break
            across = np.zeros_like(at.point.c)
            across[:f] = d[m:]
            if falls > 1e-14 * abs(at.value):
                new, t = self._search(lam, at, d, across, -falls, w)
            else:
                new, t = self._full_step(lam, at, d, across, slope, w), 1.0
            if new is None:
                break
            at, inner.iterations = new, inner.iterations + 1
            longer = min(max(1.0 / t, 10.0), 1e4)
            damping = max(0.1 * damping, LEAST_DAMPING) if t > 0.1 else min(longer * damping, 1.0)
        return at

    def _full_step(self, lam, at, d, across, slope, w):
        """Return the end of a step whose fall is rounding, if it halves the gradient; or None."""
        m = at.point.b.size
        new = self.inner.rounds.split(lam, at.point.b + d[:m], at.point.c + across, w)
        return new if np.abs(self._slope(new, w)).max() <= 0.5 * np.abs(slope).max() else None

    def _slope(self, at, w):
        """Return the gradient of a round's objective in the coefficients and the intercept."""
        inner, rounds = self.inner, self.inner.rounds
        z = inner.products(at.point.u) - sum(rounds.multipliers(at, w))
        return -np.concatenate([z, at.point.u @ inner.basis[:, : inner.n_apart]])

    def _search(self, lam, at, d, across, slope, w):
        """Return a point along d where the objective is lower and flat, and its step t.

        The objective is convex, so that its slope along d grows with t.
        """
        m, t, high = at.point.b.size, 1.0, None
        low, rounding = (0.0, slope), 1e-15 * abs(at.value)
        for k in range(60):
            b, c = at.point.b + t * d[:m], at.point.c + t * across
            new = self.inner.rounds.split(lam, b, c, w)
            rise = float(self._slope(new, w) @ d) if np.isfinite(new.value) else np.inf
            least = 1e-4 * t * slope if rise > 0.0 else 0.0
            lower = new.value <= at.value + least + rounding
            if lower and abs(rise) <= FLAT * abs(slope):
                return new, t
            if rise < 0.0:
                low = t, rise
            else:
                high = t, rise
            if high is None:
                t *= 4.0
            elif k % 3 == 2 or not np.isfinite(high[1]):
                t = 0.5 * (low[0] + high[0])
            else:
                share = -low[1] / (high[1] - low[1])
                t = low[0] + min(max(share, 0.1), 0.9) * (high[0] - low[0])
        return None, 0.0

    def _after_round(self, outcome, before, gap, last):
        if self.sigma is None:
            return super()._after_round(outcome, before, gap, last)
        rounds = self.inner.rounds
        if not self.settled and gap > last:  # sigma and rho multiply rounding
            self.m, rounds.y = self.last
            self.sigma, rounds.rho = self.sigma / RHO_GROWTH, rounds.rho / RHO_GROWTH
        return True

